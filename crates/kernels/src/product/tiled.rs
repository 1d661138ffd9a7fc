//! Factors as tiles of bf16 pairs, for AMX or for dot products of AVX-512. The tiles of one row (left) or column (right) lie one after the other along the sum.
//!
//! A word of a left tile holds two neighbours of a row, a word of a right tile two neighbours of a column: so a left tile of a
//! matrix is, word by word, the transpose of a right tile of the transposed matrix.

use std::arch::x86_64::*;

use super::{Into, Place, Runs, Size, View};
use crate::{
    Level,
    tiles::{Start, Tiles, WORDS, dots},
};

pub(crate) type Tile = [__m512i; 16];

/// # Safety
/// For all functions here: the CPU has AVX-512 with bf16, `from` is checked, and `to` has room for the whole packed factor.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn left(from: View<'_>, to: &mut [f32], place: Place) {
    // SAFETY: the closure's places are within the factor.
    unsafe { each_tile(from.rows, from.columns, to, place, |row, k, tile| row_pairs(from, row, k, tile)) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn right(from: View<'_>, to: &mut [f32], place: Place) {
    // SAFETY: as above.
    unsafe {
        each_tile(from.columns, from.rows, to, place, |column, k, tile| column_pairs(from, column, k, tile));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn left_transposed(from: View<'_>, to: &mut [f32], place: Place) {
    // SAFETY: as above.
    unsafe {
        each_tile(from.columns, from.rows, to, place, |column, k, tile| {
            column_pairs(from, column, k, tile);
            transpose(tile);
        });
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) unsafe fn right_transposed(from: View<'_>, to: &mut [f32], place: Place) {
    // SAFETY: as above.
    unsafe {
        each_tile(from.rows, from.columns, to, place, |row, k, tile| {
            row_pairs(from, row, k, tile);
            transpose(tile);
        });
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn each_tile(
    outer: usize,
    k: usize,
    to: &mut [f32],
    place: Place,
    fill: impl Fn(usize, usize, &mut Tile),
) {
    let (first, steps) = (place.at / 32, place.of / 32);
    for o in 0..outer.div_ceil(16) {
        for s in 0..k.div_ceil(32) {
            let to = &mut to[(o * steps + first + s) * WORDS..][..WORDS];
            let mut tile = [_mm512_setzero_si512(); 16];
            fill(16 * o, 32 * s, &mut tile);
            for (row, to) in tile.iter().zip(to.chunks_exact_mut(16)) {
                // SAFETY: a chunk is 64 bytes.
                unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), *row) }
            }
        }
    }
}

/// The first `n` of sixteen lanes, none if `n` is negative.
#[inline]
fn first_lanes(n: isize) -> u16 {
    ((1u32 << n.clamp(0, 16)) - 1) as u16
}

/// Sixteen rows of thirty-two neighbours; rows that do not exist are left as they are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn row_pairs(from: View<'_>, row: usize, column: usize, tile: &mut Tile) {
    let here = from.columns as isize - column as isize;
    let masks = [first_lanes(here), first_lanes(here - 16)];
    for (r, out) in tile.iter_mut().enumerate().take(from.rows.saturating_sub(row)) {
        // SAFETY: the row exists, and lanes beyond its end are masked away.
        unsafe {
            let start = from.values.as_ptr().add((row + r) * from.stride + column);
            let low = _mm512_maskz_loadu_ps(masks[0], start);
            let high = _mm512_maskz_loadu_ps(masks[1], start.wrapping_add(16));
            *out = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low));
        }
    }
}

/// Sixteen columns of thirty-two neighbours, a pair of rows in each row of the tile.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn column_pairs(from: View<'_>, column: usize, row: usize, tile: &mut Tile) {
    let lanes = first_lanes(from.columns as isize - column as isize);
    let load = |r: usize| {
        let lanes = if r < from.rows { lanes } else { 0 };
        let at = (r * from.stride + column).min(from.values.len());
        // SAFETY: lanes beyond the row's end, and rows beyond the last, are masked away.
        unsafe { _mm512_maskz_loadu_ps(lanes, from.values.as_ptr().add(at)) }
    };
    let mut order = [0u16; 32];
    let mut i = 0;
    while i < 16 {
        order[2 * i] = i as u16;
        order[2 * i + 1] = 16 + i as u16;
        i += 1;
    }
    // SAFETY: both are plain 64 bytes.
    let order = unsafe { std::mem::transmute::<[u16; 32], __m512i>(order) };
    for (pair, out) in tile.iter_mut().enumerate() {
        let both = _mm512_cvtne2ps_pbh(load(row + 2 * pair + 1), load(row + 2 * pair));
        // SAFETY: both are plain 64 bytes.
        *out = _mm512_permutexvar_epi16(order, unsafe { std::mem::transmute::<__m512bh, __m512i>(both) });
    }
}

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

/// # Safety
/// `size` is in whole grains and steps, without tiles its rows are not; all slices hold that much.
pub(super) unsafe fn product(
    level: Level,
    size: Size,
    left: &[f32],
    right: &[f32],
    out: &mut [f32],
    stride: usize,
    into: Into<'_>,
) {
    let steps = size.k / 32;
    if level == Level::Bf16 {
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
