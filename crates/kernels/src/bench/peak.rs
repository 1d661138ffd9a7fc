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
            // Plain Rust has few registers, and more chains than fit into them are slower.
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
