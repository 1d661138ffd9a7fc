//! The network packed for the CPU: from boards to values and scores of moves without a tensor in between.
//!
//! A batch is cut into groups that go through all layers at once, so that what one layer leaves is still in the cache when the
//! next one wants it, and threads meet once for a batch and not once for a layer.

use chess::{
    encoding::ranker,
    shakmaty::{Chess, Position},
};
use kernels::{
    Aligned, Level,
    product::{self, Into, Size, View, product},
};
use rayon::prelude::*;

use super::{batch::RankerBatch, network::Parts, stem::ReadyStem};
use crate::fused::{self, Operation, Ready};

/// Boards that go through the layers together: as many as convolutions take side by side.
const GROUP: usize = 16;

#[derive(Debug)]
pub(super) struct ReadyRanker {
    stem: ReadyStem,
    blocks: Vec<(Operation, Ready)>,
    width: usize,
    /// The product over the whole board, [64 x width, hidden], packed.
    board: Aligned,
    board_bias: Vec<f32>,
    value: Vec<f32>,
    /// [73, width] each.
    origin: Vec<f32>,
    goal: Vec<f32>,
    step: Vec<f32>,
}

/// Outputs before the zero point is taken off: a value for each position, and scores of its legal moves where they were asked for.
pub(super) type Outputs = (Vec<f32>, Vec<Vec<f32>>);

impl ReadyRanker {
    pub(super) fn new(stem: ReadyStem, blocks: Vec<(Operation, Ready)>, parts: Parts) -> ReadyRanker {
        let Parts { board, board_bias, value, origin, goal, step } = parts;
        let (hidden, width) = (board_bias.len(), origin.len() / ranker::STEPS);
        let level = Level::best();
        let mut packed = Aligned::scratch(product::words(level, hidden, 64 * width));
        product::right(level, View::new(&board, 64 * width, hidden), &mut packed);
        ReadyRanker { stem, blocks, width, board: packed, board_bias, value, origin, goal, step }
    }

    pub(super) fn rank(&self, positions: &[Chess], moves: bool) -> Outputs {
        let groups: Vec<Outputs> =
            positions.par_chunks(GROUP).map(|some| self.rank_group(some, moves)).collect();
        let (values, scores): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
        (values.concat(), scores.into_iter().flatten().collect())
    }

    fn rank_group(&self, positions: &[Chess], moves: bool) -> Outputs {
        let batch = RankerBatch::from_positions(positions, false);
        let stem = self.stem.forward(&batch.ones);
        let blocks = self.blocks.iter();
        let trunk = blocks.fold(stem, |x, (operation, ready)| fused::run(operation, ready, &x, &[]));
        let values = self.values(&trunk);
        let boards = trunk.chunks_exact(64 * self.width).zip(positions).zip(&values);
        let scores =
            |((squares, position), value): ((&[f32], &Chess), &f32)| self.scores(squares, position, *value);
        let scores = if moves { boards.map(scores).collect() } else { Vec::new() };
        (values, scores)
    }

    /// What each board of the trunk is worth: relu(board product) times the weights of the value. A sum over a whole board evens out what
    /// rounding its factors does: in f32 it was a seventh of all the work for a batch.
    fn values(&self, trunk: &[f32]) -> Vec<f32> {
        let (hidden, len) = (self.board_bias.len(), 64 * self.width);
        let boards = trunk.len() / len;
        let stride = product::rounded(hidden);
        let mut sums = Aligned::scratch(product::rounded(boards) * stride);
        let level = Level::best();
        let mut left = Aligned::scratch(product::words(level, boards, len));
        product::left(level, View::new(trunk, boards, len), &mut left);
        let size = Size { m: boards, n: hidden, k: len };
        product(level, size, &left, &self.board, &mut sums, stride, Into::Replace);
        let value = |sums: &[f32]| {
            let hidden = sums.iter().zip(&self.board_bias).map(|(sum, bias)| (sum + bias).max(0.0));
            hidden.zip(&self.value).map(|(hidden, weight)| hidden * weight).sum()
        };
        sums.chunks_exact(stride).take(boards).map(value).collect()
    }

    /// Scores of all legal moves on a board of the trunk that is worth `value`.
    fn scores(&self, squares: &[f32], position: &Chess, value: f32) -> Vec<f32> {
        let us = position.turn();
        let row = |table: &'_ [f32], at: usize| -> std::ops::Range<usize> {
            debug_assert!((at + 1) * self.width <= table.len());
            at * self.width..(at + 1) * self.width
        };
        let score = |&m| {
            let (origin, step) = ranker::step(us, m);
            let goal = us.fold_wb(m.to(), m.to().flip_vertical());
            let from =
                dot(&squares[row(squares, usize::from(origin))], &self.origin[row(&self.origin, step)]);
            let to = dot(&squares[row(squares, usize::from(goal))], &self.goal[row(&self.goal, step)]);
            value + self.step[step] + (from + to)
        };
        position.legal_moves().iter().map(score).collect()
    }
}

/// In eight sums side by side, which the compiler turns into vectors.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum()
}
