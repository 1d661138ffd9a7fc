//! The same arithmetic without special instructions: what the others are tested against, to the bit.

use super::{Destination, Int8Matrix, Int8Rows, LANES, OFFSET, QUAD, TILE_BYTES, TILE_ROWS, scales};
use crate::matrix::View;

pub(super) fn fill(rows: &mut Int8Rows, from: View<'_>) {
    let across = rows.across();
    for row in 0..from.rows {
        let values = &from.values[row * from.stride..][..from.columns];
        // NaN has larger bits than every number.
        let largest = values.iter().map(|x| x.abs().to_bits()).max().unwrap_or(0);
        let (scale, inverse) = scales(f32::from_bits(largest));
        rows.scales[row] = scale;
        let tiles = &mut rows.tiles[row / TILE_ROWS * across..][..across];
        for (tile, values) in tiles.iter_mut().zip(values.chunks(TILE_BYTES)) {
            for (to, &x) in tile.0[row % TILE_ROWS].iter_mut().zip(values) {
                *to = whole(x * inverse);
            }
        }
    }
}

/// Rounded, with the offset; what is no number becomes some number, as its row is spoilt anyway.
pub(super) fn whole(x: f32) -> u8 {
    (x.round_ties_even() as i32).wrapping_add(i32::from(OFFSET)) as u8
}

/// # Safety
/// There is memory for all rows and columns at the destination.
pub(super) unsafe fn gemm(rows: &Int8Rows, matrix: &Int8Matrix, out: Destination) {
    let across = rows.across();
    for row in 0..rows.rows {
        let tiles = &rows.tiles[row / TILE_ROWS * across..][..across];
        let quads = tiles.iter().flat_map(|tile| tile.0[row % TILE_ROWS].chunks_exact(QUAD));
        for (group, lines) in matrix.lines.chunks_exact(matrix.quads.max(1)).enumerate() {
            let columns = group * LANES..(group + 1) * LANES;
            let mut sums = [0; LANES];
            sums.copy_from_slice(&matrix.starts[columns.clone()]);
            for (quad, line) in quads.clone().zip(lines) {
                for (sum, weights) in sums.iter_mut().zip(&line.0) {
                    *sum += quad.iter().zip(weights).map(|(&x, &w)| i32::from(x) * i32::from(w)).sum::<i32>();
                }
            }
            for (column, sum) in columns.zip(sums) {
                let value =
                    (sum as f32).mul_add(rows.scales[row] * matrix.scales[column], matrix.biases[column]);
                let at = row * out.stride + column;
                // SAFETY: the caller vouches for the memory.
                unsafe {
                    let value = if out.base.is_null() { value } else { *out.base.add(at) + value };
                    out.to.add(at).write(value);
                }
            }
        }
    }
}
