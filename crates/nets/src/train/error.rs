//! What can keep a run from going on, each in a sentence.

use std::path::PathBuf;

use data::{DatasetError, PolicyError, SamplerError};
use thiserror::Error;

use crate::{CheckpointError, WeightError, team::TeamError};

#[derive(Debug, Error)]
pub enum TrainError {
    #[error("[network]: {0}")]
    Network(String),
    #[error("[train]: {0}")]
    Config(String),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    #[error("no more samples can be made ready: {0}")]
    Samples(String),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("`{path}`: {error}")]
    Weights { path: PathBuf, error: WeightError },
    #[error("`{path}`: {error}")]
    Io { path: PathBuf, error: std::io::Error },
    #[error("`{0}` holds a run already: continue it with --resume, or name another folder")]
    Exists(PathBuf),
    #[error("`{0}` holds no checkpoint to resume from")]
    NothingToResume(PathBuf),
    #[error(
        "the run in `{0}` was begun with another network, batch or choice of samples; give the same, or begin a new run"
    )]
    OtherConfig(PathBuf),
    #[error("`{0}` has nothing to measure: its networks are whole as they come from training")]
    NothingToMeasure(&'static str),
    #[error("`{0}` has no temperatures by rating: it does not foresee people")]
    NoTemperatures(&'static str),
    #[error("`{0}` has no expectations that ratings and clocks could move")]
    NoBalance(&'static str),
    #[error(transparent)]
    Team(#[from] TeamError),
    #[error(
        "the run ended within step {next}: a process is gone or all were ended; the checkpoint holds step {step}",
        next = .step + 1
    )]
    Lost { step: u64 },
    #[error("the loss became {loss} at step {step}; a lower learning rate may help")]
    Diverged { step: u64, loss: f64 },
}
