//! What a mind that compares can be asked: which of two positions is better.

use std::sync::Arc;

use shakmaty::{Chess, Color};

/// What is kept of a position to compare it with others; only its comparer understands it.
pub type Embedding = Arc<[f32]>;

/// Compares positions for a player, whoever's turn it is in them. It keeps what it uses again, so that every thread needs its own.
pub trait Comparer: Send {
    /// What it makes of a position as `player` sees it.
    fn embed(&mut self, position: &Chess, player: Color) -> Embedding;

    /// Log odds that the first position is better for the player who sees both; turned round they change their sign.
    fn compare(&mut self, one: &Embedding, other: &Embedding) -> f32;

    /// What a drawn game is compared as.
    fn draw(&mut self) -> Embedding;
}
