//! Exponential and its relatives on vectors. Errors stay within a few units of the last place of f32; NaN comes out as NaN.

use crate::simd::Simd;

/// Below it, `e^x` is no normal number.
const LOWEST: f32 = -87.336_54;

/// `e^x`; 0 below -87.3 and `e^88.3` above 88.3.
#[inline(always)]
pub(crate) fn exp<S: Simd>(x: S::V) -> S::V {
    // The second argument of `max` and `min` survives NaN.
    let clamped = S::min(S::splat(88.3), S::max(S::splat(LOWEST), x));
    let n = S::round(S::mul(clamped, S::splat(std::f32::consts::LOG2_E)));
    // ln 2 in two parts, so that the product with n is exact.
    let r = S::fma(n, S::splat(-0.693_359_4), clamped);
    let r = S::fma(n, S::splat(2.121_944_4e-4), r);
    let mut p = S::splat(1.987_569_1e-4);
    for coefficient in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        p = S::fma(p, r, S::splat(coefficient));
    }
    let y = S::add(S::fma(p, S::mul(r, r), r), S::splat(1.0));
    S::power_if(x, S::splat(LOWEST), y, n)
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub(crate) fn sigmoid<S: Simd>(x: S::V) -> S::V {
    let one = S::splat(1.0);
    S::inverse(S::add(one, exp::<S>(S::sub(S::splat(0.0), x))))
}

/// The chance that a normal number is below `x`, and its density there.
/// Abramowitz and Stegun 7.1.26: absolute error below 1.5e-7.
#[inline(always)]
pub(crate) fn normal<S: Simd>(x: S::V) -> (S::V, S::V) {
    let zero = S::splat(0.0);
    let one = S::splat(1.0);
    // Far out only one term counts, and an infinite size has no inverse.
    let size = S::min(S::splat(1e9), S::max(x, S::sub(zero, x)));
    let t = S::inverse(S::fma(size, S::splat(0.327_591_1 * std::f32::consts::FRAC_1_SQRT_2), one));
    let e = exp::<S>(S::mul(S::mul(x, x), S::splat(-0.5)));
    let mut p = S::splat(0.5 * 1.061_405_4);
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        p = S::fma(p, t, S::splat(0.5 * coefficient));
    }
    let tail = S::mul(S::mul(p, t), e);
    let below = S::if_less(x, zero, tail, S::sub(one, tail));
    (below, S::mul(e, S::splat(0.398_942_3)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Level, simd,
        testing::{Plain, random},
    };

    struct Each<'a>(&'a mut [f32], u8);

    impl simd::Task for Each<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self) {
            for x in self.0.chunks_exact_mut(S::LANES) {
                let v = S::load(x);
                let v = match self.1 {
                    0 => exp::<S>(v),
                    1 => normal::<S>(v).0,
                    2 => normal::<S>(v).1,
                    _ => sigmoid::<S>(v),
                };
                S::store(v, x);
            }
        }
    }

    #[test]
    fn every_function_is_close_to_its_f64_self() {
        let plain: [fn(f64) -> f64; 4] = [
            f64::exp,
            Plain::normal,
            |x| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt(),
            |x| 1.0 / (1.0 + (-x).exp()),
        ];
        for level in Level::all() {
            for (which, plain) in plain.into_iter().enumerate() {
                for scale in [1e-40, 1e-3, 1.0, 8.0, 80.0] {
                    let xs: Vec<f32> = random(7, 512).into_iter().map(|x| x * scale).collect();
                    let mut ys = xs.clone();
                    simd::run(level, Each(&mut ys, which as u8));
                    for (x, y) in xs.iter().zip(&ys) {
                        let expected = plain(f64::from(*x));
                        let relative = if which == 0 { expected } else { 1.0 };
                        let error = (f64::from(*y) - expected).abs();
                        assert!(error <= 4e-7 * relative + 1e-37, "{level} {which} {x}: {y} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn nan_and_infinities_pass() {
        for level in Level::all() {
            for which in 0..4 {
                let mut x = [f32::NAN; 16];
                simd::run(level, Each(&mut x, which));
                assert!(x.iter().all(|x| x.is_nan()), "{level} {which}");
            }
            let mut x = [f32::NEG_INFINITY; 16];
            simd::run(level, Each(&mut x, 0));
            assert_eq!(x, [0.0; 16], "{level}");
        }
    }
}
