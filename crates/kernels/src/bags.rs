//! Sums of learned rows: every bag names some rows of a table, and its result is their sum. Nothing is multiplied by zeros.

use rayon::prelude::*;

use crate::{
    Level,
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

    fn bag(&self, i: usize) -> &[i32] {
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
        for (i, out) in out.chunks_exact_mut(width).enumerate() {
            out.fill(0.0);
            for &row in bags.bag(SOME * chunk + i) {
                add(level, out, &table[row as usize * width..][..width]);
            }
        }
    });
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
        let columns = columns.min(width - first);
        for i in 0..bags.ends.len() {
            let from = &gradient[i * width + first..][..columns];
            for &row in bags.bag(i) {
                // SAFETY: the row exists, and no other thread touches these columns.
                let to = unsafe {
                    std::slice::from_raw_parts_mut(to_table.at(row as usize * width + first), columns)
                };
                add(level, to, from);
            }
        }
    });
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

#[inline]
fn add(level: Level, to: &mut [f32], from: &[f32]) {
    struct Add<'a>(&'a mut [f32], &'a [f32]);
    impl Task for Add<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            let whole = self.0.len() / S::LANES * S::LANES;
            for i in (0..whole).step_by(S::LANES) {
                S::store(S::add(S::load(&self.0[i..]), S::load(&self.1[i..])), &mut self.0[i..]);
            }
            for (to, from) in self.0[whole..].iter_mut().zip(&self.1[whole..]) {
                *to += from;
            }
        }
    }
    simd::run(level, Add(to, from));
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
            let mut slopes = vec![0.0f32; 9 * width];
            for (i, bag) in bags.iter().enumerate() {
                for &row in bag {
                    for c in 0..width {
                        sums[i * width + c] += table[row as usize * width + c];
                        slopes[row as usize * width + c] += gradient[i * width + c];
                    }
                }
            }
            let bags = Bags { rows: &rows, ends: &ends };
            for level in Level::all() {
                let (mut out, mut to_table) = (vec![1.0; sums.len()], vec![0.0; slopes.len()]);
                forward(level, bags, &table, width, &mut out);
                backward(level, bags, &gradient, width, &mut to_table);
                prop_assert_eq!(&out, &sums);
                prop_assert_eq!(&to_table, &slopes);
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
