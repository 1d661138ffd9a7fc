//! One pre-norm transformer block, forward and backward, position by position so that a position's work stays in cache:
//!
//! `x1 = x + attention(norm(x))`, then `y = x1 + down(activation(up(norm(x1))))`.
//!
//! What is costly to compute is kept for the backward pass, the rest is computed again there ([`Shape::saved`]). A batch is cut into chunks of fixed size that threads take in any order, and the gradients of the
//! chunks are added in the order of the batch: the result does not depend on the number of threads.

mod attention;
mod batch;
mod dropout;
mod feed;
mod group;
mod half;
mod layout;
mod packed;
mod saved;
mod scratch;
#[cfg(test)]
mod tests;

pub use batch::{Kept, backward, backward_masked, forward, forward_masked};
pub use dropout::Dropout;
pub use layout::{Layout, Part};
pub use packed::PackedBlock;

use crate::activation::Activation;

/// Sizes of a block. Width, hidden width and width per head are multiples of sixteen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub tokens: usize,
    pub width: usize,
    pub heads: usize,
    /// Width between the two products of the feed-forward layer.
    pub hidden: usize,
    pub activation: Activation,
    /// Whether products have biases; without, the places of biases are ignored.
    pub biases: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a block of width {width}, {heads} heads and hidden width {hidden} has a part that is no multiple of 16"
)]
pub struct ShapeError {
    width: usize,
    heads: usize,
    hidden: usize,
}

impl Shape {
    pub fn check(&self) -> Result<(), ShapeError> {
        let Shape { width, heads, hidden, tokens, .. } = *self;
        let whole = heads > 0 && tokens > 0 && hidden > 0 && width.is_multiple_of(heads);
        if whole && (width / heads).is_multiple_of(16) && hidden.is_multiple_of(16) {
            Ok(())
        } else {
            Err(ShapeError { width, heads, hidden })
        }
    }

    /// Values of one position.
    pub fn values(&self) -> usize {
        self.tokens * self.width
    }

    /// Values of one position's attention bias: heads x tokens x tokens.
    pub fn bias_len(&self) -> usize {
        self.heads * self.tokens * self.tokens
    }

    fn head(&self) -> usize {
        self.width / self.heads
    }

    /// Columns of whole heads that are worked on together: at least 32, a step of a sum with AMX tiles.
    fn panel(&self) -> usize {
        if self.head() < 32 { 32 / self.head() * self.head() } else { self.head() }
    }

    fn up(&self) -> usize {
        self.hidden * self.activation.inputs()
    }

    fn scale(&self) -> f32 {
        1.0 / (self.head() as f32).sqrt()
    }
}
