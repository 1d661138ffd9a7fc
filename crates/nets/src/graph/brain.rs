//! The mind that comes of a trained network.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use burn::tensor::{Tensor, TensorData, activation::softmax};
use chess::{Brain, Evaluated, Moment, MoveScores, Opinion, Traits, Wants, Wdl, shakmaty::Chess};

use super::{
    GraphConfig, GraphNet,
    batch::GraphBatch,
    config::MemoryForm,
    earlier::{Earlier, Key},
    network::{Outputs, PackedGraph},
};
use crate::{choice, device, family::Family, fused, weights::values};

/// Graphs that are judged in one go.
const MOST_AT_ONCE: usize = 256;
/// Numbers that are kept of earlier graphs, over all of them.
const MOST_KEPT: usize = 1 << 23;

#[derive(Debug)]
pub(super) struct GraphBrain {
    network: GraphNet,
    packed: Option<PackedGraph>,
    config: GraphConfig,
    traits: Traits,
    /// What the memory keeps of positions that were seen before. A line that grows by a move asks for one more graph and not for all of
    /// its window again.
    kept: Mutex<HashMap<Key, Vec<f32>>>,
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
            most_effort: 0,
            search: GraphNet::SEARCH,
        };
        GraphBrain { packed: network.packed(&config), network, config, traits, kept: Mutex::default() }
    }

    /// What is remembered of the positions before these moments: [earlier, parts, features].
    fn remembered(&self, earlier: &Earlier) -> Option<Tensor<3>> {
        if earlier.keys.is_empty() {
            return None;
        }
        let width = self.config.width;
        let [parts, features] = match self.config.memory {
            MemoryForm::Nodes => [64, width],
            _ => [1, 3 * width],
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if (kept.len() + earlier.keys.len()) * parts * features > MOST_KEPT {
            kept.clear();
        }
        let missing: Vec<usize> =
            (0..earlier.keys.len()).filter(|&at| !kept.contains_key(&earlier.keys[at])).collect();
        for some in missing.chunks(MOST_AT_ONCE) {
            let moments: Vec<&Moment> = some.iter().map(|&at| &earlier.moments[at]).collect();
            let batch = GraphBatch::from_moments(&self.config, &moments, false);
            let found = values(self.network.remembered(&self.config, &batch, self.packed.as_ref()));
            for (&at, own) in some.iter().zip(found.chunks_exact(parts * features)) {
                kept.insert(earlier.keys[at], own.to_vec());
            }
        }
        let all: Vec<f32> = earlier.keys.iter().flat_map(|key| &kept[key]).copied().collect();
        Some(Tensor::from_data(TensorData::new(all, [earlier.keys.len(), parts, features]), &device()))
    }

    fn judge_some(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let mut batch = GraphBatch::from_moments(&self.config, moments, wants.policy);
        let mut remembered = None;
        if self.config.memory != MemoryForm::None {
            let earlier = Earlier::of(moments, self.config.window);
            remembered = self.remembered(&earlier);
            batch.places = earlier.places;
        }
        let packed = self.packed.as_ref();
        let Outputs { moves, outcome } = self.network.answer(&self.config, &batch, remembered, packed);
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

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Builder;

    #[test]
    fn a_memory_that_is_kept_says_what_a_fresh_one_says_and_asks_for_one_graph_a_move() {
        for config in GraphConfig::all_tiny() {
            let device = device();
            let brain =
                || GraphBrain::new(GraphNet::new(&config, &mut Builder::new(5, &device)), config.clone());
            let (kept, mut moment) = (brain(), Moment::default());
            for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"] {
                moment.play(moment.parse_uci(uci).unwrap());
                let before = kept.kept.lock().unwrap().len();
                let answer =
                    |brain: &GraphBrain| brain.judge(std::slice::from_ref(&moment), Wants::ALL).remove(0);
                let (found, expected) = (answer(&kept), answer(&brain()));
                assert_eq!((&found.policy, found.wdl), (&expected.policy, expected.wdl));
                assert_eq!(kept.kept.lock().unwrap().len(), before + 1);
            }
            let short = Moment::new(moment.position.clone());
            let policy =
                |moment: &Moment| kept.judge(std::slice::from_ref(moment), Wants::POLICY).remove(0).policy;
            assert_ne!(policy(&moment), policy(&short), "the past says something");
        }
    }
}
