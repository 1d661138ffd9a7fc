//! The recycler: a transformer on squares that sees its own output again, as often as there is time for, and says which squares will
//! change to what.

mod batch;
mod brain;
mod config;
mod figures;
mod masking;
mod network;
mod next;
mod objective;
mod passes;
mod ready;

use std::sync::Arc;

use chess::{Brain, Random, search_name};
use data::Sample;

pub(crate) use self::network::Recycler;
use self::{batch::Batch, brain::RecyclerBrain};
pub use self::{
    config::{EvalForm, Feed, RecyclerConfig, RecyclerWeights},
    passes::PassReader,
};
use crate::{
    TrainConfig,
    family::{Family, Figures, Objective},
    layers::Builder,
};

impl Family for Recycler {
    const NAME: &'static str = "recycler";
    const ABOUT: &'static str = "thinks again over its own output, and plays like strong players with time";
    const SEARCH: &'static str = search_name::INSTANT;
    const DECIDES: &'static str = "top-1";
    const CHOOSES: (&'static str, bool) = ("move loss", true);
    const TRAINING_ONLY: &'static [&'static str] = &["masking", "next"];
    type Config = RecyclerConfig;
    type Batch = Batch;

    fn check(config: &RecyclerConfig) -> Result<(), String> {
        config.check()
    }

    fn tiny() -> Vec<RecyclerConfig> {
        RecyclerConfig::all_tiny()
    }

    fn training(_: &RecyclerConfig) -> TrainConfig {
        let policy = || "recycler".to_owned();
        TrainConfig { policy: policy(), validation_policy: policy(), ..TrainConfig::default() }
    }

    fn init(config: &RecyclerConfig, builder: &mut Builder<'_>) -> Recycler {
        Recycler::new(config, builder)
    }

    fn encoding(_: &RecyclerConfig) -> &'static str {
        "recycler"
    }

    fn prepare(config: &RecyclerConfig, samples: &[Sample], _: &str, random: &mut Random) -> Batch {
        Batch::from_samples(config, samples, random)
    }

    fn objective(&self, config: &RecyclerConfig, batch: &Batch) -> Objective {
        objective::objective(config, self, batch)
    }

    fn figures(&self, config: &RecyclerConfig, batch: &Batch, _: &mut Random) -> Figures {
        figures::figures(config, self, batch)
    }

    fn brain(self, config: RecyclerConfig) -> Arc<dyn Brain> {
        Arc::new(RecyclerBrain::new(self, config))
    }

    #[cfg(test)]
    fn learnable(mut config: RecyclerConfig) -> RecyclerConfig {
        // What is hidden or dropped anew, and what could have been played, cannot be learned away.
        (config.weights.masked, config.weights.next, config.dropout) = (0.0, 0.0, 0.0);
        config
    }
}
