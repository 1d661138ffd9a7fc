//! Eight lanes as an array, for any CPU.

use super::Simd;

#[derive(Clone, Copy)]
pub(super) struct Portable;

const LANES: usize = 8;
type V = [f32; LANES];

#[inline(always)]
fn each(a: V, b: V, f: impl Fn(f32, f32) -> f32) -> V {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Simd for Portable {
    const LANES: usize = LANES;
    type V = V;

    #[inline(always)]
    fn splat(x: f32) -> V {
        [x; LANES]
    }

    #[inline(always)]
    fn load(from: &[f32]) -> V {
        *from.first_chunk().expect("a whole vector")
    }

    #[inline(always)]
    fn store(v: V, to: &mut [f32]) {
        *to.first_chunk_mut().expect("a whole vector") = v;
    }

    #[inline(always)]
    fn add(a: V, b: V) -> V {
        each(a, b, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(a: V, b: V) -> V {
        each(a, b, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(a: V, b: V) -> V {
        each(a, b, |a, b| a * b)
    }

    #[inline(always)]
    fn div(a: V, b: V) -> V {
        each(a, b, |a, b| a / b)
    }

    #[inline(always)]
    fn fma(a: V, b: V, c: V) -> V {
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn max(a: V, b: V) -> V {
        each(a, b, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn min(a: V, b: V) -> V {
        each(a, b, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn sqrt(a: V) -> V {
        each(a, a, |a, _| a.sqrt())
    }

    #[inline(always)]
    fn round(a: V) -> V {
        // Adding and taking away 1.5 * 2^23 leaves no room for a fraction.
        const BIG: f32 = 12_582_912.0;
        a.map(|a| (a + BIG) - BIG)
    }

    #[inline(always)]
    fn power_of_two(n: V) -> V {
        n.map(|n| f32::from_bits(((n as i32 + 127) << 23) as u32))
    }

    #[inline(always)]
    fn if_less(a: V, b: V, yes: V, no: V) -> V {
        std::array::from_fn(|i| if a[i] < b[i] { yes[i] } else { no[i] })
    }

    #[inline(always)]
    fn sum(v: V) -> f32 {
        v.iter().sum()
    }

    #[inline(always)]
    fn largest(v: V) -> f32 {
        v.into_iter().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b })
    }
}
