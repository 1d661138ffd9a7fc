//! What a player trains with: her mistakes as puzzles, her repertoires, what she remembers of both, and what her games say of her.

pub(super) mod card;
pub(super) mod imports;
pub(super) mod memory;
mod pass;
pub(super) mod profile;
