//! The products of a convolution.

use std::ops::Range;

use super::{BEFORE, PART, RANK, ROWS, SQUARES, board::Board, parts, place};
use crate::{
    Level,
    product::{self, Runs, Size},
    simd::{self, Simd, Task},
};

/// How many rows of the board a neighbour is away, from the lower left to the upper right.
fn offset(neighbour: usize) -> isize {
    (neighbour / 3) as isize * RANK as isize + (neighbour % 3) as isize - BEFORE as isize
}

/// Sums over the nine neighbours, for every row.
pub(super) fn convolve(level: Level, board: &Board, weight: &[f32], channels: usize, out: &mut [f32]) {
    let words = if level.rounds() { channels / 2 } else { channels };
    let mut starts = vec![0; 9 * channels / PART];
    for (neighbour, first) in parts(channels) {
        let start = (BEFORE as isize + offset(neighbour)) as usize * words;
        starts[place(neighbour, first, channels).at / PART] = start + first * words / channels;
    }
    let size = Size { m: if level.rounds() { ROWS } else { SQUARES }, n: channels, k: 9 * channels };
    let runs = Runs { values: board.words(), stride: words, starts: &starts, board: true };
    product::product_of_runs(level, size, runs, weight, out);
}

/// Adds the gradients of a convolution's weights, `[9 x channels, channels]`, given its input and the gradient of its result.
pub(super) fn weight_gradients(
    level: Level,
    inputs: &Board,
    gradients: &Board,
    channels: usize,
    to: &mut [f32],
) {
    let gradients = &gradients.plain[BEFORE * channels..][..SQUARES * channels];
    for (neighbour, to) in to.chunks_exact_mut(channels * channels).enumerate() {
        let start = (BEFORE as isize + offset(neighbour)) as usize;
        let inputs = &inputs.plain[start * channels..][..SQUARES * channels];
        // The first rank has none before it, and the last none after it.
        let ranks = [1..8, 0..8, 0..7][neighbour / 3].clone();
        simd::run(level, WeightGradients { inputs, gradients, ranks, channels, to });
    }
}

/// `to[i][j] += inputs[row][i] * gradients[row][j]`, summed over the squares of some ranks.
struct WeightGradients<'a> {
    inputs: &'a [f32],
    gradients: &'a [f32],
    ranks: Range<usize>,
    channels: usize,
    to: &'a mut [f32],
}

impl Task for WeightGradients<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        assert!(self.inputs.len() == self.gradients.len() && self.channels.is_multiple_of(PART));
        assert!(self.inputs.len() == SQUARES * self.channels && self.ranks.end <= 8);
        assert!(self.to.len() == self.channels * self.channels);
        for column in (0..self.channels).step_by(2 * S::LANES) {
            let mut row = 0;
            while row < self.channels {
                if S::LANES == 16 {
                    self.block::<S, 8>(row, column);
                    row += 8;
                } else {
                    self.block::<S, 4>(row, column);
                    row += 4;
                }
            }
        }
    }
}

impl WeightGradients<'_> {
    #[inline(always)]
    fn block<S: Simd, const ROWS: usize>(&mut self, row: usize, column: usize) {
        let mut sums = [[S::splat(0.0); 2]; ROWS];
        for square in 8 * self.ranks.start..8 * self.ranks.end {
            let at = super::row(square) * self.channels;
            // SAFETY: rows of both factors have `channels` numbers, of which these are some.
            let (left, right) = unsafe {
                let right = self.gradients.get_unchecked(at + column..at + column + 2 * S::LANES);
                (self.inputs.get_unchecked(at + row..at + row + ROWS), right)
            };
            let right = [S::load(right), S::load(&right[S::LANES..])];
            for i in 0..ROWS {
                let left = S::splat(left[i]);
                sums[i] = [S::fma(left, right[0], sums[i][0]), S::fma(left, right[1], sums[i][1])];
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                let to = &mut self.to[(row + i) * self.channels + column + j * S::LANES..];
                S::store(S::add(S::load(to), sum), to);
            }
        }
    }
}
