//! A mistake that became a puzzle.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::play::game::side::Side;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Puzzle)]
pub(crate) struct Card {
    pub(crate) id: String,
    /// Who played, and when.
    pub(crate) game: String,
    pub(crate) ply: usize,
    /// The position before the opponent's last move, and that move; they lead to the position to solve.
    pub(crate) before_fen: String,
    pub(crate) lead_in: Option<String>,
    pub(crate) fen: String,
    pub(crate) side: Side,
    /// What was played, what is best, and everything that is nearly as good.
    pub(crate) played: String,
    pub(crate) played_san: String,
    pub(crate) best: String,
    pub(crate) accepted: Vec<String>,
    pub(crate) line: Vec<String>,
    /// Points given away, as chances.
    pub(crate) loss: f32,
    /// How likely people of one's own rating find the best move, and those a little stronger.
    pub(crate) rating: u16,
    pub(crate) chance: f32,
    pub(crate) stronger: u16,
    pub(crate) stronger_chance: f32,
}

impl Card {
    /// What solving it is worth: what it cost, as far as it can be learned next.
    pub(crate) fn worth(&self) -> f32 {
        self.loss * self.stronger_chance
    }
}
