//! AdamW (Loshchilov and Hutter 2019): one pass over weights, their running mean, both moments and the gradient.

use rayon::prelude::*;

use crate::{
    Level,
    simd::{self, Simd, Task},
};

/// The numbers of one step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub beta1: f32,
    pub beta2: f32,
    /// The learning rate, with the first moment's correction.
    pub rate: f32,
    /// The second moment's correction, for its root.
    pub root: f32,
    /// What gradients are multiplied by, for clipping.
    pub shrink: f32,
    /// The share of each weight that decays.
    pub decay: f32,
    /// The share that the running mean keeps of itself.
    pub keep: f32,
    pub epsilon: f32,
}

/// What a step changes.
#[derive(Debug)]
pub struct Slices<'a> {
    pub weights: &'a mut [f32],
    pub mean: &'a mut [f32],
    pub first: &'a mut [f32],
    pub second: &'a mut [f32],
}

/// Takes one step against `gradient`.
pub fn update(level: Level, step: Step, slices: Slices<'_>, gradient: &[f32]) {
    let Slices { weights, mean, first, second } = slices;
    let len = gradient.len();
    assert!(weights.len() == len && mean.len() == len && first.len() == len && second.len() == len);
    const PIECE: usize = 16 * 1024;
    let moments = first.par_chunks_mut(PIECE).zip(second.par_chunks_mut(PIECE));
    let numbers = weights.par_chunks_mut(PIECE).zip(mean.par_chunks_mut(PIECE)).zip(moments);
    numbers.zip(gradient.par_chunks(PIECE)).for_each(|(((weights, mean), (first, second)), gradient)| {
        simd::run(level, Run(step, Slices { weights, mean, first, second }, gradient));
    });
}

struct Run<'a>(Step, Slices<'a>, &'a [f32]);

impl Task for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Run(step, Slices { weights, mean, first, second }, gradient) = self;
        let whole = gradient.len() / S::LANES * S::LANES;
        for i in (0..whole).step_by(S::LANES) {
            let g = S::mul(S::load(&gradient[i..]), S::splat(step.shrink));
            let old =
                [S::load(&weights[i..]), S::load(&mean[i..]), S::load(&first[i..]), S::load(&second[i..])];
            let [w, mu, m, v] = one::<S>(step, g, old);
            S::store(w, &mut weights[i..]);
            S::store(mu, &mut mean[i..]);
            S::store(m, &mut first[i..]);
            S::store(v, &mut second[i..]);
        }
        let g = S::mul(S::load_part(&gradient[whole..], 0.0), S::splat(step.shrink));
        let part = |from: &[f32]| S::load_part(&from[whole..], 0.0);
        let old = [part(weights), part(mean), part(first), part(second)];
        let [w, mu, m, v] = one::<S>(step, g, old);
        S::store_part(w, &mut weights[whole..]);
        S::store_part(mu, &mut mean[whole..]);
        S::store_part(m, &mut first[whole..]);
        S::store_part(v, &mut second[whole..]);
    }
}

#[inline(always)]
fn one<S: Simd>(step: Step, g: S::V, [w, mean, m, v]: [S::V; 4]) -> [S::V; 4] {
    let m = S::fma(S::splat(step.beta1), m, S::mul(S::splat(1.0 - step.beta1), g));
    let v = S::fma(S::splat(step.beta2), v, S::mul(S::splat(1.0 - step.beta2), S::mul(g, g)));
    let size = S::fma(S::sqrt(v), S::splat(step.root), S::splat(step.epsilon));
    let w = S::sub(S::mul(w, S::splat(1.0 - step.decay)), S::div(S::mul(S::splat(step.rate), m), size));
    let mean = S::fma(S::splat(step.keep), mean, S::mul(S::splat(1.0 - step.keep), w));
    [w, mean, m, v]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn a_step_is_the_same_as_in_f64_at_every_level() {
        let step = Step {
            beta1: 0.9,
            beta2: 0.95,
            rate: 0.01,
            root: 1.3,
            shrink: 0.5,
            decay: 1e-3,
            keep: 0.9,
            epsilon: 1e-8,
        };
        for len in [1, 15, 16, 17, 40_000] {
            let [weights, mean, first, gradient] = [1, 2, 3, 4].map(|seed| random(seed, len));
            let second: Vec<f32> = random(5, len).into_iter().map(f32::abs).collect();
            for level in Level::all() {
                let [mut w, mut mu, mut m, mut v] =
                    [weights.clone(), mean.clone(), first.clone(), second.clone()];
                let slices = Slices { weights: &mut w, mean: &mut mu, first: &mut m, second: &mut v };
                update(level, step, slices, &gradient);
                for i in 0..len {
                    let [w0, mu0, m0, v0, g] =
                        [weights[i], mean[i], first[i], second[i], gradient[i]].map(f64::from);
                    let g = 0.5 * g;
                    let (m1, v1) = (0.9 * m0 + 0.1 * g, 0.95 * v0 + 0.05 * g * g);
                    let w1 = w0 * (1.0 - 1e-3) - 0.01 * m1 / (v1.sqrt() * 1.3 + 1e-8);
                    let expected = [w1, 0.9 * mu0 + 0.1 * w1, m1, v1];
                    for (found, expected) in [w[i], mu[i], m[i], v[i]].into_iter().zip(expected) {
                        assert!((f64::from(found) - expected).abs() < 1e-5, "{level}: {found} {expected}");
                    }
                }
            }
        }
    }
}
