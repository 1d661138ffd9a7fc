//! Squeeze and excitation: each channel of a board is scaled by a gate that sees the means of all channels.
//!
//! `gate = sigmoid(relu(mean * first + first_bias) * second + second_bias)`, then `y = relu(x + z * gate)`. Networks of others have a
//! shift beside the gate, from the same hidden numbers: `y = relu(x + z * gate + shift)`.

use crate::{
    Level,
    simd::{self, Simd, Task},
};

/// The gate's parameters, flat: `first [channels, reduced]`, its bias, `second [reduced, channels]`, its bias; then the shift's
/// layer, if there is one, `[reduced, channels]` and its bias.
#[derive(Clone, Debug)]
pub(super) struct Squeeze {
    channels: usize,
    reduced: usize,
    parameters: Vec<f32>,
    shifts: bool,
}

/// Numbers in the gate's parameters.
pub(super) fn parameters(channels: usize, reduced: usize) -> usize {
    2 * channels * reduced + reduced + channels
}

/// Numbers in the shift's parameters.
pub(super) fn shift_parameters(channels: usize, reduced: usize) -> usize {
    (reduced + 1) * channels
}

/// One board's way to its gate.
struct Steps {
    means: Vec<f32>,
    hidden: Vec<f32>,
    gate: Vec<f32>,
    /// Empty where there is none.
    shift: Vec<f32>,
}

impl Squeeze {
    pub(super) fn new(channels: usize, reduced: usize, parameters: &[f32]) -> Squeeze {
        assert!(reduced > 0 && reduced.is_multiple_of(16), "{reduced} numbers between the products");
        let (gate, shift) = (self::parameters(channels, reduced), shift_parameters(channels, reduced));
        assert!([gate, gate + shift].contains(&parameters.len()), "{} parameters", parameters.len());
        let shifts = parameters.len() > gate;
        Squeeze { channels, reduced, parameters: parameters.to_vec(), shifts }
    }

    /// Numbers in all parameters.
    pub(super) fn parameters(&self) -> usize {
        self.parameters.len()
    }

    /// From `z`, which `y` holds, to `y`; one board.
    pub(super) fn forward(&self, level: Level, x: &[f32], y: &mut [f32]) {
        simd::run(level, Forward { squeeze: self, x, y });
    }

    /// From the gradient of `y` to that of the shortcut, and to that of `z` in the place of `z`; adds to the gradients of the
    /// parameters. One board.
    pub(super) fn backward(
        &self,
        level: Level,
        y: &[f32],
        gradient: &[f32],
        z: &mut [f32],
        to_x: &mut [f32],
        parameters: &mut [f32],
    ) {
        assert!(!self.shifts, "blocks with a shift do not learn");
        simd::run(level, Backward { squeeze: self, y, gradient, z, to_x, parameters });
    }

    /// First, its bias, second, its bias.
    fn parts(&self) -> [&[f32]; 4] {
        let (first, rest) = self.parameters.split_at(self.channels * self.reduced);
        let (first_bias, rest) = rest.split_at(self.reduced);
        let (second, rest) = rest.split_at(self.channels * self.reduced);
        [first, first_bias, second, &rest[..self.channels]]
    }

    /// The shift's layer and its bias.
    fn shift_parts(&self) -> Option<(&[f32], &[f32])> {
        let rest = &self.parameters[parameters(self.channels, self.reduced)..];
        self.shifts.then(|| rest.split_at(self.channels * self.reduced))
    }

    #[inline(always)]
    fn steps<S: Simd>(&self, z: &[f32]) -> Steps {
        let [first, first_bias, second, second_bias] = self.parts();
        let mut means = vec![0.0; self.channels];
        for row in z.chunks_exact(self.channels) {
            add_scaled::<S>(&mut means, row, 1.0 / 64.0);
        }
        let mut hidden = first_bias.to_vec();
        for (mean, row) in means.iter().zip(first.chunks_exact(self.reduced)) {
            add_scaled::<S>(&mut hidden, row, *mean);
        }
        for x in &mut hidden {
            *x = if *x < 0.0 { 0.0 } else { *x };
        }
        let mut gate = self.layer::<S>(&hidden, second, second_bias);
        let shift =
            self.shift_parts().map_or(Vec::new(), |(layer, bias)| self.layer::<S>(&hidden, layer, bias));
        for gate in gate.chunks_exact_mut(S::LANES) {
            S::store(crate::math::sigmoid::<S>(S::load(gate)), gate);
        }
        Steps { means, hidden, gate, shift }
    }

    /// From the hidden numbers to one for each channel.
    #[inline(always)]
    fn layer<S: Simd>(&self, hidden: &[f32], layer: &[f32], bias: &[f32]) -> Vec<f32> {
        let mut sums = bias.to_vec();
        for (hidden, row) in hidden.iter().zip(layer.chunks_exact(self.channels)) {
            add_scaled::<S>(&mut sums, row, *hidden);
        }
        sums
    }
}

struct Forward<'a> {
    squeeze: &'a Squeeze,
    x: &'a [f32],
    y: &'a mut [f32],
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let steps = self.squeeze.steps::<S>(self.y);
        let channels = self.squeeze.channels;
        let shift = if steps.shift.is_empty() { vec![0.0; channels] } else { steps.shift };
        for (x, y) in self.x.chunks_exact(channels).zip(self.y.chunks_exact_mut(channels)) {
            for i in (0..channels).step_by(S::LANES) {
                let to = S::add(S::load(&x[i..]), S::load(&shift[i..]));
                let sum = S::fma(S::load(&y[i..]), S::load(&steps.gate[i..]), to);
                S::store(S::max(S::splat(0.0), sum), &mut y[i..]);
            }
        }
    }
}

struct Backward<'a> {
    squeeze: &'a Squeeze,
    y: &'a [f32],
    gradient: &'a [f32],
    z: &'a mut [f32],
    to_x: &'a mut [f32],
    parameters: &'a mut [f32],
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Squeeze { channels, reduced, .. } = *self.squeeze;
        let Steps { means, hidden, gate, .. } = self.squeeze.steps::<S>(self.z);
        let zero = S::splat(0.0);
        let mut to_gate = vec![0.0; channels];
        for at in (0..self.y.len()).step_by(channels) {
            for i in (0..channels).step_by(S::LANES) {
                let open =
                    S::if_less(zero, S::load(&self.y[at + i..]), S::load(&self.gradient[at + i..]), zero);
                S::store(open, &mut self.to_x[at + i..]);
                let sum = S::fma(open, S::load(&self.z[at + i..]), S::load(&to_gate[i..]));
                S::store(sum, &mut to_gate[i..]);
            }
        }
        for (to, gate) in to_gate.iter_mut().zip(&gate) {
            *to *= gate * (1.0 - gate);
        }
        let [first, _, second, _] = self.squeeze.parts();
        let (to_first, rest) = self.parameters.split_at_mut(channels * reduced);
        let (to_first_bias, rest) = rest.split_at_mut(reduced);
        let (to_second, to_second_bias) = rest.split_at_mut(channels * reduced);
        add_scaled::<S>(to_second_bias, &to_gate, 1.0);
        let mut to_hidden = vec![0.0; reduced];
        for (i, to) in to_second.chunks_exact_mut(channels).enumerate() {
            add_scaled::<S>(to, &to_gate, hidden[i]);
            if hidden[i] > 0.0 {
                to_hidden[i] = dot::<S>(&second[i * channels..][..channels], &to_gate);
            }
        }
        add_scaled::<S>(to_first_bias, &to_hidden, 1.0);
        let mut to_means = vec![0.0; channels];
        for (i, to) in to_first.chunks_exact_mut(reduced).enumerate() {
            add_scaled::<S>(to, &to_hidden, means[i]);
            to_means[i] = dot::<S>(&first[i * reduced..][..reduced], &to_hidden) / 64.0;
        }
        for (to_x, z) in self.to_x.chunks_exact(channels).zip(self.z.chunks_exact_mut(channels)) {
            for i in (0..channels).step_by(S::LANES) {
                let sum = S::fma(S::load(&to_x[i..]), S::load(&gate[i..]), S::load(&to_means[i..]));
                S::store(sum, &mut z[i..]);
            }
        }
    }
}

/// `to += from * factor`; whole vectors.
#[inline(always)]
fn add_scaled<S: Simd>(to: &mut [f32], from: &[f32], factor: f32) {
    for (to, from) in to.chunks_exact_mut(S::LANES).zip(from.chunks_exact(S::LANES)) {
        S::store(S::fma(S::load(from), S::splat(factor), S::load(to)), to);
    }
}

#[inline(always)]
fn dot<S: Simd>(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = S::splat(0.0);
    for (a, b) in a.chunks_exact(S::LANES).zip(b.chunks_exact(S::LANES)) {
        sum = S::fma(S::load(a), S::load(b), sum);
    }
    S::sum(sum)
}
