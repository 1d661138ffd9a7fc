//! The products of a convolution.

use super::{BEFORE, BOARD, PART, RANK, ROWS, board::Board, parts, place};
use crate::{
    Aligned, Level,
    product::{self, Into, Place, Runs, Size, View, product},
};

/// How many rows of the board a neighbour is away, from the lower left to the upper right.
fn offset(neighbour: usize) -> isize {
    (neighbour / 3) as isize * RANK as isize + (neighbour % 3) as isize - BEFORE as isize
}

/// Sums over the nine neighbours, for every row: `[ROWS, channels]`.
pub(super) fn convolve(level: Level, board: &Board, weight: &[f32], channels: usize, out: &mut [f32]) {
    let words = if level.rounds() { channels / 2 } else { channels };
    let mut starts = vec![0; 9 * channels / PART];
    for (neighbour, first) in parts(channels) {
        let start = (BEFORE as isize + offset(neighbour)) as usize * words;
        starts[place(neighbour, first, channels).at / PART] = start + first * words / channels;
    }
    let size = Size { m: ROWS, n: channels, k: 9 * channels };
    let runs = Runs { values: board.words(), stride: words, starts: &starts };
    product::product_of_runs(level, size, runs, weight, out);
}

/// Factors of the weight's gradient, of several boards.
#[derive(Debug)]
pub(super) struct Gradient {
    left: Aligned,
    right: Aligned,
    of: usize,
}

impl Gradient {
    pub(super) fn new(level: Level, channels: usize, boards: usize) -> Gradient {
        let of = boards * product::depth(level, ROWS);
        let room = |outer| Aligned::room(product::words(level, outer, of));
        Gradient { left: room(9 * channels), right: room(channels), of }
    }

    /// Packs the inputs of one board and the gradients of its results.
    pub(super) fn keep(
        &mut self,
        level: Level,
        at: usize,
        channels: usize,
        inputs: &Board,
        gradients: &Board,
    ) {
        let place = Place { at: at * product::depth(level, ROWS), of: self.of };
        let one = product::words(level, channels, self.of);
        for (i, left) in self.left.chunks_exact_mut(one).enumerate() {
            let start = (BEFORE as isize + offset(i)) as usize;
            let rows = ROWS.min(BOARD - start);
            let view = View::new(&inputs.plain[start * channels..], rows, channels);
            product::left_transposed_at(level, view, left, place);
        }
        let view = View::new(&gradients.plain[BEFORE * channels..], ROWS, channels);
        product::right_at(level, view, &mut self.right, place);
    }

    /// Adds the products of all boards, `[9 x channels, channels]`; every board must have been kept.
    pub(super) fn add(&self, level: Level, channels: usize, to: &mut [f32]) {
        let size = Size { m: 9 * channels, n: channels, k: self.of };
        product(level, size, &self.left, &self.right, to, channels, Into::Add);
    }
}
