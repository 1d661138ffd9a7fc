//! What the forward pass leaves for the backward pass, besides the block's input: one position after another, each in one piece.
//!
//! All that is costly to compute again is kept: what lies between the halves, query, key and value, the weights of attention, and
//! the inputs of the activation. Weights of attention grow with the square of the tokens, so that those of long sequences are
//! computed again. Where products round their factors, query, key, value and weights are kept as bf16: what a batch saved comes from
//! far away in the backward pass.

use super::Shape;
use crate::{
    Level,
    product::{self, rounded},
};

/// Attention over more tokens does not keep its weights.
const LONGEST: usize = 96;

impl Shape {
    /// Numbers that the forward pass leaves for each position.
    pub fn saved(&self, level: Level) -> usize {
        self.lengths(level).iter().sum()
    }

    pub(super) fn keeps_weights(&self) -> bool {
        self.tokens <= LONGEST
    }

    /// Whether weights go back as they were packed: those of a whole board.
    pub(super) fn stays_packed(&self, level: Level) -> bool {
        level.rounds() && self.keeps_weights() && self.tokens == 64
    }

    /// Numbers between the halves, of query, key and value, of the weights, and of the activation's inputs. Products write whole
    /// grains of rows.
    fn lengths(&self, level: Level) -> [usize; 4] {
        let tall = rounded(self.tokens);
        let weights = if self.keeps_weights() { self.heads * self.kept_weights(level) } else { 0 };
        [self.tokens * self.width, self.kept_qkv(level, self.width), weights, tall * self.up()]
    }

    /// Numbers, or words where the level rounds, of query, key and value of so many columns.
    pub(super) fn kept_qkv(&self, level: Level, columns: usize) -> usize {
        let numbers = 3 * rounded(self.tokens) * columns;
        if level.rounds() { numbers / 2 } else { numbers }
    }

    /// Numbers of one head's weights, or words of them packed as a left factor.
    pub(super) fn kept_weights(&self, level: Level) -> usize {
        let tall = rounded(self.tokens);
        if level.rounds() { product::words(level, tall, self.tokens) } else { tall * tall }
    }
}

/// The pieces of one position.
#[derive(Debug)]
pub(super) struct Saved<T> {
    pub(super) middle: T,
    /// Panels of heads: query, key and value of each.
    pub(super) qkv: T,
    /// Head after head; nothing if they are not kept.
    pub(super) weights: T,
    /// Panels of columns.
    pub(super) up: T,
}

impl<'a> Saved<&'a mut [f32]> {
    pub(super) fn new(level: Level, shape: &Shape, values: &'a mut [f32]) -> Self {
        let [middle, qkv, weights, _] = shape.lengths(level);
        let (middle, rest) = values.split_at_mut(middle);
        let (qkv, rest) = rest.split_at_mut(qkv);
        let (weights, up) = rest.split_at_mut(weights);
        Saved { middle, qkv, weights, up }
    }
}

impl<'a> Saved<&'a [f32]> {
    pub(super) fn of(level: Level, shape: &Shape, values: &'a [f32]) -> Self {
        let [middle, qkv, weights, _] = shape.lengths(level);
        let (middle, rest) = values.split_at(middle);
        let (qkv, rest) = rest.split_at(qkv);
        let (weights, up) = rest.split_at(weights);
        Saved { middle, qkv, weights, up }
    }
}
