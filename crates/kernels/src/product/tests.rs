use proptest::prelude::*;

use super::*;
use crate::testing::{bf16, random};

/// A plain f64 product of row-major matrices.
fn plain(left: &[f32], right: &[f32], Size { m, n, k }: Size) -> Vec<f64> {
    let mut out = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            out[i * n + j] = (0..k).map(|s| f64::from(left[i * k + s]) * f64::from(right[s * n + j])).sum();
        }
    }
    out
}

fn transpose(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| values[i % rows * columns + i / rows]).collect()
}

fn packed(
    level: Level,
    size: Size,
    left_values: &[f32],
    right_values: &[f32],
    turned: bool,
) -> [Vec<f32>; 2] {
    let Size { m, n, k } = size;
    let mut words = [words(level, m, k), words(level, n, k)].map(|words| vec![f32::NAN; words]);
    let [to_left, to_right] = &mut words;
    if turned {
        left_transposed(level, View::new(&transpose(left_values, m, k), k, m), to_left);
        right_transposed(level, View::new(&transpose(right_values, k, n), n, k), to_right);
    } else {
        left(level, View::new(left_values, m, k), to_left);
        right(level, View::new(right_values, k, n), to_right);
    }
    words
}

/// Matrices of rows one right after the other are one longer sum, wherever the tiles begin.
#[test]
fn matrices_beside_each_other_are_one_sum() {
    let (m, n) = (37, 50);
    for (rows, count) in [(65, 4), (7, 9), (64, 2), (2, 20), (33, 3), (31, 1)] {
        for level in Level::all() {
            let step = step(level, rows);
            let of = depth(level, step * count);
            let [mut a, mut b] = [random(1, count * rows * m), random(2, count * rows * n)];
            if level.rounds() {
                a.iter_mut().chain(&mut b).for_each(|x| *x = bf16(*x));
            }
            let mut left = vec![f32::NAN; words(level, m, of)];
            let mut right = vec![f32::NAN; words(level, n, of)];
            if !level.rounds() {
                // Only what rounds has room that belongs to no matrix.
                assert_eq!(of, rows * count);
            }
            for at in 0..count {
                let place = Place { at: at * step, of };
                left_transposed_at(
                    level,
                    View::new(&a[at * rows * m..][..rows * m], rows, m),
                    &mut left,
                    place,
                );
                right_at(level, View::new(&b[at * rows * n..][..rows * n], rows, n), &mut right, place);
            }
            let mut out = vec![0.0; rounded(m) * rounded(n)];
            let to = Out { values: &mut out, stride: rounded(n), into: Into::Replace };
            product_transposed(level, Size { m, n, k: of }, &left, &right, to);
            let expected = plain(&transpose(&a, count * rows, m), &b, Size { m, n, k: count * rows });
            for (at, expected) in expected.into_iter().enumerate() {
                let found = f64::from(out[at / n * rounded(n) + at % n]);
                assert!(
                    (found - expected).abs() < 1e-3,
                    "{level} {rows} x {count}, {at}: {found} {expected}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn products_match_plain_sums_at_every_level(m in 1usize..70, n in 1usize..150, k in 1usize..150, seed: u64, turned: bool, into in 0..4, few: bool, packing: bool) {
        let m = if few { m % 3 + 1 } else { m };
        let size = Size { m, n, k };
        for level in Level::all() {
            let (mut a, mut b) = (random(seed, m * k), random(seed ^ 1, k * n));
            if level.rounds() {
                a.iter_mut().chain(&mut b).for_each(|x| *x = bf16(*x));
            }
            let [left, right] = packed(level, size, &a, &b, turned);
            let stride = rounded(n) + 16;
            let mut out = vec![1.0; rounded(m) * stride];
            let row = random(seed ^ 2, rounded(n));
            let onto = random(seed ^ 3, rounded(m) * stride);
            let into = [Into::Replace, Into::Add, Into::Row(&row), Into::Onto(&onto)][into as usize];
            let mut buffer = vec![f32::NAN; left.len()];
            let turned_a = transpose(&a, m, k);
            let to = Out { values: &mut out, stride, into };
            match (turned, packing) {
                (true, true) => product_transposed(level, size, &left, &right, to),
                (true, false) => {
                    product_of_transposed(level, size, View::new(&turned_a, k, m), &mut buffer, &right, to);
                }
                (false, true) => product(level, size, &left, &right, to.values, stride, into),
                (false, false) => product_of(level, size, View::new(&a, m, k), &mut buffer, &right, to),
            }
            for (at, expected) in plain(&a, &b, size).into_iter().enumerate() {
                let expected = expected + match into {
                    Into::Replace => 0.0,
                    Into::Add => 1.0,
                    Into::Row(row) => f64::from(row[at % n]),
                    Into::Onto(x) => f64::from(x[at / n * stride + at % n]),
                };
                let found = f64::from(out[at / n * stride + at % n]);
                prop_assert!((found - expected).abs() < 2e-5 * (k as f64).sqrt(), "{level} {size:?} {at}: {found} {expected}");
            }
        }
    }
}

#[test]
fn matrices_packed_one_after_the_other_are_one_longer_sum() {
    for level in Level::all() {
        let (m, n, k, parts) = (16, 32, 48, 3);
        let of = parts * depth(level, k);
        let mut left = vec![0.0; words(level, m, of)];
        let mut right = vec![0.0; words(level, n, of)];
        let mut expected = vec![0.0; m * n];
        for part in 0..parts {
            let (a, b) = (random(part as u64, k * m), random(9 + part as u64, k * n));
            let (a, b): (Vec<f32>, Vec<f32>) =
                (a.into_iter().map(bf16).collect(), b.into_iter().map(bf16).collect());
            let place = Place { at: part * depth(level, k), of };
            left_transposed_at(level, View::new(&a, k, m), &mut left, place);
            right_at(level, View::new(&b, k, n), &mut right, place);
            for (sum, x) in expected.iter_mut().zip(plain(&transpose(&a, k, m), &b, Size { m, n, k })) {
                *sum += x;
            }
        }
        let mut out = vec![0.0; m * n];
        let to = Out { values: &mut out, stride: n, into: Into::Replace };
        product_transposed(level, Size { m, n, k: of }, &left, &right, to);
        for (found, expected) in out.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-4, "{level}: {found} {expected}");
        }
    }
}

#[test]
fn a_nan_spoils_its_row_and_no_other() {
    for level in Level::all() {
        let size = Size { m: 20, n: 20, k: 40 };
        let mut a = vec![1.0; 20 * 40];
        a[3 * 40 + 7] = f32::NAN;
        let [left, right] = packed(level, size, &a, &vec![1.0; 40 * 20], false);
        let mut out = vec![0.0; 32 * 32];
        product(level, size, &left, &right, &mut out, 32, Into::Replace);
        for row in 0..20 {
            assert_eq!(out[row * 32].is_nan(), row == 3, "{level} row {row}");
        }
    }
}

#[test]
fn tiny_numbers_do_no_harm() {
    for level in Level::all() {
        let size = Size { m: 16, n: 16, k: 32 };
        let [left, right] = packed(level, size, &vec![1e-41; 16 * 32], &vec![1.0; 32 * 16], false);
        let mut out = vec![0.0; 256];
        product(level, size, &left, &right, &mut out, 16, Into::Replace);
        assert!(out.iter().all(|x| (0.0..=3.3e-40).contains(x)), "{level}: {}", out[0]);
    }
}

#[test]
fn the_transpose_of_a_packed_factor_is_the_packed_transpose() {
    for level in Level::all().filter(|level| level.rounds()) {
        for (rows, columns) in [(32, 32), (64, 64), (96, 32)] {
            let values = random(4, rows * columns);
            let view = View::new(&values, rows, columns);
            let [mut there, mut turned, mut expected] =
                [(); 3].map(|()| vec![f32::NAN; words(level, rows, columns)]);
            left(level, view, &mut there);
            left_transposed_of_left(level, &there, (rows, columns), &mut turned);
            left_transposed(level, view, &mut expected);
            let bits = |words: &[f32]| words.iter().map(|word| word.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&turned), bits(&expected), "{level} {rows} {columns}");
        }
    }
}
