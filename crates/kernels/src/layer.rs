//! A dense layer that learns: `y = x * weights + bias`, rectified or as it is, and the backward pass.

use rayon::prelude::*;

use crate::{
    Aligned, Level,
    product::{self, Into, Out, Size, View},
    rows,
};

/// Rows, or rows of the weights' gradient, that one task takes.
const STRIP: usize = 64;

/// Sizes of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub inputs: usize,
    pub outputs: usize,
    /// Whether what is below zero becomes zero.
    pub rectified: bool,
}

impl Shape {
    /// Weights `[inputs, outputs]`, then a bias for each output.
    pub fn parameters(self) -> usize {
        (self.inputs + 1) * self.outputs
    }
}

/// A layer with its weights laid out for the CPU.
#[derive(Clone, Debug)]
pub struct PackedLayer {
    level: Level,
    shape: Shape,
    ahead: Aligned,
    /// The transpose, for the backward pass.
    back: Aligned,
    /// For whole groups of columns.
    bias: Vec<f32>,
}

impl PackedLayer {
    /// `train` if the backward pass will be asked for.
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedLayer {
        let Shape { inputs, outputs, .. } = shape;
        assert_eq!(parameters.len(), shape.parameters());
        let (weights, bias) = parameters.split_at(inputs * outputs);
        let weights = View::new(weights, inputs, outputs);
        let mut ahead = Aligned::scratch(product::words(level, outputs, inputs));
        product::right(level, weights, &mut ahead);
        let mut back = Aligned::default();
        if train {
            back = Aligned::scratch(product::words(level, inputs, outputs));
            product::right_transposed(level, weights, &mut back);
        }
        let mut bias = bias.to_vec();
        bias.resize(product::rounded(outputs), 0.0);
        PackedLayer { level, shape, ahead, back, bias }
    }
}

/// Rows of outputs from rows of inputs.
pub fn forward(packed: &PackedLayer, x: &[f32], y: &mut [f32]) {
    let Shape { inputs, outputs, rectified } = packed.shape;
    let strips = y.par_chunks_mut(STRIP * outputs).zip(x.par_chunks(STRIP * inputs));
    strips.for_each(|(y, x)| {
        multiply(packed.level, x, inputs, &packed.ahead, Into::Row(&packed.bias), y, outputs);
        if rectified {
            y.iter_mut().for_each(|y| *y = y.max(0.0));
        }
    });
}

/// From the gradient of `y` to that of `x`; returns that of the parameters.
pub fn backward(
    packed: &PackedLayer,
    (x, y): (&[f32], &[f32]),
    gradient: &[f32],
    to_x: &mut [f32],
) -> Vec<f32> {
    let PackedLayer { level, shape: Shape { inputs, outputs, rectified }, .. } = *packed;
    let rows = gradient.len() / outputs;
    let mut delta = Aligned::scratch(gradient.len());
    delta.copy_from_slice(gradient);
    if rectified {
        delta.iter_mut().zip(y).for_each(|(delta, y)| *delta = if *y > 0.0 { *delta } else { 0.0 });
    }
    let strips = to_x.par_chunks_mut(STRIP * inputs).zip(delta.par_chunks(STRIP * outputs));
    strips.for_each(|(to_x, delta)| {
        multiply(level, delta, outputs, &packed.back, Into::Replace, to_x, inputs);
    });

    let mut parameters = vec![0.0; packed.shape.parameters()];
    if rows == 0 {
        return parameters;
    }
    let (to_weights, to_bias) = parameters.split_at_mut(inputs * outputs);
    let delta = View::new(&delta, rows, outputs);
    rows::add_columns(level, delta, to_bias);
    let mut right = Aligned::scratch(product::words(level, outputs, rows));
    product::right(level, delta, &mut right);
    // Each task sums over all rows, so that a sum has one order whatever the number of threads.
    to_weights.par_chunks_mut(STRIP * outputs).enumerate().for_each(|(strip, to)| {
        let m = to.len() / outputs;
        let mut left = Aligned::scratch(product::words(level, m, rows));
        product::left_transposed(level, View::new(x, rows, inputs).columns(STRIP * strip, m), &mut left);
        let size = Size { m, n: outputs, k: rows };
        let stride = product::rounded(outputs);
        let mut wide = Aligned::scratch(product::rounded(m) * stride);
        let out = Out { values: &mut wide, stride, into: Into::Replace };
        product::product_transposed(level, size, &left, &right, out);
        narrow(&wide, stride, to, outputs);
    });
    parameters
}

/// `y = x * right`, for rows of `k` and `n` numbers.
fn multiply(level: Level, x: &[f32], k: usize, right: &[f32], into: Into<'_>, y: &mut [f32], n: usize) {
    let (m, stride) = (x.len() / k, product::rounded(n));
    let mut buffer = Aligned::default();
    if level.rounds() {
        buffer = Aligned::scratch(product::words(level, m, k));
    }
    let mut wide = Aligned::scratch(product::rounded(m) * stride);
    let out = Out { values: &mut wide, stride, into };
    product::product_of(level, Size { m, n, k }, View::new(x, m, k), &mut buffer, right, out);
    narrow(&wide, stride, y, n);
}

/// Takes rows of `n` out of rows of `stride`.
fn narrow(wide: &[f32], stride: usize, to: &mut [f32], n: usize) {
    for (to, wide) in to.chunks_exact_mut(n).zip(wide.chunks_exact(stride)) {
        to.copy_from_slice(&wide[..n]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Plain, random};

    fn wide(values: &[f32]) -> Vec<f64> {
        values.iter().map(|&x| f64::from(x)).collect()
    }

    fn error(found: &[f32], expected: &[f64]) -> f64 {
        assert_eq!(found.len(), expected.len());
        let squares = found.iter().zip(expected).map(|(f, e)| (f64::from(*f) - e).powi(2)).sum::<f64>();
        let size = expected.iter().map(|e| e * e).sum::<f64>();
        (squares / size.max(1e-9)).sqrt()
    }

    #[test]
    fn there_and_back_is_what_plain_code_says_for_any_sizes() {
        for (rows, inputs, outputs, rectified) in
            [(1, 7, 3, false), (65, 100, 30, true), (130, 33, 200, true), (64, 128, 2, false)]
        {
            let shape = Shape { inputs, outputs, rectified };
            let [x, parameters, gradient] =
                [random(1, rows * inputs), random(2, shape.parameters()), random(3, rows * outputs)];
            let (weights, bias) = parameters.split_at(inputs * outputs);
            let mut expected = Plain::linear(&wide(&x), &wide(weights), &wide(bias));
            let mut delta = wide(&gradient);
            for (y, delta) in expected.iter_mut().zip(&mut delta).filter(|(y, _)| rectified && **y < 0.0) {
                (*y, *delta) = (0.0, 0.0);
            }
            let mut to_x = vec![0.0; rows * inputs];
            let mut to_parameters = vec![0.0; shape.parameters()];
            for row in 0..rows {
                for output in 0..outputs {
                    let delta = delta[row * outputs + output];
                    for input in 0..inputs {
                        let at = input * outputs + output;
                        to_x[row * inputs + input] += delta * f64::from(weights[at]);
                        to_parameters[at] += delta * f64::from(x[row * inputs + input]);
                    }
                    to_parameters[inputs * outputs + output] += delta;
                }
            }
            for level in Level::all() {
                let packed = PackedLayer::new(level, shape, &parameters, true);
                let (mut y, mut back) = (vec![0.0; rows * outputs], vec![0.0; rows * inputs]);
                forward(&packed, &x, &mut y);
                let found = backward(&packed, (&x, &y), &gradient, &mut back);
                let allowed = if level.rounds() { 0.03 } else { 1e-5 };
                for (name, error) in [
                    ("y", error(&y, &expected)),
                    ("x", error(&back, &to_x)),
                    ("parameters", error(&found, &to_parameters)),
                ] {
                    assert!(error < allowed, "{level}, {shape:?}: {name} {error}");
                }
            }
        }
    }
}
