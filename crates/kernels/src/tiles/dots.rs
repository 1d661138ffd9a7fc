//! Products of tiles without AMX: AVX-512 multiplies pairs of bf16 and adds them to sums in f32. The layouts and the order of
//! sums are those of tiles, so that everything above works with either.
//!
//! Eight rows by two tiles of columns are summed in sixteen registers: ten loads serve sixteen instructions, which keeps the
//! multipliers busy. Sixteen rows by one tile would need seventeen loads.

use std::arch::x86_64::*;

/// Words of 32 bits in a row of a tile.
const ROW: usize = 16;

/// Sums of eight rows and two tiles of sixteen columns.
pub(crate) type Sums = [[__m512; 2]; 8];

/// Sums of nothing.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn none() -> Sums {
    [[_mm512_setzero_ps(); 2]; 8]
}

/// Adds the product of eight rows of a left tile, which begin `stride` words apart, with two right tiles.
///
/// # Safety
/// For all functions here: the CPU has AVX-512 with bf16, and what is described is valid memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
pub(crate) unsafe fn add_product(sums: &mut Sums, left: *const f32, stride: usize, right: [*const f32; 2]) {
    for pair in 0..ROW {
        // SAFETY: the caller vouches for both tiles.
        unsafe {
            let right = right.map(|right| words(_mm512_loadu_ps(right.add(ROW * pair))));
            for (row, sums) in sums.iter_mut().enumerate() {
                let left = words(_mm512_set1_ps(*left.add(row * stride + pair)));
                sums[0] = _mm512_dpbf16_ps(sums[0], left, right[0]);
                sums[1] = _mm512_dpbf16_ps(sums[1], left, right[1]);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn words(v: __m512) -> __m512bh {
    // SAFETY: both are plain 64 bytes.
    unsafe { std::mem::transmute::<__m512, __m512bh>(v) }
}

/// Two tiles of columns, `rows` rows: step `i` of the left factor begins `left(i)`, its rows `stride` words apart; the right
/// tiles lie one after the other.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) unsafe fn two_columns(
    left: impl Fn(usize) -> *const f32,
    stride: usize,
    right: [*const f32; 2],
    steps: usize,
    out: *mut f32,
    out_stride: usize,
    add: bool,
) {
    for half in 0..2 {
        // SAFETY: the caller vouches for the memory.
        unsafe {
            let out = out.add(8 * half * out_stride);
            let mut sums = if add { load(out, out_stride) } else { none() };
            for step in 0..steps {
                let right = right.map(|right| right.add(step * super::WORDS));
                add_product(&mut sums, left(step).add(8 * half * stride), stride, right);
            }
            store(&sums, out, out_stride);
        }
    }
}

/// One tile of columns, as [`two_columns`].
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) unsafe fn one_column(
    left: impl Fn(usize) -> *const f32,
    stride: usize,
    right: *const f32,
    steps: usize,
    out: *mut f32,
    out_stride: usize,
    add: bool,
) {
    let mut sums = [_mm512_setzero_ps(); 16];
    // SAFETY: the caller vouches for the memory.
    unsafe {
        if add {
            for (row, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_loadu_ps(out.add(row * out_stride));
            }
        }
        for step in 0..steps {
            let (left, right) = (left(step), right.add(step * super::WORDS));
            for pair in 0..ROW {
                let right = words(_mm512_loadu_ps(right.add(ROW * pair)));
                for (row, sum) in sums.iter_mut().enumerate() {
                    let left = words(_mm512_set1_ps(*left.add(row * stride + pair)));
                    *sum = _mm512_dpbf16_ps(*sum, left, right);
                }
            }
        }
        for (row, sum) in sums.into_iter().enumerate() {
            _mm512_storeu_ps(out.add(row * out_stride), sum);
        }
    }
}

/// Reads the sums of eight rows that begin `stride` apart.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn load(from: *const f32, stride: usize) -> Sums {
    let mut sums = none();
    for (row, sums) in sums.iter_mut().enumerate() {
        // SAFETY: the caller vouches for the memory.
        *sums = unsafe { [0, ROW].map(|column| _mm512_loadu_ps(from.add(row * stride + column))) };
    }
    sums
}

/// Writes the sums of eight rows that begin `stride` apart.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn store(sums: &Sums, to: *mut f32, stride: usize) {
    for (row, [one, other]) in sums.iter().enumerate() {
        // SAFETY: the caller vouches for the memory.
        unsafe {
            _mm512_storeu_ps(to.add(row * stride), *one);
            _mm512_storeu_ps(to.add(row * stride + ROW), *other);
        }
    }
}

/// Multiplies for `rounds` of sixteen without memory, to measure how fast that can be.
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) fn spin(rounds: usize) {
    let factor = words(_mm512_set1_ps(std::hint::black_box(0.0)));
    let mut sums = [_mm512_setzero_ps(); 16];
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = _mm512_dpbf16_ps(*sum, factor, factor);
        }
    }
    std::hint::black_box(sums);
}
