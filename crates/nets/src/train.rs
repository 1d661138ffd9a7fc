//! The one training loop: batch, forward, backward, step, log, validate, save.

mod balance;
mod calibrate;
mod curves;
mod error;
mod exchange;
mod feed;
mod init;
mod log;
mod resume;
mod run;
mod step;
mod temperatures;
mod validate;

use std::{path::Path, sync::atomic::AtomicBool};

use chess::Random;
use data::Dataset;

pub use self::balance::BalanceFit;
use self::run::Run;
pub(crate) use self::{balance::fit_balance, calibrate::calibrate, temperatures::fit_temperatures};
pub use self::{
    curves::{Curves, CurvesError, plot_runs},
    error::TrainError,
    log::Event,
};
#[cfg(test)]
pub(crate) use self::{log::FILE as LOG_FILE, resume::continues};
use crate::{family::Family, team::Team, train_config::TrainConfig};

/// How a run begins and ends.
#[derive(Debug)]
pub struct TrainOptions<'a> {
    /// The run's folder.
    pub out: &'a Path,
    pub resume: bool,
    /// Weights to begin with, with a fresh optimiser; the network may have more blocks and longer tables than they have.
    pub init: Option<&'a Path>,
    /// Raised from outside: save and end.
    pub stop: &'a AtomicBool,
    /// The processes that share the work.
    pub team: &'a Team,
}

/// Trains until the configured steps are done or `stop` is raised. The last checkpoint and the best weights are then in
/// the run's folder.
pub(crate) fn train<F: Family>(
    net: &F::Config,
    train: &TrainConfig,
    data: &Dataset,
    options: &TrainOptions<'_>,
    tell: &mut dyn FnMut(&Event),
) -> Result<(), TrainError> {
    Run::<F>::open(net, train, data, options)?.go(options, tell)
}

/// A generator for something that has a number of its own, such as a batch.
fn numbered(seed: u64, purpose: u64, number: u64) -> Random {
    Random::keyed(seed ^ purpose, number)
}
