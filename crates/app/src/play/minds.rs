//! Who thinks: networks that all games share, a pool of searches, the line before it, and the opponent of one game.

pub(super) mod analyses;
pub(crate) mod catalogue;
pub(super) mod evaluator;
pub(super) mod opponent;
pub(crate) mod persons;
pub(super) mod search_pool;
#[cfg(test)]
mod test_brain;
mod trees;
pub(super) mod turns;
#[cfg(test)]
mod wrapper_tests;
