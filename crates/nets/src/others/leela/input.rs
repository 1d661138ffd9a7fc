//! The first layer over Leela's planes: sums of rows for what stands on the board, since nearly all of it is zero.

use chess::{
    Moment,
    encoding::leela::{self, CHANNELS, Planes},
    vocabulary::leela::is_step,
};
use kernels::{Aligned, Level, rows};

/// Numbers that say which squares a queen or a knight reaches from a square; the square itself is -1.
pub(super) const REACH: usize = 64;

/// A dense layer on each square.
#[derive(Debug)]
pub(super) struct SquareInput {
    level: Level,
    width: usize,
    /// [112, width].
    channels: Vec<f32>,
    /// What every square begins with, [64, width].
    squares: Vec<f32>,
}

impl SquareInput {
    /// `weights` are [inputs, width]: the planes, then perhaps [`REACH`].
    pub(super) fn new(level: Level, weights: &[f32], bias: &[f32]) -> SquareInput {
        let width = bias.len();
        let (channels, reach) = weights.split_at(CHANNELS * width);
        let mut squares = bias.repeat(64);
        for (from, square) in squares.chunks_exact_mut(width).enumerate() {
            for (to, weights) in reach.chunks_exact(width).enumerate() {
                let factor = match (from == to, is_step(from, to)) {
                    (true, _) => -1.0,
                    (false, true) => 1.0,
                    (false, false) => continue,
                };
                square.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += factor * weight);
            }
        }
        SquareInput { level, width, channels: channels.to_vec(), squares }
    }

    pub(super) fn forward(&self, moments: &[&Moment]) -> Aligned {
        let (width, len) = (self.width, 64 * self.width);
        let mut x = Aligned::scratch(moments.len() * len);
        let mut planes = Planes::default();
        let row = |channel: usize| &self.channels[channel * width..][..width];
        for (moment, x) in moments.iter().zip(x.chunks_exact_mut(len)) {
            leela::encode(moment, &mut planes);
            let mut everywhere = vec![0.0; width];
            for &(channel, value) in &planes.everywhere {
                let weights = row(usize::from(channel));
                everywhere.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += value * weight);
            }
            x.copy_from_slice(&self.squares);
            for token in x.chunks_exact_mut(width) {
                rows::add(self.level, token, &everywhere);
            }
            for place in planes.ones.iter().copied().map(usize::from) {
                let token = &mut x[place / CHANNELS * width..][..width];
                rows::add(self.level, token, row(place % CHANNELS));
            }
        }
        x
    }
}
