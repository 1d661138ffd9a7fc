//! Positions to biases.

use std::ops::Range;

use super::{PackedSmolgen, Part, Shape};
use crate::{
    Aligned,
    norm::{self, Moments},
    product::{self, GRAIN, Into, Out, Size, View, product, product_of, rounded},
    rows,
};

/// What a group of positions leaves for the backward pass. Rows are positions, or heads of positions for the last two.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) flat: Aligned,
    pub(super) dense: Aligned,
    pub(super) dense_moments: Vec<Moments>,
    pub(super) dense_normed: Aligned,
    pub(super) split: Aligned,
    pub(super) split_moments: Vec<Moments>,
    pub(super) split_normed: Aligned,
}

/// The vectors of heads of a group of positions, packed for the last product.
#[derive(Debug)]
pub(crate) struct Vectors {
    left: Aligned,
    positions: usize,
}

impl PackedSmolgen {
    /// Attention biases, heads x tokens x tokens, for each position of `x`.
    pub fn forward(&self, x: &[f32], biases: &mut [f32]) {
        let vectors = self.vectors(x);
        let each = self.shape.heads * self.shape.square();
        assert_eq!(biases.len(), vectors.positions * each);
        for (i, biases) in biases.chunks_mut(self.at_once() * each).enumerate() {
            let first = i * self.at_once();
            let made = self.biases(&vectors, first..first + biases.len() / each);
            biases.copy_from_slice(&made[..biases.len()]);
        }
    }

    /// All that comes before the last product.
    pub(crate) fn vectors(&self, x: &[f32]) -> Vectors {
        let positions = x.len() / (self.shape.tokens * self.shape.width);
        let steps = self.steps(x);
        let left = self.left(&steps.split_normed, positions * self.shape.heads, self.shape.per_head);
        Vectors { left, positions }
    }

    /// How many positions' biases are made together: few, so that they and the matrix are still near when attention asks for them, but
    /// whole grains of rows.
    pub(crate) fn at_once(&self) -> usize {
        let rows = if self.level.rounds() { 2 * GRAIN } else { 8 * GRAIN };
        (1..=GRAIN)
            .find(|n| (n * self.shape.heads).is_multiple_of(GRAIN) && n * self.shape.heads >= rows)
            .unwrap_or(GRAIN)
    }

    /// The biases of some of the positions, from a multiple of [`at_once`](PackedSmolgen::at_once) on; whole grains of rows are written, so that there may be more.
    pub(crate) fn biases(&self, vectors: &Vectors, positions: Range<usize>) -> Aligned {
        let Shape { heads, per_head, .. } = self.shape;
        let (level, square) = (self.level, self.shape.square());
        assert!(positions.start.is_multiple_of(self.at_once()) && positions.end <= vectors.positions);
        let left = &vectors.left[product::words(level, positions.start * heads, per_head)..];
        let size = Size { m: positions.len() * heads, n: square, k: per_head };
        let mut biases = Aligned::scratch(rounded(size.m) * square);
        let into = Into::Row(self.get(Part::SpreadBias));
        product(level, size, left, &self.spread.ahead, &mut biases, square, into);
        biases
    }

    pub(super) fn left(&self, values: &[f32], rows: usize, k: usize) -> Aligned {
        let mut to = Aligned::scratch(product::words(self.level, rows, k));
        product::left(self.level, View::new(values, rows, k), &mut to);
        to
    }

    pub(super) fn steps(&self, x: &[f32]) -> Steps {
        let Shape { tokens, width, heads, hidden, per_head, .. } = self.shape;
        let level = self.level;
        let positions = x.len() / (tokens * width);
        let tall = rounded(positions);
        let flat = self.compress(x, positions);

        let mut dense = Aligned::scratch(tall * hidden);
        let left = self.left(&flat, positions, self.shape.flat());
        let size = Size { m: positions, n: hidden, k: self.shape.flat() };
        product(level, size, &left, &self.ahead[1], &mut dense, hidden, Into::Replace);
        rows::add_bias(level, &mut dense, hidden, positions, self.get(Part::DenseBias));
        let mut dense_moments = vec![Moments::default(); positions];
        let mut dense_normed = Aligned::scratch(tall * hidden);
        let (weight, bias) = (self.get(Part::DenseNorm), self.get(Part::DenseNormBias));
        norm::forward(level, &dense, weight, Some(bias), &mut dense_normed, &mut dense_moments);

        let wide = heads * per_head;
        let mut split = Aligned::scratch(tall * wide);
        let left = self.left(&dense_normed, positions, hidden);
        let size = Size { m: positions, n: wide, k: hidden };
        product(level, size, &left, &self.ahead[2], &mut split, wide, Into::Replace);
        rows::add_bias(level, &mut split, wide, positions, self.get(Part::SplitBias));
        let mut split_moments = vec![Moments::default(); positions * heads];
        let mut split_normed = Aligned::scratch(tall * wide);
        let (weight, bias) = (self.get(Part::SplitNorm), self.get(Part::SplitNormBias));
        norm::forward(level, &split, weight, Some(bias), &mut split_normed, &mut split_moments);
        Steps { flat, dense, dense_moments, dense_normed, split, split_moments, split_normed }
    }

    /// The compressed tokens of each position in one row.
    fn compress(&self, x: &[f32], positions: usize) -> Aligned {
        let Shape { tokens, width, compressed, .. } = self.shape;
        let mut flat = Aligned::scratch(positions * self.shape.flat());
        let mut left = Aligned::scratch(product::words(self.level, tokens, width));
        let stride = rounded(compressed);
        let mut panel = Aligned::scratch(rounded(tokens) * stride);
        let size = Size { m: tokens, n: compressed, k: width };
        for (x, flat) in x.chunks_exact(tokens * width).zip(flat.chunks_exact_mut(self.shape.flat())) {
            let out = Out { values: &mut panel, stride, into: Into::Replace };
            product_of(self.level, size, View::new(x, tokens, width), &mut left, &self.ahead[0], out);
            for (to, from) in flat.chunks_exact_mut(compressed).zip(panel.chunks_exact(stride)) {
                to.copy_from_slice(&from[..compressed]);
            }
        }
        flat
    }
}
