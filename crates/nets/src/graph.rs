//! The graph network: pieces, squares and the whole as nodes of a graph, attention along who attacks, defends, controls and sees whom,
//! and a pointer that scores each legal move by the piece that makes it and the piece or square that it goes to.

mod attention;
mod batch;
mod brain;
mod config;
mod earlier;
mod layer;
mod links;
mod lists;
mod memory;
mod network;
mod objective;

use std::sync::Arc;

use chess::{Brain, Random, search_name};
use data::Sample;

pub use self::attention::{Attention, AttentionReader};
pub use self::config::{GraphConfig, GraphObjective, MemoryForm};
use self::{batch::GraphBatch, brain::GraphBrain};
pub(crate) use self::{batch::value as value_target, network::GraphNet};
use crate::{
    TrainConfig,
    family::{Family, Figures, Objective},
    layers::Builder,
    phase::Phase,
};

impl Family for GraphNet {
    const NAME: &'static str = "graph";
    const ABOUT: &'static str =
        "attends along attacks, defences and lines between the pieces, and points at the best move";
    const SEARCH: &'static str = search_name::PUCT;
    const DECIDES: &'static str = "top-1";
    const CHOOSES: (&'static str, bool) = ("move loss", true);
    type Config = GraphConfig;
    type Batch = GraphBatch;

    fn check(config: &GraphConfig) -> Result<(), String> {
        config.check()
    }

    fn tiny() -> Vec<GraphConfig> {
        GraphConfig::all_tiny()
    }

    fn training(_: &GraphConfig) -> TrainConfig {
        let policy = || "graph".to_owned();
        TrainConfig { policy: policy(), validation_policy: policy(), rate: 1e-3, ..TrainConfig::default() }
    }

    /// A curriculum's first lessons take no steps unless a run gives them some.
    fn phases(_: &GraphConfig) -> Vec<Phase> {
        vec![Phase { name: config::QUIET, steps: 0 }, Phase { name: "training", steps: 0 }]
    }

    fn init(config: &GraphConfig, builder: &mut Builder<'_>) -> GraphNet {
        GraphNet::new(config, builder)
    }

    fn encoding(_: &GraphConfig) -> &'static str {
        "graph"
    }

    fn prepare(config: &GraphConfig, samples: &[Sample], phase: &str, _: &mut Random) -> GraphBatch {
        GraphBatch::from_samples(config, samples, config.window_in(phase))
    }

    fn objective(&self, config: &GraphConfig, batch: &GraphBatch) -> Objective {
        objective::objective(&config.objective, self, config, batch)
    }

    fn figures(&self, config: &GraphConfig, batch: &GraphBatch, _: &mut Random) -> Figures {
        objective::figures(self, config, batch)
    }

    fn brain(self, config: GraphConfig) -> Arc<dyn Brain> {
        Arc::new(GraphBrain::new(self, config))
    }

    #[cfg(test)]
    fn learnable(mut config: GraphConfig) -> GraphConfig {
        // Chances between won and lost cannot be learned to the end.
        config.objective.result = 1.0;
        config.objective.played = 1.0;
        config
    }
}
