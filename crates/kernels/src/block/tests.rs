//! The block against a plain f64 one, and its gradients against that one's finite differences.

use super::*;
use crate::{
    Level, adamw, smolgen,
    testing::{Plain, differences, random},
};

struct Case {
    shape: Shape,
    parameters: Vec<f32>,
    x: Vec<f32>,
    bias: Option<Vec<f32>>,
    present: Option<Vec<bool>>,
    dropout: Option<Dropout>,
}

impl Case {
    /// With one token in three absent and a fifth of what is added dropped.
    fn disturbed(self) -> Case {
        let tokens = self.x.len() / self.shape.width;
        let present = (0..tokens).map(|i| i % 3 != 1).collect();
        Case { present: Some(present), dropout: Some(Dropout { rate: 0.2, seed: 9 }), ..self }
    }

    fn packed(&self, level: Level, train: bool) -> PackedBlock {
        let packed = PackedBlock::new(level, self.shape, &self.parameters, train);
        match self.dropout {
            Some(dropout) => packed.with_dropout(dropout),
            None => packed,
        }
    }

    /// What a half multiplies its addition by, for one position.
    fn factors(&self, position: usize, half: u64) -> Vec<f64> {
        let mut ones = vec![1.0; self.shape.values()];
        if let Some(dropout) = self.dropout {
            let width = self.shape.width;
            dropout.apply(2 * position as u64 + half, &mut ones, width, 0, width);
        }
        wide(&ones)
    }
}

fn case(shape: Shape, positions: usize, with_bias: bool) -> Case {
    let layout = Layout::of(&shape);
    let mut parameters: Vec<f32> = random(1, layout.total()).into_iter().map(|x| 0.15 * x).collect();
    for part in [Part::Norm1, Part::Norm2] {
        parameters[layout.range(part)].iter_mut().for_each(|x| *x += 1.0);
    }
    let bias = with_bias.then(|| random(3, positions * shape.bias_len()));
    let x = random(2, positions * shape.values());
    Case { shape, parameters, x, bias, present: None, dropout: None }
}

fn cases() -> Vec<Case> {
    let shape = |tokens, width, heads, hidden, activation| Shape {
        tokens,
        width,
        heads,
        hidden,
        activation,
        biases: true,
    };
    vec![
        case(shape(64, 64, 2, 64, Activation::Gelu), 2, true),
        case(shape(65, 64, 4, 32, Activation::SwiGlu), 2, false),
        case(shape(9, 32, 1, 48, Activation::GeluTanh), 3, true),
        case(shape(1, 16, 1, 16, Activation::Gelu), 2, false),
        case(shape(40, 48, 3, 16, Activation::Gelu), 1, true),
        case(shape(24, 32, 2, 32, Activation::Gelu), 3, true).disturbed(),
        case(shape(331, 32, 2, 32, Activation::SwiGlu), 1, false).disturbed(),
    ]
}

/// The same block in plain f64, one position.
fn plain(case: &Case, position: usize, parameters: &[f64], x: &[f64], bias: Option<&[f64]>) -> Vec<f64> {
    let shape = &case.shape;
    let layout = Layout::of(shape);
    let get = |part| &parameters[layout.range(part)];
    let Shape { tokens, width, heads, .. } = *shape;
    let head = width / heads;
    let normed = Plain::norm(x, get(Part::Norm1), get(Part::Norm1Bias));
    let linear = |x: &[f64], weight, bias| Plain::linear(x, get(weight), get(bias));
    let qkv = linear(&normed, Part::Qkv, Part::QkvBias);
    let at = |row: usize, which: usize, column: usize| qkv[(3 * row + which) * width + column];
    let mut mixed = vec![0.0; tokens * width];
    for h in 0..heads {
        for i in 0..tokens {
            let scores: Vec<f64> = (0..tokens)
                .map(|j| {
                    let dot: f64 = (0..head).map(|d| at(i, 0, h * head + d) * at(j, 1, h * head + d)).sum();
                    let absent = case.present.as_ref().is_some_and(|here| !here[position * tokens + j]);
                    let mask = if absent { f64::NEG_INFINITY } else { 0.0 };
                    let bias = bias.map_or(0.0, |b| b[(h * tokens + i) * tokens + j]);
                    dot / (head as f64).sqrt() + bias + mask
                })
                .collect();
            for (j, weight) in Plain::softmax(&scores).into_iter().enumerate() {
                for d in 0..head {
                    mixed[i * width + h * head + d] += weight * at(j, 2, h * head + d);
                }
            }
        }
    }
    let add = |a: &[f64], b: &[f64], half| -> Vec<f64> {
        let factors = case.factors(position, half);
        a.iter().zip(b).zip(factors).map(|((a, b), factor)| a + b * factor).collect()
    };
    let x1 = add(x, &linear(&mixed, Part::Out, Part::OutBias), 0);
    let normed = Plain::norm(&x1, get(Part::Norm2), get(Part::Norm2Bias));
    let up = linear(&normed, Part::Up, Part::UpBias);
    let active = Plain::activation(shape.activation, &up, shape.hidden);
    add(&x1, &linear(&active, Part::Down, Part::DownBias), 1)
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&x| f64::from(x)).collect()
}

/// All positions, and the sum of the results weighted by fixed random numbers: the loss of the gradient tests.
fn plain_batch(case: &Case, parameters: &[f64], x: &[f64], bias: Option<&[f64]>) -> (Vec<f64>, f64) {
    let (len, bias_len) = (case.shape.values(), case.shape.bias_len());
    let one = |i: usize| {
        plain(case, i, parameters, &x[i * len..][..len], bias.map(|b| &b[i * bias_len..][..bias_len]))
    };
    let y: Vec<f64> = (0..x.len() / len).flat_map(one).collect();
    let loss = y.iter().zip(random(4, y.len())).map(|(y, w)| y * f64::from(w)).sum();
    (y, loss)
}

#[test]
fn the_block_matches_a_plain_one_at_every_level() {
    for case in cases() {
        let (expected, _) = plain_batch(
            &case,
            &wide(&case.parameters),
            &wide(&case.x),
            case.bias.as_deref().map(wide).as_deref(),
        );
        for level in Level::all() {
            let packed = case.packed(level, false);
            let mut y = vec![0.0; case.x.len()];
            forward_masked(&packed, &case.x, case.bias.as_deref(), case.present.as_deref(), &mut y, None);
            let tolerance = if level.rounds() { 3e-2 } else { 2e-5 };
            for (at, (y, expected)) in y.iter().zip(&expected).enumerate() {
                let error = (f64::from(*y) - expected).abs();
                assert!(error < tolerance, "{level} {:?} at {at}: {y} {expected}", case.shape);
            }
        }
    }
}

/// Largest error, as a share of the largest gradient.
fn compare(name: &str, level: Level, shape: &Shape, found: &[f32], expected: &[f64], at: &[usize]) {
    let largest = expected.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let tolerance = if level.rounds() { 4e-2 } else { 2e-4 };
    for (&at, expected) in at.iter().zip(expected) {
        let error = (f64::from(found[at]) - expected).abs();
        assert!(
            error <= tolerance * largest + 1e-6,
            "{name} {level} {shape:?} at {at}: {} {expected}",
            found[at]
        );
    }
}

#[test]
fn gradients_match_finite_differences_at_every_level() {
    for case in cases() {
        let (parameters, x) = (wide(&case.parameters), wide(&case.x));
        let bias = case.bias.as_deref().map(wide);
        let count = if case.shape.tokens > 100 { 2 } else { 6 };
        let some = |len: usize| -> Vec<usize> { (0..count).map(|i| (i * 7919 + 13) % len).collect() };
        let layout = Layout::of(&case.shape);
        let places: Vec<(Part, Vec<usize>)> = Part::ALL
            .into_iter()
            .map(|part| {
                let range = layout.range(part);
                (part, some(range.len()).into_iter().map(|at| range.start + at).collect())
            })
            .collect();
        let expected: Vec<Vec<f64>> = places
            .iter()
            .map(|(_, at)| differences(&parameters, at, |p| plain_batch(&case, p, &x, bias.as_deref()).1))
            .collect();
        let at_x = some(x.len());
        let expected_x = differences(&x, &at_x, |x| plain_batch(&case, &parameters, x, bias.as_deref()).1);
        let at_bias = some(bias.as_ref().map_or(1, Vec::len));
        let expected_bias = bias.as_ref().map(|bias| {
            differences(bias, &at_bias, |bias| plain_batch(&case, &parameters, &x, Some(bias)).1)
        });
        for level in Level::all() {
            let packed = case.packed(level, true);
            let (bias, present) = (case.bias.as_deref(), case.present.as_deref());
            let gradient = random(4, x.len());
            let mut to_x = vec![0.0; x.len()];
            let mut to_bias = vec![0.0; case.bias.as_ref().map_or(0, Vec::len)];
            let buffer = case.bias.is_some().then_some(to_bias.as_mut_slice());
            let mut saved = vec![0.0; x.len() / case.shape.values() * case.shape.saved(level)];
            forward_masked(&packed, &case.x, bias, present, &mut to_x, Some(&mut saved));
            let kept = Kept { x: &case.x, saved: &saved, bias };
            let found = backward_masked(&packed, kept, present, &gradient, &mut to_x, buffer);
            for ((part, at), expected) in places.iter().zip(&expected) {
                compare(&format!("{part:?}"), level, &case.shape, &found, expected, at);
            }
            // The softmax does not see a constant added to all keys' scores: its gradient is zero but for rounding.
            let keys = layout.range(Part::QkvBias).skip(case.shape.width).take(case.shape.width);
            let worst = keys.fold(0f32, |a, at| a.max(found[at].abs()));
            assert!(worst < if level.rounds() { 0.05 } else { 1e-4 }, "{level}: {worst}");
            compare("x", level, &case.shape, &to_x, &expected_x, &at_x);
            if let Some(expected) = &expected_bias {
                compare("bias", level, &case.shape, &to_bias, expected, &at_bias);
            }
        }
    }
}

#[test]
fn gradients_do_not_depend_on_the_number_of_threads() {
    let shape =
        Shape { tokens: 64, width: 32, heads: 2, hidden: 32, activation: Activation::Gelu, biases: true };
    // Batches up to 128 are shared out otherwise than larger ones.
    for (level, count) in Level::all().flat_map(|level| [(level, 100), (level, 150)]) {
        let case = case(shape, count, false);
        let packed = PackedBlock::new(level, shape, &case.parameters, true);
        let packed = packed.with_dropout(Dropout { rate: 0.1, seed: 3 });
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let [mut y, mut to_x] = [(); 2].map(|()| vec![0.0; case.x.len()]);
                let mut saved = vec![0.0; count * shape.saved(level)];
                forward(&packed, &case.x, None, &mut y, Some(&mut saved));
                let kept = Kept { x: &case.x, saved: &saved, bias: None };
                let parameters = backward(&packed, kept, &case.x, &mut to_x, None);
                (parameters, to_x, y)
            })
        };
        assert_eq!(run(1), run(3), "{level} {count}");
    }
}

#[test]
fn a_block_with_its_own_smolgen_is_a_block_that_is_given_the_biases() {
    // Sixty-four tokens take a shorter backward pass where products round.
    for tokens in [8, 64] {
        own_smolgen(tokens);
    }
}

fn own_smolgen(tokens: usize) {
    let shape = Shape { tokens, width: 32, heads: 2, hidden: 32, activation: Activation::Gelu, biases: true };
    let case = case(shape, 11, false);
    let sizes = smolgen::Shape { tokens, width: 32, heads: 2, compressed: 4, hidden: 16, per_head: 16 };
    let own = random(5, smolgen::Layout::of(&sizes).total());
    for level in Level::all() {
        let smolgen = smolgen::PackedSmolgen::new(level, sizes, &own, true);
        let plain = PackedBlock::new(level, shape, &case.parameters, true);
        let fused = plain.clone().with_smolgen(smolgen.clone());
        let mut biases = vec![0.0; 11 * shape.bias_len()];
        smolgen.forward(&case.x, &mut biases);
        let [mut y, mut fused_y] = [(); 2].map(|()| vec![0.0; case.x.len()]);
        let mut saved = vec![0.0; 11 * shape.saved(level)];
        forward(&plain, &case.x, Some(&biases), &mut y, None);
        forward(&fused, &case.x, None, &mut fused_y, Some(&mut saved));
        assert_eq!(y, fused_y, "{level}");

        let [mut to_x, mut fused_to_x] = [(); 2].map(|()| vec![0.0; case.x.len()]);
        let mut to_biases = vec![0.0; biases.len()];
        let kept = Kept { x: &case.x, saved: &saved, bias: Some(&biases) };
        let mut parts = backward(&plain, kept, &y, &mut to_x, Some(&mut to_biases));
        let mut to_own = vec![0.0; own.len()];
        smolgen.backward(&case.x, &to_biases, &mut to_x, &mut to_own);
        parts.append(&mut to_own);
        let kept = Kept { bias: None, ..kept };
        let fused_parts = backward(&fused, kept, &y, &mut fused_to_x, None);
        let pairs = parts.iter().zip(&fused_parts).chain(to_x.iter().zip(&fused_to_x));
        // The smolgen sees groups of eight positions in one and all eleven in the other.
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-3 * (1.0 + a.abs())), "{level}");
    }
}

/// Mean squared distance from the wanted results over the steps of a small training.
fn curve(level: Level) -> Vec<f64> {
    let shape =
        Shape { tokens: 16, width: 32, heads: 2, hidden: 32, activation: Activation::Gelu, biases: true };
    let Case { mut parameters, x, .. } = case(shape, 24, false);
    let wanted = random(8, x.len());
    let [mut mean, mut first, mut second] = [(); 3].map(|()| vec![0.0; parameters.len()]);
    let mut losses = Vec::new();
    for _ in 0..60 {
        let packed = PackedBlock::new(level, shape, &parameters, true);
        let [mut y, mut to_x] = [(); 2].map(|()| vec![0.0; x.len()]);
        let mut saved = vec![0.0; 24 * shape.saved(level)];
        forward(&packed, &x, None, &mut y, Some(&mut saved));
        let off: Vec<f32> = y.iter().zip(&wanted).map(|(y, wanted)| y - wanted).collect();
        losses.push(off.iter().map(|x| f64::from(x * x)).sum::<f64>() / off.len() as f64);
        let kept = Kept { x: &x, saved: &saved, bias: None };
        let gradient = backward(&packed, kept, &off, &mut to_x, None);
        let step = adamw::Step {
            beta1: 0.9,
            beta2: 0.95,
            rate: 3e-3,
            root: 1.0,
            shrink: 1.0,
            decay: 0.0,
            keep: 0.9,
            epsilon: 1e-8,
        };
        let slices = adamw::Slices {
            weights: &mut parameters,
            mean: &mut mean,
            first: &mut first,
            second: &mut second,
        };
        adamw::update(level, step, slices, &gradient);
    }
    losses
}

#[test]
fn every_level_learns_along_the_same_curve() {
    let slow = curve(Level::PORTABLE);
    assert!(slow[59] < 0.7 * slow[0], "{slow:?}");
    for level in Level::all() {
        for (at, (found, expected)) in curve(level).iter().zip(&slow).enumerate() {
            let tolerance = if level.rounds() { 0.03 } else { 0.01 };
            assert!((found - expected).abs() < tolerance * expected, "{level} step {at}: {found} {expected}");
        }
    }
}

#[test]
fn shared_biases_are_the_same_biases_for_every_position_and_their_gradients_add_up() {
    let shape =
        Shape { tokens: 65, width: 32, heads: 2, hidden: 32, activation: Activation::SwiGlu, biases: true };
    let positions = 5;
    let case = case(shape, positions, false);
    let shared = random(7, shape.bias_len());
    let each = shared.repeat(positions);
    let gradient = random(8, case.x.len());
    for level in Level::all() {
        let run = |packed: PackedBlock, bias: Option<&[f32]>, to_bias: Option<&mut [f32]>| {
            let mut saved = vec![0.0; positions * shape.saved(level)];
            let [mut y, mut to_x] = [case.x.clone(), case.x.clone()];
            forward(&packed, &case.x, bias, &mut y, Some(&mut saved));
            let kept = Kept { x: &case.x, saved: &saved, bias };
            let parameters = backward(&packed, kept, &gradient, &mut to_x, to_bias);
            (y, to_x, parameters)
        };
        let mut to_each = vec![0.0; each.len()];
        let (y, to_x, own) = run(case.packed(level, true), Some(&each), Some(&mut to_each));
        let packed = case.packed(level, true).with_shared_bias(&shared);
        let (same_y, same_to_x, all) = run(packed, None, None);
        assert!(y == same_y && to_x == same_to_x, "{level}");
        let (same_own, to_shared) = all.split_at(own.len());
        assert_eq!(own, same_own, "{level}");
        for (at, found) in to_shared.iter().enumerate() {
            let expected: f32 = to_each.chunks(shape.bias_len()).map(|to| to[at]).sum();
            assert!((found - expected).abs() < 1e-4, "{level}: {found} {expected}");
        }
    }
}
