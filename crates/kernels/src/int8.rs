//! Matrix products (GEMM) in int8, for inference: weights are rounded to -127..=127 by the largest of each output channel,
//! activations to -127..=127 by the largest of each row (token), and products are summed as whole numbers. The order of whole
//! sums does not matter, so that a row gives the same bits alone and among others, and on every kind of CPU.
//!
//! The instructions multiply unsigned with signed bytes. Activations are stored with 128 added to them, and sums begin with
//! what takes it away again: -128 times the sum of the output channel's weights.

mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vnni;
#[cfg(target_arch = "x86_64")]
mod vnni256;

use crate::{Int8, level::Int8Kind, matrix::View};

/// Rows of a tile of activations, and bytes in each of its rows.
const TILE_ROWS: usize = 16;
const TILE_BYTES: usize = 64;
/// Bytes whose products one instruction adds to a sum.
const QUAD: usize = 4;
/// Output channels of a line of weights.
const LANES: usize = 16;
const LARGEST: f32 = 127.0;
/// What is added to activations to make them unsigned.
const OFFSET: u8 = 128;
/// Rows whose largest number is below this count as zero: its inverse would not be finite.
const SMALLEST: f32 = 1e-30;

/// Four input channels of sixteen output channels.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct WeightLine([[i8; QUAD]; LANES]);

/// Sixteen rows of activations by 64 input channels.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Tile([[u8; TILE_BYTES]; TILE_ROWS]);

/// The right factor of a product: weights, rounded and laid out by sixteen output channels, four input channels, output channel,
/// input channel. Output channels round up to sixteen, and what is beyond the last one is zero.
#[derive(Clone, Debug)]
pub(crate) struct Int8Matrix {
    quads: usize,
    lines: Vec<WeightLine>,
    /// What sums begin with.
    starts: Vec<i32>,
    /// The value of one in each output channel.
    scales: Vec<f32>,
    biases: Vec<f32>,
}

impl Int8Matrix {
    /// From a matrix of inputs x outputs, and the bias of each output.
    pub(crate) fn new(weights: View<'_>, bias: Option<&[f32]>) -> Int8Matrix {
        let (inputs, outputs) = (weights.rows, weights.columns);
        let (quads, columns) = (inputs.div_ceil(QUAD), outputs.next_multiple_of(LANES));
        let mut matrix = Int8Matrix {
            quads,
            lines: vec![WeightLine([[0; QUAD]; LANES]); columns / LANES * quads],
            starts: vec![0; columns],
            scales: vec![0.0; columns],
            biases: vec![0.0; columns],
        };
        if let Some(bias) = bias {
            matrix.biases[..outputs].copy_from_slice(bias);
        }
        let at = |input: usize, output: usize| weights.values[input * weights.stride + output];
        for output in 0..outputs {
            // NaN has larger bits than every number.
            let largest = (0..inputs).map(|input| at(input, output).abs().to_bits()).max().unwrap_or(0);
            matrix.scales[output] = f32::from_bits(largest) / LARGEST;
        }
        for input in 0..inputs {
            for output in 0..outputs {
                let whole =
                    (at(input, output) / matrix.scales[output].max(f32::MIN_POSITIVE)).round_ties_even();
                let line = &mut matrix.lines[output / LANES * quads + input / QUAD];
                line.0[output % LANES][input % QUAD] = whole as i8;
                matrix.starts[output] -= i32::from(OFFSET) * i32::from(whole as i8);
            }
        }
        matrix
    }

    /// Output channels, in whole groups of sixteen.
    pub(crate) fn columns(&self) -> usize {
        self.scales.len()
    }
}

/// The left factor of a product: rows of activations, rounded, in tiles of sixteen rows by 64 input channels. The tiles of one
/// group of rows lie one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Int8Rows {
    tiles: Vec<Tile>,
    /// The value of one in each row.
    scales: Vec<f32>,
    quads: usize,
    rows: usize,
}

impl Int8Rows {
    /// Tiles of a group of sixteen rows.
    fn across(&self) -> usize {
        (self.quads * QUAD).div_ceil(TILE_BYTES)
    }

    /// Rounds the rows of a matrix.
    pub(crate) fn fill(&mut self, by: Int8, from: View<'_>) {
        assert!(from.columns <= from.stride);
        assert!(from.rows == 0 || from.values.len() >= (from.rows - 1) * from.stride + from.columns);
        self.quads = from.columns.div_ceil(QUAD);
        self.rows = from.rows;
        self.tiles
            .resize(from.rows.div_ceil(TILE_ROWS) * self.across(), Tile([[OFFSET; TILE_BYTES]; TILE_ROWS]));
        self.scales.resize(from.rows, 0.0);
        match by.kind() {
            // SAFETY: the CPU has the instructions; there are tiles and scales for all rows, which were checked.
            #[cfg(target_arch = "x86_64")]
            Int8Kind::Vnni => unsafe { vnni::fill(self, from) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Int8Kind::AvxVnni | Int8Kind::Vnni256 => unsafe { vnni256::fill(self, from) },
            _ => portable::fill(self, from),
        }
    }
}

/// What a row with this largest number is rounded by: the value of one, and how many make up one. A number that is not finite
/// spoils its row.
fn scales(largest: f32) -> (f32, f32) {
    match largest {
        _ if !largest.is_finite() => (f32::NAN, 0.0),
        _ if largest < SMALLEST => (0.0, 0.0),
        _ => (largest / LARGEST, LARGEST / largest),
    }
}

/// Where a product goes, and what it is added to, which may be the same place or null.
#[derive(Clone, Copy)]
struct Destination {
    to: *mut f32,
    stride: usize,
    base: *const f32,
}

/// What a product is added to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Base<'a> {
    Nothing,
    /// What is in the result's place.
    There,
    /// A matrix whose rows begin as far apart as the result's.
    Matrix(&'a [f32]),
}

/// `out = base + rows * matrix + bias`. Rows of `out` begin `stride` apart, and whole groups of sixteen columns are written.
pub(crate) fn gemm(
    by: Int8,
    rows: &Int8Rows,
    matrix: &Int8Matrix,
    out: &mut [f32],
    stride: usize,
    base: Base<'_>,
) {
    let columns = matrix.columns();
    let len = rows.rows.saturating_sub(1) * stride + columns;
    assert_eq!(rows.quads, matrix.quads);
    assert!(stride >= columns);
    assert!(rows.rows == 0 || out.len() >= len);
    // What unsafe code below reads.
    assert!(
        rows.tiles.len() >= rows.rows.div_ceil(TILE_ROWS) * rows.across() && rows.scales.len() >= rows.rows
    );
    assert!(matrix.lines.len() == columns / LANES * matrix.quads);
    assert!(matrix.starts.len() == columns && matrix.biases.len() == columns);
    let base = match base {
        Base::Nothing => std::ptr::null(),
        Base::There => out.as_ptr(),
        Base::Matrix(values) => {
            assert!(rows.rows == 0 || values.len() >= len);
            values.as_ptr()
        }
    };
    let out = Destination { to: out.as_mut_ptr(), stride, base };
    match by.kind() {
        // SAFETY: the CPU has the instructions, and sizes were checked.
        #[cfg(target_arch = "x86_64")]
        Int8Kind::Vnni => unsafe { vnni::gemm(rows, matrix, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Int8Kind::AvxVnni => unsafe { vnni256::avx::gemm(rows, matrix, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Int8Kind::Vnni256 => unsafe { vnni256::avx512::gemm(rows, matrix, out) },
        // SAFETY: sizes were checked.
        _ => unsafe { portable::gemm(rows, matrix, out) },
    }
}
