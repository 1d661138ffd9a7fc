//! The most that one core can do, without memory.

use std::time::Instant;

use crate::{
    Level,
    simd::{self, Simd, Task},
};

/// Operations a second of one thread at this level, the best of several short trials.
pub fn peak(level: Level) -> f64 {
    let trial = || {
        let start = Instant::now();
        let operations = match level {
            #[cfg(target_arch = "x86_64")]
            Level::BF16 | Level::AMX => tiles(level),
            // What the compiler makes of plain Rust is no measure of the CPU.
            #[cfg(target_arch = "x86_64")]
            Level::PORTABLE => sse2(),
            #[cfg(not(target_arch = "x86_64"))]
            Level::PORTABLE => simd::run(level, Vectors::<5>),
            _ => simd::run(level, Vectors::<12>),
        };
        operations / start.elapsed().as_secs_f64()
    };
    (0..40).map(|_| trial()).fold(0.0, f64::max)
}

/// The same for products of bytes, where [`crate::int8`] says that they are used.
pub fn peak_int8() -> f64 {
    const ROUNDS: usize = 20_000;
    let trial = || {
        let start = Instant::now();
        let operations = crate::conv::int8::spin(ROUNDS);
        operations as f64 / start.elapsed().as_secs_f64()
    };
    (0..40).map(|_| trial()).fold(0.0, f64::max)
}

#[cfg(target_arch = "x86_64")]
fn tiles(level: Level) -> f64 {
    const ROUNDS: usize = 4000;
    crate::tiles::Tiles::of_this_thread(level).spin(ROUNDS);
    // Four tiles of 16 x 16 results with sums over 32 pairs.
    (ROUNDS * 4 * 2 * 16 * 16 * 32) as f64
}

/// Multiplies and adds four lanes at a time in as many chains as there are registers, with the instructions that every such CPU has.
#[cfg(target_arch = "x86_64")]
fn sse2() -> f64 {
    use std::arch::x86_64::{_mm_add_ps, _mm_mul_ps, _mm_set1_ps};
    const ROUNDS: usize = 20_000;
    const CHAINS: usize = 12;
    const LANES: usize = 4;
    // SAFETY: the instructions belong to every CPU of this kind.
    unsafe {
        let (a, b) = (_mm_set1_ps(std::hint::black_box(0.999)), _mm_set1_ps(std::hint::black_box(1e-3)));
        let mut chains = [a; CHAINS];
        for _ in 0..ROUNDS {
            for chain in &mut chains {
                *chain = _mm_add_ps(_mm_mul_ps(*chain, a), b);
            }
        }
        std::hint::black_box(chains);
    }
    (ROUNDS * CHAINS * 2 * LANES) as f64
}

/// Independent chains of multiply and add.
struct Vectors<const CHAINS: usize>;

impl<const CHAINS: usize> Task for Vectors<CHAINS> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self) -> f64 {
        const ROUNDS: usize = 20_000;
        let (a, b) = (S::splat(std::hint::black_box(0.999)), S::splat(std::hint::black_box(1e-3)));
        let mut chains = [a; CHAINS];
        for _ in 0..ROUNDS {
            for chain in &mut chains {
                *chain = S::fma(*chain, a, b);
            }
        }
        let mut sum = S::splat(0.0);
        for chain in chains {
            sum = S::add(sum, chain);
        }
        std::hint::black_box(S::sum(sum));
        (ROUNDS * CHAINS * 2 * S::LANES) as f64
    }
}
