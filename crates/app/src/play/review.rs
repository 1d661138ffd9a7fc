//! Looking games over: the engine's scores, judgements of moves, and what people of each rating play.

pub(super) mod analysis;
pub(super) mod line;
mod people;
pub(super) mod score;
pub(super) mod shelf;
