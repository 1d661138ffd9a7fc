//! From game dumps to training samples. Games are stored once, as rows of Parquet; positions are replayed and encoded late.

mod date;
mod error;
mod game;
mod random;
mod result;
mod split;
mod table;
#[cfg(test)]
mod testing;
mod time_control;

pub use error::{DatasetError, TableError};
pub use game::Game;
pub use random::Random;
pub use result::GameResult;
pub use split::{Shares, Split};
pub use table::{ROW_GROUP, TableReader};
pub use time_control::{Speed, TimeControl};
