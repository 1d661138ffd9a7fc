//! Networks: one folder per family, one training loop, weights and checkpoints on disk.
//!
//! A family is an ordinary burn module; what all of them share (layers, optimiser, loop, files) stands once beside them.

mod calibrate;
mod card;
mod checkpoint;
mod choice;
mod device;
mod family;
mod forecast;
mod fused;
pub mod human;
mod layers;
mod optimiser;
pub mod ranker;
mod residual;
mod schedule;
#[cfg(test)]
mod testing;
mod train;
mod weight_file;
mod weights;

pub use calibrate::calibrate;
pub use card::{Card, DataCard};
pub use checkpoint::{CHECKPOINT, CheckpointError};
pub use device::{device, device_name};
pub use family::{FAMILIES, NetConfig, load, load_bytes};
pub use forecast::{Forecast, forecast};
pub use train::{
    ConfigError, Curves, CurvesError, Event, RunConfig, TrainConfig, TrainError, TrainOptions, plot_runs,
    settle, train,
};
pub use weight_file::{WeightError, WeightFile};
pub use weights::{Array, Weights};

/// How networks are computed on the CPU, and how fast.
pub use kernels::{Level, LevelError, bench as kernel_bench, int8};
