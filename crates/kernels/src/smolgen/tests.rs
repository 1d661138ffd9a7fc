use super::*;
use crate::testing::{Plain, differences, random};

const SHAPES: [Shape; 2] = [
    Shape { tokens: 64, width: 32, heads: 2, compressed: 8, hidden: 32, per_head: 16 },
    Shape { tokens: 8, width: 48, heads: 4, compressed: 16, hidden: 16, per_head: 32 },
];

fn plain(shape: &Shape, parameters: &[f64], x: &[f64]) -> Vec<f64> {
    let layout = Layout::of(shape);
    let get = |part| &parameters[layout.range(part)];
    let flat = Plain::linear(x, get(Part::Compress), &vec![0.0; shape.compressed]);
    let dense = Plain::linear(&flat, get(Part::Dense), get(Part::DenseBias));
    let dense = Plain::norm(&dense, get(Part::DenseNorm), get(Part::DenseNormBias));
    let split = Plain::linear(&dense, get(Part::Split), get(Part::SplitBias));
    let split = Plain::norm(&split, get(Part::SplitNorm), get(Part::SplitNormBias));
    Plain::linear(&split, get(Part::Spread), get(Part::SpreadBias))
}

#[test]
fn biases_and_gradients_match_a_plain_smolgen_at_every_level() {
    for shape in SHAPES {
        let positions = 3;
        let layout = Layout::of(&shape);
        let parameters = random(1, layout.total());
        let x = random(2, positions * shape.tokens * shape.width);
        let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|&x| f64::from(x)).collect() };
        let expected = plain(&shape, &wide(&parameters), &wide(&x));
        let gradient = random(4, expected.len());
        let loss = |parameters: &[f64], x: &[f64]| -> f64 {
            plain(&shape, parameters, x).iter().zip(&gradient).map(|(y, &g)| y * f64::from(g)).sum()
        };
        let some = |len: usize| -> Vec<usize> { (0..5).map(|i| (i * 7919 + 3) % len).collect() };
        let at_x = some(x.len());
        let expected_x = differences(&wide(&x), &at_x, |x| loss(&wide(&parameters), x));
        let places = Part::ALL.map(|part| {
            let range = layout.range(part);
            some(range.len()).into_iter().map(|at| range.start + at).collect::<Vec<_>>()
        });
        let expected_parts =
            places.each_ref().map(|at| differences(&wide(&parameters), at, |p| loss(p, &wide(&x))));
        for level in Level::all() {
            let packed = PackedSmolgen::new(level, shape, &parameters, true);
            let mut biases = vec![0.0; expected.len()];
            packed.forward(&x, &mut biases);
            let tolerance = if level.rounds() { 0.1 } else { 1e-4 };
            for (found, expected) in biases.iter().zip(&expected) {
                assert!(
                    (f64::from(*found) - expected).abs() < tolerance,
                    "{level} {shape:?} {found} {expected}"
                );
            }
            let mut to_x = vec![1.0; x.len()];
            let mut to_parameters = vec![0.0; parameters.len()];
            packed.backward(&x, &gradient, &mut to_x, &mut to_parameters);
            to_x.iter_mut().for_each(|x| *x -= 1.0);
            let near = |name: &str, found: &[f32], at: &[usize], expected: &[f64]| {
                let largest = expected.iter().fold(1e-2, |a: f64, b| a.max(b.abs()));
                for (&at, expected) in at.iter().zip(expected) {
                    let error = (f64::from(found[at]) - expected).abs();
                    let tolerance = if level.rounds() { 0.05 } else { 1e-3 };
                    assert!(
                        error < tolerance * largest,
                        "{name} {level} {shape:?}: {} {expected}",
                        found[at]
                    );
                }
            };
            near("x", &to_x, &at_x, &expected_x);
            for (i, part) in Part::ALL.into_iter().enumerate() {
                near(&format!("{part:?}"), &to_parameters, &places[i], &expected_parts[i]);
            }
        }
    }
}
