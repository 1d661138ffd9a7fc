//! Who thinks: networks that all games share, a pool of searches, and the opponent of one game.

pub(crate) mod catalogue;
pub(super) mod evaluator;
pub(super) mod opponent;
pub(super) mod search_pool;
#[cfg(test)]
mod test_brain;
#[cfg(test)]
mod wrapper_tests;
