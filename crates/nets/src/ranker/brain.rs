//! The mind that comes of a trained network.

use chess::{
    Bins, Brain, Evaluated, LOG_ODDS_PER_CENTIPAWN, Moment, MoveScores, Opinion, Traits, Wants, Wdl,
    shakmaty::Chess,
};

use super::{
    Ranker,
    batch::RankerBatch,
    ready::{Outputs, ReadyRanker},
};
use crate::{family::Family, weights::values};

/// Positions that burn judges in one go.
const MOST_AT_ONCE: usize = 256;
/// How much likelier a move is for each step on the scale of values, as a power of e.
const SHARPNESS: f32 = 4.0;

#[derive(Debug)]
pub(super) struct RankerBrain {
    network: Ranker,
    /// The same, packed for the CPU.
    ready: Option<ReadyRanker>,
    zero: f32,
    odds: f32,
    traits: Traits,
}

impl RankerBrain {
    pub(super) fn new(network: Ranker) -> RankerBrain {
        let [zero, odds] = [&network.zero, &network.odds].map(|number| values(number.val())[0]);
        let centipawns = odds / LOG_ODDS_PER_CENTIPAWN;
        let edges = values(network.bins.val()).into_iter().map(|edge| centipawns * edge).collect();
        let traits = Traits {
            policy: Some(MoveScores::Values),
            value: true,
            think: false,
            line: false,
            context: false,
            bins: Some(Bins { shift: centipawns * values(network.shift.val())[0], edges }),
            hand_made: false,
            most_effort: 0,
            search: Ranker::SEARCH,
        };
        RankerBrain { ready: network.ready(), zero, odds, traits, network }
    }

    /// Values, and scores of all moves where `moves` says so.
    fn rank(&self, positions: &[Chess], moves: bool) -> Outputs {
        let (mut values, mut scores) = match &self.ready {
            Some(ready) => ready.rank(positions, moves),
            None => {
                let chunks = positions.chunks(MOST_AT_ONCE).map(|some| self.rank_some(some, moves));
                let (values, scores): (Vec<_>, Vec<_>) = chunks.unzip();
                (values.concat(), scores.concat())
            }
        };
        values.iter_mut().chain(scores.iter_mut().flatten()).for_each(|output| *output -= self.zero);
        (values, scores)
    }

    /// The outputs by burn's own operations.
    fn rank_some(&self, positions: &[Chess], moves: bool) -> Outputs {
        let batch = RankerBatch::from_positions(positions, moves);
        let trunk = self.network.trunk(&batch);
        let worth = self.network.values(trunk.clone());
        let scores = match batch.moves.steps.is_empty() {
            true => Vec::new(),
            false => values(self.network.moves(trunk, worth.clone(), &batch.moves)),
        };
        (values(worth), by_position(&scores, &batch))
    }

    /// The outputs in centipawns.
    fn appraise(&self, positions: &[Chess], moves: bool) -> Outputs {
        let centipawns = self.odds / LOG_ODDS_PER_CENTIPAWN;
        let (mut values, mut scores) = self.rank(positions, moves);
        values.iter_mut().chain(scores.iter_mut().flatten()).for_each(|output| *output *= centipawns);
        (values, scores)
    }

    fn wdl(&self, value: f32) -> Wdl {
        let expected = 1.0 / (1.0 + (-self.odds * value).exp());
        Wdl::from_weights(expected, 0.0, 1.0 - expected)
    }
}

/// The scores of each position's moves.
fn by_position(scores: &[f32], batch: &RankerBatch) -> Vec<Vec<f32>> {
    let mut rest = scores;
    let own = |&count: &usize| {
        let (own, others) = rest.split_at(count);
        rest = others;
        own.to_vec()
    };
    batch.moves.counts.iter().map(own).collect()
}

fn chances(scores: &[f32]) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    let weights: Vec<f32> = scores.iter().map(|score| (SHARPNESS * (score - best)).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

impl Brain for RankerBrain {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        if !wants.policy && !wants.value {
            return vec![Opinion::default(); moments.len()];
        }
        let positions: Vec<Chess> = moments.iter().map(|moment| moment.position.clone()).collect();
        let (values, scores) = self.rank(&positions, wants.policy);
        let mut scores = scores.into_iter();
        let opinion = |(value, moment): (f32, &Moment)| {
            let scores = scores.next().filter(|_| wants.policy);
            let goes_on = match &scores {
                Some(scores) => !scores.is_empty(),
                None => !moment.legal_moves().is_empty(),
            };
            let wdl = (wants.value && goes_on).then(|| self.wdl(value));
            Opinion { policy: scores.map(|scores| chances(&scores)), wdl, ..Opinion::default() }
        };
        values.into_iter().zip(moments).map(opinion).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        if !wants.policy && !wants.value {
            return Evaluated::default();
        }
        let (values, scores) = self.appraise(positions, wants.policy);
        Evaluated {
            values: if wants.value { values } else { Vec::new() },
            scores: if wants.policy { scores } else { Vec::new() },
        }
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::{
        layers::Builder,
        ranker::{RankerConfig, speed::positions},
    };

    #[test]
    fn the_packed_network_gives_what_plain_operations_give_whatever_the_batch() {
        let config = &RankerConfig::all_tiny()[0];
        let brain = RankerBrain::new(Ranker::new(config, &mut Builder::new(5, &Device::flex())));
        assert!(brain.ready.is_some());
        let positions = positions(21);
        let (expected, expected_scores) = brain.rank_some(&positions, true);
        let mut first = None;
        for some in [21, 3, 1] {
            let batches = positions.chunks(some).map(|some| brain.rank(some, true));
            let (values, scores): (Vec<_>, Vec<_>) = batches.unzip();
            let (values, scores) = (values.concat(), scores.concat());
            assert_eq!(scores.len(), expected_scores.len());
            let pairs = values.iter().zip(&expected);
            let pairs = pairs.chain(scores.iter().flatten().zip(expected_scores.iter().flatten()));
            for (found, expected) in pairs {
                assert!((found - expected).abs() < 0.02, "{some}: {found} {expected}");
            }
            let first = first.get_or_insert_with(|| (values.clone(), scores.clone()));
            assert!(*first == (values, scores), "{some} at a time are not what all together are");
        }
    }
}
