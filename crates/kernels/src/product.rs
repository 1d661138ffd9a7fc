//! Products of matrices whose factors were laid out for the CPU beforehand.
//!
//! Both factors are packed into words of 32 bits: single numbers, or pairs of bf16 where a level [rounds](Level::rounds). Columns
//! of the result round up to [`GRAIN`], and with AMX tiles its rows do, so results need that room ([`rows_written`]); what is beyond the
//! edge of a packed factor is zero.

mod panels;
#[cfg(target_arch = "x86_64")]
pub(crate) mod tiled;

use crate::{Level, simd};

pub use crate::matrix::{GRAIN, Size, View, rounded};

/// Where along the summed dimension a packed matrix lies: several matrices, packed one after the other in this order, are one longer sum. The
/// place is a multiple of 32; of rows of the packed matrix (`right_at` and `left_transposed_at`) it may be any even number, which
/// [`step`] gives.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub at: usize,
    pub of: usize,
}

/// The length of the summed dimension once packed.
pub fn depth(level: Level, k: usize) -> usize {
    if level.rounds() { k.next_multiple_of(32) } else { k }
}

/// How far apart matrices of `k` rows may lie along the sum.
pub fn step(level: Level, k: usize) -> usize {
    if level.rounds() { k.next_multiple_of(2) } else { k }
}

/// Words of a packed factor with `outer` rows (left) or columns (right) and a sum over `k`.
pub fn words(level: Level, outer: usize, k: usize) -> usize {
    let numbers = rounded(outer) * depth(level, k);
    if level.rounds() { numbers / 2 } else { numbers }
}

macro_rules! packer {
    ($(#[$doc:meta])* $name:ident, $at:ident, $k:ident, $outer:ident) => {
        $(#[$doc])*
        pub fn $name(level: Level, from: View<'_>, to: &mut [f32]) {
            $at(level, from, to, Place { at: 0, of: depth(level, from.$k) });
        }

        $(#[$doc])*
        /// The matrix takes its `place` in a longer sum.
        pub fn $at(level: Level, from: View<'_>, to: &mut [f32], place: Place) {
            from.check();
            assert!(place.at + from.$k <= place.of && depth(level, place.of) == place.of);
            assert!(to.len() >= words(level, from.$outer, place.of));
            match level {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the level says that the CPU has the instructions; bounds were checked above.
                Level::BF16 | Level::AMX => unsafe { tiled::$name(from, to, place) },
                _ => panels::$name(level, from, to, place),
            }
        }
    };
}

packer!(
    /// Packs a left factor.
    left, left_at, columns, rows
);
packer!(
    /// Packs the transpose of `from` as a left factor for [`product_transposed`].
    left_transposed, left_transposed_at, rows, columns
);
packer!(
    /// Packs a right factor.
    right, right_at, rows, columns
);
packer!(
    /// Packs the transpose of `from` as a right factor.
    right_transposed, right_transposed_at, columns, rows
);

/// What happens to the numbers that are already in the result's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Into<'a> {
    Replace,
    Add,
    /// They are replaced, and this row is added to every row of the product: its bias, as long as whole grains of columns.
    Row(&'a [f32]),
    /// They are replaced by the product and these, whose rows lie as far apart as the result's.
    Onto(&'a [f32]),
}

/// Rows of a result that are written where `m` are asked for: whole tiles, or no more than those.
pub fn rows_written(level: Level, m: usize) -> usize {
    if level == Level::AMX { rounded(m) } else { m }
}

/// Where a result goes: rows begin `stride` apart, [`rows_written`] of them are written, and columns up to a multiple of
/// [`GRAIN`].
#[derive(Debug)]
pub struct Out<'a> {
    pub values: &'a mut [f32],
    pub stride: usize,
    pub into: Into<'a>,
}

/// `out[m x n] (+)= left[m x k] * right[k x n]`, of packed factors; rows of `out` begin `stride` apart.
pub fn product(
    level: Level,
    size: Size,
    left: &[f32],
    right: &[f32],
    out: &mut [f32],
    stride: usize,
    into: Into<'_>,
) {
    assert!(left.len() >= words(level, rows_written(level, size.m), size.k));
    let in_f32 = panels::Left::Rows(left, size.k);
    any(level, size, left, in_f32, right, Out { values: out, stride, into });
}

/// Like [`product`] with a left factor that [`left_transposed`] packed.
pub fn product_transposed(level: Level, size: Size, left: &[f32], right: &[f32], out: Out<'_>) {
    assert!(left.len() >= words(level, rows_written(level, size.m), size.k));
    let in_f32 = panels::Left::Columns { values: left, step: GRAIN, next: GRAIN * size.k };
    any(level, size, left, in_f32, right, out);
}

/// A left factor for several products: packed, or where a level computes in f32 as it lies.
#[derive(Clone, Copy, Debug)]
pub struct Ready<'a> {
    packed: &'a [f32],
    from: View<'a>,
}

/// Makes a left factor ready; `buffer` is for those that must be packed.
pub fn ready<'a>(level: Level, from: View<'a>, buffer: &'a mut [f32]) -> Ready<'a> {
    from.check();
    if level.rounds() {
        left(level, from, buffer);
    }
    Ready { packed: buffer, from }
}

/// Like [`product`] with a left factor that is [`ready`].
pub fn product_ready(level: Level, size: Size, left: Ready<'_>, right: &[f32], out: Out<'_>) {
    assert!(left.from.rows == size.m && left.from.columns == size.k);
    let in_f32 = panels::Left::Rows(left.from.values, left.from.stride);
    any(level, size, left.packed, in_f32, right, out);
}

/// Like [`product`] with a left factor that is not packed yet: where a level computes in f32 it is read as it is, elsewhere it
/// is packed into `buffer` first.
pub fn product_of(level: Level, size: Size, from: View<'_>, buffer: &mut [f32], right: &[f32], out: Out<'_>) {
    product_ready(level, size, ready(level, from, buffer), right, out);
}

/// Like [`product_of`] with the transpose of `from`.
pub fn product_of_transposed(
    level: Level,
    size: Size,
    from: View<'_>,
    buffer: &mut [f32],
    right: &[f32],
    out: Out<'_>,
) {
    from.check();
    assert!(from.columns == size.m && from.rows == size.k);
    if level.rounds() {
        left_transposed(level, from, buffer);
    }
    let in_f32 = panels::Left::Columns { values: from.values, step: from.stride, next: GRAIN };
    any(level, size, buffer, in_f32, right, out);
}

/// The product of a left factor that is packed, or where the level computes in f32 lies as `in_f32` says.
fn any(level: Level, size: Size, left: &[f32], in_f32: panels::Left<'_>, right: &[f32], out: Out<'_>) {
    let Size { m, n, k } = size;
    let (m, n) = (rows_written(level, m), rounded(n));
    if m == 0 || n == 0 {
        return;
    }
    let Out { values: out, stride, into } = out;
    assert!(right.len() >= words(level, n, k));
    assert!(stride >= n && out.len() >= (m - 1) * stride + n, "room for whole grains of the result");
    let into = match into {
        Into::Row(row) => Into::Row(&row[..n]),
        Into::Onto(x) => Into::Onto(&x[..(m - 1) * stride + n]),
        other => other,
    };
    let size = Size { m, n, k };
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::BF16 | Level::AMX if k > 0 => {
            assert!(left.len() >= words(level, m, k));
            // SAFETY: sizes were checked above; the level means that tiles work, or dot products.
            unsafe { tiled::product(level, size, left, right, out, stride, into) }
        }
        _ => simd::run(level, panels::Product { size, left: in_f32, right, out, stride, into }),
    }
}

/// A left factor that is not packed by itself: row `r` of it is made of the runs `values[start + r * stride..]`, for each
/// start as long as the sum's length divided by the number of starts. Where a level rounds, the words are pairs of bf16.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    pub values: &'a [f32],
    pub stride: usize,
    pub starts: &'a [usize],
    /// Whether rows are squares of a board with nine to a rank, and the first, second and last third of the runs those of the rank
    /// before, the same rank and the one after it. Then the ninth squares, which are none, may be left out, and so may runs
    /// beyond the first and the last rank.
    pub board: bool,
}

/// Rows to a rank of a board whose ninth square is none.
const RANK: usize = 9;

/// `out[m x n] = runs[m x k] * right[k x n]`; a run has a multiple of 32 numbers, `n` is in whole grains, and so is `m` where
/// the level rounds; elsewhere eight rows are enough of a grain.
pub fn product_of_runs(level: Level, size: Size, left: Runs<'_>, right: &[f32], out: &mut [f32]) {
    let Size { m, n, k } = size;
    let rows = if level.rounds() { GRAIN } else { 8 };
    assert!(m.is_multiple_of(rows) && n.is_multiple_of(GRAIN) && m > 0 && n > 0);
    assert!(!left.board || m.is_multiple_of(RANK) || level.rounds());
    let run = k / left.starts.len();
    assert!(run * left.starts.len() == k && run.is_multiple_of(32) && k > 0);
    let words_of_run = if level.rounds() { run / 2 } else { run };
    let last = left.starts.iter().max().expect("a run") + (m - 1) * left.stride + words_of_run;
    assert!(left.values.len() >= last && right.len() >= words(level, n, k) && out.len() >= m * n);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: sizes were checked above; the level means that tiles work, or dot products.
        Level::BF16 | Level::AMX => unsafe { tiled::product_of_runs(level, size, left, right, out) },
        _ => simd::run(level, panels::RunsProduct { size, left, right, out }),
    }
}

/// Rounds numbers, a multiple of 32 of them, to words of two bf16 each. Only where the level rounds.
pub fn to_bf16(level: Level, from: &[f32], to: &mut [f32]) {
    assert!(level.rounds() && from.len().is_multiple_of(32) && to.len() * 2 == from.len());
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the level says that the CPU has the instructions; lengths were checked above.
    unsafe {
        tiled::to_bf16(from, to);
    }
}

/// The backward pass of [`to_bf16`].
pub fn from_bf16(level: Level, from: &[f32], to: &mut [f32]) {
    assert!(level.rounds() && to.len().is_multiple_of(32) && from.len() * 2 == to.len());
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the level says that the CPU has the instructions; lengths were checked above.
    unsafe {
        tiled::from_bf16(from, to);
    }
}

/// Packs rows of a left factor of which others were packed before or will be, from row `first` on.
pub fn left_rows(level: Level, from: View<'_>, to: &mut [f32], first: usize) {
    from.check();
    assert!(to.len() >= words(level, first + from.rows, from.columns) && from.columns.is_multiple_of(32));
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the CPU has the instructions; bounds were checked above.
        Level::BF16 | Level::AMX => unsafe { tiled::left_rows(from, to, first) },
        _ => panels::left_rows(from, to, first),
    }
}

/// Packs columns `from..` of what was packed as a left factor of `rows` x `columns` as a right factor, as many as `sums` has, and
/// adds all rows of them to `sums`. Whole grains of columns.
pub fn right_of_left(
    level: Level,
    left: &[f32],
    (rows, columns): (usize, usize),
    first: usize,
    to: &mut [f32],
    sums: &mut [f32],
) {
    let n = sums.len();
    assert!(left.len() >= words(level, rows, columns) && to.len() >= words(level, n, rows));
    assert!(columns.is_multiple_of(32) && first.is_multiple_of(GRAIN) && n.is_multiple_of(GRAIN));
    assert!(first + n <= columns);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the CPU has the instructions; bounds were checked above.
        Level::BF16 | Level::AMX => unsafe { tiled::right_of_left(left, rows, columns, first, to, sums) },
        _ => {
            panels::right_and_sums(level, View::new(left, rows, columns).columns(first, n), to, sums);
        }
    }
}

/// Packs the transpose of what [`left`] packed for [`product_transposed`]; rows and columns are in steps of 32. Only where the level
/// rounds.
pub fn left_transposed_of_left(level: Level, from: &[f32], size: (usize, usize), to: &mut [f32]) {
    let (rows, columns) = size;
    assert!(level.rounds() && rows.is_multiple_of(32) && columns.is_multiple_of(32));
    assert!(from.len() >= words(level, rows, columns) && to.len() >= words(level, columns, rows));
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the level says that the CPU has the instructions; lengths were checked above.
    unsafe {
        tiled::left_transposed_of_left(from, size, to);
    }
}

/// What [`left`] packed as a matrix again, with whole grains of rows and columns, rows `stride` apart. Only where the level rounds.
pub fn unpack_left(level: Level, from: &[f32], rows: usize, columns: usize, to: &mut [f32], stride: usize) {
    assert!(level.rounds() && from.len() >= words(level, rows, columns) && stride >= rounded(columns));
    assert!(to.len() >= rounded(rows) * stride);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the level says that the CPU has the instructions; lengths were checked above.
    unsafe {
        tiled::unpack_left(from, rows, columns, to, stride);
    }
}

#[cfg(test)]
mod tests;
