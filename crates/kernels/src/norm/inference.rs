//! Norms of networks that no longer learn: LayerNorm or RMSNorm, with an epsilon of their own.

use crate::{
    Level,
    simd::{self, Simd, Task},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// `(x - mean) / sqrt(variance + epsilon) * weight + bias`.
    Layer,
    /// `x / sqrt(mean of squares + epsilon) * weight + bias`.
    Rms,
}

/// A norm with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Norm {
    pub kind: NormKind,
    pub epsilon: f32,
    pub weight: Vec<f32>,
    pub bias: Option<Vec<f32>>,
}

impl Norm {
    pub fn layer(epsilon: f32, weight: &[f32], bias: Option<&[f32]>) -> Norm {
        Norm { kind: NormKind::Layer, epsilon, weight: weight.to_vec(), bias: bias.map(<[f32]>::to_vec) }
    }

    pub fn rms(epsilon: f32, weight: &[f32]) -> Norm {
        Norm { kind: NormKind::Rms, epsilon, weight: weight.to_vec(), bias: None }
    }

    /// Normalises each row of as many values as there are weights, a multiple of sixteen.
    pub fn forward(&self, level: Level, x: &[f32], out: &mut [f32]) {
        let width = self.weight.len();
        assert!(width.is_multiple_of(16) && x.len().is_multiple_of(width) && out.len() >= x.len());
        assert!(self.bias.as_ref().is_none_or(|bias| bias.len() == width));
        simd::run(level, Forward { norm: self, x, out });
    }
}

struct Forward<'a> {
    norm: &'a Norm,
    x: &'a [f32],
    out: &'a mut [f32],
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let rows = self.x.len() / self.norm.weight.len();
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
        let norm = self.norm;
        let width = norm.weight.len();
        let x: [&[f32]; N] = std::array::from_fn(|i| &self.x[(first + i) * width..][..width]);
        let mut means = [S::splat(0.0); N];
        if norm.kind == NormKind::Layer {
            for at in (0..width).step_by(S::LANES) {
                for i in 0..N {
                    means[i] = S::add(means[i], S::load(&x[i][at..]));
                }
            }
            for mean in &mut means {
                *mean = S::splat(S::sum(*mean) / width as f32);
            }
        }
        let mut squares = [S::splat(0.0); N];
        for at in (0..width).step_by(S::LANES) {
            for i in 0..N {
                let x = S::sub(S::load(&x[i][at..]), means[i]);
                squares[i] = S::fma(x, x, squares[i]);
            }
        }
        let mut scales = [S::splat(0.0); N];
        for i in 0..N {
            scales[i] = S::splat(1.0 / (S::sum(squares[i]) / width as f32 + norm.epsilon).sqrt());
        }
        let out = &mut self.out[first * width..][..N * width];
        for at in (0..width).step_by(S::LANES) {
            let weight = S::load(&norm.weight[at..]);
            for i in 0..N {
                let x = S::mul(S::sub(S::load(&x[i][at..]), means[i]), scales[i]);
                let y = match &norm.bias {
                    Some(bias) => S::fma(x, weight, S::load(&bias[at..])),
                    None => S::mul(x, weight),
                };
                S::store(y, &mut out[i * width + at..]);
            }
        }
    }
}
