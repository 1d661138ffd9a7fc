//! Layer normalisation of rows: `(x - mean) / sqrt(variance + epsilon) * weight + bias`.

mod inference;

use crate::{
    Level,
    simd::{self, Simd, Task},
};

pub use inference::{Norm, NormKind};

pub const EPSILON: f32 = 1e-5;

/// What a row was normalised by, kept for the backward pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    pub mean: f32,
    pub inverse_deviation: f32,
}

/// Normalises each row of `weight.len()` values, a multiple of sixteen.
pub fn forward(
    level: Level,
    x: &[f32],
    weight: &[f32],
    bias: Option<&[f32]>,
    out: &mut [f32],
    moments: &mut [Moments],
) {
    assert!(weight.len().is_multiple_of(16) && bias.is_none_or(|bias| bias.len() == weight.len()));
    simd::run(level, Forward { x, weight, bias, out, moments });
}

/// The backward pass: adds to the gradients of `x`, `weight` and `bias`, given that of the result.
#[expect(clippy::too_many_arguments, reason = "three inputs, and a gradient for each")]
pub fn backward(
    level: Level,
    x: &[f32],
    moments: &[Moments],
    weight: &[f32],
    gradient: &[f32],
    to_x: &mut [f32],
    to_weight: &mut [f32],
    to_bias: Option<&mut [f32]>,
) {
    assert!(weight.len().is_multiple_of(16) && to_weight.len() == weight.len());
    assert!(to_bias.as_ref().is_none_or(|bias| bias.len() == weight.len()));
    simd::run(level, Backward { x, moments, weight, gradient, to_x, to_weight, to_bias });
}

struct Forward<'a> {
    x: &'a [f32],
    weight: &'a [f32],
    bias: Option<&'a [f32]>,
    out: &'a mut [f32],
    moments: &'a mut [Moments],
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let width = self.weight.len();
        let rows = self.moments.len().min(self.x.len() / width);
        let mut row = 0;
        while row + TOGETHER <= rows {
            self.rows::<S, TOGETHER>(row);
            row += TOGETHER;
        }
        while row < rows {
            self.rows::<S, 1>(row);
            row += 1;
        }
    }
}

/// Rows whose sums are formed side by side: one after the other they would wait for each other's last steps.
const TOGETHER: usize = 4;

impl Forward<'_> {
    #[inline(always)]
    fn rows<S: Simd, const N: usize>(&mut self, first: usize) {
        let width = self.weight.len();
        let x: [&[f32]; N] = std::array::from_fn(|i| &self.x[(first + i) * width..][..width]);
        let mut sums = [S::splat(0.0); N];
        for at in (0..width).step_by(S::LANES) {
            for i in 0..N {
                sums[i] = S::add(sums[i], S::load(&x[i][at..]));
            }
        }
        let mut means = [0.0; N];
        for i in 0..N {
            means[i] = S::sum(sums[i]) / width as f32;
        }
        let mut squares = [S::splat(0.0); N];
        for at in (0..width).step_by(S::LANES) {
            for i in 0..N {
                let x = S::sub(S::load(&x[i][at..]), S::splat(means[i]));
                squares[i] = S::fma(x, x, squares[i]);
            }
        }
        let mut scales = [0.0; N];
        for i in 0..N {
            scales[i] = 1.0 / (S::sum(squares[i]) / width as f32 + EPSILON).sqrt();
            self.moments[first + i] = Moments { mean: means[i], inverse_deviation: scales[i] };
        }
        let out = &mut self.out[first * width..][..N * width];
        for at in (0..width).step_by(S::LANES) {
            let weight = S::load(&self.weight[at..]);
            for i in 0..N {
                let x = S::mul(S::sub(S::load(&x[i][at..]), S::splat(means[i])), S::splat(scales[i]));
                let y = match self.bias {
                    Some(bias) => S::fma(x, weight, S::load(&bias[at..])),
                    None => S::mul(x, weight),
                };
                S::store(y, &mut out[i * width + at..]);
            }
        }
    }
}

struct Backward<'a> {
    x: &'a [f32],
    moments: &'a [Moments],
    weight: &'a [f32],
    gradient: &'a [f32],
    to_x: &'a mut [f32],
    to_weight: &'a mut [f32],
    to_bias: Option<&'a mut [f32]>,
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let width = self.weight.len();
        let rows = self.x.chunks_exact(width).zip(self.gradient.chunks_exact(width));
        let rows = rows.zip(self.to_x.chunks_exact_mut(width)).zip(self.moments);
        for (((x, gradient), to_x), moments) in rows {
            let (mean, scale) = (S::splat(moments.mean), S::splat(moments.inverse_deviation));
            let (mut sum, mut sum_along) = (S::splat(0.0), S::splat(0.0));
            for i in (0..width).step_by(S::LANES) {
                let x = S::mul(S::sub(S::load(&x[i..]), mean), scale);
                let gradient = S::load(&gradient[i..]);
                let weighted = S::mul(gradient, S::load(&self.weight[i..]));
                sum = S::add(sum, weighted);
                sum_along = S::fma(weighted, x, sum_along);
                let to_weight = &mut self.to_weight[i..];
                S::store(S::fma(gradient, x, S::load(to_weight)), to_weight);
                if let Some(to_bias) = &mut self.to_bias {
                    S::store(S::add(gradient, S::load(&to_bias[i..])), &mut to_bias[i..]);
                }
            }
            let mean_gradient = S::splat(S::sum(sum) / width as f32);
            let mean_along = S::splat(S::sum(sum_along) / width as f32);
            for i in (0..width).step_by(S::LANES) {
                let x = S::mul(S::sub(S::load(&x[i..]), mean), scale);
                let weighted = S::mul(S::load(&gradient[i..]), S::load(&self.weight[i..]));
                let across = S::sub(S::sub(weighted, mean_gradient), S::mul(x, mean_along));
                S::store(S::fma(across, scale, S::load(&to_x[i..])), &mut to_x[i..]);
            }
        }
    }
}
