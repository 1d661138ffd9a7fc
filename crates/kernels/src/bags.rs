//! Sums of learned rows: every bag names some rows of a table, and its result is their sum. Nothing is multiplied by zeros.

use std::ops::Range;

use rayon::prelude::*;

use crate::{
    Level,
    rows::add_to,
    simd::{self, Simd, Task},
};

/// The rows of all bags, one bag after another; bag `i` has `rows[ends[i - 1]..ends[i]]`.
#[derive(Clone, Copy, Debug)]
pub struct Bags<'a> {
    pub rows: &'a [i32],
    pub ends: &'a [usize],
}

/// A bag names a row that the table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bag names row {row} of a table with {rows} rows")]
pub struct RowError {
    row: i32,
    rows: usize,
}

impl Bags<'_> {
    /// Whether all rows exist in a table of `rows`.
    pub fn check(&self, rows: usize) -> Result<(), RowError> {
        let wrong = self.rows.iter().find(|&&row| row < 0 || row as usize >= rows);
        wrong.map_or(Ok(()), |&row| Err(RowError { row, rows }))
    }

    pub(crate) fn bag(&self, i: usize) -> &[i32] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.rows[start..self.ends[i]]
    }
}

/// The sum of each bag: `[bags, width]`, for a table `[rows, width]`.
///
/// # Panics
/// If a bag names a row that does not exist.
pub fn forward(level: Level, bags: Bags<'_>, table: &[f32], width: usize, out: &mut [f32]) {
    assert_eq!(out.len(), bags.ends.len() * width);
    const SOME: usize = 64;
    out.par_chunks_mut(SOME * width).enumerate().for_each(|(chunk, out)| {
        simd::run(level, Sums { bags, first: SOME * chunk, table, width, out });
    });
}

struct Sums<'a> {
    bags: Bags<'a>,
    first: usize,
    table: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl Task for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for (i, out) in self.out.chunks_exact_mut(self.width).enumerate() {
            out.fill(0.0);
            for &row in self.bags.bag(self.first + i) {
                add_to::<S>(out, &self.table[row as usize * self.width..][..self.width]);
            }
        }
    }
}

/// Adds the gradient of each bag to its rows' gradients. Threads share out the columns, so that every sum has one order.
///
/// # Panics
/// If a bag names a row that does not exist.
pub fn backward(level: Level, bags: Bags<'_>, gradient: &[f32], width: usize, to_table: &mut [f32]) {
    assert_eq!(gradient.len(), bags.ends.len() * width);
    assert!(to_table.len().is_multiple_of(width));
    bags.check(to_table.len() / width).unwrap_or_else(|error| panic!("{error}"));
    let to_table = Shared(to_table.as_mut_ptr());
    let columns = (width / 2).next_multiple_of(16).min(width).max(1);
    (0..width.div_ceil(columns)).into_par_iter().for_each(|part| {
        let first = part * columns;
        let columns = first..width.min(first + columns);
        simd::run(level, Spread { bags, gradient, width, columns, to_table: &to_table });
    });
}

/// Adds some columns of the gradients to the rows of a table whose rows all exist.
struct Spread<'a> {
    bags: Bags<'a>,
    gradient: &'a [f32],
    width: usize,
    columns: Range<usize>,
    to_table: &'a Shared,
}

impl Task for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for (i, gradient) in self.gradient.chunks_exact(self.width).enumerate() {
            let from = &gradient[self.columns.clone()];
            for &row in self.bags.bag(i) {
                let at = row as usize * self.width + self.columns.start;
                // SAFETY: the row exists, and no other thread touches these columns.
                let to = unsafe { std::slice::from_raw_parts_mut(self.to_table.at(at), from.len()) };
                add_to::<S>(to, from);
            }
        }
    }
}

/// A pointer into a table whose columns are shared out among threads.
struct Shared(*mut f32);

// SAFETY: each thread writes columns of its own only.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// `at` lies within the table.
    unsafe fn at(&self, at: usize) -> *mut f32 {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(at) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random;

    proptest! {
        #[test]
        fn sums_and_gradients_match_plain_loops(
            bags in prop::collection::vec(prop::collection::vec(0i32..9, 0..6), 1..200), width in 1usize..70, seed: u64,
        ) {
            let rows: Vec<i32> = bags.concat();
            let ends: Vec<usize> = bags.iter().scan(0, |end, bag| { *end += bag.len(); Some(*end) }).collect();
            let table = random(seed, 9 * width);
            let gradient = random(seed ^ 1, bags.len() * width);
            let mut sums = vec![0.0f32; bags.len() * width];
            let mut gradients = vec![0.0f32; 9 * width];
            for (i, bag) in bags.iter().enumerate() {
                for &row in bag {
                    for c in 0..width {
                        sums[i * width + c] += table[row as usize * width + c];
                        gradients[row as usize * width + c] += gradient[i * width + c];
                    }
                }
            }
            let bags = Bags { rows: &rows, ends: &ends };
            for level in Level::all() {
                let (mut out, mut to_table) = (vec![1.0; sums.len()], vec![0.0; gradients.len()]);
                forward(level, bags, &table, width, &mut out);
                backward(level, bags, &gradient, width, &mut to_table);
                prop_assert_eq!(&out, &sums);
                prop_assert_eq!(&to_table, &gradients);
            }
        }
    }

    #[test]
    fn a_row_that_does_not_exist_is_named() {
        let error = Bags { rows: &[0, 7], ends: &[2] }.check(7).unwrap_err();
        assert_eq!(error.to_string(), "a bag names row 7 of a table with 7 rows");
        assert!(Bags { rows: &[-1], ends: &[1] }.check(7).is_err());
    }
}
