use super::*;
use crate::testing::random;

fn portable() -> Int8 {
    Int8::all().last().expect("plain Rust is always there")
}

fn run(by: Int8, x: &[f32], [rows, inputs, outputs]: [usize; 3], base: usize) -> Vec<f32> {
    let weights = random(2, inputs * outputs);
    let bias = random(3, outputs);
    let matrix = Int8Matrix::new(View::new(&weights, inputs, outputs), Some(&bias));
    let mut left = Int8Rows::default();
    left.fill(by, View::new(x, rows, inputs));
    let stride = matrix.columns() + 16;
    let mut out = random(4, rows * stride);
    let other = random(5, out.len());
    let base = [Base::Nothing, Base::There, Base::Matrix(&other)][base];
    gemm(by, &left, &matrix, &mut out, stride, base);
    out
}

#[test]
fn every_kind_gives_the_bits_of_the_portable_one() {
    for size in
        [[1, 64, 128], [2, 20, 272], [3, 256, 64], [4, 64, 80], [16, 256, 48], [37, 100, 33], [64, 130, 16]]
    {
        let mut x = random(1, size[0] * size[1]);
        x.iter_mut().enumerate().for_each(|(i, x)| *x *= (i / size[1] + 1) as f32);
        x[..size[1]].fill(0.0);
        for base in 0..3 {
            let expected = run(portable(), &x, size, base);
            for by in Int8::all() {
                assert_eq!(run(by, &x, size, base), expected, "{by:?} {size:?}");
            }
        }
    }
}

#[test]
fn a_row_has_the_same_bits_alone_and_among_others() {
    let [rows, inputs, outputs] = [19, 128, 96];
    let x = random(1, rows * inputs);
    for by in Int8::all() {
        let together = run(by, &x, [rows, inputs, outputs], 0);
        for (i, x) in x.chunks_exact(inputs).enumerate() {
            let alone = run(by, x, [1, inputs, outputs], 0);
            assert_eq!(alone[..outputs], together[i * (outputs + 16)..][..outputs], "{by:?} {i}");
        }
    }
}

#[test]
fn products_are_close_to_exact_ones() {
    let [rows, inputs, outputs] = [8, 256, 32];
    let x = random(1, rows * inputs);
    let (weights, bias) = (random(2, inputs * outputs), random(3, outputs));
    let by = Int8::all().next().expect("a kind");
    let found = run(by, &x, [rows, inputs, outputs], 0);
    for row in 0..rows {
        for column in 0..outputs {
            let exact: f64 = (0..inputs)
                .map(|i| f64::from(x[row * inputs + i]) * f64::from(weights[i * outputs + column]))
                .sum();
            let error = f64::from(found[row * (outputs + 16) + column]) - exact - f64::from(bias[column]);
            // Rounding errors of 1/254 in numbers from -1 to 1, added as a random walk.
            assert!(error.abs() < 0.15, "{row} {column}: {error}");
        }
    }
}

#[test]
fn a_row_that_is_not_finite_spoils_itself_alone() {
    for (by, bad) in Int8::all().flat_map(|by| [f32::NAN, f32::INFINITY].map(|bad| (by, bad))) {
        let mut x = random(1, 3 * 40);
        x[41] = bad;
        let out = run(by, &x, [3, 40, 16], 0);
        assert!(out[32..48].iter().all(|x| x.is_nan()), "{by:?}");
        assert!(out[..16].iter().chain(&out[64..80]).all(|x| x.is_finite()), "{by:?}");
    }
}
