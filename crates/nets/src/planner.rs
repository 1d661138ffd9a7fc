//! The planner: imagines the next moves and positions by discrete diffusion or discrete flow matching, and decides on the first move by what
//! it has imagined.

mod batch;
mod block;
mod brain;
mod config;
mod decode;
mod figures;
mod future;
mod imagination;
mod imaginer;
mod line;
mod network;
mod noise;
mod objective;
mod prompt;
mod split;
mod stream;

use std::sync::Arc;

use chess::{Brain, Random, search_name};
use data::Sample;

pub(crate) use self::network::Planner;
use self::{batch::PlannerBatch, brain::PlannerBrain};
pub use self::{
    config::{
        Lambda, PlannerArchitecture, PlannerConfig, PlannerWeights, Process, Source, SplitConfig,
        StreamConfig, Variant,
    },
    imagination::{Chance, Frame, Imagination, imagine},
    imaginer::{Imagined, Imaginer},
};
use crate::{
    TrainConfig,
    family::{Family, Figures, Objective},
    layers::Builder,
};

impl Family for Planner {
    const NAME: &'static str = "planner";
    const ABOUT: &'static str =
        "imagines the next moves and positions out of noise, and plays what leads there";
    const SEARCH: &'static str = search_name::INSTANT;
    const DECIDES: &'static str = "top-1";
    const CHOOSES: (&'static str, bool) = ("move loss", true);
    const INHERITS: &'static [(&'static str, &'static str)] = &[("Swift.", "Split.trunk.")];
    type Config = PlannerConfig;
    type Batch = PlannerBatch;

    fn check(config: &PlannerConfig) -> Result<(), String> {
        config.check()
    }

    fn tiny() -> Vec<PlannerConfig> {
        PlannerConfig::all_tiny()
    }

    fn training(_: &PlannerConfig) -> TrainConfig {
        TrainConfig { batch: 256, rate: 1e-3, weight_decay: 0.02, ..TrainConfig::default() }
    }

    fn init(config: &PlannerConfig, builder: &mut Builder<'_>) -> Planner {
        Planner::new(config, builder)
    }

    fn encoding(config: &PlannerConfig) -> &'static str {
        match config.architecture {
            PlannerArchitecture::Split => "swift",
            PlannerArchitecture::Stream => "characters",
        }
    }

    fn prepare(config: &PlannerConfig, samples: &[Sample], _: &str, random: &mut Random) -> PlannerBatch {
        PlannerBatch::from_samples(config, samples, random)
    }

    fn objective(&self, config: &PlannerConfig, batch: &PlannerBatch) -> Objective {
        objective::objective(config, self, batch)
    }

    fn figures(&self, config: &PlannerConfig, batch: &PlannerBatch, _: &mut Random) -> Figures {
        figures::figures(config, self, batch)
    }

    fn brain(self, config: PlannerConfig) -> Arc<dyn Brain> {
        Arc::new(PlannerBrain::new(self, config))
    }

    #[cfg(test)]
    fn learnable(mut config: PlannerConfig) -> PlannerConfig {
        // Chances between won and lost cannot be learned to the end.
        config.weights.value = 0.0;
        config
    }
}
