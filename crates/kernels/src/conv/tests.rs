use super::*;
use crate::testing::{Plain, differences, random};

/// Plain f64 convolution with bias.
fn plain_convolution(x: &[f64], weight: &[f64], bias: &[f64]) -> Vec<f64> {
    let channels = bias.len();
    let mut out = Vec::with_capacity(x.len());
    for square in 0..64 {
        let mut sum = bias.to_vec();
        for neighbour in 0..9 {
            let rank = square as isize / 8 + neighbour / 3 - 1;
            let file = square as isize % 8 + neighbour % 3 - 1;
            if (0..8).contains(&rank) && (0..8).contains(&file) {
                for i in 0..channels {
                    let value = x[(8 * rank + file) as usize * channels + i];
                    for (o, sum) in sum.iter_mut().enumerate() {
                        *sum += value * weight[(neighbour as usize * channels + i) * channels + o];
                    }
                }
            }
        }
        out.extend(sum);
    }
    out
}

pub(super) fn plain(channels: usize, parameters: &[f64], x: &[f64]) -> Vec<f64> {
    let (parameters, squeeze) = parameters.split_at(super::parameters(channels));
    let (first, second) = parameters.split_at(parameters.len() / 2);
    let len = 9 * channels * channels;
    x.chunks(64 * channels)
        .flat_map(|x| {
            let mut middle = plain_convolution(x, &first[..len], &first[len..]);
            middle.iter_mut().for_each(|x| *x = x.max(0.0));
            let out = plain_convolution(&middle, &second[..len], &second[len..]);
            let [gate, shift] = match squeeze {
                [] => [vec![1.0; channels], vec![0.0; channels]],
                squeeze => plain_gate(squeeze, &out, channels),
            };
            let joined = out.iter().zip(x).enumerate();
            let join = |(i, (z, x)): (usize, (&f64, &f64))| {
                (z * gate[i % channels] + shift[i % channels] + x).max(0.0)
            };
            joined.map(join).collect::<Vec<_>>()
        })
        .collect()
}

/// Gates and shifts.
fn plain_gate(parameters: &[f64], z: &[f64], channels: usize) -> [Vec<f64>; 2] {
    let (first, rest) = parameters.split_at(REDUCED * channels);
    let (first_bias, rest) = rest.split_at(REDUCED);
    let (second, rest) = rest.split_at(REDUCED * channels);
    let (second_bias, shift) = rest.split_at(channels);
    let means: Vec<f64> =
        (0..channels).map(|c| z.iter().skip(c).step_by(channels).sum::<f64>() / 64.0).collect();
    let hidden: Vec<f64> = Plain::linear(&means, first, first_bias).iter().map(|x| x.max(0.0)).collect();
    let gates =
        Plain::linear(&hidden, second, second_bias).iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
    let shifts = match shift {
        [] => vec![0.0; channels],
        shift => Plain::linear(&hidden, &shift[..REDUCED * channels], &shift[REDUCED * channels..]),
    };
    [gates, shifts]
}

/// Numbers between the products of the gate in tests.
pub(super) const REDUCED: usize = 16;

fn packed(level: Level, channels: usize, parameters: &[f32], train: bool) -> PackedResidual {
    if parameters.len() == super::parameters(channels) {
        PackedResidual::new(level, channels, parameters, train)
    } else {
        PackedResidual::with_squeeze(level, channels, REDUCED, parameters, train)
    }
}

#[test]
fn shifts_beside_gates_are_added_at_every_level_and_in_int8() {
    let channels = 32;
    let parameters = random(6, parameters_with_shift(channels, REDUCED));
    let parameters: Vec<f32> = parameters.into_iter().map(|x| 0.1 * x).collect();
    let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|&x| f64::from(x)).collect() };
    for boards in [1, 20] {
        let x: Vec<f32> = random(7, boards * 64 * channels).into_iter().map(|x| x.max(0.0)).collect();
        let expected = plain(channels, &wide(&parameters), &wide(&x));
        let close = |y: &[f32], tolerance: f64, name: &str| {
            let mut pairs = y.iter().zip(&expected);
            assert!(pairs.all(|(y, e)| (f64::from(*y) - e).abs() < tolerance), "{name}, {boards} boards");
        };
        let mut y = vec![0.0; x.len()];
        for level in Level::all() {
            forward(&packed(level, channels, &parameters, false), &x, &mut y);
            close(&y, if level.rounds() { 0.05 } else { 1e-4 }, &level.to_string());
        }
        let packed = int8::PackedResidualInt8::new(Level::best(), channels, REDUCED, &parameters);
        int8::forward(&packed, &x, &mut y);
        close(&y, 0.1, "int8");
    }
}

#[test]
fn blocks_and_their_gradients_match_plain_ones_at_every_level() {
    // Boards alone, a group of sixteen that is not full, and more than two full ones.
    for (channels, boards, squeeze) in [(32, 5, true), (64, 9, false), (32, 37, false), (32, 20, true)] {
        match_plain_ones(channels, boards, squeeze);
    }
}

fn match_plain_ones(channels: usize, boards: usize, squeeze: bool) {
    let len = if squeeze { parameters_with_squeeze(channels, REDUCED) } else { parameters(channels) };
    let mut scaled: Vec<f32> = random(1, len).into_iter().map(|x| 0.1 * x).collect();
    scaled[parameters(channels)..].iter_mut().for_each(|x| *x *= 10.0);
    let x = random(2, boards * 64 * channels);
    let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|&x| f64::from(x)).collect() };
    let expected = plain(channels, &wide(&scaled), &wide(&x));
    let gradient = random(3, x.len());
    let loss = |parameters: &[f64], x: &[f64]| -> f64 {
        plain(channels, parameters, x).iter().zip(&gradient).map(|(y, &g)| y * f64::from(g)).sum()
    };
    let half = parameters(channels) / 2;
    let mut places = vec![5, 777, 5000, half - 1, half + 40, half + 7000, 2 * half - 30];
    if squeeze {
        let bias = 2 * half + REDUCED * channels;
        places.extend([2 * half + 9, bias + 1, bias + REDUCED + 100, len - 1, len - 7]);
    }
    let expected_parameters = differences(&wide(&scaled), &places, |p| loss(p, &wide(&x)));
    let at_x = [0, 300, 3000, 9999, x.len() - 1];
    let expected_x = differences(&wide(&x), &at_x, |x| loss(&wide(&scaled), x));
    let mut plain_level = (Vec::new(), Vec::new());
    for level in Level::all() {
        let packed = packed(level, channels, &scaled, true);
        let mut y = vec![0.0; x.len()];
        let between = forward_keeping(&packed, &x, &mut y);
        let tolerance = if level.rounds() { 0.05 } else { 1e-4 };
        for (at, (y, expected)) in y.iter().zip(&expected).enumerate() {
            assert!((f64::from(*y) - expected).abs() < tolerance, "{level} {at}: {y} {expected}");
        }
        let mut to_x = vec![0.0; x.len()];
        let kept = Kept { x: &x, y: &y, between: None };
        let found = backward(&packed, kept, &gradient, &mut to_x);
        let mut to_x_again = vec![0.0; x.len()];
        let again = backward(&packed, Kept { between: Some(&between), ..kept }, &gradient, &mut to_x_again);
        assert!(again == found && to_x_again == to_x, "{level}: what was kept is what is computed again");
        if level.rounds() {
            // By estimate bf16 opens or closes one gate in a thousand; a wrong gate is wrong as a whole, and the root of a thousandth is 3 %.
            for (found, expected) in [(&found, &plain_level.0), (&to_x, &plain_level.1)] {
                let share = distance(found, expected) / distance(&vec![0.0; expected.len()], expected);
                assert!(share < 0.06, "{level}, {boards} boards of {channels}: {share}");
            }
            continue;
        }
        for (&at, expected) in places.iter().zip(&expected_parameters) {
            let error = (f64::from(found[at]) - expected).abs();
            assert!(error < 2e-3 * (1.0 + expected.abs()), "{level} {at}: {} {expected}", found[at]);
        }
        for (&at, expected) in at_x.iter().zip(&expected_x) {
            let error = (f64::from(to_x[at]) - expected).abs();
            assert!(error < 2e-3, "{level} x {at}: {} {expected}", to_x[at]);
        }
        plain_level = (found, to_x);
    }
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
}

#[test]
fn a_board_gives_the_same_alone_and_among_others() {
    let (channels, boards) = (64, 21);
    let scaled: Vec<f32> =
        random(4, parameters_with_squeeze(channels, REDUCED)).into_iter().map(|x| 0.1 * x).collect();
    let x = random(5, boards * 64 * channels);
    for level in Level::all() {
        let packed = packed(level, channels, &scaled, false);
        let (mut together, mut alone) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        forward(&packed, &x, &mut together);
        for (x, y) in x.chunks(64 * channels).zip(alone.chunks_mut(64 * channels)) {
            forward(&packed, x, y);
        }
        assert!(together == alone, "{level}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (channels, boards) = (32, 150);
    let scaled: Vec<f32> = random(6, parameters(channels)).into_iter().map(|x| 0.1 * x).collect();
    let x = random(7, boards * 64 * channels);
    for level in Level::all() {
        let packed = PackedResidual::new(level, channels, &scaled, true);
        let results = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let (mut y, mut to_x) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                forward(&packed, &x, &mut y);
                let gradients = backward(&packed, Kept { x: &x, y: &y, between: None }, &x, &mut to_x);
                (y, to_x, gradients)
            })
        });
        assert!(results[0] == results[1], "{level}");
    }
}
