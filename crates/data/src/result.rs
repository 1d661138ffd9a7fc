//! How a game ended, as the result tag says it.

use chess::shakmaty::Color;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GameResult {
    #[serde(rename = "1-0")]
    White,
    #[serde(rename = "0-1")]
    Black,
    #[serde(rename = "1/2-1/2")]
    Draw,
    #[serde(rename = "*")]
    Unknown,
}

impl GameResult {
    pub const ALL: [GameResult; 4] =
        [GameResult::White, GameResult::Black, GameResult::Draw, GameResult::Unknown];

    pub fn name(self) -> &'static str {
        ["1-0", "0-1", "1/2-1/2", "*"][self as usize]
    }

    pub fn parse(text: &[u8]) -> Option<GameResult> {
        GameResult::ALL.into_iter().find(|result| result.name().as_bytes() == text)
    }

    pub fn is_decisive(self) -> bool {
        matches!(self, GameResult::White | GameResult::Black)
    }

    /// Points for `color`, doubled: 2 a win, 1 a draw, 0 a loss.
    pub fn half_points(self, color: Color) -> Option<u8> {
        match self {
            GameResult::White => Some(color.fold_wb(2, 0)),
            GameResult::Black => Some(color.fold_wb(0, 2)),
            GameResult::Draw => Some(1),
            GameResult::Unknown => None,
        }
    }
}
