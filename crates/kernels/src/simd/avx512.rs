//! Sixteen lanes: AVX-512 with its byte, word and doubleword parts.

use std::arch::x86_64::*;

use super::{
    EightByTwo, Simd, Task,
    transpose::{Tile, transpose},
};

mod eight_by_two;

#[derive(Clone, Copy)]
pub(super) struct Avx512;

/// # Safety
/// The CPU must have the features named here.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn run<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

// SAFETY, for every block below: the only way here is `run`, which demands the features; loads and stores are bounded by
// the slices that they check.
#[expect(clippy::undocumented_unsafe_blocks, reason = "said once above for all of them")]
impl Simd for Avx512 {
    const LANES: usize = 16;
    type V = __m512;

    #[inline(always)]
    unsafe fn eight_by_two(block: &EightByTwo) -> bool {
        unsafe { eight_by_two::run(block) };
        true
    }

    #[inline(always)]
    fn transpose_sixteen(from: &[f32], stride: usize, to: &mut [f32]) -> bool {
        assert!(from.len() >= 15 * stride + 16 && to.len() >= 256);
        unsafe {
            let mut tile: Tile = [_mm512_setzero_si512(); 16];
            for (row, words) in tile.iter_mut().enumerate() {
                *words = _mm512_loadu_si512(from.as_ptr().add(row * stride).cast());
            }
            transpose(&mut tile);
            for (row, words) in tile.into_iter().enumerate() {
                _mm512_storeu_si512(to.as_mut_ptr().add(16 * row).cast(), words);
            }
        }
        true
    }

    #[inline(always)]
    fn splat(x: f32) -> __m512 {
        unsafe { _mm512_set1_ps(x) }
    }

    #[inline(always)]
    fn load(from: &[f32]) -> __m512 {
        assert!(from.len() >= 16);
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }

    #[inline(always)]
    fn store(v: __m512, to: &mut [f32]) {
        assert!(to.len() >= 16);
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), v) }
    }

    #[inline(always)]
    fn add(a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    fn sub(a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_sub_ps(a, b) }
    }

    #[inline(always)]
    fn mul(a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mul_ps(a, b) }
    }

    #[inline(always)]
    fn div(a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_div_ps(a, b) }
    }

    #[inline(always)]
    fn max(a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_max_ps(a, b) }
    }

    #[inline(always)]
    fn min(a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_min_ps(a, b) }
    }

    #[inline(always)]
    fn fma(a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn sqrt(a: __m512) -> __m512 {
        unsafe { _mm512_sqrt_ps(a) }
    }

    #[inline(always)]
    fn round(a: __m512) -> __m512 {
        unsafe { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    fn power_of_two(n: __m512) -> __m512 {
        unsafe {
            let biased = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
            _mm512_castsi512_ps(_mm512_slli_epi32::<23>(biased))
        }
    }

    #[inline(always)]
    fn if_less(a: __m512, b: __m512, yes: __m512, no: __m512) -> __m512 {
        unsafe { _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), no, yes) }
    }

    #[inline(always)]
    fn power_if(x: __m512, low: __m512, y: __m512, n: __m512) -> __m512 {
        unsafe { _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(x, low), y, n) }
    }

    /// A division takes sixteen cycles; fourteen bits and a step of Newton's, four.
    #[inline(always)]
    fn inverse(a: __m512) -> __m512 {
        unsafe {
            let near = _mm512_rcp14_ps(a);
            _mm512_fmadd_ps(near, _mm512_fnmadd_ps(a, near, _mm512_set1_ps(1.0)), near)
        }
    }

    #[inline(always)]
    fn sum(v: __m512) -> f32 {
        unsafe { _mm512_reduce_add_ps(v) }
    }

    #[inline(always)]
    fn largest(v: __m512) -> f32 {
        unsafe { _mm512_reduce_max_ps(v) }
    }

    #[inline(always)]
    fn load_part(from: &[f32], other: f32) -> __m512 {
        assert!(from.len() < 16);
        let mask = (1u16 << from.len()) - 1;
        unsafe { _mm512_mask_loadu_ps(_mm512_set1_ps(other), mask, from.as_ptr()) }
    }

    #[inline(always)]
    fn store_part(v: __m512, to: &mut [f32]) {
        assert!(to.len() < 16);
        let mask = (1u16 << to.len()) - 1;
        unsafe { _mm512_mask_storeu_ps(to.as_mut_ptr(), mask, v) }
    }
}
