//! Ways to think: one search per file or folder, the clock, and the hand-made evaluation.
//!
//! This crate never sees the learning framework; networks reach it as [`chess::Brain`].

pub mod alpha_beta;
mod build;
mod clock;
pub mod heuristic;
mod info;
mod limits;
mod search;
#[cfg(test)]
mod testing;

pub use build::{BRAINS, BuildError, SEARCHES, build};
pub use clock::{MOVE_OVERHEAD_MS, TimeBudget};
pub use info::{Bound, Info, Score};
pub use limits::{Limits, Signals};
pub use search::{Choice, Search, Settings, Task};
