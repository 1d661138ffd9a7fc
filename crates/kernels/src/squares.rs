//! What stands on each square of a board, looked up: the square's bag of learned rows, and one row for its whole board,
//! summed and rectified.

use rayon::prelude::*;

use crate::{
    Aligned, Level,
    bags::{self, Bags},
    rows::add_to,
    simd::{self, Simd, Task},
};

/// `relu(bag + side)` for 64 bags a board: `[boards x 64, width]`, with a table `[rows, width]` and a side `[boards, width]`.
///
/// # Panics
/// If a bag names a row that does not exist.
pub fn forward(level: Level, bags: Bags<'_>, table: &[f32], side: &[f32], width: usize, y: &mut [f32]) {
    assert!(y.len() == 64 * side.len() && y.len() == bags.ends.len() * width);
    let boards = y.par_chunks_exact_mut(64 * width).zip(side.par_chunks_exact(width)).enumerate();
    boards.for_each(|(board, (y, side))| simd::run(level, Board { bags, first: 64 * board, table, side, y }));
}

struct Board<'a> {
    bags: Bags<'a>,
    first: usize,
    table: &'a [f32],
    side: &'a [f32],
    y: &'a mut [f32],
}

impl Task for Board<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let width = self.side.len();
        for (i, y) in self.y.chunks_exact_mut(width).enumerate() {
            y.copy_from_slice(self.side);
            for &row in self.bags.bag(self.first + i) {
                add_to::<S>(y, &self.table[row as usize * width..][..width]);
            }
            for y in y {
                *y = y.max(0.0);
            }
        }
    }
}

/// From the gradient of `y` to that of the side; adds that of the table to `to_table`.
///
/// # Panics
/// If a bag names a row that does not exist.
pub fn backward(
    level: Level,
    bags: Bags<'_>,
    y: &[f32],
    gradient: &[f32],
    width: usize,
    to_side: &mut [f32],
    to_table: &mut [f32],
) {
    assert!(y.len() == gradient.len() && y.len() == 64 * to_side.len());
    let mut gated = Aligned::scratch(y.len());
    let some = 64 * width;
    let boards = gated.par_chunks_exact_mut(some).zip(to_side.par_chunks_exact_mut(width));
    let given = y.par_chunks_exact(some).zip(gradient.par_chunks_exact(some));
    boards.zip(given).for_each(|((gated, to_side), (y, gradient))| {
        simd::run(level, Gate { y, gradient, gated, to_side });
    });
    bags::backward(level, bags, &gated, width, to_table);
}

struct Gate<'a> {
    y: &'a [f32],
    gradient: &'a [f32],
    gated: &'a mut [f32],
    to_side: &'a mut [f32],
}

impl Task for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for ((gated, y), gradient) in self.gated.iter_mut().zip(self.y).zip(self.gradient) {
            *gated = if *y > 0.0 { *gradient } else { 0.0 };
        }
        self.to_side.fill(0.0);
        for gated in self.gated.chunks_exact(self.to_side.len()) {
            add_to::<S>(self.to_side, gated);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn sums_and_gradients_match_plain_loops_at_every_level() {
        let (boards, rows) = (3, 40);
        for width in [16, 40] {
            let named: Vec<i32> =
                random(1, 64 * boards * 3).iter().map(|x| ((x + 1.0) * 19.9) as i32).collect();
            let ends: Vec<usize> = (0..64 * boards).map(|i| 3 * i + 1 + i % 3).collect();
            let bags = Bags { rows: &named, ends: &ends };
            let [table, side, gradient] =
                [(2, rows), (3, boards), (4, 64 * boards)].map(|(seed, len)| random(seed, len * width));
            let mut expected = vec![0.0f32; 64 * boards * width];
            let (mut expected_side, mut expected_table) =
                (vec![0.0f32; side.len()], vec![0.0f32; table.len()]);
            for i in 0..64 * boards {
                for c in 0..width {
                    let rows = || bags.bag(i).iter().map(|&row| row as usize * width + c);
                    let side_at = i / 64 * width + c;
                    let sum = rows().fold(side[side_at], |sum, at| sum + table[at]);
                    expected[i * width + c] = sum.max(0.0);
                    if sum > 0.0 {
                        expected_side[side_at] += gradient[i * width + c];
                        rows().for_each(|at| expected_table[at] += gradient[i * width + c]);
                    }
                }
            }
            for level in Level::all() {
                let (mut y, mut to_side) = (vec![1.0; expected.len()], vec![1.0; side.len()]);
                let mut to_table = vec![0.0; table.len()];
                forward(level, bags, &table, &side, width, &mut y);
                backward(level, bags, &y, &gradient, width, &mut to_side, &mut to_table);
                assert_eq!(y, expected, "{level}");
                assert_eq!(to_side, expected_side, "{level}");
                assert_eq!(to_table, expected_table, "{level}");
            }
        }
    }
}
