//! Scores of what tokens say about squares: a token and a square meet in sums, rectified, and in products, and a product with a matrix
//! makes scores of both.
//!
//! Few of all pairs are asked for, each token about many squares, so that a pair's numbers are made when they are needed and never kept.

use rayon::prelude::*;

use crate::{
    Aligned, Level,
    product::{self, Into, Out, Size, View, rounded},
    rows,
    simd::{self, Simd, Task},
};

/// Pairs that go through together.
const STRIP: usize = 128;
/// Boards whose gradients one task sums.
const BOARDS: usize = 16;

/// Sizes: a square and a token have `2 x rank` numbers, the first half for sums, the second for products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub rank: usize,
    pub classes: usize,
}

impl Shape {
    /// Whether such scores can be computed here.
    pub fn fits(self) -> bool {
        self.rank > 0 && self.rank.is_multiple_of(16) && self.classes > 0
    }

    /// Weights `[2 x rank, classes]`, then a bias for each class.
    pub fn parameters(self) -> usize {
        (2 * self.rank + 1) * self.classes
    }
}

/// The pairs that are asked for, board after board: rows of all squares and of all tokens, 64 squares and as many tokens of each board side
/// by side. `ends` are the numbers of pairs up to and with each board.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub ends: &'a [usize],
    pub squares: &'a [i32],
    pub tokens: &'a [i32],
}

impl Asked<'_> {
    /// How many pairs there are before a board.
    fn start(&self, board: usize) -> usize {
        if board == 0 { 0 } else { self.ends[board - 1] }
    }

    fn check(&self, shape: Shape, squares: &[f32], tokens: &[f32]) -> usize {
        let (boards, width) = (self.ends.len(), 2 * shape.rank);
        assert!(self.ends.is_sorted() && self.ends.last().copied().unwrap_or(0) == self.squares.len());
        assert!(self.squares.len() == self.tokens.len() && squares.len() == boards * 64 * width);
        let each = (tokens.len() / width).checked_div(boards).unwrap_or(0);
        assert_eq!(tokens.len(), boards * each * width);
        for board in 0..boards {
            let own = self.start(board)..self.ends[board];
            let within = |row: i32, each: usize| usize::try_from(row).is_ok_and(|row| row / each == board);
            assert!(self.squares[own.clone()].iter().all(|&row| within(row, 64)));
            assert!(self.tokens[own].iter().all(|&row| within(row, each)));
        }
        each
    }
}

/// The weights laid out for the CPU.
#[derive(Clone, Debug)]
pub struct PackedMeet {
    level: Level,
    shape: Shape,
    ahead: Aligned,
    /// The transpose, for the backward pass.
    back: Aligned,
    /// For whole groups of columns.
    bias: Vec<f32>,
}

impl PackedMeet {
    /// `train` if the backward pass will be asked for.
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedMeet {
        assert!(shape.fits() && parameters.len() == shape.parameters(), "{shape:?}");
        let (inputs, classes) = (2 * shape.rank, shape.classes);
        let (weights, bias) = parameters.split_at(inputs * classes);
        let weights = View::new(weights, inputs, classes);
        let mut ahead = Aligned::zeros(product::words(level, classes, inputs));
        product::right(level, weights, &mut ahead);
        let mut back = Aligned::default();
        if train {
            back = Aligned::zeros(product::words(level, inputs, classes));
            product::right_transposed(level, weights, &mut back);
        }
        let mut bias = bias.to_vec();
        bias.resize(rounded(classes), 0.0);
        PackedMeet { level, shape, ahead, back, bias }
    }
}

/// Scores of the pairs: `[pairs, classes]`.
///
/// # Panics
/// If a pair is not one of its board.
pub fn forward(packed: &PackedMeet, pairs: Asked<'_>, squares: &[f32], tokens: &[f32]) -> Vec<f32> {
    let PackedMeet { level, shape: Shape { rank, classes }, .. } = *packed;
    pairs.check(packed.shape, squares, tokens);
    let mut y = vec![0.0; pairs.squares.len() * classes];
    y.par_chunks_mut(STRIP * classes).enumerate().for_each(|(strip, y)| {
        let count = y.len() / classes;
        let own = strip * STRIP..strip * STRIP + count;
        let met = met(packed, (&pairs.squares[own.clone()], squares), (&pairs.tokens[own], tokens));
        let stride = rounded(classes);
        let mut wide = Aligned::scratch(rounded(count) * stride);
        let out = Out { values: &mut wide, stride, into: Into::Row(&packed.bias) };
        multiply(level, (&met, count, 2 * rank), &packed.ahead, classes, out);
        for (y, wide) in y.chunks_exact_mut(classes).zip(wide.chunks_exact(stride)) {
            y.copy_from_slice(&wide[..classes]);
        }
    });
    y
}

/// From the gradient of the scores to those of squares and tokens; returns that of the parameters.
///
/// # Panics
/// If a pair is not one of its board.
pub fn backward(
    packed: &PackedMeet,
    pairs: Asked<'_>,
    (squares, tokens): (&[f32], &[f32]),
    gradient: &[f32],
    (to_squares, to_tokens): (&mut [f32], &mut [f32]),
) -> Vec<f32> {
    let PackedMeet { level, shape: Shape { rank, classes }, .. } = *packed;
    let (width, stride) = (2 * rank, rounded(classes));
    let each = pairs.check(packed.shape, squares, tokens);
    assert!(gradient.len() == pairs.squares.len() * classes);
    assert!(to_squares.len() == squares.len() && to_tokens.len() == tokens.len());
    let mut parameters = vec![0.0; packed.shape.parameters()];
    if pairs.ends.is_empty() {
        return parameters;
    }
    let groups = to_squares.par_chunks_mut(BOARDS * 64 * width);
    let groups = groups.zip(to_tokens.par_chunks_mut((BOARDS * each * width).max(1))).enumerate();
    let sums: Vec<(Aligned, Vec<f32>)> = groups
        .map(|(group, (to_squares, to_tokens))| {
            let first = group * BOARDS;
            let last = pairs.ends.len().min(first + BOARDS);
            let (mut weights, mut bias) = (Aligned::zeros(width * stride), vec![0.0; classes]);
            let (mut at, end) = (pairs.start(first), pairs.start(last));
            while at < end {
                let count = STRIP.min(end - at);
                let own = at..at + count;
                at += count;
                let (rows, others) = (&pairs.squares[own.clone()], &pairs.tokens[own.clone()]);
                let met = met(packed, (rows, squares), (others, tokens));
                let delta = &gradient[own.start * classes..own.end * classes];
                rows::add_columns(level, View::new(delta, count, classes), &mut bias);
                let mut turned = Aligned::scratch(product::words(level, width, count));
                product::left_transposed(level, View::new(&met, count, width), &mut turned);
                let mut right = Aligned::scratch(product::words(level, classes, count));
                product::right(level, View::new(delta, count, classes), &mut right);
                let out = Out { values: &mut weights, stride, into: Into::Add };
                let size = Size { m: width, n: classes, k: count };
                product::product_transposed(level, size, &turned, &right, out);
                let mut to_met = Aligned::scratch(rounded(count) * width);
                let out = Out { values: &mut to_met, stride: width, into: Into::Replace };
                multiply(level, (delta, count, classes), &packed.back, width, out);
                let (first_square, first_token) = (first * 64, first * each);
                let ends = [(rows, squares, first_square), (others, tokens, first_token)];
                simd::run(level, Part { rank, to_met: &to_met, met: &met, ends, to_squares, to_tokens });
            }
            (weights, bias)
        })
        .collect();
    let (to_weights, to_bias) = parameters.split_at_mut(width * classes);
    for (weights, bias) in &sums {
        for (to, from) in to_weights.chunks_exact_mut(classes).zip(weights.chunks_exact(stride)) {
            rows::add(level, to, &from[..classes]);
        }
        rows::add(level, to_bias, bias);
    }
    parameters
}

/// What pairs make together: `[pairs, 2 x rank]`.
fn met(
    packed: &PackedMeet,
    (rows, squares): (&[i32], &[f32]),
    (others, tokens): (&[i32], &[f32]),
) -> Aligned {
    let rank = packed.shape.rank;
    let mut to = Aligned::scratch(rounded(rows.len()) * 2 * rank);
    simd::run(packed.level, Meet { rank, squares: (rows, squares), tokens: (others, tokens), to: &mut to });
    to
}

fn multiply(level: Level, (left, m, k): (&[f32], usize, usize), right: &[f32], n: usize, out: Out<'_>) {
    let mut buffer = Aligned::default();
    if level.rounds() {
        buffer = Aligned::scratch(product::words(level, rounded(m), k));
    }
    product::product_of(level, Size { m, n, k }, View::new(left, m, k), &mut buffer, right, out);
}

struct Meet<'a> {
    rank: usize,
    squares: (&'a [i32], &'a [f32]),
    tokens: (&'a [i32], &'a [f32]),
    to: &'a mut [f32],
}

impl Task for Meet<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let (rank, width) = (self.rank, 2 * self.rank);
        let pairs = self.squares.0.iter().zip(self.tokens.0).zip(self.to.chunks_exact_mut(width));
        for ((&square, &token), to) in pairs {
            let square = &self.squares.1[square as usize * width..][..width];
            let token = &self.tokens.1[token as usize * width..][..width];
            for i in (0..rank).step_by(S::LANES) {
                let sum = S::add(S::load(&square[i..]), S::load(&token[i..]));
                S::store(S::max(sum, S::splat(0.0)), &mut to[i..]);
            }
            for i in (rank..width).step_by(S::LANES) {
                S::store(S::mul(S::load(&square[i..]), S::load(&token[i..])), &mut to[i..]);
            }
        }
    }
}

/// Shares out the gradients of what pairs made together.
struct Part<'a> {
    rank: usize,
    to_met: &'a [f32],
    met: &'a [f32],
    /// Of squares, then of tokens: the rows of the pairs, all numbers, and the row with which the gradients begin.
    ends: [(&'a [i32], &'a [f32], usize); 2],
    to_squares: &'a mut [f32],
    to_tokens: &'a mut [f32],
}

impl Task for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let (rank, width) = (self.rank, 2 * self.rank);
        let [(squares, square_values, first_square), (tokens, token_values, first_token)] = self.ends;
        for (at, (&square, &token)) in squares.iter().zip(tokens).enumerate() {
            let (square, token) = (square as usize, token as usize);
            let to_met = &self.to_met[at * width..][..width];
            let met = &self.met[at * width..][..width];
            let to_square = &mut self.to_squares[(square - first_square) * width..][..width];
            let to_token = &mut self.to_tokens[(token - first_token) * width..][..width];
            let square = &square_values[square * width..][..width];
            let token = &token_values[token * width..][..width];
            for i in (0..rank).step_by(S::LANES) {
                let zero = S::splat(0.0);
                let delta = S::if_less(zero, S::load(&met[i..]), S::load(&to_met[i..]), zero);
                S::store(S::add(delta, S::load(&to_square[i..])), &mut to_square[i..]);
                S::store(S::add(delta, S::load(&to_token[i..])), &mut to_token[i..]);
            }
            for i in (rank..width).step_by(S::LANES) {
                let delta = S::load(&to_met[i..]);
                let by = S::fma(delta, S::load(&token[i..]), S::load(&to_square[i..]));
                S::store(by, &mut to_square[i..]);
                let by = S::fma(delta, S::load(&square[i..]), S::load(&to_token[i..]));
                S::store(by, &mut to_token[i..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{differences, random};

    const SHAPE: Shape = Shape { rank: 16, classes: 14 };
    const EACH: usize = 3;

    /// Boards with no pairs, a few, and more than go through together; three tokens a board.
    fn asked(boards: usize) -> (Vec<usize>, Vec<i32>, Vec<i32>) {
        let (mut ends, mut squares, mut tokens) = (Vec::new(), Vec::new(), Vec::new());
        for board in 0..boards {
            for pair in 0..[0, 5, 150][board % 3] {
                squares.push((64 * board + 7 * pair % 64) as i32);
                tokens.push((EACH * board + pair % EACH) as i32);
            }
            ends.push(squares.len());
        }
        (ends, squares, tokens)
    }

    fn plain(pairs: Asked<'_>, squares: &[f64], tokens: &[f64], parameters: &[f64]) -> Vec<f64> {
        let (rank, width) = (SHAPE.rank, 2 * SHAPE.rank);
        let (weights, bias) = parameters.split_at(width * SHAPE.classes);
        let mut scores = Vec::new();
        for (&square, &token) in pairs.squares.iter().zip(pairs.tokens) {
            let square = &squares[square as usize * width..][..width];
            let token = &tokens[token as usize * width..][..width];
            let met = |i: usize| match i < rank {
                true => (square[i] + token[i]).max(0.0),
                false => square[i] * token[i],
            };
            for class in 0..SHAPE.classes {
                scores.push(
                    bias[class]
                        + (0..width).map(|i| met(i) * weights[i * SHAPE.classes + class]).sum::<f64>(),
                );
            }
        }
        scores
    }

    #[test]
    fn scores_and_gradients_are_those_of_plain_code() {
        for boards in [0, 1, 5, 19] {
            let (ends, rows, others) = asked(boards);
            let pairs = Asked { ends: &ends, squares: &rows, tokens: &others };
            let width = 2 * SHAPE.rank;
            let [squares, tokens] = [random(1, boards * 64 * width), random(2, boards * EACH * width)];
            let [parameters, factors] =
                [random(3, SHAPE.parameters()), random(4, rows.len() * SHAPE.classes)];
            let wide = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            let all = [wide(&squares), wide(&tokens), wide(&parameters)];
            let expected = plain(pairs, &all[0], &all[1], &all[2]);
            let some = |len: usize| (0..len).step_by((len / 30).max(1)).collect::<Vec<_>>();
            let gradients: Vec<(Vec<usize>, Vec<f64>)> = (0..3)
                .map(|which| {
                    let at = some(all[which].len());
                    let gradients = differences(&all[which], &at, |values| {
                        let mut all = all.clone();
                        all[which] = values.to_vec();
                        let scores = plain(pairs, &all[0], &all[1], &all[2]);
                        scores.iter().zip(&factors).map(|(score, f)| score * f64::from(*f)).sum()
                    });
                    (at, gradients)
                })
                .collect();
            for level in Level::all() {
                let packed = PackedMeet::new(level, SHAPE, &parameters, true);
                let allowed = if level.rounds() { 0.03 } else { 1e-4 };
                let close = |found: &[f32], expected: &[f64], what: &str| {
                    assert_eq!(found.len(), expected.len());
                    let squares: f64 =
                        found.iter().zip(expected).map(|(f, e)| (f64::from(*f) - e).powi(2)).sum();
                    let size: f64 = expected.iter().map(|e| e * e).sum();
                    let error = (squares / size.max(1e-9)).sqrt();
                    assert!(error < allowed, "{level}, {boards} boards, {what}: {error}");
                };
                close(&forward(&packed, pairs, &squares, &tokens), &expected, "scores");
                let (mut to_squares, mut to_tokens) = (vec![0.0; squares.len()], vec![0.0; tokens.len()]);
                let to = (&mut to_squares[..], &mut to_tokens[..]);
                let to_parameters = backward(&packed, pairs, (&squares, &tokens), &factors, to);
                for (found, (at, gradients)) in
                    [&to_squares, &to_tokens, &to_parameters].into_iter().zip(&gradients)
                {
                    close(&at.iter().map(|&at| found[at]).collect::<Vec<_>>(), gradients, "gradients");
                }
            }
        }
    }
}
