//! The mind that comes of a trained network.

use std::sync::Arc;

use chess::{
    Brain, Comparer, Evaluated, LOG_ODDS_PER_CENTIPAWN, Moment, Opinion, Traits, Wants, Wdl,
    shakmaty::{Chess, Position},
};
use kernels::Arithmetic;
use rayon::prelude::*;

use super::{
    Comparator,
    ready::{Desk, Ready},
};
use crate::family::Family;

/// Positions that one task takes.
const SOME: usize = 16;

#[derive(Debug)]
pub(super) struct ComparatorBrain {
    /// For values, in f32.
    exact: Arc<Ready>,
    /// For comparisons, as fast as the CPU can.
    fast: Arc<Ready>,
    traits: Traits,
}

impl ComparatorBrain {
    pub(super) fn new(network: &Comparator) -> ComparatorBrain {
        let traits = Traits {
            policy: None,
            value: true,
            think: false,
            line: false,
            context: false,
            bins: None,
            hand_made: false,
            most_effort: 0,
            search: Comparator::SEARCH,
        };
        let fast = Arc::new(Ready::new(&network.parts(), Arithmetic::best()));
        ComparatorBrain { exact: Ready::exact(&network.parts()), fast, traits }
    }

    /// Log odds of a point for the side to move.
    fn values(&self, positions: &[&Chess]) -> Vec<f32> {
        let some = |positions: &[&Chess]| {
            let mut desk = Desk::new(Arc::clone(&self.exact));
            positions.iter().map(|position| desk.value(position, position.turn())).collect::<Vec<_>>()
        };
        match positions.len() <= SOME {
            true => some(positions),
            false => positions.par_chunks(SOME).flat_map_iter(some).collect(),
        }
    }
}

impl Brain for ComparatorBrain {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        if !wants.value {
            return vec![Opinion::default(); moments.len()];
        }
        let positions: Vec<&Chess> = moments.iter().map(|moment| &moment.position).collect();
        let wdl = |log_odds: f32| {
            let expected = 1.0 / (1.0 + (-log_odds).exp());
            Wdl::from_weights(expected, 0.0, 1.0 - expected)
        };
        let opinion = |(value, moment): (f32, &Moment)| {
            let goes_on = !moment.legal_moves().is_empty();
            Opinion { wdl: goes_on.then(|| wdl(value)), ..Opinion::default() }
        };
        self.values(&positions).into_iter().zip(moments).map(opinion).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        if !wants.value {
            return Evaluated::default();
        }
        let values = self.values(&positions.iter().collect::<Vec<_>>());
        let centipawns = values.into_iter().map(|value| value / LOG_ODDS_PER_CENTIPAWN).collect();
        Evaluated { values: centipawns, scores: Vec::new() }
    }

    fn comparer(&self) -> Option<Box<dyn Comparer>> {
        Some(Box::new(Desk::new(Arc::clone(&self.fast))))
    }
}
