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
    /// `max(x, 0)`.
    Relu,
    /// `max(x, 0)^2`.
    SquaredRelu,
    /// `x * sigmoid(x)`, also called SiLU.
    Swish,
    /// `x * tanh(ln(1 + e^x))`.
    Mish,
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

/// As [`forward`], but GELU to within 2e-4 alone: for what the next product rounds to bf16 or to bytes.
pub(crate) fn forward_before_rounding(
    level: Level,
    activation: Activation,
    x: &[f32],
    width: usize,
    out: &mut [f32],
) {
    match activation {
        Activation::Gelu => simd::run(level, RoughGelu { x, out }),
        _ => forward(level, activation, x, width, out),
    }
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
        /// Every number by itself.
        macro_rules! each {
            ($of:expr) => {
                for (x, out) in self.x.chunks_exact(S::LANES).zip(self.out.chunks_exact_mut(S::LANES)) {
                    let x = S::load(x);
                    S::store(S::mul(x, $of(x).0), out);
                }
            };
        }
        match self.activation {
            Activation::Gelu => each!(math::normal::<S>),
            Activation::GeluTanh => each!(gelu_tanh_factor::<S>),
            Activation::Relu => each!(relu_factor::<S>),
            Activation::SquaredRelu => each!(squared_relu_factor::<S>),
            Activation::Swish => each!(swish_factor::<S>),
            Activation::Mish => each!(mish_factor::<S>),
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

struct RoughGelu<'a> {
    x: &'a [f32],
    out: &'a mut [f32],
}

/// Beyond this size [`RoughGelu`] is `x` or zero.
const ROUGH_END: f32 = 3.9;
/// `(normal(x) - 1/2) / x` as a polynomial of `x^2` up to [`ROUGH_END`], highest power first: the least largest error of
/// `x * normal(x)` among those that end at 1.
const ROUGH_NORMAL: [f32; 7] =
    [2.279_506_5e-8, -1.596_876_4e-6, 4.788_103e-5, -8.129_78e-4, 8.766_17e-3, -6.455_754e-2, 3.978_713e-1];

impl Task for RoughGelu<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let [highest, rest @ ..] = ROUGH_NORMAL;
        for (x, out) in self.x.chunks_exact(S::LANES).zip(self.out.chunks_exact_mut(S::LANES)) {
            let x = S::load(x);
            // The second argument of `max` and `min` survives NaN.
            let near = S::min(S::splat(ROUGH_END), S::max(S::splat(-ROUGH_END), x));
            let square = S::mul(near, near);
            let mut p = S::splat(highest);
            for coefficient in rest {
                p = S::fma(p, square, S::splat(coefficient));
            }
            S::store(S::mul(x, S::fma(p, near, S::splat(0.5))), out);
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
                    // The derivative of a * s is s + a * s * (1 - s).
                    let derivative = S::fma(swish, S::sub(S::splat(1.0), s), s);
                    S::store(S::mul(S::mul(gradient, b), derivative), &mut to_x[i..]);
                    S::store(S::mul(gradient, swish), &mut to_x[width + i..]);
                }
            }
            return;
        }
        let all = self.x.chunks_exact(S::LANES).zip(self.gradient.chunks_exact(S::LANES));
        let ends = self.out.chunks_exact_mut(S::LANES).zip(self.to_x.chunks_exact_mut(S::LANES));
        macro_rules! each {
            ($of:expr) => {
                for ((x, gradient), (out, to_x)) in all.zip(ends) {
                    let x = S::load(x);
                    let (factor, derivative) = $of(x);
                    S::store(S::mul(x, factor), out);
                    S::store(S::mul(S::load(gradient), S::fma(x, derivative, factor)), to_x);
                }
            };
        }
        match self.activation {
            Activation::Gelu => each!(math::normal::<S>),
            Activation::GeluTanh => each!(gelu_tanh_factor::<S>),
            Activation::Relu => each!(relu_factor::<S>),
            Activation::SquaredRelu => each!(squared_relu_factor::<S>),
            Activation::Swish => each!(swish_factor::<S>),
            Activation::Mish => each!(mish_factor::<S>),
            Activation::SwiGlu => unreachable!("done above"),
        }
    }
}

// An activation is `x` times a factor, which comes here with its derivative.

/// `(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2`.
#[inline(always)]
fn gelu_tanh_factor<S: Simd>(x: S::V) -> (S::V, S::V) {
    let one = S::splat(1.0);
    let square = S::mul(x, x);
    // (1 + tanh u) / 2 is the sigmoid of 2 u.
    let twice = S::splat(2.0 * 0.797_884_6);
    let u = S::mul(S::mul(twice, x), S::fma(S::splat(0.044_715), square, one));
    let s = math::sigmoid::<S>(u);
    let inner = S::mul(twice, S::fma(S::splat(3.0 * 0.044_715), square, one));
    (s, S::mul(S::mul(s, S::sub(one, s)), inner))
}

/// 1 above zero, and 0 below.
#[inline(always)]
fn relu_factor<S: Simd>(x: S::V) -> (S::V, S::V) {
    let zero = S::splat(0.0);
    // NaN times 1 stays what it is.
    (S::if_less(x, zero, zero, S::splat(1.0)), zero)
}

#[inline(always)]
fn squared_relu_factor<S: Simd>(x: S::V) -> (S::V, S::V) {
    let zero = S::splat(0.0);
    (S::if_less(x, zero, zero, x), S::if_less(x, zero, zero, S::splat(1.0)))
}

#[inline(always)]
fn swish_factor<S: Simd>(x: S::V) -> (S::V, S::V) {
    let s = math::sigmoid::<S>(x);
    (s, S::mul(s, S::sub(S::splat(1.0), s)))
}

/// `tanh(ln(1 + e^x))` is `t / (t + 2)` with `t = e^x (e^x + 2)`, and its derivative `4 e^x (e^x + 1) / (t + 2)^2`.
#[inline(always)]
fn mish_factor<S: Simd>(x: S::V) -> (S::V, S::V) {
    // Above it the factor is 1 to the last bit, and powers would overflow. The second argument survives NaN.
    let e = math::exp::<S>(S::min(S::splat(20.0), x));
    let two = S::splat(2.0);
    let t = S::mul(e, S::add(e, two));
    let inverse = S::inverse(S::add(t, two));
    let derivative = S::mul(S::mul(S::splat(4.0), S::fma(e, e, e)), S::mul(inverse, inverse));
    (S::mul(t, inverse), derivative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Plain, random};

    const EACH: [Activation; 6] = [
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::Relu,
        Activation::SquaredRelu,
        Activation::Swish,
        Activation::Mish,
    ];

    #[test]
    fn gelu_before_rounding_is_close_everywhere() {
        let xs: Vec<f32> = (-4000..4000).map(|i| i as f32 * 0.005).collect();
        for level in Level::all() {
            let [mut exact, mut rough] = [xs.clone(), xs.clone()];
            forward(level, Activation::Gelu, &xs, 16, &mut exact);
            forward_before_rounding(level, Activation::Gelu, &xs, 16, &mut rough);
            for ((x, exact), rough) in xs.iter().zip(&exact).zip(&rough) {
                assert!((exact - rough).abs() < 2e-4, "{level} {x}: {rough} {exact}");
            }
            let mut nan = [0.0; 16];
            forward_before_rounding(level, Activation::Gelu, &[f32::NAN; 16], 16, &mut nan);
            assert!(nan.iter().all(|y| y.is_nan()), "{level}");
        }
    }

    #[test]
    fn every_activation_and_its_gradient_are_close_to_plain_code() {
        let xs: Vec<f32> =
            random(5, 512).into_iter().zip([0.1, 1.0, 5.0, 40.0].repeat(128)).map(|(x, s)| x * s).collect();
        for level in Level::all() {
            for activation in EACH {
                let plain = |x: f64| Plain::activation(activation, &[x], 1)[0];
                let mut ys = vec![0.0; xs.len()];
                forward(level, activation, &xs, 16, &mut ys);
                let (mut again, mut to_x) = (ys.clone(), ys.clone());
                backward(level, activation, &xs, 16, &vec![1.0; xs.len()], &mut again, &mut to_x);
                assert_eq!(ys, again);
                for ((&x, &y), &derivative) in xs.iter().zip(&ys).zip(&to_x) {
                    let x = f64::from(x);
                    let error = (f64::from(y) - plain(x)).abs();
                    assert!(error < 1e-6 * (1.0 + plain(x).abs()), "{level} {activation:?} {x}: {y}");
                    let expected = (plain(x + 1e-6) - plain(x - 1e-6)) / 2e-6;
                    let error = (f64::from(derivative) - expected).abs();
                    assert!(
                        x.abs() < 2e-6 || error < 1e-5 * (1.0 + expected.abs()),
                        "{level} {activation:?} {x}: {derivative}"
                    );
                }
            }
        }
    }
}
