//! Residual blocks in int8, for inference alone: what goes into a convolution is rounded to 0..=255, its weights to -127..=127,
//! and sums are whole numbers, so that their order does not matter and a board gives the same bits wherever it is computed.
//!
//! Scales: one for each board and convolution, the largest number on that board over 255, and one for each output channel's
//! weights. Biases, gates, the shortcut and what runs from block to block stay in f32, so that errors do not add up.
//!
//! Boards go one by one: the eight squares of a rank are summed at a time, and products with squares beyond the edge are left
//! out. A square's four channels, once loaded, serve the three squares beside it.

mod plain;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vnni;

use rayon::prelude::*;

use super::squeeze::Squeeze;
use crate::{Aligned, Int8, Level, level::Int8Kind};

/// Boards that one task takes.
const MOST: usize = 16;
/// Channels whose products are added at once.
const QUAD: usize = 4;
/// Output channels of one vector of sums.
const LANES: usize = 16;
/// Output channels that are summed together.
const COLUMNS: usize = 2 * LANES;
/// The largest number of an activation, and of a weight.
const MOST_ACTIVE: f32 = 255.0;
const MOST_WEIGHT: f32 = 127.0;
/// Boards whose largest number is below this count as empty: its inverse would not be finite.
const LEAST_ACTIVE: f32 = 1e-30;

/// Parameters of a residual block, in the order of [`super::PackedResidual`], rounded and packed.
#[derive(Clone, Debug)]
pub struct PackedResidualInt8 {
    level: Level,
    vnni: bool,
    channels: usize,
    convolutions: [Convolution; 2],
    squeeze: Option<Squeeze>,
}

/// Four input channels of sixteen output channels.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([[i8; QUAD]; LANES]);

/// Weights by 32 output channels, rank of the neighbour, four input channels, file of the neighbour, 16 output channels.
#[derive(Clone, Debug)]
struct Convolution {
    lines: Vec<Line>,
    /// What one is worth in each output channel.
    scales: Vec<f32>,
    biases: Vec<f32>,
}

/// A board of 64 squares x channels, and what one is worth on it.
#[derive(Debug)]
struct Board {
    bytes: Vec<u8>,
    scale: f32,
}

/// What becomes of a convolution's sums.
#[derive(Clone, Copy, Debug)]
enum Then<'a> {
    /// `max(sum + bias, 0)`.
    Rectify,
    /// `sum + bias`.
    Plain,
    /// `max(sum + bias + shortcut, 0)`.
    Join { shortcut: &'a [f32] },
}

/// Whether this CPU has AVX-512's products of bytes; without them the same numbers come slowly.
pub fn is_fast() -> bool {
    Int8::best().is_some_and(|int8| int8.kind() == Int8Kind::Vnni)
}

/// Multiplies without memory, to measure how fast that can be; gives the number of operations.
pub(crate) fn spin(rounds: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_fast() {
        // SAFETY: the CPU has the instructions.
        return unsafe { vnni::spin(rounds) };
    }
    rounds
}

impl PackedResidualInt8 {
    /// `reduced` numbers lie between the means of the channels and their gates; 0 for no gates. `level` computes the gates.
    pub fn new(level: Level, channels: usize, reduced: usize, parameters: &[f32]) -> PackedResidualInt8 {
        assert!(super::fits(channels), "{channels} channels");
        let (own, rest) = parameters.split_at(super::parameters(channels));
        let (first, second) = own.split_at(own.len() / 2);
        PackedResidualInt8 {
            level,
            vnni: is_fast(),
            channels,
            convolutions: [first, second].map(|half| Convolution::new(channels, half)),
            squeeze: (reduced > 0).then(|| Squeeze::new(channels, reduced, rest)),
        }
    }
}

impl Convolution {
    fn new(channels: usize, parameters: &[f32]) -> Convolution {
        let (weights, biases) = parameters.split_at(9 * channels * channels);
        let scales: Vec<f32> =
            (0..channels).map(|o| largest(weights[o..].iter().step_by(channels)) / MOST_WEIGHT).collect();
        let mut lines = vec![Line([[0; QUAD]; LANES]); 9 * channels * channels / size_of::<Line>()];
        for (at, weights) in weights.chunks_exact(channels).enumerate() {
            let (neighbour, input) = (at / channels, at % channels);
            for (output, weight) in weights.iter().enumerate() {
                let line = &mut lines[line(channels, neighbour, input / QUAD, output / LANES)];
                let rounded = (weight / scales[output].max(f32::MIN_POSITIVE)).round_ties_even();
                line.0[output % LANES][input % QUAD] = rounded as i8;
            }
        }
        Convolution { lines, scales, biases: biases.to_vec() }
    }
}

/// The largest of some numbers without their signs; NaN if one of them is.
fn largest<'a>(mut numbers: impl Iterator<Item = &'a f32>) -> f32 {
    // NaN has larger bits than every number.
    f32::from_bits(numbers.by_ref().map(|x| x.abs().to_bits()).max().unwrap_or(0))
}

/// Where the weights from four input channels of a neighbour to sixteen output channels lie.
fn line(channels: usize, neighbour: usize, quad: usize, column: usize) -> usize {
    let (rank, file) = (neighbour / 3, neighbour % 3);
    (((column / 2 * 3 + rank) * (channels / QUAD) + quad) * 3 + file) * 2 + column % 2
}

/// `relu(x + gate * second(relu(first(x))))` for boards of 64 squares x channels that went through a rectifier: below zero there
/// is nothing.
pub fn forward(packed: &PackedResidualInt8, x: &[f32], y: &mut [f32]) {
    let len = 64 * packed.channels;
    assert!(x.len() == y.len() && x.len().is_multiple_of(len));
    let some = (x.len() / len).div_ceil(rayon::current_num_threads()).clamp(1, MOST) * len;
    y.par_chunks_mut(some).zip(x.par_chunks(some)).for_each(|(y, x)| {
        let mut board = Board { bytes: vec![0; len], scale: 0.0 };
        let mut middle = Aligned::scratch(len);
        for (x, y) in x.chunks_exact(len).zip(y.chunks_exact_mut(len)) {
            one(packed, x, &mut board, &mut middle, y);
        }
    });
}

fn one(packed: &PackedResidualInt8, x: &[f32], board: &mut Board, middle: &mut [f32], y: &mut [f32]) {
    let [first, second] = &packed.convolutions;
    packed.fill(board, x);
    packed.convolve(board, first, Then::Rectify, middle);
    packed.fill(board, middle);
    match &packed.squeeze {
        None => packed.convolve(board, second, Then::Join { shortcut: x }, y),
        Some(squeeze) => {
            packed.convolve(board, second, Then::Plain, y);
            squeeze.forward(packed.level, x, y);
        }
    }
}

impl PackedResidualInt8 {
    /// Rounds a board.
    fn fill(&self, board: &mut Board, plain: &[f32]) {
        assert_eq!(board.bytes.len(), plain.len());
        #[cfg(target_arch = "x86_64")]
        if self.vnni {
            // SAFETY: the CPU has the instructions, and lengths are the same multiple of 2,048.
            return unsafe { vnni::fill(board, plain) };
        }
        plain::fill(board, plain);
    }

    fn convolve(&self, board: &Board, by: &Convolution, then: Then<'_>, to: &mut [f32]) {
        let (len, channels) = (64 * self.channels, self.channels);
        assert!(
            board.bytes.len() == len
                && to.len() == len
                && by.scales.len() == channels
                && by.biases.len() == channels
        );
        assert_eq!(size_of_val(&by.lines[..]), 9 * channels * channels);
        if let Then::Join { shortcut } = then {
            assert_eq!(shortcut.len(), len);
        }
        #[cfg(target_arch = "x86_64")]
        if self.vnni {
            // SAFETY: the CPU has the instructions, and lengths were checked.
            return unsafe { vnni::convolve(board, by, then, to) };
        }
        plain::convolve(board, by, then, to);
    }
}

/// What one is worth on a board with this largest number, and how many make up one. A number that is not finite spoils its board.
fn scales(largest: f32) -> (f32, f32) {
    match largest {
        _ if !largest.is_finite() => (f32::NAN, 0.0),
        _ if largest < LEAST_ACTIVE => (0.0, 0.0),
        _ => (largest / MOST_ACTIVE, MOST_ACTIVE / largest),
    }
}
