use super::*;
use crate::testing::{Plain, differences, random};

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&x| f64::from(x)).collect()
}

fn plain(shape: Shape, squares: &[f64], x: &[f64], parameters: &[f64]) -> Vec<f64> {
    let Shape { tokens, width, heads, .. } = shape;
    let places = shape.places();
    let linear = |x: &[f64], weights: Range<usize>, bias: Range<usize>| {
        Plain::linear(x, &parameters[weights], &parameters[bias])
    };
    let normed = Plain::norm(x, &parameters[places.norm.clone()], &parameters[places.norm_bias.clone()]);
    let query = linear(&normed, places.query.clone(), places.query_bias.clone());
    let both = linear(squares, places.squares.clone(), places.squares_bias.clone());
    let head = shape.head();
    let mut mixed = vec![0.0; x.len()];
    for row in 0..x.len() / width {
        let board = row / tokens;
        for h in 0..heads {
            let of = |square: usize, i: usize| both[(board * SQUARES + square) * 2 * width + h * head + i];
            let score = |square: usize| {
                (0..head).map(|i| query[row * width + h * head + i] * of(square, i)).sum::<f64>()
                    / (head as f64).sqrt()
            };
            let weights = Plain::softmax(&(0..SQUARES).map(score).collect::<Vec<_>>());
            for i in 0..head {
                mixed[row * width + h * head + i] =
                    weights.iter().enumerate().map(|(square, weight)| weight * of(square, width + i)).sum();
            }
        }
    }
    let seen = linear(&mixed, places.mix, places.mix_bias);
    x.iter().zip(seen).map(|(x, seen)| x + seen).collect()
}

#[test]
fn there_and_back_is_what_plain_code_and_differences_say() {
    for (tokens, heads, boards) in [(7, 2, 3), (14, 1, 9), (1, 2, 1), (33, 1, 2)] {
        let shape = Shape { tokens, width: 32, heads, channels: 16 };
        let [squares, x] = [random(1, boards * SQUARES * 16), random(2, boards * tokens * 32)];
        let mut parameters = random(3, shape.parameters());
        parameters[shape.places().norm].iter_mut().for_each(|weight| *weight += 1.5);
        let factors = random(4, x.len());
        let all = [wide(&squares), wide(&x), wide(&parameters)];
        let expected = plain(shape, &all[0], &all[1], &all[2]);
        let gradients: Vec<(Vec<usize>, Vec<f64>)> = (0..3)
            .map(|which| {
                let at: Vec<usize> = (0..all[which].len()).step_by((all[which].len() / 25).max(1)).collect();
                let gradients = differences(&all[which], &at, |values| {
                    let mut all = all.clone();
                    all[which] = values.to_vec();
                    let y = plain(shape, &all[0], &all[1], &all[2]);
                    y.iter().zip(&factors).map(|(y, factor)| y * f64::from(*factor)).sum()
                });
                (at, gradients)
            })
            .collect();
        for level in Level::all() {
            // Of gradients a few are looked at, through a softmax whose factors are rounded twice.
            let (allowed, allowed_gradient) = if level.rounds() { (0.04, 0.06) } else { (1e-4, 1e-4) };
            let close = |found: &[f32], expected: &[f64], what: &str, allowed: f64| {
                assert_eq!(found.len(), expected.len());
                let squares: f64 = found.iter().zip(expected).map(|(f, e)| (f64::from(*f) - e).powi(2)).sum();
                let error = (squares / expected.iter().map(|e| e * e).sum::<f64>().max(1e-9)).sqrt();
                assert!(error < allowed, "{level}, {shape:?}, {what}: {error}");
            };
            let packed = PackedCross::new(level, shape, &parameters, true);
            let mut y = vec![9.0; x.len()];
            forward(&packed, &squares, &x, &mut y);
            close(&y, &expected, "y", allowed);
            let (mut to_squares, mut to_x) = (vec![9.0; squares.len()], vec![9.0; x.len()]);
            let to = (&mut to_squares[..], &mut to_x[..]);
            let found = backward(&packed, (&squares, &x), &factors, to);
            for (found, ((at, gradients), what)) in [&to_squares, &to_x, &found]
                .into_iter()
                .zip(gradients.iter().zip(["squares", "x", "parameters"]))
            {
                let found: Vec<f32> = at.iter().map(|&at| found[at]).collect();
                close(&found, gradients, what, allowed_gradient);
            }
        }
    }
}
