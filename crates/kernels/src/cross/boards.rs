//! A few boards and their tokens.

use std::ops::Range;

use super::{Matrix, PackedCross, SQUARES, Shape};
use crate::{
    Aligned, Level,
    norm::{self, Moments},
    product::{self, Into, Out, Size, View, rounded},
    rows, softmax,
};

/// Some boards on their way.
pub(super) struct Boards {
    /// Tokens of all of them.
    rows: usize,
    boards: usize,
    moments: Vec<Moments>,
    normed: Aligned,
    query: Aligned,
    /// Keys and values of the squares side by side.
    both: Aligned,
    /// Weights of attention of each board and head, kept for the backward pass: `[boards, heads, tokens, 64]`.
    weights: Aligned,
    mixed: Aligned,
}

/// Gradients of all parameters.
pub(super) struct Sums(pub(super) Aligned);

impl Sums {
    pub(super) fn new(shape: Shape) -> Sums {
        Sums(Aligned::zeros(shape.parameters()))
    }

    /// Adds the gradients of a matrix and of its bias, from rows of its inputs and of its outputs' gradients.
    fn add(
        &mut self,
        level: Level,
        (matrix, bias): (Range<usize>, Range<usize>),
        inputs: &[f32],
        gradients: &[f32],
    ) {
        let n = bias.len();
        let (m, k) = (matrix.len() / n, gradients.len() / n);
        rows::add_rows(level, gradients, &mut self.0[bias]);
        let mut left = Aligned::scratch(product::words(level, m, k));
        product::left_transposed(level, View::new(inputs, k, m), &mut left);
        let mut right = Aligned::scratch(product::words(level, n, k));
        product::right(level, View::new(gradients, k, n), &mut right);
        let out = Out { values: &mut self.0[matrix], stride: n, into: Into::Add };
        product::product_transposed(level, Size { m, n, k }, &left, &right, out);
    }
}

/// `x * matrix`, with its bias if that is given.
fn multiply(level: Level, x: &[f32], (k, n): (usize, usize), right: &[f32], bias: Option<&[f32]>) -> Aligned {
    let m = x.len() / k;
    let mut y = Aligned::scratch(rounded(m) * n);
    let mut buffer = Aligned::default();
    if level.rounds() {
        buffer = Aligned::scratch(product::words(level, rounded(m), k));
    }
    let out = Out { values: &mut y, stride: n, into: bias.map_or(Into::Replace, Into::Row) };
    product::product_of(level, Size { m, n, k }, View::new(x, m, k), &mut buffer, right, out);
    y
}

impl Matrix {
    fn forward(&self, level: Level, x: &[f32]) -> Aligned {
        multiply(level, x, (self.inputs, self.bias.len()), &self.ahead, Some(&self.bias))
    }

    fn backward(&self, level: Level, gradients: &[f32]) -> Aligned {
        multiply(level, gradients, (self.bias.len(), self.inputs), &self.back, None)
    }
}

/// Packed factors of one head of one board, of whichever product comes next.
struct Factors {
    level: Level,
    left: Aligned,
    right: Aligned,
}

impl Factors {
    fn new(level: Level, shape: Shape) -> Factors {
        let most = rounded(shape.tokens).max(SQUARES);
        let words = product::words(level, most, most).max(product::words(level, most, shape.head()));
        let words = words.max(product::words(level, shape.head(), most));
        Factors { level, left: Aligned::scratch(words), right: Aligned::scratch(words) }
    }

    /// `left * right`, or with the right factor transposed.
    fn product(&mut self, left: View<'_>, right: View<'_>, transposed: bool, out: Out<'_>) {
        let Factors { level, left: buffer, right: packed } = self;
        let n = if transposed { right.rows } else { right.columns };
        match transposed {
            true => product::right_transposed(*level, right, packed),
            false => product::right(*level, right, packed),
        }
        let size = Size { m: left.rows, n, k: left.columns };
        product::product_of(*level, size, left, buffer, packed, out);
    }

    /// The product of the transpose of `left` with `right`.
    fn outer(&mut self, left: View<'_>, right: View<'_>, out: Out<'_>) {
        let Factors { level, left: buffer, right: packed } = self;
        product::left_transposed(*level, left, buffer);
        product::right(*level, right, packed);
        let size = Size { m: left.columns, n: right.columns, k: left.rows };
        product::product_transposed(*level, size, buffer, packed, out);
    }
}

impl Boards {
    /// `keep` if the backward pass will be asked for.
    pub(super) fn new(packed: &PackedCross, squares: &[f32], x: &[f32], keep: bool) -> Boards {
        let PackedCross { level, shape, .. } = *packed;
        let Shape { tokens, width, heads, .. } = shape;
        let rows = x.len() / width;
        let boards = rows / tokens;
        let mut moments = vec![Moments::default(); rows];
        let mut normed = Aligned::scratch(rounded(rows) * width);
        let [weight, bias] = &packed.norm;
        norm::forward(level, x, weight, Some(bias), &mut normed[..rows * width], &mut moments);
        let query = packed.query.forward(level, &normed[..rows * width]);
        let both = packed.squares.forward(level, squares);
        let each = rounded(tokens) * SQUARES;
        let kept = if keep { boards * heads } else { 1 };
        let weights = Aligned::scratch(kept * each);
        // Whole grains of rows are written for each board, the last one's beyond the end.
        let mixed = Aligned::zeros((rows + rounded(tokens)) * width);
        let mut all = Boards { rows, boards, moments, normed, query, both, weights, mixed };
        let mut factors = Factors::new(level, shape);
        let Boards { query, both, weights, mixed, .. } = &mut all;
        for board in 0..boards {
            for head in 0..heads {
                let at = if keep { (board * heads + head) * each } else { 0 };
                let scores = &mut weights[at..][..each];
                let [key, value] = [0, 1].map(|which| of_head(both, shape, board, head, which));
                let out = Out { values: &mut *scores, stride: SQUARES, into: Into::Replace };
                factors.product(of_tokens(query, shape, board, head), key, true, out);
                let scores = &mut scores[..tokens * SQUARES];
                softmax::forward(level, scores, SQUARES, SQUARES, shape.scale(), None);
                let values = &mut mixed[board * tokens * width + head * shape.head()..];
                let out = Out { values, stride: width, into: Into::Replace };
                factors.product(View::new(scores, tokens, SQUARES), value, false, out);
            }
        }
        all
    }

    /// `y = x + mix(what was seen)`.
    pub(super) fn mix(&self, packed: &PackedCross, x: &[f32], y: &mut [f32]) {
        let seen = packed.mix.forward(packed.level, &self.mixed[..x.len()]);
        y.copy_from_slice(x);
        rows::add(packed.level, y, &seen[..x.len()]);
    }

    /// Fills the gradients of squares and tokens, and adds those of the parameters.
    pub(super) fn back(
        &self,
        packed: &PackedCross,
        (squares, x): (&[f32], &[f32]),
        gradient: &[f32],
        (to_squares, to_x): (&mut [f32], &mut [f32]),
        sums: &mut Sums,
    ) {
        let PackedCross { level, shape, .. } = *packed;
        let Shape { tokens, width, heads, .. } = shape;
        let (places, used) = (shape.places(), self.rows * width);
        sums.add(level, (places.mix, places.mix_bias), &self.mixed[..used], gradient);
        let to_mixed = packed.mix.backward(level, gradient);
        let mut to_query = Aligned::zeros((self.rows + rounded(tokens)) * width);
        let mut to_both = Aligned::zeros(self.boards * SQUARES * 2 * width);
        let mut to_scores = Aligned::scratch(rounded(tokens) * SQUARES);
        let mut factors = Factors::new(level, shape);
        let each = rounded(tokens) * SQUARES;
        for board in 0..self.boards {
            for head in 0..heads {
                let weights = &self.weights[(board * heads + head) * each..][..tokens * SQUARES];
                let [key, value] = [0, 1].map(|which| of_head(&self.both, shape, board, head, which));
                let delta = of_tokens(&to_mixed, shape, board, head);
                let out = Out { values: &mut to_scores, stride: SQUARES, into: Into::Replace };
                factors.product(delta, value, true, out);
                let to_scores = &mut to_scores[..tokens * SQUARES];
                softmax::backward(level, weights, to_scores, SQUARES, SQUARES, shape.scale(), None);
                let (scores, weights) =
                    (View::new(to_scores, tokens, SQUARES), View::new(weights, tokens, SQUARES));
                let values = &mut to_query[board * tokens * width + head * shape.head()..];
                let out = Out { values, stride: width, into: Into::Replace };
                factors.product(scores, key, false, out);
                let query = of_tokens(&self.query, shape, board, head);
                for (which, left, right) in [(0, scores, query), (1, weights, delta)] {
                    let values = &mut to_both[at_head(shape, board, head, which)..];
                    let out = Out { values, stride: 2 * width, into: Into::Replace };
                    factors.outer(left, right, out);
                }
            }
        }
        let to_query = &to_query[..used];
        sums.add(level, (places.query, places.query_bias), &self.normed[..used], to_query);
        let to_normed = packed.query.backward(level, to_query);
        to_x.copy_from_slice(gradient);
        let both = &mut sums.0[places.norm.start..places.norm_bias.end];
        let (to_weight, to_bias) = both.split_at_mut(width);
        let weight = &packed.norm[0];
        norm::backward(level, x, &self.moments, weight, &to_normed[..used], to_x, to_weight, Some(to_bias));
        sums.add(level, (places.squares, places.squares_bias), squares, &to_both);
        let gradients = packed.squares.backward(level, &to_both);
        to_squares.copy_from_slice(&gradients[..to_squares.len()]);
    }
}

/// Where the keys (0) or values (1) of a head begin.
fn at_head(shape: Shape, board: usize, head: usize, which: usize) -> usize {
    board * SQUARES * 2 * shape.width + which * shape.width + head * shape.head()
}

fn of_head(both: &[f32], shape: Shape, board: usize, head: usize, which: usize) -> View<'_> {
    let values = &both[at_head(shape, board, head, which)..];
    View { values, rows: SQUARES, columns: shape.head(), stride: 2 * shape.width }
}

fn of_tokens(all: &[f32], shape: Shape, board: usize, head: usize) -> View<'_> {
    let values = &all[board * shape.tokens * shape.width + head * shape.head()..];
    View { values, rows: shape.tokens, columns: shape.head(), stride: shape.width }
}
