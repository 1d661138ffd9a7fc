//! The mind that comes of a trained network.

use chess::{Brain, Evaluated, Moment, MoveScores, Opinion, Traits, Wants, shakmaty::Chess};
use kernels::Arithmetic;

use super::{
    Recycler, RecyclerConfig,
    batch::Batch,
    network::move_scores,
    ready::{Answer, Effort, ReadyRecycler, wdl},
};
use crate::{choice, family::Family, fused, weights::values};

/// Positions that burn judges in one go.
const MOST_AT_ONCE: usize = 256;

#[derive(Debug)]
pub(super) struct RecyclerBrain {
    network: Recycler,
    /// The same, packed for the CPU.
    ready: Option<ReadyRecycler>,
    pub(super) effort: Effort,
    traits: Traits,
}

impl RecyclerBrain {
    pub(super) fn new(network: Recycler, config: RecyclerConfig) -> RecyclerBrain {
        let ready = ReadyRecycler::new(&network, Arithmetic::best());
        let effort = Effort { passes: config.passes, until_settled: config.until_settled };
        let traits = Traits {
            policy: Some(MoveScores::Chances),
            value: true,
            think: false,
            line: false,
            context: false,
            bins: None,
            hand_made: false,
            most_effort: 0,
            search: Recycler::SEARCH,
        };
        RecyclerBrain { ready, network, effort, traits }
    }

    fn answers(&self, positions: &[&Chess]) -> Vec<Answer> {
        match &self.ready {
            Some(ready) => ready.judge(positions, self.effort),
            None => positions.chunks(MOST_AT_ONCE).flat_map(|some| self.answers_of_some(some)).collect(),
        }
    }

    /// The answers by burn's own operations.
    fn answers_of_some(&self, positions: &[&Chess]) -> Vec<Answer> {
        let batch = Batch::from_positions(positions);
        let tokens = self.network.forward(&batch.board, self.effort.passes, None);
        let eval = self.network.eval(&tokens);
        let [_, outcomes] = eval.dims();
        let scores = values(move_scores(self.network.pieces(&tokens), &batch.legal_moves));
        let chances = fused::chances(&choice::ends(&batch.legal_moves.counts), scores);
        let mut rest = &chances[..];
        let rows = batch.legal_moves.counts.iter().map(|&count| rest.split_off(..count).expect("its list"));
        rows.zip(values(eval).chunks_exact(outcomes))
            .map(|(policy, eval)| Answer { policy: policy.to_vec(), wdl: wdl(eval) })
            .collect()
    }
}

impl Brain for RecyclerBrain {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        if wants.policy || wants.value {
            let alive = |moment: &&Moment| !moment.legal_moves().is_empty();
            let positions: Vec<&Chess> =
                moments.iter().filter(alive).map(|moment| &moment.position).collect();
            let mut answers = self.answers(&positions).into_iter();
            let opinion = |moment: &Moment| match alive(&moment) {
                false => Opinion { policy: wants.policy.then(Vec::new), ..Opinion::default() },
                true => {
                    let Answer { policy, wdl } = answers.next().expect("one answer per position");
                    Opinion { policy: Some(policy), wdl: Some(wdl), ..Opinion::default() }.only(wants)
                }
            };
            return moments.iter().map(opinion).collect();
        }
        vec![Opinion::default(); moments.len()]
    }

    /// The past is nothing to it, so positions need no moments.
    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        let mut found = Evaluated::default();
        if wants.policy || wants.value {
            for Answer { policy, wdl } in self.answers(&positions.iter().collect::<Vec<_>>()) {
                if wants.value {
                    found.values.push(wdl.centipawns());
                }
                if wants.policy {
                    found.scores.push(policy);
                }
            }
        }
        found
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::layers::Builder;

    fn moments() -> Vec<Moment> {
        let games = ["", "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6", "d2d4 d7d5 c2c4 d5c4", "e2e4 c7c5 e4e5 d7d5"];
        let moment = |moves: &str| Moment::default().after_uci(moves.split_whitespace()).unwrap();
        games.repeat(6).into_iter().map(moment).collect()
    }

    fn brain(config: &RecyclerConfig) -> RecyclerBrain {
        // Outputs of a fresh network are so near to zero that nothing could be told of them.
        let device = Device::flex();
        let mut network = Recycler::new(config, &mut Builder::new(5, &device));
        let mut builder = Builder::new(6, &device);
        for head in [&mut network.moves, &mut network.eval, &mut network.recycle] {
            let [width, outputs] = head.outer.weight.val().dims();
            head.outer.weight = builder.normal([width, outputs], 0.4);
        }
        RecyclerBrain::new(network, config.clone())
    }

    fn distance(a: &Answer, b: &Answer) -> f32 {
        let policy = a.policy.iter().zip(&b.policy).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        policy.max((a.wdl.expectation() - b.wdl.expectation()).abs())
    }

    #[test]
    fn the_packed_network_gives_what_plain_operations_give_in_every_arithmetic() {
        for config in RecyclerConfig::all_tiny() {
            let brain = brain(&config);
            let moments = moments();
            let positions: Vec<&Chess> = moments.iter().map(|moment| &moment.position).collect();
            let expected = brain.answers_of_some(&positions);
            let spread = distance(&expected[0], &expected[1]);
            assert!(spread > 0.01, "positions are told apart: {spread}");
            for arithmetic in Arithmetic::all() {
                let ready = ReadyRecycler::new(&brain.network, arithmetic).unwrap();
                let allowed = if arithmetic.int8().is_some() { 0.05 } else { 0.02 };
                for (found, expected) in ready.judge(&positions, brain.effort).iter().zip(&expected) {
                    assert!(distance(found, expected) < allowed, "{arithmetic}: {found:?} {expected:?}");
                }
            }
        }
    }

    #[test]
    fn who_thinks_until_the_move_is_settled_stops_at_the_first_repeated_choice() {
        let brain = brain(&RecyclerConfig::all_tiny()[0]);
        let ready = brain.ready.as_ref().unwrap();
        let moments = moments();
        let positions: Vec<&Chess> = moments.iter().map(|moment| &moment.position).collect();
        let by_passes: Vec<Vec<Answer>> =
            (1..=6).map(|passes| ready.judge(&positions, Effort { passes, until_settled: false })).collect();
        let first = |answer: &Answer| {
            (0..answer.policy.len()).max_by(|&a, &b| answer.policy[a].total_cmp(&answer.policy[b])).unwrap()
        };
        let settled = ready.judge(&positions, Effort { passes: 6, until_settled: true });
        for (place, answer) in settled.iter().enumerate() {
            let choices: Vec<usize> = by_passes.iter().map(|answers| first(&answers[place])).collect();
            let repeated = (1..6).find(|&at| choices[at] == choices[at - 1]).map_or(6, |at| at + 1);
            assert_eq!(answer.policy, by_passes[repeated - 1][place].policy, "{choices:?}");
        }
    }

    #[test]
    fn passes_change_what_the_network_thinks() {
        let config = &RecyclerConfig::all_tiny()[0];
        let brain = brain(config);
        let moments = moments();
        let positions: Vec<&Chess> = moments.iter().map(|moment| &moment.position).collect();
        let ready = brain.ready.as_ref().unwrap();
        let of = |passes| ready.judge(&positions, Effort { passes, until_settled: false });
        assert!(distance(&of(1)[0], &of(2)[0]) > 1e-3);
    }
}
