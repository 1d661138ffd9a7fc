//! The first convolution over Leela's planes: sums of rows for what stands on the board, since nearly all of it is zero.

use chess::{
    Moment,
    encoding::leela::{self, CHANNELS, EVERYWHERE, Planes},
};
use kernels::{Aligned, Level, rows};

use super::filter::Filter;

/// Files of a rank with one beyond each edge.
const FILES: usize = 10;
/// Squares differ in the neighbours that they have: at the lower edge, at none, at the upper edge, for ranks and for files.
const CLASSES: usize = 9;

#[derive(Debug)]
pub(super) struct BoardInput {
    level: Level,
    width: usize,
    /// What a one adds to three squares of a rank, [3 ranks from the upper down, 112, 3 files, width].
    threes: Vec<f32>,
    /// What a channel that is one everywhere adds to squares of each class, [16, classes, width].
    everywhere: Vec<f32>,
    bias: Vec<f32>,
}

impl BoardInput {
    pub(super) fn new(level: Level, filter: &Filter) -> BoardInput {
        let width = filter.outputs();
        let row = |neighbour: usize, channel: usize| {
            &filter.weights[(neighbour * CHANNELS + channel) * width..][..width]
        };
        let mut threes = Vec::with_capacity(9 * CHANNELS * width);
        for rank in 0..3 {
            for channel in 0..CHANNELS {
                // A square is the right neighbour of the one to its left.
                (0..3).rev().for_each(|file| threes.extend(row(3 * rank + file, channel)));
            }
        }
        let mut everywhere = vec![0.0; EVERYWHERE.len() * CLASSES * width];
        for (at, sum) in everywhere.chunks_exact_mut(width).enumerate() {
            let (channel, class) = (EVERYWHERE[at / CLASSES], at % CLASSES);
            for neighbour in (0..9).filter(|&neighbour| has(class, neighbour)) {
                sum.iter_mut().zip(row(neighbour, channel)).for_each(|(sum, weight)| *sum += weight);
            }
        }
        BoardInput { level, width, threes, everywhere, bias: filter.bias.clone() }
    }

    /// Squares of all boards after the convolution and a rectifier, [64, width] each.
    pub(super) fn forward(&self, moments: &[&Moment]) -> Aligned {
        let width = self.width;
        let mut x = Aligned::scratch(moments.len() * 64 * width);
        let mut planes = Planes::default();
        let mut board = vec![0.0; 8 * FILES * width];
        for (moment, x) in moments.iter().zip(x.chunks_exact_mut(64 * width)) {
            leela::encode(moment, &mut planes);
            let classes = self.classes(&planes);
            board.fill(0.0);
            for place in planes.ones.iter().copied().map(usize::from) {
                self.add(place / CHANNELS, place % CHANNELS, &mut board);
            }
            for (square, x) in x.chunks_exact_mut(width).enumerate() {
                let sum = &board[(square / 8 * FILES + square % 8 + 1) * width..][..width];
                let begin = &classes[class(square) * width..][..width];
                for ((x, sum), begin) in x.iter_mut().zip(sum).zip(begin) {
                    *x = (sum + begin).max(0.0);
                }
            }
        }
        x
    }

    /// What squares of each class begin with: the bias, and the channels that have one value everywhere.
    fn classes(&self, planes: &Planes) -> Vec<f32> {
        let mut classes = self.bias.repeat(CLASSES);
        for &(channel, value) in &planes.everywhere {
            let at =
                EVERYWHERE.iter().position(|&one| one == usize::from(channel)).expect("a channel of these");
            let from = &self.everywhere[at * classes.len()..][..classes.len()];
            classes.iter_mut().zip(from).for_each(|(sum, weight)| *sum += value * weight);
        }
        classes
    }

    /// Adds what a one on a square gives to the squares around it.
    fn add(&self, square: usize, channel: usize, board: &mut [f32]) {
        let (len, first) = (3 * self.width, square % 8 * self.width);
        for rank in 0..3 {
            // A square is the lower neighbour of the rank above it.
            let Some(to) = (square / 8 + 1).checked_sub(rank).filter(|&to| to < 8) else { continue };
            let from = &self.threes[(rank * CHANNELS + channel) * len..][..len];
            rows::add(self.level, &mut board[to * FILES * self.width + first..][..len], from);
        }
    }
}

fn class(square: usize) -> usize {
    let edge = |at: usize| match at {
        0 => 0,
        7 => 2,
        _ => 1,
    };
    3 * edge(square / 8) + edge(square % 8)
}

/// Whether squares of a class have this neighbour.
fn has(class: usize, neighbour: usize) -> bool {
    // 0 + 0 is below the board, 2 + 2 above it.
    let on_board = |edge: usize, step: usize| edge + step != 0 && edge + step != 4;
    on_board(class / 3, neighbour / 3) && on_board(class % 3, neighbour % 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_rows_are_the_convolution_of_all_planes() {
        let width = 16;
        let weights: Vec<f32> = (0..9 * CHANNELS * width).map(|i| (i * 7919 % 201) as f32 - 100.0).collect();
        let bias: Vec<f32> = (0..width).map(|i| i as f32).collect();
        let filter = Filter { weights, bias, inputs: CHANNELS };
        let moment = Moment::default().after_uci(["e2e4", "c7c5", "g1f3"]).expect("a game");
        let found = BoardInput::new(Level::best(), &filter).forward(&[&moment]);
        let mut planes = Planes::default();
        leela::encode(&moment, &mut planes);
        let mut plain = vec![0.0; 64 * CHANNELS];
        planes.ones.iter().for_each(|&place| plain[usize::from(place)] = 1.0);
        for &(channel, value) in &planes.everywhere {
            plain.iter_mut().skip(channel.into()).step_by(CHANNELS).for_each(|x| *x = value);
        }
        for square in 0..64 {
            let mut sums = filter.bias.clone();
            for neighbour in 0..9 {
                let (rank, file) = (square / 8 + neighbour / 3, square % 8 + neighbour % 3);
                if !(1..=8).contains(&rank) || !(1..=8).contains(&file) {
                    continue;
                }
                for channel in 0..CHANNELS {
                    let x = plain[(8 * (rank - 1) + file - 1) * CHANNELS + channel];
                    let row = &filter.weights[(neighbour * CHANNELS + channel) * width..][..width];
                    sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += x * weight);
                }
            }
            let expected: Vec<f32> = sums.iter().map(|sum| sum.max(0.0)).collect();
            assert_eq!(&found[square * width..][..width], expected, "square {square}");
        }
    }
}
