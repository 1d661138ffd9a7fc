//! Matrices that do not begin with a tile along the sum: what comes right after other rows, so that no multiplication is spent on the room
//! between them.

use std::arch::x86_64::*;

use super::{Place, View, column_pairs, interleaved, store, whole};
use crate::{simd::transpose::transpose, tiles::WORDS};

/// Words of a row of a tile, and pairs of rows of the matrix in a tile.
const ROW: usize = 16;

/// Sixteen columns of the pairs of rows that begin with row `k`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn pair(from: View<'_>, column: usize, k: usize, order: __m512i) -> __m512i {
    // SAFETY: the caller vouches for the view; what it does not have is masked away.
    unsafe {
        match whole(from, k, column, [2, 16]) {
            true => column_pairs::<true>(from, column, k, order),
            false => column_pairs::<false>(from, column, k, order),
        }
    }
}

/// As [`super::right`], for any even place. What is left of the last tile becomes zeros.
///
/// # Safety
/// As there.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn right(from: View<'_>, to: &mut [f32], place: Place) {
    assert!(place.at.is_multiple_of(2));
    let (order, first, steps) = (interleaved(), place.at / 2, place.of / 32);
    let pairs = from.rows.div_ceil(2);
    let end = (first + pairs).next_multiple_of(ROW);
    for (panel, column) in (0..from.columns).step_by(16).enumerate() {
        // The pairs of a panel lie one after the other.
        let to = &mut to[panel * steps * WORDS..][..end * ROW];
        for at in 0..pairs {
            // SAFETY: the row of words lies inside the panel.
            unsafe { store(to.as_mut_ptr(), first + at, pair(from, column, 2 * at, order)) }
        }
        to[(first + pairs) * ROW..].fill(0.0);
    }
}

/// As [`super::left_transposed`], for any even place. What is left of the last tile becomes zeros.
///
/// # Safety
/// As there.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn left_transposed(from: View<'_>, to: &mut [f32], place: Place) {
    assert!(place.at.is_multiple_of(2));
    let (order, first, steps) = (interleaved(), place.at / 2, place.of / 32);
    let pairs = from.rows.div_ceil(2);
    let (shift, end) = (first % ROW, first + pairs);
    for (panel, column) in (0..from.columns).step_by(16).enumerate() {
        let to = &mut to[panel * steps * WORDS..][..steps * WORDS];
        for begin in (0..pairs).step_by(ROW) {
            let mut tile = [_mm512_setzero_si512(); 16];
            for (at, words) in tile.iter_mut().enumerate().take(pairs - begin) {
                // SAFETY: the caller vouches for the view.
                *words = unsafe { pair(from, column, 2 * (begin + at), order) };
            }
            transpose(&mut tile);
            let here = &mut to[(first + begin) / ROW * WORDS..];
            let lanes = u16::MAX >> shift;
            for (row, words) in tile.into_iter().enumerate() {
                // SAFETY: the lanes that are stored lie inside a row of this tile, or of the next one, if there is one.
                unsafe {
                    let at = here.as_mut_ptr().add(ROW * row);
                    _mm512_mask_storeu_epi32(at.add(shift).cast(), lanes, words);
                    if here.len() > WORDS && shift > 0 {
                        let at = at.add(WORDS).wrapping_sub(ROW - shift);
                        _mm512_mask_storeu_epi32(at.cast(), !lanes, words);
                    }
                }
            }
        }
        if !end.is_multiple_of(ROW) {
            let last = &mut to[end / ROW * WORDS..][..WORDS];
            last.chunks_exact_mut(ROW).for_each(|row| row[end % ROW..].fill(0.0));
        }
    }
}
