//! Positions to biases.

use super::{Packed, Part, Shape};
use crate::{
    Aligned,
    norm::{self, Moments},
    product::{self, Into, Size, View, product, rounded},
    rows,
};

/// What a group of positions leaves for the way back. Rows are positions, or heads of positions for the last two.
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

impl Packed {
    /// Attention biases, heads x tokens x tokens, for each position of `x`.
    pub fn forward(&self, x: &[f32], biases: &mut [f32]) {
        let shape = self.shape;
        let positions = x.len() / (shape.tokens * shape.width);
        let heads = positions * shape.heads;
        assert_eq!(biases.len(), heads * shape.square());
        let steps = self.steps(x);
        let left = self.left(&steps.split_normed, heads, shape.per_head);
        self.spread(&left, heads, biases);
    }

    fn spread(&self, left: &[f32], heads: usize, biases: &mut [f32]) {
        let (level, square) = (self.level, self.shape.square());
        let size = Size { m: heads, n: square, k: self.shape.per_head };
        let bias = self.get(Part::SpreadBias);
        // Whole grains of rows are written, and the last may reach beyond the biases.
        if product::rows_written(level, heads) == heads {
            product(level, size, left, &self.spread.ahead, biases, square, Into::Replace);
        } else {
            let mut room = Aligned::room(rounded(heads) * square);
            product(level, size, left, &self.spread.ahead, &mut room, square, Into::Replace);
            biases.copy_from_slice(&room[..biases.len()]);
        }
        rows::add_bias(level, biases, square, heads, bias);
    }

    pub(super) fn left(&self, values: &[f32], rows: usize, k: usize) -> Aligned {
        let mut to = Aligned::room(product::words(self.level, rows, k));
        product::left(self.level, View::new(values, rows, k), &mut to);
        to
    }

    pub(super) fn steps(&self, x: &[f32]) -> Steps {
        let Shape { tokens, width, heads, hidden, per_head, .. } = self.shape;
        let level = self.level;
        let positions = x.len() / (tokens * width);
        let tall = rounded(positions);
        let flat = self.compress(x, positions);

        let mut dense = Aligned::room(tall * hidden);
        let left = self.left(&flat, positions, self.shape.flat());
        let size = Size { m: positions, n: hidden, k: self.shape.flat() };
        product(level, size, &left, &self.ahead[1], &mut dense, hidden, Into::Replace);
        rows::add_bias(level, &mut dense, hidden, positions, self.get(Part::DenseBias));
        let mut dense_moments = vec![Moments::default(); positions];
        let mut dense_normed = Aligned::room(tall * hidden);
        let (weight, bias) = (self.get(Part::DenseNorm), self.get(Part::DenseNormBias));
        norm::forward(level, &dense, weight, Some(bias), &mut dense_normed, &mut dense_moments);

        let wide = heads * per_head;
        let mut split = Aligned::room(tall * wide);
        let left = self.left(&dense_normed, positions, hidden);
        let size = Size { m: positions, n: wide, k: hidden };
        product(level, size, &left, &self.ahead[2], &mut split, wide, Into::Replace);
        rows::add_bias(level, &mut split, wide, positions, self.get(Part::SplitBias));
        let mut split_moments = vec![Moments::default(); positions * heads];
        let mut split_normed = Aligned::room(tall * wide);
        let (weight, bias) = (self.get(Part::SplitNorm), self.get(Part::SplitNormBias));
        norm::forward(level, &split, weight, Some(bias), &mut split_normed, &mut split_moments);
        Steps { flat, dense, dense_moments, dense_normed, split, split_moments, split_normed }
    }

    /// The compressed tokens of each position in one row.
    fn compress(&self, x: &[f32], positions: usize) -> Aligned {
        let Shape { tokens, width, compressed, .. } = self.shape;
        let mut flat = Aligned::room(positions * self.shape.flat());
        let mut left = Aligned::room(product::words(self.level, tokens, width));
        let stride = rounded(compressed);
        let mut panel = Aligned::room(rounded(tokens) * stride);
        let size = Size { m: tokens, n: compressed, k: width };
        for (x, flat) in x.chunks_exact(tokens * width).zip(flat.chunks_exact_mut(self.shape.flat())) {
            product::left(self.level, View::new(x, tokens, width), &mut left);
            product(self.level, size, &left, &self.ahead[0], &mut panel, stride, Into::Replace);
            for (to, from) in flat.chunks_exact_mut(compressed).zip(panel.chunks_exact(stride)) {
                to.copy_from_slice(&from[..compressed]);
            }
        }
        flat
    }
}
