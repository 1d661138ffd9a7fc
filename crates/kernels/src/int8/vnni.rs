//! With AVX-512 VNNI: products of four unsigned with four signed bytes, added to sixteen sums of 32 bits.
//!
//! Eight rows by two groups of sixteen columns are summed in sixteen registers: ten loads serve sixteen instructions.

use std::arch::x86_64::*;

use super::{
    Destination, Int8Matrix, Int8Rows, LANES, OFFSET, QUAD, TILE_BYTES, TILE_ROWS, WeightLine, scales,
};
use crate::{matrix::View, simd::fetch};

const QUADS_OF_TILE: usize = TILE_BYTES / QUAD;

/// # Safety
/// The CPU has AVX-512 with VNNI, and `rows` has tiles and scales for all rows of `from`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn fill(rows: &mut Int8Rows, from: View<'_>) {
    let mut row = 0;
    // SAFETY: the caller vouches for all rows.
    unsafe {
        while row + TOGETHER <= from.rows {
            fill_some::<TOGETHER>(rows, from, row);
            row += TOGETHER;
        }
        while row < from.rows {
            fill_some::<1>(rows, from, row);
            row += 1;
        }
    }
}

/// Rows whose largest numbers are looked for side by side: one after the other they would wait for each other's last steps.
const TOGETHER: usize = 4;

/// Some rows of one tile.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn fill_some<const ROWS: usize>(rows: &mut Int8Rows, from: View<'_>, row: usize) {
    let whole = from.columns / LANES;
    let rest: __mmask16 = (1 << (from.columns % LANES)) - 1;
    // Packing takes four numbers of each vector in turn.
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    // SAFETY: vectors of the rows, the last one masked; a tile's row has 64 bytes.
    unsafe {
        let values: [*const f32; ROWS] =
            std::array::from_fn(|i| from.values.as_ptr().add((row + i) * from.stride));
        // NaN has larger bits than every number.
        let mut largest = [_mm512_setzero_si512(); ROWS];
        let bits = |x| _mm512_castps_si512(_mm512_abs_ps(x));
        for at in 0..whole {
            for (values, largest) in values.iter().zip(&mut largest) {
                *largest = _mm512_max_epu32(*largest, bits(_mm512_loadu_ps(values.add(LANES * at))));
            }
        }
        if rest != 0 {
            for (values, largest) in values.iter().zip(&mut largest) {
                let x = _mm512_maskz_loadu_ps(rest, values.add(LANES * whole));
                *largest = _mm512_max_epu32(*largest, bits(x));
            }
        }
        let mut inverses = [_mm512_setzero_ps(); ROWS];
        for (i, inverse) in inverses.iter_mut().enumerate() {
            let (scale, one) = scales(f32::from_bits(_mm512_reduce_max_epu32(largest[i])));
            *rows.scales.get_unchecked_mut(row + i) = scale;
            *inverse = _mm512_set1_ps(one);
        }
        let across = rows.across();
        let to = rows.tiles.as_mut_ptr().add(row / TILE_ROWS * across).cast::<u8>();
        let to = to.add(row % TILE_ROWS * TILE_BYTES);
        let place = |i: usize, at: usize| {
            let column = LANES * at;
            to.add(column / TILE_BYTES * TILE_ROWS * TILE_BYTES + i * TILE_BYTES + column % TILE_BYTES)
        };
        let steps = |x, inverse| _mm512_cvtps_epi32(_mm512_mul_ps(x, inverse));
        let mut at = 0;
        // A tile's row at a time, where four vectors are left.
        while at + 4 <= whole {
            for i in 0..ROWS {
                let four: [__m512i; 4] = std::array::from_fn(|j| {
                    steps(_mm512_loadu_ps(values[i].add(LANES * (at + j))), inverses[i])
                });
                let words = [_mm512_packs_epi32(four[0], four[1]), _mm512_packs_epi32(four[2], four[3])];
                let bytes = _mm512_permutexvar_epi32(order, _mm512_packs_epi16(words[0], words[1]));
                let bytes = _mm512_xor_si512(bytes, _mm512_set1_epi8(OFFSET as i8));
                _mm512_storeu_si512(place(i, at).cast(), bytes);
            }
            at += 4;
        }
        let bytes =
            |x, inverse| _mm_xor_si128(_mm512_cvtepi32_epi8(steps(x, inverse)), _mm_set1_epi8(OFFSET as i8));
        for at in at..whole {
            for i in 0..ROWS {
                let x = _mm512_loadu_ps(values[i].add(LANES * at));
                _mm_storeu_si128(place(i, at).cast(), bytes(x, inverses[i]));
            }
        }
        if rest != 0 {
            for i in 0..ROWS {
                let x = _mm512_maskz_loadu_ps(rest, values[i].add(LANES * whole));
                _mm_storeu_si128(place(i, whole).cast(), bytes(x, inverses[i]));
            }
        }
    }
}

/// # Safety
/// The CPU has AVX-512 with VNNI; both factors agree in the length of the sum, and `out` has room for all rows and columns.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn gemm(rows: &Int8Rows, matrix: &Int8Matrix, out: Destination) {
    let groups = matrix.columns() / LANES;
    let work = Gemm { rows, matrix, across: rows.across(), out };
    let mut group = 0;
    // SAFETY: the caller vouches for the memory of all rows and columns.
    unsafe {
        while rows.rows <= 2 && group + 8 <= groups {
            work.rows::<2, 8>(group);
            group += 8;
        }
        while rows.rows <= 4 && group + 4 <= groups {
            work.rows::<4, 4>(group);
            group += 4;
        }
        while group + 2 <= groups {
            work.rows::<8, 2>(group);
            group += 2;
        }
        if group < groups {
            work.rows::<8, 1>(group);
        }
    }
}

struct Gemm<'a> {
    rows: &'a Int8Rows,
    matrix: &'a Int8Matrix,
    /// Tiles of a group of sixteen rows.
    across: usize,
    out: Destination,
}

impl Gemm<'_> {
    /// All rows of some groups of columns, `MOST` at a time.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn rows<const MOST: usize, const GROUPS: usize>(&self, group: usize) {
        let (rows, mut row) = (self.rows.rows, 0);
        // SAFETY: the caller vouches for the memory of all rows.
        unsafe {
            while row + MOST <= rows {
                self.block::<MOST, GROUPS>(row, group);
                row += MOST;
            }
            if MOST > 4 && row + 4 <= rows {
                self.block::<4, GROUPS>(row, group);
                row += 4;
            }
            if MOST > 2 && row + 2 <= rows {
                self.block::<2, GROUPS>(row, group);
                row += 2;
            }
            if row < rows {
                self.block::<1, GROUPS>(row, group);
            }
        }
    }

    /// Some rows of one tile by some groups of columns.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn block<const ROWS: usize, const GROUPS: usize>(&self, row: usize, group: usize) {
        let (matrix, quads) = (self.matrix, self.matrix.quads);
        // SAFETY: the caller vouches for the memory.
        unsafe {
            let mut sums = [[_mm512_setzero_si512(); GROUPS]; ROWS];
            for (j, start) in sums[0].iter_mut().enumerate() {
                *start = _mm512_loadu_si512(matrix.starts.as_ptr().add(LANES * (group + j)).cast());
            }
            for i in 1..ROWS {
                sums[i] = sums[0];
            }
            let lines: [*const WeightLine; GROUPS] =
                std::array::from_fn(|j| matrix.lines.as_ptr().add((group + j) * quads));
            // Each block asks for its part of the weights after these, so that they are near when their turn comes.
            let blocks = self.rows.rows.div_ceil(ROWS);
            let next = matrix
                .lines
                .as_ptr()
                .wrapping_add((group + GROUPS) * quads + row / ROWS * GROUPS * quads / blocks);
            let tiles = self.rows.tiles.as_ptr().add(row / TILE_ROWS * self.across).cast::<u8>();
            let from = tiles.add(row % TILE_ROWS * TILE_BYTES);
            let whole = quads / QUADS_OF_TILE;
            let pace = (GROUPS * QUADS_OF_TILE).div_ceil(blocks);
            for tile in 0..whole {
                if ROWS > 2 {
                    for line in 0..pace {
                        fetch(next.wrapping_add(tile * pace + line).cast());
                    }
                }
                let from = from.add(tile * TILE_ROWS * TILE_BYTES);
                let lines = lines.map(|lines| lines.add(tile * QUADS_OF_TILE));
                for quad in 0..QUADS_OF_TILE {
                    step(&mut sums, from.add(quad * QUAD), lines.map(|lines| lines.add(quad)));
                }
            }
            let from = from.add(whole * TILE_ROWS * TILE_BYTES);
            for quad in 0..quads % QUADS_OF_TILE {
                step(
                    &mut sums,
                    from.add(quad * QUAD),
                    lines.map(|lines| lines.add(whole * QUADS_OF_TILE + quad)),
                );
            }
            for j in 0..GROUPS {
                let column = LANES * (group + j);
                let scale = _mm512_loadu_ps(matrix.scales.as_ptr().add(column));
                let bias = _mm512_loadu_ps(matrix.biases.as_ptr().add(column));
                for (i, sums) in sums.iter().enumerate() {
                    let scale =
                        _mm512_mul_ps(_mm512_set1_ps(*self.rows.scales.get_unchecked(row + i)), scale);
                    let value = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[j]), scale, bias);
                    let Destination { to, stride, base } = self.out;
                    let at = (row + i) * stride + column;
                    let value = match base.is_null() {
                        true => value,
                        false => _mm512_add_ps(_mm512_loadu_ps(base.add(at)), value),
                    };
                    _mm512_storeu_ps(to.add(at), value);
                }
            }
        }
    }
}

/// Adds the products of four input channels, whose activations begin at `from` for the first of the rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn step<const ROWS: usize, const GROUPS: usize>(
    sums: &mut [[__m512i; GROUPS]; ROWS],
    from: *const u8,
    lines: [*const WeightLine; GROUPS],
) {
    // SAFETY: the caller vouches for the memory.
    unsafe {
        let weights = lines.map(|line| _mm512_load_si512(line.cast()));
        for (i, sums) in sums.iter_mut().enumerate() {
            let bytes = _mm512_set1_epi32(from.add(i * TILE_BYTES).cast::<i32>().read());
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm512_dpbusd_epi32(*sum, bytes, weights);
            }
        }
    }
}
