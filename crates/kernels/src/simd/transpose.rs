//! The transpose of sixteen by sixteen words in registers.

use std::arch::x86_64::*;

/// Sixteen rows of sixteen words of 32 bits.
pub(crate) type Tile = [__m512i; 16];

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn transpose(tile: &mut Tile) {
    // Pairs of words, pairs of pairs, then quarters of vectors twice: each pass exchanges neighbours twice as far apart.
    for i in 0..8 {
        let (x, y) = (tile[2 * i], tile[2 * i + 1]);
        tile[2 * i] = _mm512_unpacklo_epi32(x, y);
        tile[2 * i + 1] = _mm512_unpackhi_epi32(x, y);
    }
    for i in 0..4 {
        let [a, b, c, d] = [tile[4 * i], tile[4 * i + 1], tile[4 * i + 2], tile[4 * i + 3]];
        tile[4 * i] = _mm512_unpacklo_epi64(a, c);
        tile[4 * i + 1] = _mm512_unpackhi_epi64(a, c);
        tile[4 * i + 2] = _mm512_unpacklo_epi64(b, d);
        tile[4 * i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    for i in [0, 1, 2, 3, 8, 9, 10, 11] {
        let (low, high) = (tile[i], tile[4 + i]);
        tile[i] = _mm512_shuffle_i32x4::<0b10_00_10_00>(low, high);
        tile[4 + i] = _mm512_shuffle_i32x4::<0b11_01_11_01>(low, high);
    }
    for i in 0..8 {
        let (low, high) = (tile[i], tile[8 + i]);
        tile[i] = _mm512_shuffle_i32x4::<0b10_00_10_00>(low, high);
        tile[8 + i] = _mm512_shuffle_i32x4::<0b11_01_11_01>(low, high);
    }
}
