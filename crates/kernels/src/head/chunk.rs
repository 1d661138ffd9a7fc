//! A few boards and their moves.

use std::ops::Range;

use super::{Moves, PackedHead, Shape};
use crate::{
    Aligned, Level,
    product::{self, Into, Out, Size, View, product, rounded},
    rows::{self, add_to},
    simd::{self, Simd, Task},
};

/// Some boards on their way: the numbers of their moves before and after the second layer.
pub(super) struct Chunk<'a> {
    packed: &'a PackedHead,
    moves: Moves<'a>,
    boards: Range<usize>,
    x: &'a [f32],
    first: Aligned,
    second: Aligned,
}

/// Results of some boards, or their gradients.
pub(super) struct Results {
    pub(super) scores: Vec<f32>,
    pub(super) origins: Vec<f32>,
    pub(super) targets: Vec<f32>,
    pub(super) means: Vec<f32>,
}

impl Results {
    /// The part of some boards among those of all.
    pub(super) fn part(all: &[f32], shape: Shape, moves: Moves<'_>, boards: Range<usize>) -> Results {
        let count = moves.ends.len();
        let (scores, rest) = all.split_at(moves.origins.len());
        let (origins, rest) = rest.split_at(64 * count);
        let (targets, means) = rest.split_at(64 * count);
        let part = |all: &[f32], width: usize| all[boards.start * width..boards.end * width].to_vec();
        Results {
            scores: scores[moves.of(boards.clone())].to_vec(),
            origins: part(origins, 64),
            targets: part(targets, 64),
            means: part(means, shape.channels),
        }
    }
}

impl<'a> Chunk<'a> {
    pub(super) fn new(
        packed: &'a PackedHead,
        parameters: &[f32],
        moves: Moves<'a>,
        boards: Range<usize>,
        x: &'a [f32],
        side: &[f32],
    ) -> Chunk<'a> {
        let (level, Shape { channels: c, hidden: h }) = (packed.level, packed.shape);
        let x = &x[boards.start * 64 * c..boards.end * 64 * c];
        let squares = 64 * boards.len();
        let mut said = Aligned::scratch(squares * 2 * h);
        let size = Size { m: squares, n: 2 * h, k: c };
        product(level, size, &left(level, x, c), &packed.ends, &mut said, 2 * h, Into::Replace);
        let count = moves.of(boards.clone()).len();
        let mut first = Aligned::scratch(rounded(count) * h);
        let table = &parameters[packed.shape.places().table()..];
        let place = (moves, boards.clone());
        simd::run(level, Gather { place, said: &said, table, side, hidden: h, to: &mut first });
        let mut second = Aligned::scratch(rounded(count) * h);
        let size = Size { m: count, n: h, k: h };
        let rows = left(level, &first[..count * h], h);
        product(level, size, &rows, &packed.hidden, &mut second, h, Into::Replace);
        simd::run(level, Rectify { rows: &mut second, bias: &packed.bias });
        Chunk { packed, moves, boards, x, first, second }
    }

    fn count(&self) -> usize {
        self.moves.of(self.boards.clone()).len()
    }

    pub(super) fn results(&self) -> Results {
        let PackedHead { level, shape: Shape { channels: c, hidden: h }, .. } = *self.packed;
        let dots = |rows: &[f32], width: usize, weights: &[f32]| -> Vec<f32> {
            simd::run(level, Dots { rows: View::new(rows, rows.len() / width, width), weights })
        };
        let mut means = vec![0.0; self.boards.len() * c];
        for (mean, squares) in means.chunks_exact_mut(c).zip(self.x.chunks_exact(64 * c)) {
            rows::add_rows(level, squares, mean);
            mean.iter_mut().for_each(|x| *x /= 64.0);
        }
        Results {
            scores: dots(&self.second[..self.count() * h], h, &self.packed.score),
            origins: dots(self.x, c, &self.packed.origin),
            targets: dots(self.x, c, &self.packed.target),
            means,
        }
    }

    /// Fills the gradients of squares and side, adds those of all parameters before the table to `sums`, and returns those of
    /// the sums that moves begin as.
    pub(super) fn back(
        mut self,
        gradient: &Results,
        to_x: &mut [f32],
        to_side: &mut [f32],
        sums: &mut [f32],
    ) -> Aligned {
        let PackedHead { level, shape: Shape { channels: c, hidden: h }, .. } = *self.packed;
        let places = self.packed.shape.places();
        let [back_ends, back_hidden] = self.packed.back.as_ref().expect("a head packed for training");
        let count = self.count();
        // The gradient of the second layer's numbers takes their place.
        let (bias, score) = sums[places.bias.start..places.score.end].split_at_mut(h);
        let second = &mut self.second[..count * h];
        let weights = &self.packed.score;
        simd::run(level, ScoreBack { gradient: &gradient.scores, weights, second, bias, score });
        let size = Size { m: h, n: h, k: count };
        let (lhs, rhs) =
            (left_transposed(level, &self.first[..count * h], h), right(level, &self.second[..count * h], h));
        let out = Out { values: &mut sums[places.hidden.clone()], stride: h, into: Into::Add };
        product::product_transposed(level, size, &lhs, &rhs, out);

        let mut to_moves = Aligned::scratch(rounded(count) * h);
        let size = Size { m: count, n: h, k: h };
        let rows = left(level, &self.second[..count * h], h);
        product(level, size, &rows, back_hidden, &mut to_moves, h, Into::Replace);
        let mut to_said = Aligned::zeros(64 * self.boards.len() * 2 * h);
        let place = (self.moves, self.boards.clone());
        let task =
            Scatter { place, first: &self.first, to_moves: &mut to_moves, to_said: &mut to_said, to_side };
        simd::run(level, task);

        let squares = 64 * self.boards.len();
        let size = Size { m: squares, n: c, k: 2 * h };
        product(level, size, &left(level, &to_said, 2 * h), back_ends, to_x, c, Into::Replace);
        let mut both = Aligned::zeros(c * 2 * h);
        let size = Size { m: c, n: 2 * h, k: squares };
        let (lhs, rhs) = (left_transposed(level, self.x, c), right(level, &to_said, 2 * h));
        let out = Out { values: &mut both, stride: 2 * h, into: Into::Replace };
        product::product_transposed(level, size, &lhs, &rhs, out);
        let (from, to) = sums[places.from.start..places.to.end].split_at_mut(c * h);
        let rows = from.chunks_exact_mut(h).zip(to.chunks_exact_mut(h)).zip(both.chunks_exact(2 * h));
        for ((from, to), both) in rows {
            rows::add(level, from, &both[..h]);
            rows::add(level, to, &both[h..]);
        }
        let (origin, target) = sums[places.origin.start..places.target.end].split_at_mut(c);
        simd::run(level, SquaresBack { packed: self.packed, x: self.x, gradient, to_x, origin, target });
        let mut exact = Aligned::scratch(count * h);
        exact.copy_from_slice(&to_moves[..count * h]);
        exact
    }
}

fn left(level: Level, rows: &[f32], width: usize) -> Aligned {
    let view = View::new(rows, rows.len() / width, width);
    let mut to = Aligned::scratch(product::words(level, view.rows, width));
    product::left(level, view, &mut to);
    to
}

fn left_transposed(level: Level, rows: &[f32], width: usize) -> Aligned {
    let view = View::new(rows, rows.len() / width, width);
    let mut to = Aligned::scratch(product::words(level, width, view.rows));
    product::left_transposed(level, view, &mut to);
    to
}

fn right(level: Level, rows: &[f32], width: usize) -> Aligned {
    let view = View::new(rows, rows.len() / width, width);
    let mut to = Aligned::scratch(product::words(level, width, view.rows));
    product::right(level, view, &mut to);
    to
}

/// What moves begin as: what origin and target say, the board's row and the move's bag, rectified.
struct Gather<'a> {
    place: (Moves<'a>, Range<usize>),
    said: &'a [f32],
    table: &'a [f32],
    side: &'a [f32],
    hidden: usize,
    to: &'a mut [f32],
}

impl Task for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let (moves, boards) = self.place;
        let h = self.hidden;
        let mut to = self.to.chunks_exact_mut(h);
        for (board, at) in boards.enumerate() {
            for (m, to) in moves.of(at..at + 1).zip(&mut to) {
                let [from, goal] = [moves.origins[m], moves.targets[m]].map(|s| 64 * board + usize::from(s));
                to.copy_from_slice(&self.said[from * 2 * h..][..h]);
                add_to::<S>(to, &self.said[goal * 2 * h + h..][..h]);
                add_to::<S>(to, &self.side[at * h..][..h]);
                for &row in moves.bags.bag(m) {
                    add_to::<S>(to, &self.table[row as usize * h..][..h]);
                }
                to.iter_mut().for_each(|x| *x = x.max(0.0));
            }
        }
    }
}

/// `relu(row + bias)`.
struct Rectify<'a> {
    rows: &'a mut [f32],
    bias: &'a [f32],
}

impl Task for Rectify<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for row in self.rows.chunks_exact_mut(self.bias.len()) {
            for (x, bias) in row.iter_mut().zip(self.bias) {
                *x = (*x + bias).max(0.0);
            }
        }
    }
}

/// The product of each row with the weights.
struct Dots<'a> {
    rows: View<'a>,
    weights: &'a [f32],
}

impl Task for Dots<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<f32> {
        let mut results = Vec::with_capacity(self.rows.rows);
        for row in self.rows.values.chunks_exact(self.weights.len()) {
            let mut sum = S::splat(0.0);
            for i in (0..row.len()).step_by(S::LANES) {
                sum = S::fma(S::load(&row[i..]), S::load(&self.weights[i..]), sum);
            }
            results.push(S::sum(sum));
        }
        results
    }
}

/// Turns the second layer's numbers into their gradient, and adds to those of bias and score.
struct ScoreBack<'a> {
    gradient: &'a [f32],
    weights: &'a [f32],
    second: &'a mut [f32],
    bias: &'a mut [f32],
    score: &'a mut [f32],
}

impl Task for ScoreBack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let zero = S::splat(0.0);
        let width = self.weights.len();
        for (row, &gradient) in self.second.chunks_exact_mut(width).zip(self.gradient) {
            let gradient = S::splat(gradient);
            for i in (0..width).step_by(S::LANES) {
                let x = S::load(&row[i..]);
                let back = S::if_less(zero, x, S::mul(gradient, S::load(&self.weights[i..])), zero);
                S::store(S::fma(gradient, x, S::load(&self.score[i..])), &mut self.score[i..]);
                S::store(S::add(back, S::load(&self.bias[i..])), &mut self.bias[i..]);
                S::store(back, &mut row[i..]);
            }
        }
    }
}

/// Gates the gradients of moves and adds them to origins, targets and boards.
struct Scatter<'a> {
    place: (Moves<'a>, Range<usize>),
    first: &'a [f32],
    to_moves: &'a mut [f32],
    to_said: &'a mut [f32],
    to_side: &'a mut [f32],
}

impl Task for Scatter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let (moves, boards) = self.place;
        let h = self.to_side.len() / boards.len();
        let mut rows = self.to_moves.chunks_exact_mut(h).zip(self.first.chunks_exact(h));
        self.to_side.fill(0.0);
        for (board, at) in boards.enumerate() {
            for (m, (gradient, first)) in moves.of(at..at + 1).zip(&mut rows) {
                for (gradient, first) in gradient.iter_mut().zip(first) {
                    *gradient = if *first > 0.0 { *gradient } else { 0.0 };
                }
                let [from, goal] = [moves.origins[m], moves.targets[m]].map(|s| 64 * board + usize::from(s));
                add_to::<S>(&mut self.to_said[from * 2 * h..][..h], gradient);
                add_to::<S>(&mut self.to_said[goal * 2 * h + h..][..h], gradient);
                add_to::<S>(&mut self.to_side[board * h..][..h], gradient);
            }
        }
    }
}

/// Adds what scores of origins and targets and the mean send back.
struct SquaresBack<'a> {
    packed: &'a PackedHead,
    x: &'a [f32],
    gradient: &'a Results,
    to_x: &'a mut [f32],
    origin: &'a mut [f32],
    target: &'a mut [f32],
}

impl Task for SquaresBack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let c = self.packed.shape.channels;
        let (share, gradient) = (S::splat(1.0 / 64.0), self.gradient);
        let squares = self.to_x.chunks_exact_mut(c).zip(self.x.chunks_exact(c));
        for (square, (to_x, x)) in squares.enumerate() {
            let mean = &gradient.means[square / 64 * c..][..c];
            let [origin, target] = [&gradient.origins, &gradient.targets].map(|all| S::splat(all[square]));
            for i in (0..c).step_by(S::LANES) {
                let mut sum = S::fma(S::load(&mean[i..]), share, S::load(&to_x[i..]));
                sum = S::fma(origin, S::load(&self.packed.origin[i..]), sum);
                sum = S::fma(target, S::load(&self.packed.target[i..]), sum);
                S::store(sum, &mut to_x[i..]);
                let x = S::load(&x[i..]);
                S::store(S::fma(origin, x, S::load(&self.origin[i..])), &mut self.origin[i..]);
                S::store(S::fma(target, x, S::load(&self.target[i..])), &mut self.target[i..]);
            }
        }
    }
}
