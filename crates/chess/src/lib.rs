//! The board and what a player knows at it.
//!
//! Rules come from [`shakmaty`], re-exported whole so that no other crate needs to agree on its version.

mod bins;
mod brain;
mod by_value;
mod clocks;
mod comment;
mod comparer;
pub mod encoding;
mod evaluation;
pub mod exchange;
mod moment;
mod opinion;
mod outcome;
mod packed_move;
mod past;
pub mod perft;
pub mod pgn;
mod random;
mod replay;
#[cfg(test)]
mod testing;
mod think_time;
pub mod vocabulary;

pub use bins::Bins;
pub use brain::{Brain, Evaluated, MoveScores, Traits, Wants, search_name};
pub use by_value::ByValue;
pub use clocks::{Clocks, RatingScale, Ratings};
pub use comment::Annotation;
pub use comparer::{Comparer, Embedding};
pub use evaluation::Evaluation;
pub use moment::{Moment, MomentError};
pub use opinion::{LOG_ODDS_PER_CENTIPAWN, Opinion, Wdl};
pub use outcome::{Claim, Ending};
pub use packed_move::PackedMove;
pub use past::{Past, REMEMBERED};
pub use random::Random;
pub use replay::Replay;
pub use shakmaty;
pub use think_time::{ThinkBin, ThinkTime};
