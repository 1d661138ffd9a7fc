//! Factors in f32: the left one row by row, the right one in panels of sixteen columns, a transposed left one as if it were right.

use std::ops::Range;

use super::{GRAIN, Into, Place, RANK, Runs, Size, View};
use crate::{
    Level,
    simd::{self, EightByTwo, Simd, Task},
};

pub(super) fn left(_: Level, from: View<'_>, to: &mut [f32], place: Place) {
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
pub(super) fn left_transposed(level: Level, from: View<'_>, to: &mut [f32], place: Place) {
    right(level, from, to, place);
}

pub(super) fn right(level: Level, from: View<'_>, to: &mut [f32], place: Place) {
    simd::run(level, Right { from, to, place, sums: None });
}

/// [`right`], and adds all rows to `sums`. Whole grains of columns.
pub(super) fn right_and_sums(level: Level, from: View<'_>, to: &mut [f32], sums: &mut [f32]) {
    simd::run(level, Right { from, to, place: Place { at: 0, of: from.rows }, sums: Some(sums) });
}

struct Right<'a> {
    from: View<'a>,
    to: &'a mut [f32],
    place: Place,
    sums: Option<&'a mut [f32]>,
}

impl Task for Right<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Right { from, to, place, mut sums } = self;
        let panels = to.chunks_exact_mut(GRAIN * place.of).zip((0..from.columns).step_by(GRAIN));
        for (panel, first) in panels {
            let width = GRAIN.min(from.columns - first);
            let panel = panel[GRAIN * place.at..].chunks_exact_mut(GRAIN).enumerate().take(from.rows);
            if width < GRAIN {
                for (k, to) in panel {
                    to[..width].copy_from_slice(&from.values[k * from.stride + first..][..width]);
                    to[width..].fill(0.0);
                }
                continue;
            }
            // Two vectors where a panel has two.
            let (mut low, mut high) = (S::splat(0.0), S::splat(0.0));
            for (k, to) in panel {
                let from = &from.values[k * from.stride + first..][..GRAIN];
                let x = S::load(from);
                S::store(x, to);
                low = S::add(low, x);
                if S::LANES < GRAIN {
                    let x = S::load(&from[S::LANES..]);
                    S::store(x, &mut to[S::LANES..]);
                    high = S::add(high, x);
                }
            }
            if let Some(sums) = &mut sums {
                let sums = &mut sums[first..][..GRAIN];
                S::store(S::add(S::load(sums), low), sums);
                if S::LANES < GRAIN {
                    let sums = &mut sums[S::LANES..];
                    S::store(S::add(S::load(sums), high), sums);
                }
            }
        }
    }
}

pub(super) fn right_transposed(level: Level, from: View<'_>, to: &mut [f32], place: Place) {
    simd::run(level, RightTransposed { from, to, place });
}

struct RightTransposed<'a> {
    from: View<'a>,
    to: &'a mut [f32],
    place: Place,
}

impl Task for RightTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let RightTransposed { from, to, place } = self;
        let panels = to.chunks_exact_mut(GRAIN * place.of).zip((0..from.rows).step_by(GRAIN));
        for (panel, first) in panels {
            let width = GRAIN.min(from.rows - first);
            let panel = &mut panel[GRAIN * place.at..];
            let mut k = 0;
            while width == GRAIN && k + GRAIN <= from.columns {
                let from = &from.values[first * from.stride + k..];
                let to = &mut panel[GRAIN * k..][..GRAIN * GRAIN];
                if !S::transpose_sixteen(from, self.from.stride, to) {
                    break;
                }
                k += GRAIN;
            }
            for (k, to) in panel.chunks_exact_mut(GRAIN).enumerate().take(from.columns).skip(k) {
                for (row, to) in to.iter_mut().enumerate() {
                    *to = if row < width { from.values[(first + row) * from.stride + k] } else { 0.0 };
                }
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

/// Longer sums are formed in parts: two panels of so many rows stay in the nearest cache while all rows of the left factor pass.
const NEAR: usize = 256;

impl Task for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let k = self.size.k;
        let part = k.div_ceil(k.div_ceil(NEAR).max(1));
        self.part::<S>(0..part);
        self.into = Into::Add;
        for first in (part..k).step_by(part.max(1)) {
            self.part::<S>(first..k.min(first + part));
        }
    }
}

impl Product<'_> {
    /// A part of the sum.
    #[inline(always)]
    fn part<S: Simd>(&mut self, along: Range<usize>) {
        let Size { m, n, .. } = self.size;
        let mut column = 0;
        if S::LANES == GRAIN {
            // One or two rows, as one position has: only many columns at a time keep the multipliers busy.
            while m <= 2 && column + 8 * GRAIN <= n {
                self.rows::<S, 2, 8>(column, &along);
                column += 8 * GRAIN;
            }
            while column + 2 * GRAIN <= n {
                self.rows::<S, 8, 2>(column, &along);
                column += 2 * GRAIN;
            }
            if column < n {
                self.rows::<S, 8, 1>(column, &along);
            }
        } else {
            while column < n {
                self.rows::<S, 4, 2>(column, &along);
                column += GRAIN;
            }
        }
    }

    /// All rows of some columns, `MOST` at a time.
    #[inline(always)]
    fn rows<S: Simd, const MOST: usize, const COLUMNS: usize>(
        &mut self,
        column: usize,
        along: &Range<usize>,
    ) {
        let m = self.size.m;
        let mut row = 0;
        while row + MOST <= m {
            self.block::<S, MOST, COLUMNS>(row, column, along);
            row += MOST;
        }
        if MOST > 4 && row + 4 <= m {
            self.block::<S, 4, COLUMNS>(row, column, along);
            row += 4;
        }
        if MOST > 2 && row + 2 <= m {
            self.block::<S, 2, COLUMNS>(row, column, along);
            row += 2;
        }
        if row < m {
            self.block::<S, 1, COLUMNS>(row, column, along);
        }
    }

    /// `ROWS` rows by `COLUMNS` vectors of the result, kept in registers over this part of the sum.
    #[inline(always)]
    fn block<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        row: usize,
        column: usize,
        along: &Range<usize>,
    ) {
        let (first, k) = (along.start, along.len());
        let panel = |j: usize| {
            let column = column + j * S::LANES;
            &self.right[GRAIN * (column / GRAIN * self.size.k + first)..][..GRAIN * k]
        };
        let panels: [&[f32]; COLUMNS] = std::array::from_fn(panel);
        let within: [usize; COLUMNS] = std::array::from_fn(|j| (column + j * S::LANES) % GRAIN);
        // Each block asks for its part of the columns after these, so that they are near when their turn comes.
        let blocks = self.size.m.div_ceil(ROWS);
        let share = COLUMNS * S::LANES * k / blocks;
        let ahead = panels[0].as_ptr().wrapping_add(COLUMNS * S::LANES * self.size.k + row / ROWS * share);
        let pace = COLUMNS * S::LANES / blocks;
        if ROWS == 8 && COLUMNS == 2 && S::LANES == GRAIN && k > 0 {
            let (left, row_bytes, step_bytes, ahead, ahead_bytes) = match self.left {
                Left::Rows(values, stride) => {
                    let left = &values[row * stride + first..][..(ROWS - 1) * stride + k];
                    (left.as_ptr(), 4 * stride, 4, ahead, 4 * pace)
                }
                Left::Columns { values, step, next } => {
                    let left = &values[row / GRAIN * next + row % GRAIN + first * step..];
                    let left = &left[..(k - 1) * step + ROWS];
                    (left.as_ptr(), 4, 4 * step, left.as_ptr().wrapping_add(16 * step), 4 * step)
                }
            };
            let place = row * self.stride + column;
            let long = (ROWS - 1) * self.stride + 2 * GRAIN;
            let (start, start_bytes) = match self.into {
                Into::Replace => (std::ptr::null(), 0),
                Into::Add => (self.out[place..][..long].as_ptr(), 4 * self.stride),
                Into::Row(row) => (row[column..][..2 * GRAIN].as_ptr(), 0),
                Into::Onto(x) => (x[place..][..long].as_ptr(), 4 * self.stride),
            };
            let block = EightByTwo {
                left,
                row_bytes,
                step_bytes,
                right: panels[0].as_ptr(),
                panel_bytes: 4 * GRAIN * self.size.k,
                steps: k,
                start,
                start_bytes,
                out: self.out[place..][..long].as_mut_ptr(),
                out_bytes: 4 * self.stride,
                ahead,
                ahead_bytes,
            };
            // SAFETY: all slices were cut to what the block reads and writes; the second panel was, too.
            if unsafe { S::eight_by_two(&block) } {
                return;
            }
        }
        let (stride, lanes) = (self.stride, S::LANES);
        let place = |i: usize, j: usize| (row + i) * stride + column + j * lanes;
        let mut sums = [[S::splat(0.0); COLUMNS]; ROWS];
        for (i, sums) in sums.iter_mut().enumerate() {
            for (j, sum) in sums.iter_mut().enumerate() {
                match self.into {
                    Into::Replace => {}
                    Into::Add => *sum = S::load(&self.out[place(i, j)..]),
                    Into::Row(row) => *sum = S::load(&row[column + j * lanes..]),
                    Into::Onto(x) => *sum = S::load(&x[place(i, j)..]),
                }
            }
        }
        match self.left {
            Left::Rows(values, stride) => {
                let rows: [&[f32]; ROWS] =
                    std::array::from_fn(|i| &values[(row + i) * stride + first..][..k]);
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
                let values = &values[row / GRAIN * next + row % GRAIN + first * between..];
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
