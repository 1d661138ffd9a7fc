//! The same at 256 bits, for CPUs with AVX-VNNI and without AVX-512. The code is compiled twice, for either encoding of the one
//! instruction that differs, so that it can be tested on CPUs that have the other.
//!
//! Six rows by a group of sixteen columns are summed in twelve of the sixteen registers.

use std::arch::x86_64::*;

use super::{Int8Rows, OFFSET, TILE_BYTES, TILE_ROWS, portable::whole, scales};
use crate::matrix::View;

const LANES: usize = 8;

/// # Safety
/// The CPU has AVX2, and `rows` has tiles and scales for all rows of `from`.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn fill(rows: &mut Int8Rows, from: View<'_>) {
    let across = rows.across();
    let vectors = from.columns / LANES;
    for row in 0..from.rows {
        let values = &from.values[row * from.stride..][..from.columns];
        let tail = &values[vectors * LANES..];
        // SAFETY: whole vectors of the row; a tile's row has 64 bytes.
        unsafe {
            // NaN has larger bits than every number.
            let mut largest = _mm256_setzero_si256();
            let bits = _mm256_set1_epi32(i32::MAX);
            for i in 0..vectors {
                let x = _mm256_loadu_si256(values.as_ptr().add(LANES * i).cast());
                largest = _mm256_max_epu32(largest, _mm256_and_si256(x, bits));
            }
            let mut lanes = [0u32; LANES];
            _mm256_storeu_si256(lanes.as_mut_ptr().cast(), largest);
            let tops = lanes.into_iter().chain(tail.iter().map(|x| x.abs().to_bits()));
            let (scale, inverse) = scales(f32::from_bits(tops.max().unwrap_or(0)));
            rows.scales[row] = scale;
            let tiles = &mut rows.tiles[row / TILE_ROWS * across..][..across];
            for i in 0..vectors {
                let x = _mm256_loadu_ps(values.as_ptr().add(LANES * i));
                let x = _mm256_cvtps_epi32(_mm256_mul_ps(x, _mm256_set1_ps(inverse)));
                let words = _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
                let bytes = _mm_xor_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(OFFSET as i8));
                let to =
                    &mut tiles[LANES * i / TILE_BYTES].0[row % TILE_ROWS][LANES * i % TILE_BYTES..][..LANES];
                _mm_storel_epi64(to.as_mut_ptr().cast(), bytes);
            }
            for (i, &x) in (vectors * LANES..).zip(tail) {
                tiles[i / TILE_BYTES].0[row % TILE_ROWS][i % TILE_BYTES] = whole(x * inverse);
            }
        }
    }
}

macro_rules! gemm {
    ($module:ident, $features:literal, $dot:ident) => {
        pub(super) mod $module {
            use std::arch::x86_64::*;

            use super::LANES;
            use crate::int8::{Destination, Int8Matrix, Int8Rows, QUAD, TILE_BYTES, TILE_ROWS};

            /// # Safety
            /// The CPU has the instructions; both factors agree in the length of the sum, and `out` has room for all rows and
            /// columns.
            #[target_feature(enable = $features)]
            pub(in crate::int8) unsafe fn gemm(rows: &Int8Rows, matrix: &Int8Matrix, out: Destination) {
                for column in (0..matrix.columns()).step_by(2 * LANES) {
                    for first in (0..rows.rows).step_by(TILE_ROWS) {
                        let end = rows.rows.min(first + TILE_ROWS);
                        let mut row = first;
                        // SAFETY: the caller vouches for the memory of all rows and columns.
                        unsafe {
                            while row + 6 <= end {
                                block::<6>(rows, matrix, [row, column], out);
                                row += 6;
                            }
                            if row + 4 <= end {
                                block::<4>(rows, matrix, [row, column], out);
                                row += 4;
                            }
                            while row < end {
                                block::<1>(rows, matrix, [row, column], out);
                                row += 1;
                            }
                        }
                    }
                }
            }

            /// Some rows of one tile by sixteen columns.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn block<const ROWS: usize>(
                rows: &Int8Rows,
                matrix: &Int8Matrix,
                [row, column]: [usize; 2],
                out: Destination,
            ) {
                // SAFETY: the caller vouches for the memory.
                unsafe {
                    let starts = [0, LANES]
                        .map(|at| _mm256_loadu_si256(matrix.starts.as_ptr().add(column + at).cast()));
                    let mut sums = [starts; ROWS];
                    let lines =
                        matrix.lines.as_ptr().add(column / (2 * LANES) * matrix.quads).cast::<__m256i>();
                    let tiles = rows.tiles.as_ptr().add(row / TILE_ROWS * rows.across()).cast::<u8>();
                    let from = tiles.add(row % TILE_ROWS * TILE_BYTES);
                    for quad in 0..matrix.quads {
                        let weights = [0, 1].map(|half| _mm256_load_si256(lines.add(2 * quad + half)));
                        let at = quad * QUAD;
                        let from = from.add(at / TILE_BYTES * TILE_ROWS * TILE_BYTES + at % TILE_BYTES);
                        for (i, sums) in sums.iter_mut().enumerate() {
                            let bytes = _mm256_set1_epi32(from.add(i * TILE_BYTES).cast::<i32>().read());
                            sums[0] = $dot(sums[0], bytes, weights[0]);
                            sums[1] = $dot(sums[1], bytes, weights[1]);
                        }
                    }
                    for half in 0..2 {
                        let column = column + half * LANES;
                        let scale = _mm256_loadu_ps(matrix.scales.as_ptr().add(column));
                        let bias = _mm256_loadu_ps(matrix.biases.as_ptr().add(column));
                        for (i, sums) in sums.iter().enumerate() {
                            let scale = _mm256_mul_ps(_mm256_set1_ps(rows.scales[row + i]), scale);
                            let value = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums[half]), scale, bias);
                            let Destination { to, stride, base } = out;
                            let at = (row + i) * stride + column;
                            let value = match base.is_null() {
                                true => value,
                                false => _mm256_add_ps(_mm256_loadu_ps(base.add(at)), value),
                            };
                            _mm256_storeu_ps(to.add(at), value);
                        }
                    }
                }
            }
        }
    };
}

gemm!(avx, "avx2,fma,avxvnni", _mm256_dpbusd_avx_epi32);
gemm!(avx512, "avx2,fma,avx512f,avx512vl,avx512vnni", _mm256_dpbusd_epi32);
