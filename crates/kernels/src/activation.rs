//! What stands between the two products of a feed-forward layer.

use crate::{
    Level, math,
    simd::{self, Simd, Task},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x` times the chance that a normal number is below it.
    Gelu,
    /// GELU by its tanh approximation.
    GeluTanh,
    /// The first half of a row through `x * sigmoid(x)`, times the second half.
    SwiGlu,
}

impl Activation {
    /// Inputs for each output.
    pub fn inputs(self) -> usize {
        if self == Activation::SwiGlu { 2 } else { 1 }
    }
}

/// Rows of `inputs * width` to rows of `width`, a multiple of sixteen.
pub fn forward(level: Level, activation: Activation, x: &[f32], width: usize, out: &mut [f32]) {
    assert!(width.is_multiple_of(16));
    simd::run(level, Forward { activation, x, width, out });
}

/// The gradient of `x`, given that of the result, and the result once more.
pub fn backward(
    level: Level,
    activation: Activation,
    x: &[f32],
    width: usize,
    gradient: &[f32],
    out: &mut [f32],
    to_x: &mut [f32],
) {
    assert!(width.is_multiple_of(16));
    simd::run(level, Backward { activation, x, width, gradient, out, to_x });
}

struct Forward<'a> {
    activation: Activation,
    x: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        match self.activation {
            Activation::Gelu => {
                for (x, out) in self.x.chunks_exact(S::LANES).zip(self.out.chunks_exact_mut(S::LANES)) {
                    let x = S::load(x);
                    S::store(S::mul(x, math::normal::<S>(x).0), out);
                }
            }
            Activation::GeluTanh => {
                for (x, out) in self.x.chunks_exact(S::LANES).zip(self.out.chunks_exact_mut(S::LANES)) {
                    let x = S::load(x);
                    S::store(S::mul(x, gate::<S>(x).0), out);
                }
            }
            Activation::SwiGlu => {
                let rows = self.x.chunks_exact(2 * self.width).zip(self.out.chunks_exact_mut(self.width));
                for (x, out) in rows {
                    for i in (0..self.width).step_by(S::LANES) {
                        let (a, b) = (S::load(&x[i..]), S::load(&x[self.width + i..]));
                        S::store(S::mul(S::mul(a, math::sigmoid::<S>(a)), b), &mut out[i..]);
                    }
                }
            }
        }
    }
}

struct Backward<'a> {
    activation: Activation,
    x: &'a [f32],
    width: usize,
    gradient: &'a [f32],
    out: &'a mut [f32],
    to_x: &'a mut [f32],
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        if self.activation == Activation::SwiGlu {
            let width = self.width;
            let rows = self.x.chunks_exact(2 * width).zip(self.to_x.chunks_exact_mut(2 * width));
            let ends = self.gradient.chunks_exact(width).zip(self.out.chunks_exact_mut(width));
            for ((x, to_x), (gradient, out)) in rows.zip(ends) {
                for i in (0..width).step_by(S::LANES) {
                    let (a, b) = (S::load(&x[i..]), S::load(&x[width + i..]));
                    let gradient = S::load(&gradient[i..]);
                    let s = math::sigmoid::<S>(a);
                    let swish = S::mul(a, s);
                    S::store(S::mul(swish, b), &mut out[i..]);
                    // The slope of a * s is s + a * s * (1 - s).
                    let slope = S::fma(swish, S::sub(S::splat(1.0), s), s);
                    S::store(S::mul(S::mul(gradient, b), slope), &mut to_x[i..]);
                    S::store(S::mul(gradient, swish), &mut to_x[width + i..]);
                }
            }
            return;
        }
        let all = self.x.chunks_exact(S::LANES).zip(self.gradient.chunks_exact(S::LANES));
        let ends = self.out.chunks_exact_mut(S::LANES).zip(self.to_x.chunks_exact_mut(S::LANES));
        for ((x, gradient), (out, to_x)) in all.zip(ends) {
            let x = S::load(x);
            let (share, steepness) =
                if self.activation == Activation::Gelu { math::normal::<S>(x) } else { gate::<S>(x) };
            let slope = S::fma(x, steepness, share);
            S::store(S::mul(x, share), out);
            S::store(S::mul(S::load(gradient), slope), to_x);
        }
    }
}

/// `(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2` and its slope.
#[inline(always)]
fn gate<S: Simd>(x: S::V) -> (S::V, S::V) {
    let one = S::splat(1.0);
    let square = S::mul(x, x);
    // (1 + tanh u) / 2 is the sigmoid of 2 u.
    let twice = S::splat(2.0 * 0.797_884_6);
    let u = S::mul(S::mul(twice, x), S::fma(S::splat(0.044_715), square, one));
    let s = math::sigmoid::<S>(u);
    let inner = S::mul(twice, S::fma(S::splat(3.0 * 0.044_715), square, one));
    (s, S::mul(S::mul(s, S::sub(one, s)), inner))
}
