//! Ways to think: one search per file or folder, the clock, and the hand-made evaluation.
//!
//! This crate never sees the learning framework; networks reach it as [`chess::Brain`].

mod clock;
mod info;
mod limits;
mod search;

pub use clock::{MOVE_OVERHEAD_MS, TimeBudget};
pub use info::{Bound, Info, Score};
pub use limits::{Limits, Signals};
pub use search::{Choice, Search, Settings, Task};
