//! The mind that comes of a trained network.

use burn::tensor::activation::softmax;
use chess::{Brain, Evaluated, Moment, MoveScores, Opinion, Traits, Wants, Wdl, shakmaty::Chess};

use super::{
    GraphConfig, GraphNet,
    batch::Batch,
    network::{Outputs, Packed},
};
use crate::{choice, family::Family, fused, weights::values};

/// Graphs that are judged in one go.
const MOST_AT_ONCE: usize = 256;

#[derive(Debug)]
pub(super) struct GraphBrain {
    network: GraphNet,
    packed: Option<Packed>,
    config: GraphConfig,
    traits: Traits,
}

impl GraphBrain {
    pub(super) fn new(network: GraphNet, config: GraphConfig) -> GraphBrain {
        let traits = Traits {
            policy: Some(MoveScores::Chances),
            value: true,
            think: false,
            line: false,
            context: true,
            bins: None,
            hand_made: false,
            search: GraphNet::SEARCH,
        };
        GraphBrain { packed: network.packed(&config), network, config, traits }
    }

    fn judge_some(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let batch = Batch::from_moments(&self.config, moments, wants.policy);
        let Outputs { moves, outcome } = self.network.forward(&self.config, &batch, self.packed.as_ref());
        let chances = moves.map(|moves| fused::chances(&choice::ends(&batch.counts), values(moves)));
        let mut rest = chances.as_deref().unwrap_or_default();
        let rows: Vec<Option<Vec<f32>>> = match wants.policy {
            true => {
                let mut row = |&count: &usize| rest.split_off(..count).expect("its list").to_vec();
                batch.counts.iter().map(|count| Some(row(count))).collect()
            }
            false => vec![None; moments.len()],
        };
        let outcome = values(softmax(outcome, 1));
        let opinion = |(policy, wdl): (Option<Vec<f32>>, &[f32])| {
            let wdl = Some(Wdl::from_weights(wdl[0], wdl[1], wdl[2]));
            Opinion { policy, wdl, ..Opinion::default() }.only(wants)
        };
        rows.into_iter().zip(outcome.chunks_exact(3)).map(opinion).collect()
    }
}

impl Brain for GraphBrain {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        if !(wants.policy || wants.value) {
            return vec![Opinion::default(); moments.len()];
        }
        let alive: Vec<&Moment> = moments.iter().filter(|moment| !moment.legal_moves().is_empty()).collect();
        let mut answers = alive.chunks(MOST_AT_ONCE).flat_map(|some| self.judge_some(some, wants));
        let answer = |moment: &Moment| match moment.legal_moves().is_empty() {
            true => Opinion { policy: wants.policy.then(Vec::new), ..Opinion::default() },
            false => answers.next().expect("one answer per moment"),
        };
        moments.iter().map(answer).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }
}
