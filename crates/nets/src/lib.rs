//! Networks: one folder per family, one training loop, weights and checkpoints on disk.
//!
//! A family is an ordinary burn module; what all of them share (layers, optimiser, loop, files) stands once beside them.

mod balance;
mod card;
mod checkpoint;
mod choice;
pub mod comparator;
mod device;
mod families;
mod family;
mod forecast;
mod fused;
pub mod graph;
pub mod human;
mod layers;
mod limits;
mod loading;
mod move_rows;
mod odds;
mod optimiser;
pub mod others;
mod phase;
pub mod planner;
pub mod ranker;
pub mod recycler;
mod residual;
mod run_config;
mod schedule;
mod teaching;
mod team;
mod temperature;
#[cfg(test)]
mod testing;
mod train;
mod train_config;
mod transformer;
mod weight_file;
mod weights;

pub use balance::{Effect, Term};
pub use card::{Card, DataCard, TeacherCard};
pub use checkpoint::{CHECKPOINT, CheckpointError};
pub use device::{device, device_name};
pub use families::{
    Entry, FAMILIES, NetConfig, NetConfigError, calibrate, fit_balance, fit_temperatures, load, load_bytes,
    load_bytes_with, mind_of,
};
pub use forecast::{Forecast, forecast};
pub use phase::Phase;
pub use run_config::{ConfigError, RunConfig, train};
pub use team::{Team, TeamError};
pub use temperature::Temperature;
pub use train::{BalanceFit, Curves, CurvesError, Event, TrainError, TrainOptions, plot_runs};
pub use train_config::{OptimiserKind, PhaseConfig, TeacherConfig, TrainConfig};
pub use weight_file::{WeightError, WeightFile};
pub use weights::{Array, Weights};

/// How networks are computed on the CPU, and how fast.
pub use kernels::{Level, LevelError, bench as kernel_bench, int8, memory};
