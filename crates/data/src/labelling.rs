//! Makes labels: positions of a dataset go to a pool of engine processes, and their answers into files.

mod process;
mod run;

pub use self::{
    process::EngineError,
    run::{LabelError, LabelOptions, LabelProgress, label},
};
