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

use burn::tensor::Device;
use chess::Brain;
use data::Sample;

pub(crate) use self::network::Ranker;
use self::{batch::Batch, brain::RankerBrain};
pub use self::{
    config::{RankerConfig, RankerWeights},
    speed::{Speed, speed},
};
use crate::family::{Family, Figures, Objective};

impl Family for Ranker {
    const NAME: &'static str = "ranker";
    const DECIDES: &'static str = "pair accuracy";
    const CHOOSES: (&'static str, bool) = ("pair accuracy", false);
    type Config = RankerConfig;
    type Batch = Batch;

    fn init(config: &RankerConfig, seed: u64, device: &Device) -> Ranker {
        Ranker::new(config, seed, device)
    }

    fn encoding(_: &RankerConfig) -> &'static str {
        "ranker"
    }

    fn prepare(config: &RankerConfig, samples: &[Sample]) -> Batch {
        Batch::from_samples(config, samples)
    }

    fn objective(&self, config: &RankerConfig, batch: &Batch) -> Objective {
        objective::objective(&config.weights, self, batch)
    }

    fn figures(&self, _: &RankerConfig, batch: &Batch) -> Figures {
        objective::figures(self, batch)
    }

    fn settle(self, _: &RankerConfig, batches: &[Batch]) -> Option<Ranker> {
        Some(calibration::calibrate(self, batches))
    }

    fn brain(self, _: RankerConfig) -> Arc<dyn Brain> {
        Arc::new(RankerBrain::new(self))
    }
}
