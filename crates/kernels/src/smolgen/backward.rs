//! From the gradients of biases to those of positions and parameters.

use super::{PackedSmolgen, Part, Shape};
use crate::{
    Aligned,
    norm::{self, Moments},
    product::{self, Into, Out, Place, Size, View, product, product_of, product_of_transposed, rounded},
    rows,
};

const TRAINED: &str = "a smolgen packed for training";

impl PackedSmolgen {
    /// Adds to the gradients of `x` and of the parameters (in the order of `Layout`), given those of the biases.
    pub fn backward(&self, x: &[f32], to_biases: &[f32], to_x: &mut [f32], parameters: &mut [f32]) {
        let each = self.shape.heads * self.shape.square();
        let mut gradients = self.gradients(to_biases.len() / each);
        for (position, to_biases) in to_biases.chunks_exact(each).enumerate() {
            self.take_gradients(&mut gradients, position, to_biases);
        }
        self.backward_of(x, &gradients, to_x, parameters, Into::Add);
    }

    /// Sets gradients of parameters to zero before [`backward_of`](PackedSmolgen::backward_of) replaces the last matrix's, which are most of
    /// them.
    pub(crate) fn clear(&self, parameters: &mut [f32]) {
        let matrix = self.layout.range(Part::Spread);
        parameters[..matrix.start].fill(0.0);
        parameters[matrix.end..].fill(0.0);
    }

    /// A buffer for the gradients of so many positions' biases, packed as a left factor.
    pub(crate) fn gradients(&self, positions: usize) -> Aligned {
        Aligned::scratch(product::words(self.level, positions * self.shape.heads, self.shape.square()))
    }

    /// Where the gradients of a position's biases may be written at once: where the packed factor is the matrix itself.
    pub(crate) fn gradients_at<'a>(
        &self,
        gradients: &'a mut [f32],
        position: usize,
    ) -> Option<&'a mut [f32]> {
        let each = self.shape.heads * self.shape.square();
        (!self.level.rounds()).then(|| &mut gradients[position * each..][..each])
    }

    /// Packs the gradients of a position's biases.
    pub(crate) fn take_gradients(&self, gradients: &mut [f32], position: usize, to_biases: &[f32]) {
        let heads = self.shape.heads;
        product::left_rows(
            self.level,
            View::new(to_biases, heads, self.shape.square()),
            gradients,
            position * heads,
        );
    }

    /// [`backward`](PackedSmolgen::backward) with all gradients of biases packed; `into` says what happens to the gradients of the last matrix.
    pub(crate) fn backward_of(
        &self,
        x: &[f32],
        gradients: &[f32],
        to_x: &mut [f32],
        parameters: &mut [f32],
        into: Into<'_>,
    ) {
        let Shape { tokens, width, heads, hidden, per_head, .. } = self.shape;
        let level = self.level;
        let square = self.shape.square();
        let positions = x.len() / (tokens * width);
        let steps = self.steps(x);
        let all_heads = positions * heads;

        self.add_spread(&steps.split_normed, gradients, all_heads, parameters, into);
        let back = self.spread.back.as_ref().expect(TRAINED);
        let mut to_normed = Aligned::scratch(rounded(all_heads) * rounded(per_head));
        let size = Size { m: all_heads, n: per_head, k: square };
        product(level, size, gradients, back, &mut to_normed, rounded(per_head), Into::Replace);
        let mut to_split = Aligned::zeros(positions * heads * per_head);
        let values = (&*steps.split, &*steps.split_moments);
        self.norm_back((Part::SplitNorm, Part::SplitNormBias), values, &to_normed, &mut to_split, parameters);

        let wide = heads * per_head;
        rows::add_rows(level, &to_split, &mut parameters[self.layout.range(Part::SplitBias)]);
        self.add_matrix(Part::Split, &steps.dense_normed, &to_split, positions, hidden, wide, parameters);
        let back = self.back.as_ref().expect(TRAINED);
        let to_normed = self.back_through(&back[2], &to_split, positions, wide, hidden);
        let mut to_dense = Aligned::zeros(positions * hidden);
        let values = (&*steps.dense, &*steps.dense_moments);
        self.norm_back((Part::DenseNorm, Part::DenseNormBias), values, &to_normed, &mut to_dense, parameters);

        let flat = self.shape.flat();
        rows::add_rows(level, &to_dense, &mut parameters[self.layout.range(Part::DenseBias)]);
        self.add_matrix(Part::Dense, &steps.flat, &to_dense, positions, flat, hidden, parameters);
        let to_flat = self.back_through(&back[1], &to_dense, positions, hidden, flat);
        self.compress_back(x, &to_flat, positions, to_x, parameters);
    }

    /// The gradients of the last matrix and its bias, some columns at a time, so that a factor of them is still near when it is multiplied.
    fn add_spread(
        &self,
        inputs: &[f32],
        gradients: &[f32],
        rows: usize,
        parameters: &mut [f32],
        into: Into<'_>,
    ) {
        const COLUMNS: usize = 256;
        let (level, square, per_head) = (self.level, self.shape.square(), self.shape.per_head);
        let mut left = Aligned::scratch(product::words(level, per_head, rows));
        product::left_transposed(level, View::new(inputs, rows, per_head), &mut left);
        let mut right = Aligned::scratch(product::words(level, COLUMNS, rows));
        // The bias follows the matrix.
        let all = self.layout.range(Part::Spread).start..self.layout.range(Part::SpreadBias).end;
        let (to_matrix, to_bias) = parameters[all].split_at_mut(per_head * square);
        for first in (0..square).step_by(COLUMNS) {
            let n = COLUMNS.min(square - first);
            let sums = &mut to_bias[first..][..n];
            product::right_of_left(level, gradients, (rows, square), first, &mut right, sums);
            let out = Out { values: &mut to_matrix[first..], stride: square, into };
            product::product_transposed(level, Size { m: per_head, n, k: rows }, &left, &right, out);
        }
    }

    /// The gradient of a product's inputs: `gradient[m x k] * matrix^T[k x n]`.
    fn back_through(&self, matrix: &[f32], gradient: &[f32], m: usize, k: usize, n: usize) -> Aligned {
        let mut buffer = Aligned::scratch(product::words(self.level, m, k));
        let mut out = Aligned::scratch(rounded(m) * rounded(n));
        let to = Out { values: &mut out, stride: rounded(n), into: Into::Replace };
        product_of(self.level, Size { m, n, k }, View::new(gradient, m, k), &mut buffer, matrix, to);
        out
    }

    #[expect(clippy::too_many_arguments, reason = "both factors with their sizes")]
    fn add_matrix(
        &self,
        part: Part,
        inputs: &[f32],
        gradients: &[f32],
        k: usize,
        m: usize,
        n: usize,
        parameters: &mut [f32],
    ) {
        let mut buffer = Aligned::scratch(product::words(self.level, m, k));
        let mut right = Aligned::scratch(product::words(self.level, n, k));
        product::right(self.level, View::new(gradients, k, n), &mut right);
        let out = &mut parameters[self.layout.range(part)];
        let out = Out { values: out, stride: n, into: Into::Add };
        let inputs = View::new(inputs, k, m);
        product_of_transposed(self.level, Size { m, n, k }, inputs, &mut buffer, &right, out);
    }

    fn norm_back(
        &self,
        (weight, bias): (Part, Part),
        (x, moments): (&[f32], &[Moments]),
        gradient: &[f32],
        to_x: &mut [f32],
        parameters: &mut [f32],
    ) {
        // The bias follows the weight.
        let all = self.layout.range(weight).start..self.layout.range(bias).end;
        let weight = self.get(weight);
        let (to_weight, to_bias) = parameters[all].split_at_mut(weight.len());
        norm::backward(self.level, x, moments, weight, gradient, to_x, to_weight, Some(to_bias));
    }

    fn compress_back(
        &self,
        x: &[f32],
        to_flat: &[f32],
        positions: usize,
        to_x: &mut [f32],
        parameters: &mut [f32],
    ) {
        let Shape { tokens, width, compressed, .. } = self.shape;
        let level = self.level;
        let back = self.back.as_ref().expect(TRAINED);
        let step = product::depth(level, tokens);
        let of = positions * step;
        let mut left = Aligned::scratch(product::words(level, width, of));
        let mut right = Aligned::scratch(product::words(level, compressed, of));
        let mut gradient = Aligned::scratch(product::words(level, tokens, compressed));
        let mut buffer = Aligned::scratch(rounded(tokens) * width);
        let flat = self.shape.flat();
        let positions = x.chunks_exact(tokens * width).zip(to_x.chunks_exact_mut(tokens * width));
        for (i, (x, to_x)) in positions.enumerate() {
            let to_compressed = View::new(&to_flat[i * rounded(flat)..], tokens, compressed);
            let place = Place { at: i * step, of };
            product::left_transposed_at(level, View::new(x, tokens, width), &mut left, place);
            product::right_at(level, to_compressed, &mut right, place);
            let size = Size { m: tokens, n: width, k: compressed };
            if product::rows_written(level, tokens) == tokens {
                let out = Out { values: to_x, stride: width, into: Into::Add };
                product_of(level, size, to_compressed, &mut gradient, &back[0], out);
            } else {
                let out = Out { values: &mut buffer, stride: width, into: Into::Replace };
                product_of(level, size, to_compressed, &mut gradient, &back[0], out);
                rows::add(level, to_x, &buffer[..tokens * width]);
            }
        }
        let stride = rounded(compressed);
        let mut to_matrix = Aligned::scratch(width * stride);
        let size = Size { m: width, n: compressed, k: of };
        let to = Out { values: &mut to_matrix, stride, into: Into::Replace };
        product::product_transposed(level, size, &left, &right, to);
        let out = &mut parameters[self.layout.range(Part::Compress)];
        for (to, from) in out.chunks_exact_mut(compressed).zip(to_matrix.chunks_exact(stride)) {
            rows::add(level, to, &from[..compressed]);
        }
    }
}
