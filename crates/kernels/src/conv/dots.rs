//! Convolutions of sixteen boards and their gradients by dot products of bf16 pairs, where the CPU has no tiles. A square's sums
//! stay in registers over all its neighbours.

use super::sixteen::{Then, finish, tile};
use crate::tiles::{WORDS, dots};

/// # Safety
/// For both functions: the CPU has AVX-512 with bf16, and lengths were checked as in `sixteen`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")]
pub(super) unsafe fn convolve(from: &[f32], weight: &[f32], channels: usize, then: &mut Then<'_>) {
    let parts = channels / 32;
    let mut sums = [[0.0; WORDS]; 2];
    for column in (0..channels / 16).step_by(2) {
        let weights = [column, column + 1].map(|column| weight[column * 9 * parts * WORDS..].as_ptr());
        for square in 0..64 {
            for half in 0..2 {
                let mut eight = dots::none();
                // In the order in which the weights lie, so that a board gives the same bits alone and here.
                for step in 0..9 * parts {
                    let (part, neighbour) = (step / 3 % parts, step / 3 / parts * 3 + step % 3);
                    let Some(square) = towards(square, neighbour) else { continue };
                    // SAFETY: tiles of a square on the board, and of one of the weight's nine parts.
                    unsafe {
                        let board = from.as_ptr().add(tile(part, square) + half * WORDS / 2);
                        let weights = weights.map(|weight| weight.add(step * WORDS));
                        dots::add_product(&mut eight, board, 16, weights);
                    }
                }
                for (row, both) in eight.into_iter().enumerate() {
                    for (sums, these) in sums.iter_mut().zip(both) {
                        super::sixteen::store(these, &mut sums[half * WORDS / 2 + 16 * row..]);
                    }
                }
            }
            for (i, sums) in sums.iter().enumerate() {
                finish(sums, square, column + i, channels, then);
            }
        }
    }
}

/// Adds the gradients of a convolution's weights, as [`super::sixteen::weight_gradients`].
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) unsafe fn weight_gradients(inputs: &[f32], gradients: &[f32], channels: usize, out: &mut [f32]) {
    for row in 0..channels / 16 {
        for column in (0..channels / 16).step_by(2) {
            for neighbour in 0..9 {
                for half in 0..2 {
                    let at = (neighbour * channels + 16 * row + 8 * half) * channels + 16 * column;
                    // SAFETY: eight rows and thirty-two columns of the result, tiles of squares on the board.
                    unsafe {
                        let out = out.as_mut_ptr().add(at);
                        let mut sums = dots::load(out, channels);
                        for square in 0..64 {
                            // The input that stands in this direction from the gradient's square.
                            let Some(from) = towards(square, neighbour) else { continue };
                            let input = inputs.as_ptr().add(tile(row, from) + half * WORDS / 2);
                            let gradient = [column, column + 1]
                                .map(|column| gradients.as_ptr().add(tile(column, square)));
                            dots::add_product(&mut sums, input, 16, gradient);
                        }
                        dots::store(&sums, out, channels);
                    }
                }
            }
        }
    }
}

/// The neighbour with this number, if it is on the board.
fn towards(square: usize, neighbour: usize) -> Option<usize> {
    let (rank, file) = (square / 8 + neighbour / 3, square % 8 + neighbour % 3);
    ((1..=8).contains(&rank) && (1..=8).contains(&file)).then(|| 8 * (rank - 1) + file - 1)
}
