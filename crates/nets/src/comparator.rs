//! The comparator (DeepChess): which of two positions is better. An encoder learns to describe positions by rebuilding them, layer by layer;
//! then two of it, with the same weights, and a comparison on top learn from pairs of positions.

mod batch;
mod brain;
mod calibration;
mod config;
mod network;
mod objective;
mod ready;
mod teacher;

use std::sync::Arc;

use chess::{Brain, Random, search_name};
use data::Sample;

pub(crate) use self::network::Comparator;
use self::{batch::ComparatorBatch, brain::ComparatorBrain, config::PRETRAINING};
pub use self::{
    config::{ComparatorConfig, PairConfig},
    teacher::Teacher,
};
use crate::{
    TrainConfig,
    family::{Family, Figures, Objective},
    layers::Builder,
    phase::Phase,
};

impl Family for Comparator {
    const NAME: &'static str = "comparator";
    const ABOUT: &'static str = "says which of two positions is better, and nothing about moves";
    const SEARCH: &'static str = search_name::ALPHA_BETA;
    const DECIDES: &'static str = "pair accuracy";
    const CHOOSES: (&'static str, bool) = ("pair accuracy", false);
    const TRAINING_ONLY: &'static [&'static str] = &["decoders"];
    type Config = ComparatorConfig;
    type Batch = ComparatorBatch;

    fn check(config: &ComparatorConfig) -> Result<(), String> {
        config.check()
    }

    fn tiny() -> Vec<ComparatorConfig> {
        ComparatorConfig::all_tiny()
    }

    fn training(_: &ComparatorConfig) -> TrainConfig {
        let policy = || "deepchess".to_owned();
        TrainConfig { policy: policy(), validation_policy: policy(), ..TrainConfig::default() }
    }

    fn phases(config: &ComparatorConfig) -> Vec<Phase> {
        let layers = PRETRAINING.into_iter().take(config.encoder.len());
        let pretraining = layers.map(|name| Phase { name, steps: config.pretrain as u64 });
        pretraining.chain([Phase { name: "siamese", steps: 0 }]).collect()
    }

    fn init(config: &ComparatorConfig, builder: &mut Builder<'_>) -> Comparator {
        Comparator::new(config, builder)
    }

    fn encoding(_: &ComparatorConfig) -> &'static str {
        "comparator"
    }

    fn prepare(
        config: &ComparatorConfig,
        samples: &[Sample],
        phase: &str,
        random: &mut Random,
    ) -> ComparatorBatch {
        match PRETRAINING.iter().position(|name| *name == phase) {
            Some(at) => ComparatorBatch::boards(config, samples, at + 1, random),
            None => ComparatorBatch::pairs(config, samples, random),
        }
    }

    fn objective(&self, _: &ComparatorConfig, batch: &ComparatorBatch) -> Objective {
        objective::objective(self, batch)
    }

    fn figures(&self, _: &ComparatorConfig, batch: &ComparatorBatch, _: &mut Random) -> Figures {
        objective::figures(self, batch)
    }

    fn calibrate(self, _: &ComparatorConfig, batches: &[ComparatorBatch]) -> Option<Comparator> {
        Some(calibration::calibrate(self, batches))
    }

    fn brain(self, _: ComparatorConfig) -> Arc<dyn Brain> {
        Arc::new(ComparatorBrain::new(&self))
    }

    #[cfg(test)]
    fn learnable(mut config: ComparatorConfig) -> ComparatorConfig {
        // Chances between 0 and 1 cost something even where they are foreseen exactly.
        config.pairs.scores = 0.0;
        config
    }
}
