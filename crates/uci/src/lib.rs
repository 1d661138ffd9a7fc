//! Engines in processes of their own, spoken to in UCI from the GUI's side: for matches, labels and comparisons.
//!
//! Whatever an engine says or does, no call blocks for good, no line and no flood of lines takes the memory, and no engine outlives
//! the program that started it.

mod client;
#[cfg(unix)]
mod guard;
mod listen;
mod wait;
mod words;

pub use client::{Client, Failure, READY_TIMEOUT, StartError};
pub use wait::{Missing, wait_for};
pub use words::{EngineOption, Info, Said, Spin, Value};
