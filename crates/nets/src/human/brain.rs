//! The mind that comes of a trained network.

use burn::tensor::activation::softmax;
use chess::{Brain, Moment, Opinion, ThinkTime, Wdl};

use super::{Human, HumanConfig, Outputs, Packed, THINK_BINS, THINK_EDGES, batch::Batch};
use crate::{choice, fused, temperature::at_temperature, weights::values};

/// Moments that are judged in one go.
const MOST_AT_ONCE: usize = 256;
/// Where the last class of thinking time ends, in seconds.
const LONGEST_THOUGHT: f32 = 180.0;

#[derive(Debug)]
pub(super) struct HumanBrain {
    network: Human,
    packed: Option<Packed>,
    config: HumanConfig,
}

impl HumanBrain {
    pub(super) fn new(network: Human, config: HumanConfig) -> HumanBrain {
        HumanBrain { packed: network.packed(), network, config }
    }

    fn judge_some(&self, moments: &[&Moment]) -> Vec<Opinion> {
        let batch = Batch::from_moments(&self.config, moments);
        let Outputs { moves, outcome, think, .. } = self.network.forward(&batch, false, self.packed.as_ref());
        let moves = fused::chances(&choice::ends(&batch.counts), values(moves));
        let outcome = values(softmax(outcome, 1));
        let think = values(softmax(think, 1));
        let mut rest_of_moves = &moves[..];
        let rows = batch.counts.iter().map(|&count| rest_of_moves.split_off(..count).expect("its list"));
        let rest = outcome.chunks_exact(3).zip(think.chunks_exact(THINK_BINS));
        rows.zip(rest)
            .zip(moments)
            .map(|((row, (wdl, think)), moment)| Opinion {
                policy: Some(self.calibrated(row, moment)),
                wdl: Some(Wdl::from_weights(wdl[0], wdl[1], wdl[2])),
                think: Some(think_time(think)),
                line: Vec::new(),
            })
            .collect()
    }
}

impl HumanBrain {
    fn calibrated(&self, chances: &[f32], moment: &Moment) -> Vec<f32> {
        let rating = moment.players.and_then(|players| players.of(moment.turn()));
        match self.config.temperature(rating) {
            1.0 => chances.to_vec(),
            temperature => at_temperature(chances, temperature),
        }
    }
}

impl Brain for HumanBrain {
    fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
        let alive: Vec<&Moment> = moments.iter().filter(|moment| !moment.legal_moves().is_empty()).collect();
        let mut answers = alive.chunks(MOST_AT_ONCE).flat_map(|some| self.judge_some(some));
        let finished = || Opinion { policy: Some(Vec::new()), ..Opinion::default() };
        let answer = |moment: &Moment| match moment.legal_moves().is_empty() {
            true => finished(),
            false => answers.next().expect("one answer per moment"),
        };
        moments.iter().map(answer).collect()
    }
}

fn think_time(chances: &[f32]) -> ThinkTime {
    let edges: Vec<f32> = [0.0].into_iter().chain(THINK_EDGES).chain([LONGEST_THOUGHT]).collect();
    ThinkTime::from_weights(&edges, chances)
}
