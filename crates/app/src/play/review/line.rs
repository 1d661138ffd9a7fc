//! A review as JSON: the game, then what is found of its positions and moves, one object a line.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    people::People,
    score::{Judgement, WhiteScore},
};
use crate::play::{game::side::Side, openings::Opening};

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ReviewLine {
    Game(ReviewGame),
    Position(ReviewPosition),
    Move(ReviewMove),
    Done {},
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ReviewGame {
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) start_fen: String,
    pub(crate) moves: Vec<PlayedMove>,
    pub(crate) score: String,
    pub(crate) opening: Option<Opening>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PlayedMove {
    pub(crate) uci: String,
    pub(crate) san: String,
    /// After the move.
    pub(crate) fen: String,
    pub(crate) left_ms: Option<u64>,
    pub(crate) spent_s: Option<f32>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ReviewPosition {
    pub(crate) ply: usize,
    pub(crate) score: WhiteScore,
    /// White's expected score between people.
    pub(crate) white: f32,
    pub(crate) best: Option<String>,
    /// The engine's line, in SAN.
    pub(crate) line: Vec<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ReviewMove {
    pub(crate) ply: usize,
    pub(crate) side: Side,
    pub(crate) judgement: Judgement,
    /// Expected score that the move gave away.
    pub(crate) loss: f32,
    /// Of the mover: the game's own word, or else the reader's.
    pub(crate) rating: Option<u16>,
    /// Whether the game itself told it.
    pub(crate) rating_known: bool,
    /// Nothing where no network knows people.
    pub(crate) people: Option<People>,
}
