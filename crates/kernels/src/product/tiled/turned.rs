//! The transpose of a packed left factor, as a left factor again, without a detour through f32.

use std::arch::x86_64::*;

use super::{WORDS, interleaved, store_transposed};

/// # Safety
/// The CPU has AVX-512 with bf16. `from` is a packed left factor of `rows` x `columns`, both in steps of 32, and `to` has as much room.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(in crate::product) unsafe fn left_transposed_of_left(
    from: &[f32],
    (rows, columns): (usize, usize),
    to: &mut [f32],
) {
    let (from_steps, steps) = (columns / 32, rows / 32);
    let order = interleaved();
    for o in 0..columns / 16 {
        for s in 0..steps {
            let mut tile = [_mm512_setzero_si512(); 16];
            for (pair, words) in tile.iter_mut().enumerate() {
                let row = 32 * s + 2 * pair;
                let at = (row / 16 * from_steps + o / 2) * WORDS + row % 16 * 16 + o % 2 * 8;
                // SAFETY: eight words of each of two rows that are neighbours in one tile.
                unsafe {
                    let low = _mm256_loadu_si256(from[at..at + 8].as_ptr().cast());
                    let high = _mm256_loadu_si256(from[at + 16..at + 24].as_ptr().cast());
                    let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
                    *words = _mm512_permutexvar_epi16(order, both);
                }
            }
            let to = &mut to[(o * steps + s) * WORDS..][..WORDS];
            // SAFETY: a whole tile.
            unsafe { store_transposed(to.as_mut_ptr(), tile) }
        }
    }
}
