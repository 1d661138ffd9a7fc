//! The same arithmetic without special instructions: what the fast way is tested against, to the bit.

use super::{Board, COLUMNS, Convolution, LANES, QUAD, Then, line, scales};

pub(super) fn fill(board: &mut Board, plain: &[f32]) {
    let largest = plain.iter().map(|&x| rectified(x).abs().to_bits()).max().unwrap_or(0);
    let (scale, inverse) = scales(f32::from_bits(largest));
    board.scale = scale;
    for (to, &x) in board.bytes.iter_mut().zip(plain) {
        *to = (rectified(x) * inverse).round_ties_even() as u8;
    }
}

/// What is no number passes.
fn rectified(x: f32) -> f32 {
    if x < 0.0 { 0.0 } else { x }
}

pub(super) fn convolve(board: &Board, by: &Convolution, then: Then<'_>, to: &mut [f32]) {
    let channels = by.scales.len();
    for square in 0..64 {
        for first in (0..channels).step_by(COLUMNS) {
            let mut sums = [0; COLUMNS];
            for (neighbour, square) in neighbours(square) {
                add(&mut sums, &board.bytes[square * channels..][..channels], by, neighbour, first / LANES);
            }
            for (channel, sum) in (first..).zip(sums) {
                let at = square * channels + channel;
                let sum = (sum as f32).mul_add(board.scale * by.scales[channel], by.biases[channel]);
                to[at] = match then {
                    Then::Plain => sum,
                    Then::Rectify => rectified(sum),
                    Then::Join { shortcut } => rectified(sum + shortcut[at]),
                };
            }
        }
    }
}

/// Adds what a square's channels give to the output channels from `column` on.
fn add(sums: &mut [i32; COLUMNS], square: &[u8], by: &Convolution, neighbour: usize, column: usize) {
    let channels = square.len();
    for (quad, bytes) in square.chunks_exact(QUAD).enumerate() {
        for (half, sums) in sums.chunks_exact_mut(LANES).enumerate() {
            let line = &by.lines[line(channels, neighbour, quad, column + half)];
            for (sum, weights) in sums.iter_mut().zip(&line.0) {
                let products =
                    bytes.iter().zip(weights).map(|(&byte, &weight)| i32::from(byte) * i32::from(weight));
                *sum += products.sum::<i32>();
            }
        }
    }
}

/// The numbers and squares of the neighbours that are on the board, the square itself among them.
fn neighbours(square: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..9).filter_map(move |neighbour| {
        let (rank, file) = (square / 8 + neighbour / 3, square % 8 + neighbour % 3);
        let on_board = (1..=8).contains(&rank) && (1..=8).contains(&file);
        on_board.then(|| (neighbour, 8 * (rank - 1) + file - 1))
    })
}
