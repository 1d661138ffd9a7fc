//! The ranker: which of two positions is better, and which of two moves. It learns the order of values, never their size.
//!
//! One trunk serves positions and moves: both rank on one scale, the value of a move being what it leaves to the one who made it.

mod batch;
mod brain;
mod calibration;
mod config;
mod network;
mod objective;
mod order;
mod ready;
mod speed;
mod stem;

use std::sync::Arc;

use chess::{Brain, Random, search_name};
use data::Sample;

pub(crate) use self::network::Ranker;
use self::{batch::RankerBatch, brain::RankerBrain};
pub use self::{
    config::{RankerConfig, RankerWeights},
    speed::{Speed, speed},
};
use crate::{
    TrainConfig,
    family::{Family, Figures, Objective},
    layers::Builder,
};

impl Family for Ranker {
    const NAME: &'static str = "ranker";
    const ABOUT: &'static str = "says which of two positions and which of two moves is better";
    const SEARCH: &'static str = search_name::PUCT;
    const DECIDES: &'static str = "pair accuracy";
    const CHOOSES: (&'static str, bool) = ("pair accuracy", false);
    type Config = RankerConfig;
    type Batch = RankerBatch;

    fn check(config: &RankerConfig) -> Result<(), String> {
        config.check()
    }

    fn tiny() -> Vec<RankerConfig> {
        RankerConfig::all_tiny()
    }

    fn training(_: &RankerConfig) -> TrainConfig {
        // Without an evaluation a position has no rank.
        let policy = || "ranker".to_owned();
        TrainConfig { policy: policy(), validation_policy: policy(), ..TrainConfig::default() }
    }

    fn init(config: &RankerConfig, builder: &mut Builder<'_>) -> Ranker {
        Ranker::new(config, builder)
    }

    fn encoding(_: &RankerConfig) -> &'static str {
        "ranker"
    }

    fn prepare(config: &RankerConfig, samples: &[Sample], _: &str, _: &mut Random) -> RankerBatch {
        RankerBatch::from_samples(config, samples)
    }

    fn objective(&self, config: &RankerConfig, batch: &RankerBatch) -> Objective {
        objective::objective(&config.weights, self, batch)
    }

    fn figures(&self, _: &RankerConfig, batch: &RankerBatch, _: &mut Random) -> Figures {
        objective::figures(self, batch)
    }

    fn calibrate(self, _: &RankerConfig, batches: &[RankerBatch]) -> Option<Ranker> {
        Some(calibration::calibrate(self, batches))
    }

    fn brain(self, _: RankerConfig) -> Arc<dyn Brain> {
        Arc::new(RankerBrain::new(self))
    }
}
