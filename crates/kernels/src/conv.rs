//! 3x3 convolutions on the 64 squares of a board, channels last: residual blocks of two of them.
//!
//! A board is laid out with nine squares to a rank, the ninth always zero, and a zero rank and square at both ends. Then the
//! neighbour in one direction is always the same distance away, and the nine products of a convolution read one board at
//! nine offsets: nothing is gathered. The ninth column's results are thrown away.

mod batch;
mod board;
#[cfg(target_arch = "x86_64")]
mod dots;
pub mod int8;
#[cfg(target_arch = "x86_64")]
mod many;
mod products;
#[cfg(target_arch = "x86_64")]
mod sixteen;
mod squeeze;
#[cfg(test)]
mod tests;

pub use batch::{Kept, backward, forward, forward_keeping};

/// What lies between input and output of boards, as the backward pass needs it.
#[derive(Clone, Debug)]
pub struct Between {
    /// After the first convolution: in groups of sixteen boards where the level rounds, else plain.
    middle: Aligned,
    /// After the second, plain; only where a gate follows.
    added: Aligned,
}

use self::squeeze::Squeeze;

use crate::{
    Aligned, Level,
    product::{self, Place, View},
};

/// Squares of a rank with its zero.
const RANK: usize = 9;
/// Rows of eight ranks.
const SQUARES: usize = 8 * RANK;
/// Rows of a product on tiles.
const ROWS: usize = product::rounded(SQUARES);
/// Zeros before the first square.
const BEFORE: usize = RANK + 1;
/// Rows of a board with its zeros.
const BOARD: usize = BEFORE + ROWS + BEFORE;

/// The row of each square among the results.
fn row(square: usize) -> usize {
    square / 8 * RANK + square % 8
}

/// Channels of a neighbour that are summed together.
const PART: usize = 32;

/// Every neighbour with the first channel of each of its parts.
fn parts(channels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..9).flat_map(move |neighbour| (0..channels).step_by(PART).map(move |first| (neighbour, first)))
}

/// Where a part lies in the sum: the three neighbours of a rank side by side, because each square is a neighbour of three.
fn place(neighbour: usize, first: usize, channels: usize) -> Place {
    let (rank, file) = (neighbour / 3, neighbour % 3);
    Place { at: 3 * (rank * channels + first) + file * PART, of: 9 * channels }
}

/// Parameters of a residual block `relu(x + second(relu(first(x))))`, packed. Weights are `[9 x channels, channels]`, the nine
/// neighbours from the lower left to the upper right, and the flat order is weight, bias, weight, bias.
#[derive(Clone, Debug)]
pub struct PackedResidual {
    level: Level,
    channels: usize,
    biases: [Vec<f32>; 2],
    squeeze: Option<Squeeze>,
    ahead: [Aligned; 2],
    back: Option<[Aligned; 2]>,
}

/// Numbers in the parameters of a block.
pub fn parameters(channels: usize) -> usize {
    2 * (9 * channels + 1) * channels
}

/// Numbers in the parameters of a block with squeeze and excitation, which follow those of the convolutions: a matrix from
/// the channels' means to `reduced` numbers, its bias, a matrix from these to the channels' gates, its bias.
pub fn parameters_with_squeeze(channels: usize, reduced: usize) -> usize {
    parameters(channels) + squeeze::parameters(channels, reduced)
}

/// The same with a shift beside each gate, for inference alone: then come a matrix from the reduced numbers to the channels' shifts,
/// and its bias.
pub fn parameters_with_shift(channels: usize, reduced: usize) -> usize {
    parameters_with_squeeze(channels, reduced) + squeeze::shift_parameters(channels, reduced)
}

/// Whether blocks of so many channels can be computed here.
pub fn fits(channels: usize) -> bool {
    channels > 0 && channels.is_multiple_of(32)
}

impl PackedResidual {
    pub fn new(level: Level, channels: usize, parameters: &[f32], train: bool) -> PackedResidual {
        assert!(fits(channels), "{channels} channels");
        assert_eq!(parameters.len(), self::parameters(channels));
        let halves = parameters.split_at(parameters.len() / 2);
        let halves = [halves.0, halves.1].map(|half| half.split_at(9 * channels * channels));
        let ahead = halves.map(|(weight, _)| {
            let mut to = Aligned::scratch(product::words(level, channels, 9 * channels));
            for (neighbour, first) in parts(channels) {
                let rows = View::new(&weight[(neighbour * channels + first) * channels..], PART, channels);
                product::right_at(level, rows, &mut to, place(neighbour, first, channels));
            }
            to
        });
        // Back through neighbour i is ahead through neighbour 8 - i with the transposed weight.
        let back = train.then(|| {
            halves.map(|(weight, _)| {
                let mut to = Aligned::scratch(product::words(level, channels, 9 * channels));
                for (neighbour, first) in parts(channels) {
                    let weight = &weight[neighbour * channels * channels..][..channels * channels];
                    let columns = View::new(weight, channels, channels).columns(first, PART);
                    let place = place(8 - neighbour, first, channels);
                    product::right_transposed_at(level, columns, &mut to, place);
                }
                to
            })
        });
        PackedResidual {
            level,
            channels,
            biases: halves.map(|(_, bias)| bias.to_vec()),
            squeeze: None,
            ahead,
            back,
        }
    }

    /// A block `relu(x + gate * second(relu(first(x))))` with a gate for each channel, which sees the means of all of them.
    pub fn with_squeeze(
        level: Level,
        channels: usize,
        reduced: usize,
        parameters: &[f32],
        train: bool,
    ) -> PackedResidual {
        let (own, rest) = parameters.split_at(self::parameters(channels));
        let squeeze = Some(Squeeze::new(channels, reduced, rest));
        PackedResidual { squeeze, ..PackedResidual::new(level, channels, own, train) }
    }

    /// Numbers in all parameters.
    pub fn parameters(&self) -> usize {
        parameters(self.channels) + self.squeeze.as_ref().map_or(0, Squeeze::parameters)
    }
}
