//! Dense layers as Leela's files hold them, `[outputs, inputs]`.

use kernels::{
    Activation, Arithmetic, Level, activation,
    dense::{Dense, Linear},
};

use super::{
    super::{OtherError, tensors::transposed},
    proto::{self, Layer},
};

/// Weights `[inputs, outputs]`, and a bias.
pub(super) struct Plain {
    pub(super) weights: Vec<f32>,
    pub(super) bias: Vec<f32>,
    inputs: usize,
}

impl Plain {
    pub(super) fn linear(&self) -> Linear<'_> {
        Linear::new(&self.weights, self.inputs, self.bias.len(), Some(&self.bias))
    }
}

pub(super) fn weights(
    layer: &Option<Layer>,
    name: &str,
    inputs: usize,
    outputs: usize,
) -> Result<Vec<f32>, OtherError> {
    Ok(transposed(&proto::numbers(layer, name, inputs * outputs)?, outputs, inputs))
}

pub(super) fn plain(
    [layer, bias]: [&Option<Layer>; 2],
    name: &str,
    inputs: usize,
    outputs: usize,
) -> Result<Plain, OtherError> {
    Ok(Plain {
        weights: weights(layer, name, inputs, outputs)?,
        bias: proto::numbers(bias, &format!("{name}'s bias"), outputs)?,
        inputs,
    })
}

/// A dense layer of a head: in f32 or bf16, since heads are not worth the rounding of int8.
pub(super) fn dense(
    level: Level,
    layers: [&Option<Layer>; 2],
    name: &str,
    inputs: usize,
    outputs: usize,
) -> Result<Dense, OtherError> {
    Ok(Dense::new(Arithmetic::of(level), plain(layers, name, inputs, outputs)?.linear()))
}

/// What a layer makes of all rows.
pub(super) fn through(layer: &Dense, x: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0; x.len() / layer.inputs() * layer.outputs()];
    layer.forward(x, &mut y);
    y
}

/// Weights `[64 squares x each, outputs]` from those whose inputs go by number of a square first, then by square.
pub(super) fn by_square(weights: &[f32], each: usize, outputs: usize) -> Vec<f32> {
    let inputs = (0..64).flat_map(|square| (0..each).map(move |number| 64 * number + square));
    inputs.flat_map(|input| &weights[input * outputs..][..outputs]).copied().collect()
}

pub(super) fn rectify(x: &mut [f32]) {
    x.iter_mut().for_each(|x| *x = x.max(0.0));
}

/// Activates numbers in place, any count of them.
pub(super) fn activate(level: Level, by: Activation, x: &mut [f32]) {
    let len = x.len().next_multiple_of(16);
    let mut padded = x.to_vec();
    padded.resize(len, 0.0);
    let mut out = vec![0.0; len];
    activation::forward(level, by, &padded, 16, &mut out);
    x.copy_from_slice(&out[..x.len()]);
}
