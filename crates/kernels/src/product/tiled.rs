//! Factors as tiles of bf16 pairs, for AMX or for dot products of AVX-512. The tiles of one row (left) or column (right) lie one after the other along the sum.
//!
//! A word of a left tile holds two neighbours of a row, a word of a right tile two neighbours of a column: so a left tile of a
//! matrix is, word by word, the transpose of a right tile of the transposed matrix.

mod shifted;
mod turned;

pub(super) use turned::left_transposed_of_left;

use std::arch::x86_64::*;

use super::{Into, Place, Runs, Size, View};
use crate::{
    Level,
    simd::transpose::{Tile, transpose},
    tiles::{Start, Tiles, WORDS, dots},
};

/// # Safety
/// For all functions here: the CPU has AVX-512 with bf16, `from` is checked, and `to` has room for the whole packed factor.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn left(from: View<'_>, to: &mut [f32], place: Place) {
    // SAFETY: the closure's places are within the factor.
    unsafe {
        each_tile(from.rows, from.columns, to, place, |row, k, to| {
            if whole(from, row, k, [16, 32]) {
                for r in 0..16 {
                    store(to, r, row_pairs::<true>(from, row + r, k));
                }
            } else {
                for r in 0..16 {
                    store(to, r, row_pairs::<false>(from, row + r, k));
                }
            }
        });
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn right(from: View<'_>, to: &mut [f32], place: Place) {
    if !place.at.is_multiple_of(32) {
        // SAFETY: as above.
        return unsafe { shifted::right(from, to, place) };
    }
    let order = interleaved();
    // SAFETY: as above.
    unsafe {
        each_tile(from.columns, from.rows, to, place, |column, k, to| {
            if whole(from, k, column, [32, 16]) {
                for pair in 0..16 {
                    store(to, pair, column_pairs::<true>(from, column, k + 2 * pair, order));
                }
            } else {
                for pair in 0..16 {
                    store(to, pair, column_pairs::<false>(from, column, k + 2 * pair, order));
                }
            }
        });
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn left_transposed(from: View<'_>, to: &mut [f32], place: Place) {
    if !place.at.is_multiple_of(32) {
        // SAFETY: as above.
        return unsafe { shifted::left_transposed(from, to, place) };
    }
    let order = interleaved();
    // SAFETY: as above.
    unsafe {
        each_tile(from.columns, from.rows, to, place, |column, k, to| {
            let mut tile = [_mm512_setzero_si512(); 16];
            if whole(from, k, column, [32, 16]) {
                for (pair, words) in tile.iter_mut().enumerate() {
                    *words = column_pairs::<true>(from, column, k + 2 * pair, order);
                }
            } else {
                for (pair, words) in tile.iter_mut().enumerate() {
                    *words = column_pairs::<false>(from, column, k + 2 * pair, order);
                }
            }
            store_transposed(to, tile);
        });
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn right_transposed(from: View<'_>, to: &mut [f32], place: Place) {
    // SAFETY: as above.
    unsafe {
        each_tile(from.rows, from.columns, to, place, |row, k, to| {
            let mut tile = [_mm512_setzero_si512(); 16];
            if whole(from, row, k, [16, 32]) {
                for (r, words) in tile.iter_mut().enumerate() {
                    *words = row_pairs::<true>(from, row + r, k);
                }
            } else {
                for (r, words) in tile.iter_mut().enumerate() {
                    *words = row_pairs::<false>(from, row + r, k);
                }
            }
            store_transposed(to, tile);
        });
    }
}

/// Calls `fill` with the first of sixteen and of thirty-two along the sum, and the place of the tile, whose rows it stores one by one: a
/// tile that is made in memory first would be copied.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn each_tile(
    outer: usize,
    k: usize,
    to: &mut [f32],
    place: Place,
    fill: impl Fn(usize, usize, *mut f32),
) {
    assert!(place.at.is_multiple_of(32));
    let (first, steps) = (place.at / 32, place.of / 32);
    for o in 0..outer.div_ceil(16) {
        for s in 0..k.div_ceil(32) {
            let to = &mut to[(o * steps + first + s) * WORDS..][..WORDS];
            fill(16 * o, 32 * s, to.as_mut_ptr());
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(to: *mut f32, row: usize, words: __m512i) {
    // SAFETY: the caller vouches for a whole tile.
    unsafe { _mm512_storeu_si512(to.add(16 * row).cast(), words) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store_transposed(to: *mut f32, mut tile: Tile) {
    transpose(&mut tile);
    for (row, words) in tile.into_iter().enumerate() {
        // SAFETY: the caller vouches for a whole tile.
        unsafe { store(to, row, words) }
    }
}

/// Whether so many rows and columns exist from these on.
#[inline]
fn whole(from: View<'_>, row: usize, column: usize, [rows, columns]: [usize; 2]) -> bool {
    row + rows <= from.rows && column + columns <= from.columns
}

/// The first `n` of sixteen lanes, none if `n` is negative.
#[inline]
fn first_lanes(n: isize) -> u16 {
    ((1u32 << n.clamp(0, 16)) - 1) as u16
}

/// Sixteen numbers of a row from `column` on, zeros where there are none; all are there if they are `WHOLE`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn sixteen<const WHOLE: bool>(from: View<'_>, row: usize, column: usize) -> __m512 {
    let at = row * from.stride + column;
    if WHOLE {
        // SAFETY: the caller vouches for the row.
        return unsafe { _mm512_loadu_ps(from.values.as_ptr().add(at)) };
    }
    let lanes = if row < from.rows { first_lanes(from.columns as isize - column as isize) } else { 0 };
    // SAFETY: lanes beyond the row's end, and rows beyond the last, are masked away.
    unsafe { _mm512_maskz_loadu_ps(lanes, from.values.as_ptr().add(at.min(from.values.len()))) }
}

/// Thirty-two neighbours of a row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn row_pairs<const WHOLE: bool>(from: View<'_>, row: usize, column: usize) -> __m512i {
    // SAFETY: the caller vouches for the row if it is whole; both types are plain 64 bytes.
    unsafe {
        let (low, high) = (sixteen::<WHOLE>(from, row, column), sixteen::<WHOLE>(from, row, column + 16));
        std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low))
    }
}

/// Sixteen columns of two neighbouring rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn column_pairs<const WHOLE: bool>(
    from: View<'_>,
    column: usize,
    row: usize,
    order: __m512i,
) -> __m512i {
    // SAFETY: the caller vouches for the rows if they are whole; both types are plain 64 bytes.
    unsafe {
        let (even, odd) = (sixteen::<WHOLE>(from, row, column), sixteen::<WHOLE>(from, row + 1, column));
        let both = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(odd, even));
        _mm512_permutexvar_epi16(order, both)
    }
}

/// The order that puts numbers of the first half of a vector beside those of the second.
#[inline]
pub(crate) fn interleaved() -> __m512i {
    let mut order = [0u16; 32];
    let mut i = 0;
    while i < 16 {
        order[2 * i] = i as u16;
        order[2 * i + 1] = 16 + i as u16;
        i += 1;
    }
    // SAFETY: both are plain 64 bytes.
    unsafe { std::mem::transmute::<[u16; 32], __m512i>(order) }
}

/// # Safety
/// `size` is in whole grains, without tiles its rows are not; factors are in whole steps, and all slices hold that much.
pub(super) unsafe fn product(
    level: Level,
    size: Size,
    left: &[f32],
    right: &[f32],
    out: &mut [f32],
    stride: usize,
    into: Into<'_>,
) {
    let steps = size.k.div_ceil(32);
    if level == Level::BF16 {
        for (row, out) in out.chunks_mut(stride).enumerate().take(size.m) {
            match into {
                Into::Row(row) => out[..size.n].copy_from_slice(row),
                Into::Onto(x) => out[..size.n].copy_from_slice(&x[row * stride..][..size.n]),
                Into::Replace | Into::Add => break,
            }
        }
        let add = !matches!(into, Into::Replace);
        // SAFETY: the caller vouches for sizes and instructions.
        return unsafe { dots::product(size, left.as_ptr(), right.as_ptr(), out.as_mut_ptr(), stride, add) };
    }
    let tiles = Tiles::of_this_thread(level);
    let (rows, columns) = (size.m / 16, size.n / 16);
    // SAFETY: both stay within their factors for rows and columns of the result.
    let left = |row: usize| unsafe { left.as_ptr().add(row * steps * WORDS) };
    // SAFETY: as above.
    let right = |column: usize| unsafe { right.as_ptr().add(column * steps * WORDS) };
    let out = out.as_mut_ptr();
    // SAFETY: tiles of the result, or of a row as long as it, lie inside them.
    let place = |row: usize, column: usize| unsafe {
        let out = out.add(16 * (row * stride + column));
        let start = match into {
            Into::Replace => Start::ZERO,
            Into::Add => Start::at(out, stride),
            Into::Row(row) => Start::at(row.as_ptr().add(16 * column), 0),
            Into::Onto(x) => Start::at(x.as_ptr().add(16 * (row * stride + column)), stride),
        };
        (start, out)
    };
    let mut column = 0;
    while rows == 1 && column + 4 <= columns {
        let (start, out) = place(0, column);
        // SAFETY: the block of four tiles lies inside the result.
        unsafe { tiles.beside(start, left(0), [0, 1, 2, 3].map(|i| right(column + i)), steps, out, stride) }
        column += 4;
    }
    for column in (column..columns).step_by(2) {
        for row in (0..rows).step_by(2) {
            if row + 1 < rows && column + 1 < columns {
                let (start, out) = place(row, column);
                let (left, right) = ([left(row), left(row + 1)], [right(column), right(column + 1)]);
                // SAFETY: the block of four tiles lies inside the result.
                unsafe { tiles.four(start, left, right, steps, out, stride) }
                continue;
            }
            for r in row..rows.min(row + 2) {
                for c in column..columns.min(column + 2) {
                    let (start, out) = place(r, c);
                    // SAFETY: the tile lies inside the result.
                    unsafe { tiles.one(start, left(r), right(c), steps, out, stride) }
                }
            }
        }
    }
}

/// # Safety
/// As for [`super::product_of_runs`], whose checks must have passed.
pub(super) unsafe fn product_of_runs(
    level: Level,
    size: Size,
    left: Runs<'_>,
    right: &[f32],
    out: &mut [f32],
) {
    let tiles = Tiles::of_this_thread(level);
    let steps_of_run = size.k / left.starts.len() / 32;
    let offsets: Vec<i32> = (left.starts.iter())
        .flat_map(|start| (0..steps_of_run).map(move |step| (4 * start + 64 * step) as i32))
        .collect();
    let (rows, columns, bytes) = (size.m / 16, size.n / 16, 4 * left.stride);
    for column in (0..columns).step_by(2) {
        for row in (0..rows).step_by(2) {
            // SAFETY: all tiles of the block lie inside their slices.
            unsafe {
                let left = |row: usize| left.values.as_ptr().add(16 * row * left.stride);
                let right = |column: usize| right.as_ptr().add(column * offsets.len() * WORDS);
                let place = |row: usize, column: usize| 16 * (row * size.n + column);
                if row + 1 < rows && column + 1 < columns {
                    let rights = [right(column), right(column + 1)];
                    let out = out.as_mut_ptr().add(place(row, column));
                    tiles.four_strided([left(row), left(row + 1)], bytes, &offsets, rights, out, size.n);
                } else {
                    for r in row..rows.min(row + 2) {
                        for c in column..columns.min(column + 2) {
                            let out = out.as_mut_ptr().add(place(r, c));
                            tiles.one_strided(left(r), bytes, &offsets, right(c), out, size.n);
                        }
                    }
                }
            }
        }
    }
}

/// # Safety
/// The CPU has AVX-512 with bf16, `from` has a multiple of 32 numbers and `to` half as many words.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn to_bf16(from: &[f32], to: &mut [f32]) {
    for (from, to) in from.chunks_exact(32).zip(to.chunks_exact_mut(16)) {
        // SAFETY: a chunk is two vectors of numbers, or one of words.
        unsafe {
            let (low, high) = (_mm512_loadu_ps(from.as_ptr()), _mm512_loadu_ps(from.as_ptr().add(16)));
            let both = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low));
            _mm512_storeu_si512(to.as_mut_ptr().cast(), both);
        }
    }
}

/// # Safety
/// The CPU has AVX-512 with bf16, `to` has a multiple of 32 numbers and `from` half as many words.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn from_bf16(from: &[f32], to: &mut [f32]) {
    for (from, to) in from.chunks_exact(16).zip(to.chunks_exact_mut(32)) {
        // SAFETY: a chunk is one vector of words, or two of numbers.
        unsafe {
            let both = widen(_mm512_loadu_si512(from.as_ptr().cast()));
            _mm512_storeu_ps(to.as_mut_ptr(), both[0]);
            _mm512_storeu_ps(to.as_mut_ptr().add(16), both[1]);
        }
    }
}

/// Thirty-two bf16 as f32, in their order.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn widen(pairs: __m512i) -> [__m512; 2] {
    [_mm512_castsi512_si256(pairs), _mm512_extracti64x4_epi64::<1>(pairs)]
        .map(|half| _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(half))))
}

/// # Safety
/// The CPU has AVX-512 with bf16; `from` is a packed left factor of that size, and `to` has whole grains of rows `stride` apart.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn unpack_left(from: &[f32], rows: usize, columns: usize, to: &mut [f32], stride: usize) {
    let steps = columns.div_ceil(32);
    for row in 0..super::rounded(rows) {
        for step in 0..steps {
            let at = (row / 16 * steps + step) * WORDS + row % 16 * 16;
            let to = &mut to[row * stride + 32 * step..];
            // SAFETY: the row lies inside the factor; a whole vector is written only where one begins before the end of the
            // columns.
            unsafe {
                let [low, high] = widen(_mm512_loadu_si512(from[at..at + 16].as_ptr().cast()));
                _mm512_storeu_ps(to.as_mut_ptr(), low);
                if 32 * step + 16 < columns {
                    _mm512_storeu_ps(to.as_mut_ptr().add(16), high);
                }
            }
        }
    }
}

/// # Safety
/// As above; `from` has whole steps of columns.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn left_rows(from: View<'_>, to: &mut [f32], first: usize) {
    let steps = from.columns / 32;
    // Rows of one tile lie side by side, its neighbours far away.
    for step in 0..steps {
        for r in 0..from.rows {
            let row = first + r;
            let to = &mut to[(row / 16 * steps + step) * WORDS + row % 16 * 16..][..16];
            // SAFETY: the view was checked; the row of the tile has sixteen words.
            unsafe {
                let from = from.values.as_ptr().add(r * from.stride + 32 * step);
                let (low, high) = (_mm512_loadu_ps(from), _mm512_loadu_ps(from.add(16)));
                let pairs = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low));
                _mm512_storeu_si512(to.as_mut_ptr().cast(), pairs);
            }
        }
    }
}

/// # Safety
/// As [`super::right_of_left`] has checked; the CPU has AVX-512 with bf16.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn right_of_left(
    left: &[f32],
    rows: usize,
    columns: usize,
    first: usize,
    to: &mut [f32],
    sums: &mut [f32],
) {
    let (left_steps, steps) = (columns / 32, rows.div_ceil(32));
    let order = interleaved();
    for (panel, sums) in sums.chunks_exact_mut(16).enumerate() {
        let column = first + 16 * panel;
        let half = |row: usize| {
            if row >= rows {
                return _mm256_setzero_si256();
            }
            let at = (row / 16 * left_steps + column / 32) * WORDS + row % 16 * 16 + column % 32 / 2;
            // SAFETY: eight words of a row that exists.
            unsafe { _mm256_loadu_si256(left[at..at + 8].as_ptr().cast()) }
        };
        // SAFETY: sixteen numbers.
        let mut sum = unsafe { _mm512_loadu_ps(sums.as_ptr()) };
        for pair in 0..16 * steps {
            let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(half(2 * pair)), half(2 * pair + 1));
            let words = _mm512_permutexvar_epi16(order, both);
            let even = _mm512_castsi512_ps(_mm512_slli_epi32::<16>(words));
            let odd = _mm512_castsi512_ps(_mm512_and_si512(words, _mm512_set1_epi32(!0xffff)));
            sum = _mm512_add_ps(sum, _mm512_add_ps(even, odd));
            let to = &mut to[(panel * steps + pair / 16) * WORDS + pair % 16 * 16..][..16];
            // SAFETY: sixteen words.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), words) }
        }
        // SAFETY: sixteen numbers.
        unsafe { _mm512_storeu_ps(sums.as_mut_ptr(), sum) }
    }
}
