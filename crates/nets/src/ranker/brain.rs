//! The mind that comes of a trained network.

use chess::{Bins, Brain, LOG_ODDS_PER_CENTIPAWN, Moment, Opinion, Wdl, shakmaty::Chess};

use super::{Ranker, batch::Batch, network::ReadyTrunk};
use crate::weights::values;

/// Moments that are judged in one go.
const MOST_AT_ONCE: usize = 256;
/// How much likelier a move is for each step on the scale of values, as a power of e.
const SHARPNESS: f32 = 4.0;

#[derive(Debug)]
pub(super) struct RankerBrain {
    network: Ranker,
    /// Its trunk, packed for the CPU.
    ready: Option<ReadyTrunk>,
    zero: f32,
    odds: f32,
    bins: Bins,
}

impl RankerBrain {
    pub(super) fn new(network: Ranker) -> RankerBrain {
        let [zero, odds] = [&network.zero, &network.odds].map(|number| values(number.val())[0]);
        let bins = Bins { shift: values(network.shift.val())[0], edges: values(network.bins.val()) };
        RankerBrain { ready: network.ready(), zero, odds, bins, network }
    }

    /// Values and scores of all moves.
    fn rank(&self, batch: &Batch) -> (Vec<f32>, Vec<f32>) {
        let device = self.network.device();
        let trunk = match &self.ready {
            Some(ready) => ready.forward(batch, &device),
            None => self.network.trunk(batch),
        };
        let worth = self.network.values(trunk.clone());
        let scores = match batch.moves.steps.is_empty() {
            true => Vec::new(),
            false => values(self.network.moves(trunk, worth.clone(), &batch.moves)),
        };
        let from_zero = |outputs: Vec<f32>| outputs.into_iter().map(|output| output - self.zero).collect();
        (from_zero(values(worth)), from_zero(scores))
    }

    fn wdl(&self, value: f32) -> Wdl {
        let expected = 1.0 / (1.0 + (-self.odds * value).exp());
        Wdl::from_weights(expected, 0.0, 1.0 - expected)
    }

    fn judge_some(&self, moments: &[Moment]) -> Vec<Opinion> {
        let batch = Batch::from_positions(moments.iter().map(|moment| &moment.position), true);
        let (worth, scores) = self.rank(&batch);
        let opinion = |(value, (own, count)): (f32, (&[f32], &usize))| {
            let wdl = (*count > 0).then(|| self.wdl(value));
            Opinion { policy: Some(chances(own)), wdl, ..Opinion::default() }
        };
        let own = by_position(&scores, &batch).zip(&batch.moves.counts);
        worth.into_iter().zip(own).map(opinion).collect()
    }
}

/// The scores of each position's moves.
fn by_position<'a>(scores: &'a [f32], batch: &'a Batch) -> impl Iterator<Item = &'a [f32]> {
    let mut rest = scores;
    batch.moves.counts.iter().map(move |&count| {
        let (own, others) = rest.split_at(count);
        rest = others;
        own
    })
}

fn chances(scores: &[f32]) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    let weights: Vec<f32> = scores.iter().map(|score| (SHARPNESS * (score - best)).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

impl Brain for RankerBrain {
    fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
        moments.chunks(MOST_AT_ONCE).flat_map(|some| self.judge_some(some)).collect()
    }

    fn values(&self, positions: &[Chess]) -> Option<Vec<f32>> {
        let centipawns = self.odds / LOG_ODDS_PER_CENTIPAWN;
        let some = |some: &[Chess]| self.rank(&Batch::from_positions(some, false)).0;
        let all = positions.chunks(MOST_AT_ONCE).flat_map(some);
        Some(all.map(|value| centipawns * value).collect())
    }

    fn move_scores(&self, positions: &[Chess]) -> Option<Vec<Vec<f32>>> {
        let some = |some: &[Chess]| {
            let batch = Batch::from_positions(some, true);
            let (_, scores) = self.rank(&batch);
            by_position(&scores, &batch).map(<[f32]>::to_vec).collect::<Vec<_>>()
        };
        Some(positions.chunks(MOST_AT_ONCE).flat_map(some).collect())
    }

    fn bins(&self) -> Option<&Bins> {
        Some(&self.bins)
    }
}
