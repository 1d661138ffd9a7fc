//! Muon's update (Jordan et al. 2024): the momentum of a matrix, made nearly orthogonal by Newton-Schulz iterations.

use crate::{
    Aligned, Level,
    product::{self, Into, Out, Size, View, rounded},
};

/// Coefficients of the quintic iteration: singular values between 0 and 1 end up near 1 after five rounds, though not on it.
const A: f32 = 3.4445;
const B: f32 = -4.7750;
const C: f32 = 2.0315;
const ROUNDS: usize = 5;

/// Replaces a row-major matrix by one with the same singular vectors and singular values near 1. On this thread alone, so that the
/// result depends on the matrix and the level and on nothing else.
pub fn orthogonalise(level: Level, matrix: &mut [f32], rows: usize, columns: usize) {
    assert_eq!(matrix.len(), rows * columns);
    let norm = matrix.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if norm == 0.0 || !norm.is_finite() {
        return;
    }
    let shrink = (1.0 / (norm + 1e-7)) as f32;
    matrix.iter_mut().for_each(|x| *x *= shrink);
    for _ in 0..ROUNDS {
        // The smaller of the two Gram matrices, on whichever side of X it stands.
        let tall = rows > columns;
        let side = rows.min(columns);
        let x = View::new(matrix, rows, columns);
        let gram = if tall { transposed_product(level, x, x) } else { product_with_transposed(level, x, x) };
        let square = times(level, View::new(&gram, side, side), View::new(&gram, side, side));
        let factor: Vec<f32> = gram.iter().zip(&square).map(|(gram, square)| B * gram + C * square).collect();
        let factor = View::new(&factor, side, side);
        let added = if tall { times(level, x, factor) } else { times(level, factor, x) };
        matrix.iter_mut().zip(added).for_each(|(x, added)| *x = A * *x + added);
    }
}

/// `left * right`.
fn times(level: Level, left: View<'_>, right: View<'_>) -> Vec<f32> {
    let size = Size { m: left.rows, n: right.columns, k: left.columns };
    let (mut a, mut b) = factors(level, size);
    product::left(level, left, &mut a);
    product::right(level, right, &mut b);
    written(level, size, |out, stride| {
        product::product(level, size, &a, &b, out, stride, Into::Replace);
    })
}

/// `left * right^T`.
fn product_with_transposed(level: Level, left: View<'_>, right: View<'_>) -> Vec<f32> {
    let size = Size { m: left.rows, n: right.rows, k: left.columns };
    let (mut a, mut b) = factors(level, size);
    product::left(level, left, &mut a);
    product::right_transposed(level, right, &mut b);
    written(level, size, |out, stride| {
        product::product(level, size, &a, &b, out, stride, Into::Replace);
    })
}

/// `left^T * right`.
fn transposed_product(level: Level, left: View<'_>, right: View<'_>) -> Vec<f32> {
    let size = Size { m: left.columns, n: right.columns, k: left.rows };
    let (mut a, mut b) = factors(level, size);
    product::left_transposed(level, left, &mut a);
    product::right(level, right, &mut b);
    written(level, size, |values, stride| {
        product::product_transposed(level, size, &a, &b, Out { values, stride, into: Into::Replace });
    })
}

/// Memory for both packed factors.
fn factors(level: Level, size: Size) -> (Aligned, Aligned) {
    let left = product::words(level, rounded(size.m), size.k);
    (Aligned::zeros(left), Aligned::zeros(product::words(level, size.n, size.k)))
}

/// What a product writes, without what it writes beyond the edges.
fn written(level: Level, size: Size, product: impl FnOnce(&mut [f32], usize)) -> Vec<f32> {
    let stride = rounded(size.n);
    let mut wide = Aligned::zeros(product::rows_written(level, size.m) * stride);
    product(&mut wide, stride);
    wide.chunks_exact(stride).take(size.m).flat_map(|row| &row[..size.n]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    /// Orthogonal vectors of length 1, by Gram and Schmidt.
    fn orthonormal(seed: u64, count: usize, len: usize) -> Vec<Vec<f64>> {
        let mut found: Vec<Vec<f64>> = Vec::new();
        for row in random(seed, count * len).chunks(len) {
            let mut row: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
            for other in &found {
                let dot: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= dot * b);
            }
            let norm = row.iter().map(|a| a * a).sum::<f64>().sqrt();
            found.push(row.into_iter().map(|a| a / norm).collect());
        }
        found
    }

    /// The scalar iteration that each singular value goes through.
    fn iterated(mut s: f64) -> f64 {
        let [a, b, c] = [A, B, C].map(f64::from);
        for _ in 0..ROUNDS {
            s = a * s + b * s.powi(3) + c * s.powi(5);
        }
        s
    }

    #[test]
    fn singular_vectors_stay_and_singular_values_come_near_one_at_every_level() {
        let sizes = [8.0, 4.0, 2.0, 1.0];
        let norm = sizes.iter().map(|s: &f64| s * s).sum::<f64>().sqrt();
        for (rows, columns) in [(20, 48), (48, 20), (33, 33)] {
            let (left, right) = (orthonormal(1, 4, rows), orthonormal(2, 4, columns));
            let with = |values: [f64; 4]| -> Vec<f32> {
                let at =
                    |r: usize, c: usize| (0..4).map(|i| values[i] * left[i][r] * right[i][c]).sum::<f64>();
                (0..rows * columns).map(|i| at(i / columns, i % columns) as f32).collect()
            };
            let expected = with(sizes.map(|s| iterated(s / norm)));
            for level in Level::all() {
                let mut matrix = with(sizes);
                orthogonalise(level, &mut matrix, rows, columns);
                let off: f32 = matrix.iter().zip(&expected).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
                let allowed = if level.rounds() { 0.1 } else { 1e-3 };
                assert!(off < allowed, "{level} {rows} x {columns}: {off}");
            }
        }
        assert!((0.6..1.3).contains(&iterated(0.1)) && (0.6..1.3).contains(&iterated(0.9)));
    }

    #[test]
    fn nothing_stays_nothing() {
        let mut matrix = vec![0.0; 12];
        orthogonalise(Level::best(), &mut matrix, 3, 4);
        assert_eq!(matrix, vec![0.0; 12]);
    }
}
