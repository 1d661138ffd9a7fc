//! What the way there leaves for the way back, besides the block's input: one position after another, each in one piece.
//!
//! All that is costly to compute again is kept: what lies between the halves, query, key and value, the weights of attention, and
//! the inputs of the activation. Weights of attention grow with the square of the tokens, so that those of long sequences are
//! computed again.

use super::Shape;
use crate::product::rounded;

/// Attention over more tokens does not keep its weights.
const LONGEST: usize = 96;

impl Shape {
    /// Numbers that the way there leaves for each position.
    pub fn trail(&self) -> usize {
        self.lengths().iter().sum()
    }

    pub(super) fn keeps_weights(&self) -> bool {
        self.tokens <= LONGEST
    }

    /// Numbers between the halves, of query, key and value, of the weights, and of the activation's inputs. Products write whole
    /// grains of rows.
    fn lengths(&self) -> [usize; 4] {
        let tall = rounded(self.tokens);
        let weights = if self.keeps_weights() { self.heads * tall * tall } else { 0 };
        [self.tokens * self.width, 3 * tall * self.width, weights, tall * self.up()]
    }
}

/// The pieces of one position.
#[derive(Debug)]
pub(super) struct Trail<T> {
    pub(super) middle: T,
    /// Panels of heads: query, key and value of each.
    pub(super) qkv: T,
    /// Head after head; nothing if they are not kept.
    pub(super) weights: T,
    /// Panels of columns.
    pub(super) up: T,
}

impl<'a> Trail<&'a mut [f32]> {
    pub(super) fn new(shape: &Shape, values: &'a mut [f32]) -> Self {
        let [middle, qkv, weights, _] = shape.lengths();
        let (middle, rest) = values.split_at_mut(middle);
        let (qkv, rest) = rest.split_at_mut(qkv);
        let (weights, up) = rest.split_at_mut(weights);
        Trail { middle, qkv, weights, up }
    }
}

impl<'a> Trail<&'a [f32]> {
    pub(super) fn of(shape: &Shape, values: &'a [f32]) -> Self {
        let [middle, qkv, weights, _] = shape.lengths();
        let (middle, rest) = values.split_at(middle);
        let (qkv, rest) = rest.split_at(qkv);
        let (weights, up) = rest.split_at(weights);
        Trail { middle, qkv, weights, up }
    }
}
