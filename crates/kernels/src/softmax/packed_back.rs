//! The backward pass from rows of 64 weights that were packed as a left factor.

use std::arch::x86_64::*;

use super::GradientRow;
use crate::product::tiled::widen;

/// Words from one tile of a left factor to the next.
const TILE: usize = 256;

/// # Safety
/// The CPU has AVX-512 with bf16; `weights` are 64 x 64 packed numbers, `gradient` as many in f32, and the row of gradients has room
/// for as many.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512bf16")]
pub(super) unsafe fn rows(
    weights: &[f32],
    gradient: &mut [f32],
    scale: f32,
    to_bias: Option<GradientRow<'_>>,
) {
    let scale = _mm512_set1_ps(scale);
    let to_bias = to_bias.map(|GradientRow { gradients, row }| {
        let start = row / 16 * 128 * TILE + row % 16 * 16;
        gradients[start..][..127 * TILE + 16].as_mut_ptr()
    });
    for row in 0..64 {
        let at = row / 16 * 2 * TILE + row % 16 * 16;
        // SAFETY: the caller vouches for all rows; both types that are exchanged are plain 64 bytes.
        unsafe {
            let words = weights.as_ptr().add(at);
            let [w0, w1] = widen(_mm512_loadu_si512(words.cast()));
            let [w2, w3] = widen(_mm512_loadu_si512(words.add(TILE).cast()));
            let row_of = gradient.as_mut_ptr().add(64 * row);
            let g = [0, 16, 32, 48].map(|i| row_of.add(i).cast_const());
            let (g0, g1) = (_mm512_loadu_ps(g[0]), _mm512_loadu_ps(g[1]));
            let (g2, g3) = (_mm512_loadu_ps(g[2]), _mm512_loadu_ps(g[3]));
            let low = _mm512_fmadd_ps(w1, g1, _mm512_mul_ps(w0, g0));
            let high = _mm512_fmadd_ps(w3, g3, _mm512_mul_ps(w2, g2));
            let along = _mm512_set1_ps(_mm512_reduce_add_ps(_mm512_add_ps(low, high)));
            let (d0, d1) =
                (_mm512_mul_ps(w0, _mm512_sub_ps(g0, along)), _mm512_mul_ps(w1, _mm512_sub_ps(g1, along)));
            let (d2, d3) =
                (_mm512_mul_ps(w2, _mm512_sub_ps(g2, along)), _mm512_mul_ps(w3, _mm512_sub_ps(g3, along)));
            _mm512_storeu_ps(row_of, _mm512_mul_ps(d0, scale));
            _mm512_storeu_ps(row_of.add(16), _mm512_mul_ps(d1, scale));
            _mm512_storeu_ps(row_of.add(32), _mm512_mul_ps(d2, scale));
            _mm512_storeu_ps(row_of.add(48), _mm512_mul_ps(d3, scale));
            if let Some(to_bias) = to_bias {
                let to = to_bias.add(2 * row * TILE);
                let pairs = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(d1, d0));
                _mm512_storeu_si512(to.cast(), pairs);
                let pairs = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(d3, d2));
                _mm512_storeu_si512(to.add(TILE).cast(), pairs);
            }
        }
    }
}
