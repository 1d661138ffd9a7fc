//! Ways to think: one search per file or folder, the clock, and the hand-made evaluation.
//!
//! This crate never sees the learning framework; networks reach it as [`chess::Brain`].

pub mod alpha_beta;
pub mod batch_first;
mod blunder_guard;
mod chances;
mod clock;
pub mod comparisons;
mod evaluator;
pub mod heuristic;
pub mod human;
mod info;
pub mod instant;
mod lateness;
mod limits;
mod mind;
pub mod puct;
mod repetition;
mod search;
mod searches;
mod stats;
mod stopwatch;
#[cfg(test)]
mod testing;

pub use chances::{expected_score, score_of};
pub use clock::{MOVE_OVERHEAD_MS, TimeBudget};
pub use human::{Guard, HumanSettings};
pub use info::{Bound, Info, Score};
pub use lateness::Lateness;
pub use limits::{Limits, Signals};
pub use mind::Mind;
pub use search::{Choice, PuctSettings, Search, SearchEntry, Settings, Task};
pub use searches::{AUTO, BuildError, SEARCH_NAMES, SEARCHES, build, build_with, find_search, searches_for};
pub use stats::Stats;
pub use stopwatch::{Device, DeviceError};
