//! Rows of 64 scores to weights in bf16, laid out as a left factor. Four rows go together: their sums meet in one vector, where a row alone
//! would wait for its sum.

use std::arch::x86_64::*;

/// Scores of this size need no shift by the largest of their row: no sum of exponentials overflows or vanishes.
const LARGEST: f32 = 40.0;
/// Words from one tile of a left factor to the next.
const TILE: usize = 256;

/// Whether it could be done: rows with larger scores need a shift, and are left to others.
///
/// # Safety
/// The CPU has AVX-512 with bf16; `scores`, and `bias` if there is one, have a multiple of four rows of 64, and `to` half as many words.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512bf16")]
pub(super) unsafe fn rows(scores: &[f32], scale: f32, bias: Option<&[f32]>, to: &mut [f32]) -> bool {
    let scale = _mm512_set1_ps(scale);
    let mut largest = _mm512_setzero_ps();
    for first in (0..scores.len() / 64).step_by(4) {
        let mut all = [[scale; 4]; 4];
        let mut sums = [scale; 4];
        for (i, xs) in all.iter_mut().enumerate() {
            for (j, x) in xs.iter_mut().enumerate() {
                let at = 64 * (first + i) + 16 * j;
                // SAFETY: the caller vouches for all rows.
                let score = unsafe { _mm512_loadu_ps(scores.as_ptr().add(at)) };
                *x = match bias {
                    Some(bias) => {
                        // SAFETY: as above.
                        let bias = unsafe { _mm512_loadu_ps(bias.as_ptr().add(at)) };
                        _mm512_fmadd_ps(score, scale, bias)
                    }
                    None => _mm512_mul_ps(score, scale),
                };
                largest = _mm512_max_ps(largest, _mm512_abs_ps(*x));
                *x = exp(*x);
            }
            sums[i] = _mm512_add_ps(_mm512_add_ps(xs[0], xs[1]), _mm512_add_ps(xs[2], xs[3]));
        }
        let shares = _mm512_div_ps(_mm512_set1_ps(1.0), four_sums(sums));
        let shares = [
            _mm512_permute_ps::<0b00_00_00_00>(shares),
            _mm512_permute_ps::<0b01_01_01_01>(shares),
            _mm512_permute_ps::<0b10_10_10_10>(shares),
            _mm512_permute_ps::<0b11_11_11_11>(shares),
        ];
        for (i, (xs, share)) in all.iter().zip(shares).enumerate() {
            let row = first + i;
            for half in 0..2 {
                let [low, high] = [xs[2 * half], xs[2 * half + 1]].map(|x| _mm512_mul_ps(x, share));
                let at = (row / 16 * 2 + half) * TILE + row % 16 * 16;
                // SAFETY: the row lies inside the factor; both types are plain 64 bytes.
                unsafe {
                    let pairs = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low));
                    _mm512_storeu_si512(to.as_mut_ptr().add(at).cast(), pairs);
                }
            }
        }
    }
    _mm512_cmp_ps_mask::<_CMP_GT_OQ>(largest, _mm512_set1_ps(LARGEST)) == 0
}

/// `e^x` for moderate `x`, within a few units of the sixth digit: 2 to the whole part by its exponent, to the rest by a polynomial.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) fn exp(x: __m512) -> __m512 {
    let x = _mm512_mul_ps(x, _mm512_set1_ps(std::f32::consts::LOG2_E));
    let rest = _mm512_reduce_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x);
    let mut p = _mm512_set1_ps(1.877_576_7e-3);
    for coefficient in [8.989_34e-3, 5.582_631_8e-2, 2.401_536e-1, 6.931_531e-1, 9.999_999_4e-1] {
        p = _mm512_fmadd_ps(p, rest, _mm512_set1_ps(coefficient));
    }
    _mm512_scalef_ps(p, x)
}

/// The sums of four vectors, one after the other in each quarter of the result.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn four_sums([a, b, c, d]: [__m512; 4]) -> __m512 {
    let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    let low = _mm512_shuffle_ps::<0b01_00_01_00>(ab, cd);
    let high = _mm512_shuffle_ps::<0b11_10_11_10>(ab, cd);
    let quarters = _mm512_add_ps(low, high);
    let halves = _mm512_add_ps(quarters, _mm512_shuffle_f32x4::<0b01_00_11_10>(quarters, quarters));
    _mm512_add_ps(halves, _mm512_shuffle_f32x4::<0b10_11_00_01>(halves, halves))
}
