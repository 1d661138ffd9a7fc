//! Games and labels under a query engine, DataFusion, on one machine and, by Ballista, on many.
#![cfg(feature = "engine")]

mod codec;
mod error;
mod form;
mod import;
mod pgn;
mod processes;
mod session;
mod stores;
mod tables;
mod write;

pub use self::{
    error::ClusterError,
    form::Form,
    import::{ImportPlan, import},
    processes::{Executor, Scheduler},
    session::{Session, query},
};
