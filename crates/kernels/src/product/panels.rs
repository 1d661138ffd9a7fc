//! Factors in f32: the left one row by row, the right one in panels of sixteen columns, a transposed left one as if it were right.

use std::ops::Range;

use super::{GRAIN, Into, Place, RANK, Runs, Size, View};
use crate::simd::{self, Simd, Task};

pub(super) fn left(from: View<'_>, to: &mut [f32], place: Place) {
    for (row, to) in to.chunks_exact_mut(place.of).enumerate().take(super::rounded(from.rows)) {
        let to = &mut to[place.at..][..from.columns];
        if row < from.rows {
            to.copy_from_slice(&from.values[row * from.stride..][..from.columns]);
        } else {
            to.fill(0.0);
        }
    }
}

pub(super) fn left_rows(from: View<'_>, to: &mut [f32], first: usize) {
    for (row, to) in to[first * from.columns..].chunks_exact_mut(from.columns).enumerate().take(from.rows) {
        to.copy_from_slice(&from.values[row * from.stride..][..from.columns]);
    }
}

/// The columns of the matrix are rows of the factor: sixteen of them lie side by side, as in a right factor.
pub(super) fn left_transposed(from: View<'_>, to: &mut [f32], place: Place) {
    right(from, to, place);
}

pub(super) fn right(from: View<'_>, to: &mut [f32], place: Place) {
    for (panel, first) in to.chunks_exact_mut(GRAIN * place.of).zip((0..from.columns).step_by(GRAIN)) {
        let width = GRAIN.min(from.columns - first);
        let panel = panel[GRAIN * place.at..].chunks_exact_mut(GRAIN);
        for (k, to) in panel.enumerate().take(from.rows) {
            let from = &from.values[k * from.stride + first..];
            if width == GRAIN {
                // A length that is known here is copied without a call.
                to.copy_from_slice(&from[..GRAIN]);
            } else {
                to[..width].copy_from_slice(&from[..width]);
                to[width..].fill(0.0);
            }
        }
    }
}

pub(super) fn right_transposed(from: View<'_>, to: &mut [f32], place: Place) {
    for (panel, first) in to.chunks_exact_mut(GRAIN * place.of).zip((0..from.rows).step_by(GRAIN)) {
        let width = GRAIN.min(from.rows - first);
        let panel = panel[GRAIN * place.at..].chunks_exact_mut(GRAIN);
        for (k, to) in panel.enumerate().take(from.columns) {
            for (row, to) in to.iter_mut().enumerate() {
                *to = if row < width { from.values[(first + row) * from.stride + k] } else { 0.0 };
            }
        }
    }
}

/// A left factor in f32.
#[derive(Clone, Copy)]
pub(super) enum Left<'a> {
    /// Rows that begin so far apart.
    Rows(&'a [f32], usize),
    /// The transpose of a matrix: number `at` of the sum lies `step` after the one before, and the next sixteen rows `next` after
    /// these.
    Columns { values: &'a [f32], step: usize, next: usize },
}

/// The checked product of a left factor with a packed right one. Exactly `m` rows are read and written.
pub(super) struct Product<'a> {
    pub(super) size: Size,
    pub(super) left: Left<'a>,
    pub(super) right: &'a [f32],
    pub(super) out: &'a mut [f32],
    pub(super) stride: usize,
    pub(super) into: Into<'a>,
}

impl Task for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let Size { m, n, .. } = self.size;
        let mut column = 0;
        if S::LANES == GRAIN {
            // One or two rows, as one position has: only many columns at a time keep the multipliers busy.
            while m <= 2 && column + 8 * GRAIN <= n {
                self.rows::<S, 2, 8>(column);
                column += 8 * GRAIN;
            }
            while column + 2 * GRAIN <= n {
                self.rows::<S, 8, 2>(column);
                column += 2 * GRAIN;
            }
            if column < n {
                self.rows::<S, 8, 1>(column);
            }
        } else {
            while column < n {
                self.rows::<S, 4, 2>(column);
                column += GRAIN;
            }
        }
    }
}

impl Product<'_> {
    /// All rows of some columns, `MOST` at a time.
    #[inline(always)]
    fn rows<S: Simd, const MOST: usize, const COLUMNS: usize>(&mut self, column: usize) {
        let m = self.size.m;
        let mut row = 0;
        while row + MOST <= m {
            self.block::<S, MOST, COLUMNS>(row, column);
            row += MOST;
        }
        if MOST > 4 && row + 4 <= m {
            self.block::<S, 4, COLUMNS>(row, column);
            row += 4;
        }
        if MOST > 2 && row + 2 <= m {
            self.block::<S, 2, COLUMNS>(row, column);
            row += 2;
        }
        if row < m {
            self.block::<S, 1, COLUMNS>(row, column);
        }
    }

    /// `ROWS` rows by `COLUMNS` vectors of the result, kept in registers over the whole sum.
    #[inline(always)]
    fn block<S: Simd, const ROWS: usize, const COLUMNS: usize>(&mut self, row: usize, column: usize) {
        let k = self.size.k;
        let panel = |j: usize| {
            let column = column + j * S::LANES;
            &self.right[column / GRAIN * GRAIN * k..][..GRAIN * k]
        };
        let panels: [&[f32]; COLUMNS] = std::array::from_fn(panel);
        let within: [usize; COLUMNS] = std::array::from_fn(|j| (column + j * S::LANES) % GRAIN);
        let mut sums = [[S::splat(0.0); COLUMNS]; ROWS];
        // Each block asks for its part of the columns after these, so that they are near when their turn comes.
        let blocks = self.size.m.div_ceil(ROWS);
        let share = COLUMNS * S::LANES * k / blocks;
        let ahead = self.right.as_ptr().wrapping_add((column + COLUMNS * S::LANES) * k + row / ROWS * share);
        let pace = COLUMNS * S::LANES / blocks;
        match self.left {
            Left::Rows(values, stride) => {
                let rows: [&[f32]; ROWS] = std::array::from_fn(|i| &values[(row + i) * stride..][..k]);
                for at in 0..k {
                    if ROWS > 2 {
                        simd::fetch(ahead.wrapping_add(at * pace));
                    }
                    let mut left = [0.0; ROWS];
                    for i in 0..ROWS {
                        // SAFETY: every row has `k` values.
                        left[i] = unsafe { *rows[i].get_unchecked(at) };
                    }
                    step::<S, ROWS, COLUMNS>(&mut sums, &panels, &within, at, left);
                }
            }
            Left::Columns { values, step: between, next } => {
                let values = &values[row / GRAIN * next + row % GRAIN..];
                assert!(k == 0 || values.len() >= (k - 1) * between + ROWS);
                for at in 0..k {
                    let mut left = [0.0; ROWS];
                    for (i, left) in left.iter_mut().enumerate() {
                        // SAFETY: checked above for the last step.
                        *left = unsafe { *values.get_unchecked(at * between + i) };
                    }
                    step::<S, ROWS, COLUMNS>(&mut sums, &panels, &within, at, left);
                }
            }
        }
        let (stride, lanes) = (self.stride, S::LANES);
        let place = |i: usize, j: usize| (row + i) * stride + column + j * lanes;
        for (i, sums) in sums.iter_mut().enumerate() {
            for (j, sum) in sums.iter_mut().enumerate() {
                match self.into {
                    Into::Replace => {}
                    Into::Add => *sum = S::add(S::load(&self.out[place(i, j)..]), *sum),
                    Into::Row(row) => *sum = S::add(S::load(&row[column + j * lanes..]), *sum),
                    Into::Onto(x) => *sum = S::add(S::load(&x[place(i, j)..]), *sum),
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                S::store(sum, &mut self.out[place(i, j)..]);
            }
        }
    }
}

/// One step of a block's sums; numbers of the left factor are given by row.
#[inline(always)]
fn step<S: Simd, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut [[S::V; COLUMNS]; ROWS],
    panels: &[&[f32]; COLUMNS],
    within: &[usize; COLUMNS],
    at: usize,
    left: [f32; ROWS],
) {
    let mut right = [S::splat(0.0); COLUMNS];
    for j in 0..COLUMNS {
        let start = GRAIN * at + within[j];
        // SAFETY: a panel has a row of sixteen for every step, of which `within` and the lanes after it are a part.
        right[j] = S::load(unsafe { panels[j].get_unchecked(start..start + S::LANES) });
    }
    for i in 0..ROWS {
        let left = S::splat(left[i]);
        for j in 0..COLUMNS {
            sums[i][j] = S::fma(left, right[j], sums[i][j]);
        }
    }
}

/// The checked product of runs with a packed right factor.
pub(super) struct RunsProduct<'a> {
    pub(super) size: Size,
    pub(super) left: Runs<'a>,
    pub(super) right: &'a [f32],
    pub(super) out: &'a mut [f32],
}

impl Task for RunsProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let n = self.size.n;
        let mut column = 0;
        while column < n {
            // As many rows as leave registers for two vectors of weights.
            if S::LANES == GRAIN && column + 2 * GRAIN <= n {
                self.rows::<S, 8, 2>(column);
                column += 2 * GRAIN;
            } else if S::LANES == GRAIN {
                self.rows::<S, 8, 1>(column);
                column += GRAIN;
            } else {
                self.rows::<S, 4, 2>(column);
                column += GRAIN;
            }
        }
    }
}

impl RunsProduct<'_> {
    /// All rows of some columns.
    #[inline(always)]
    fn rows<S: Simd, const ROWS: usize, const COLUMNS: usize>(&mut self, column: usize) {
        let runs = self.left.starts.len();
        if !self.left.board {
            for row in (0..self.size.m).step_by(ROWS) {
                self.block::<S, ROWS, COLUMNS>(row, column, 0..runs);
            }
            return;
        }
        let ranks = self.size.m / RANK;
        for rank in 0..ranks {
            let first = if rank == 0 { runs / 3 } else { 0 };
            let end = if rank + 1 == ranks { runs - runs / 3 } else { runs };
            for row in (0..RANK - 1).step_by(ROWS) {
                self.block::<S, ROWS, COLUMNS>(rank * RANK + row, column, first..end);
            }
        }
    }

    #[inline(always)]
    fn block<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        row: usize,
        column: usize,
        parts: Range<usize>,
    ) {
        let Size { n, k, .. } = self.size;
        let run = k / self.left.starts.len();
        let panel = |j: usize| &self.right[(column + j * S::LANES) / GRAIN * GRAIN * k..][..GRAIN * k];
        let panels: [&[f32]; COLUMNS] = std::array::from_fn(panel);
        let within: [usize; COLUMNS] = std::array::from_fn(|j| (column + j * S::LANES) % GRAIN);
        let mut sums = [[S::splat(0.0); COLUMNS]; ROWS];
        for part in parts {
            let start = self.left.starts[part];
            let left = &self.left.values[start + row * self.left.stride..];
            for at in 0..run {
                let mut right = [S::splat(0.0); COLUMNS];
                for j in 0..COLUMNS {
                    let first = GRAIN * (part * run + at) + within[j];
                    // SAFETY: a panel has `k` rows of sixteen, of which `within` and the lanes after it are a part.
                    right[j] = S::load(unsafe { panels[j].get_unchecked(first..first + S::LANES) });
                }
                for (i, sums) in sums.iter_mut().enumerate() {
                    // SAFETY: the caller has checked that every row has all runs.
                    let left = S::splat(unsafe { *left.get_unchecked(i * self.left.stride + at) });
                    for (sum, &right) in sums.iter_mut().zip(&right) {
                        *sum = S::fma(left, right, *sum);
                    }
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                S::store(sum, &mut self.out[(row + i) * n + column + j * S::LANES..]);
            }
        }
    }
}
