//! What families build of attention: transformer blocks over the squares of a board, and heads on their tokens.

mod block;
mod geometry;
mod head;

pub(crate) use self::{
    block::{Block, BlockSizes, Drop},
    head::Head,
};
