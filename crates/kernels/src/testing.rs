//! Random numbers and plain code for tests.

use crate::Activation;

/// Numbers from -1 to 1, the same for the same seed.
pub(crate) fn random(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = state;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ x >> 31) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// The nearest bf16.
pub(crate) fn bf16(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF_0000)
}

/// Plain f64 forms of what networks are made of.
pub(crate) struct Plain;

impl Plain {
    pub(crate) fn norm(x: &[f64], weight: &[f64], bias: &[f64]) -> Vec<f64> {
        let width = weight.len() as f64;
        x.chunks(weight.len())
            .flat_map(|row| {
                let mean = row.iter().sum::<f64>() / width;
                let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width;
                let scale = 1.0 / (variance + 1e-5).sqrt();
                let one = move |((x, w), b): ((&f64, &f64), &f64)| (x - mean) * scale * w + b;
                row.iter().zip(weight).zip(bias).map(one).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Rows times an `[inputs, outputs]` matrix.
    pub(crate) fn linear(x: &[f64], weight: &[f64], bias: &[f64]) -> Vec<f64> {
        let outputs = bias.len();
        let inputs = weight.len() / outputs;
        x.chunks(inputs)
            .flat_map(|row| {
                let mut out = bias.to_vec();
                for (x, weights) in row.iter().zip(weight.chunks(outputs)) {
                    for (out, weight) in out.iter_mut().zip(weights) {
                        *out += x * weight;
                    }
                }
                out
            })
            .collect()
    }

    /// Rows of `width` from rows with the inputs of each.
    pub(crate) fn activation(activation: Activation, x: &[f64], width: usize) -> Vec<f64> {
        let swish = |x: f64| x / (1.0 + (-x).exp());
        let one = |x: f64| match activation {
            Activation::Gelu => x * Plain::normal(x),
            Activation::GeluTanh => {
                0.5 * x * (1.0 + (std::f64::consts::FRAC_2_PI.sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
            }
            Activation::Relu => x.max(0.0),
            Activation::SquaredRelu => x.max(0.0).powi(2),
            Activation::Swish | Activation::SwiGlu => swish(x),
            Activation::Mish => x * x.exp().ln_1p().tanh(),
        };
        if activation != Activation::SwiGlu {
            return x.iter().map(|&x| one(x)).collect();
        }
        let gated = |row: &[f64]| row.iter().zip(&row[width..]).map(|(&a, b)| one(a) * b).collect::<Vec<_>>();
        x.chunks(2 * width).flat_map(gated).collect()
    }

    pub(crate) fn softmax(scores: &[f64]) -> Vec<f64> {
        let top = scores.iter().fold(f64::MIN, |a, &b| a.max(b));
        let sum: f64 = scores.iter().map(|s| (s - top).exp()).sum();
        scores.iter().map(|s| (s - top).exp() / sum).collect()
    }

    /// The chance that a normal number is below `x`: Taylor series near zero, continued fraction far from it.
    pub(crate) fn normal(x: f64) -> f64 {
        let a = x.abs();
        let density = (-a * a / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let tail = if a < 3.0 {
            let (mut term, mut sum) = (a, a);
            for n in 1..120 {
                term *= a * a / f64::from(2 * n + 1);
                sum += term;
            }
            0.5 - density * sum
        } else {
            density / (1..200).rev().fold(a, |f, n| a + f64::from(n) / f)
        };
        if x < 0.0 { tail } else { 1.0 - tail }
    }
}

/// Gradients of a function at some of its arguments, by central differences.
pub(crate) fn differences(values: &[f64], at: &[usize], f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let mut values = values.to_vec();
    let mut slope = |&at: &usize| {
        let before = values[at];
        values[at] = before + STEP;
        let above = f(&values);
        values[at] = before - STEP;
        let below = f(&values);
        values[at] = before;
        (above - below) / (2.0 * STEP)
    };
    at.iter().map(&mut slope).collect()
}
