//! Products of tiles without AMX: AVX-512 multiplies pairs of bf16 and adds them to sums in f32. The layouts and the order of
//! sums are those of tiles, so that everything above works with either.
//!
//! Eight rows by two tiles of columns are summed in sixteen registers: ten loads serve sixteen instructions, which keeps the
//! multipliers busy. Sixteen rows by one tile would need seventeen loads.

use std::arch::x86_64::*;

use crate::{matrix::Size, simd::fetch};

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

/// `out (+)= left * right` of packed factors, exactly `m` rows. What fills the last tile of a sum is not multiplied.
///
/// # Safety
/// As above; `n` is in whole tiles, and so are the factors along the sum.
#[target_feature(enable = "avx512f,avx512bf16")]
pub(crate) unsafe fn product(
    size: Size,
    left: *const f32,
    right: *const f32,
    out: *mut f32,
    stride: usize,
    add: bool,
) {
    let (pairs, columns) = (size.k.div_ceil(2), size.n / 16);
    let steps = pairs.div_ceil(ROW);
    let factors = |column: usize| Factors { left, right, out, steps, pairs, stride, add, column, m: size.m };
    let mut column = 0;
    while size.m <= 2 && column + 8 <= columns {
        // SAFETY: the caller vouches for the memory.
        unsafe { factors(column).rows::<2, 8>(size.m) };
        column += 8;
    }
    while column + 2 <= columns {
        // SAFETY: the caller vouches for the memory.
        unsafe { factors(column).rows::<8, 2>(size.m) };
        column += 2;
    }
    if column < columns {
        // SAFETY: the caller vouches for the memory.
        unsafe { factors(column).rows::<16, 1>(size.m) };
    }
}

/// A product's factors, and the tile of columns at hand.
struct Factors {
    left: *const f32,
    right: *const f32,
    out: *mut f32,
    /// Tiles along the sum, and pairs that are in them.
    steps: usize,
    pairs: usize,
    stride: usize,
    add: bool,
    column: usize,
    m: usize,
}

impl Factors {
    /// All rows of some tiles of columns, `MOST` at a time.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn rows<const MOST: usize, const COLUMNS: usize>(&self, m: usize) {
        let mut row = 0;
        // SAFETY: the caller vouches for the memory of all rows.
        unsafe {
            while row + MOST <= m {
                self.block::<MOST, COLUMNS>(row);
                row += MOST;
            }
            if MOST > 8 && row + 8 <= m {
                self.block::<8, COLUMNS>(row);
                row += 8;
            }
            if MOST > 4 && row + 4 <= m {
                self.block::<4, COLUMNS>(row);
                row += 4;
            }
            if MOST > 2 && row + 2 <= m {
                self.block::<2, COLUMNS>(row);
                row += 2;
            }
            if row < m {
                self.block::<1, COLUMNS>(row);
            }
        }
    }

    /// Some rows, which lie in one tile of the left factor.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn block<const ROWS: usize, const COLUMNS: usize>(&self, row: usize) {
        let tile = self.steps * super::WORDS;
        // SAFETY: the caller vouches for the memory.
        unsafe {
            let left = self.left.add(row / 16 * tile + row % 16 * ROW);
            let right = std::array::from_fn::<_, COLUMNS, _>(|j| self.right.add((self.column + j) * tile));
            let out = self.out.add(row * self.stride + 16 * self.column);
            // Each block asks for its part of the columns after these, so that they are near when their turn comes.
            let blocks = self.m.div_ceil(ROWS);
            let pace = COLUMNS * super::WORDS / blocks;
            let ahead =
                self.right.wrapping_add((self.column + COLUMNS) * tile + row / ROWS * self.steps * pace);
            let step = |step: usize| {
                if ROWS > 2 {
                    for line in (0..pace).step_by(ROW) {
                        fetch(ahead.wrapping_add(step * pace + line));
                    }
                }
                left.add(step * super::WORDS)
            };
            sum_of_steps::<ROWS, COLUMNS>(step, ROW, right, self.pairs, out, self.stride, self.add);
        }
    }
}

/// `ROWS` rows of some tiles of columns: step `i` of the left factor begins at `left(i)`, its rows `left_stride` words apart; the
/// right tiles of a column lie one after the other. A step has sixteen `pairs`, the last one those that are left.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn sum_of_steps<const ROWS: usize, const COLUMNS: usize>(
    left: impl Fn(usize) -> *const f32,
    left_stride: usize,
    right: [*const f32; COLUMNS],
    pairs: usize,
    out: *mut f32,
    stride: usize,
    add: bool,
) {
    let mut sums = [[_mm512_setzero_ps(); COLUMNS]; ROWS];
    // SAFETY: the caller vouches for the memory.
    unsafe {
        if add {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm512_loadu_ps(out.add(row * stride + ROW * column));
                }
            }
        }
        for step in 0..pairs / ROW {
            let (left, right) = (left(step), right.map(|right| right.add(step * super::WORDS)));
            for pair in 0..ROW {
                add_pair(&mut sums, left.add(pair), left_stride, right.map(|right| right.add(ROW * pair)));
            }
        }
        let (step, rest) = (pairs / ROW, pairs % ROW);
        if rest > 0 {
            let (left, right) = (left(step), right.map(|right| right.add(step * super::WORDS)));
            for pair in 0..rest {
                add_pair(&mut sums, left.add(pair), left_stride, right.map(|right| right.add(ROW * pair)));
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (column, sum) in sums.into_iter().enumerate() {
                _mm512_storeu_ps(out.add(row * stride + ROW * column), sum);
            }
        }
    }
}

/// Adds the products of one pair of each row, `left_stride` words apart, with a row of each right tile.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn add_pair<const ROWS: usize, const COLUMNS: usize>(
    sums: &mut [[__m512; COLUMNS]; ROWS],
    left: *const f32,
    left_stride: usize,
    right: [*const f32; COLUMNS],
) {
    let mut factors = [words(_mm512_setzero_ps()); COLUMNS];
    for (factor, right) in factors.iter_mut().zip(right) {
        // SAFETY: the caller vouches for the memory.
        *factor = words(unsafe { _mm512_loadu_ps(right) });
    }
    for (row, sums) in sums.iter_mut().enumerate() {
        // SAFETY: as above.
        let left = words(_mm512_set1_ps(unsafe { *left.add(row * left_stride) }));
        for (sum, factor) in sums.iter_mut().zip(factors) {
            *sum = _mm512_dpbf16_ps(*sum, left, factor);
        }
    }
}

/// Sixteen rows of two tiles of columns, as [`sum_of_steps`].
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) unsafe fn two_columns(
    left: impl Fn(usize) -> *const f32,
    left_stride: usize,
    right: [*const f32; 2],
    steps: usize,
    out: *mut f32,
    stride: usize,
    add: bool,
) {
    for half in 0..2 {
        // SAFETY: the caller vouches for the memory.
        unsafe {
            let left = |step: usize| left(step).add(8 * half * left_stride);
            let out = out.add(8 * half * stride);
            sum_of_steps::<8, 2>(left, left_stride, right, ROW * steps, out, stride, add);
        }
    }
}

/// Sixteen rows of one tile of columns, as [`sum_of_steps`].
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
pub(super) unsafe fn one_column(
    left: impl Fn(usize) -> *const f32,
    left_stride: usize,
    right: *const f32,
    steps: usize,
    out: *mut f32,
    stride: usize,
    add: bool,
) {
    // SAFETY: the caller vouches for the memory.
    unsafe { sum_of_steps::<16, 1>(left, left_stride, [right], ROW * steps, out, stride, add) }
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
