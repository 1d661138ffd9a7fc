//! One way to write vector loops for every level: a task is generic over [`Simd`], and [`run`] compiles and calls it once per
//! instruction set. Everything under a task must be `#[inline(always)]`, so that it is compiled with those instructions; a
//! closure that a library function calls is not.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod transpose;

use crate::Level;

/// A vector of f32. Where a maximum or minimum meets NaN it gives its second argument.
pub(crate) trait Simd: Copy {
    const LANES: usize;
    type V: Copy;

    /// Whether it was done; not every set of instructions has it written out.
    ///
    /// # Safety
    /// The memory that `block` describes is there, and it has at least one step.
    #[inline(always)]
    unsafe fn eight_by_two(_block: &EightByTwo) -> bool {
        false
    }

    /// The transpose of sixteen by sixteen numbers, whose rows begin `stride` apart. Whether it was done, as above.
    #[inline(always)]
    fn transpose_sixteen(_from: &[f32], _stride: usize, _to: &mut [f32]) -> bool {
        false
    }

    fn splat(x: f32) -> Self::V;
    /// Reads `LANES` values from the beginning of `from`.
    fn load(from: &[f32]) -> Self::V;
    fn store(v: Self::V, to: &mut [f32]);
    fn add(a: Self::V, b: Self::V) -> Self::V;
    fn sub(a: Self::V, b: Self::V) -> Self::V;
    fn mul(a: Self::V, b: Self::V) -> Self::V;
    fn div(a: Self::V, b: Self::V) -> Self::V;
    /// `a * b + c`; fused where the CPU has that.
    fn fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    fn max(a: Self::V, b: Self::V) -> Self::V;
    fn min(a: Self::V, b: Self::V) -> Self::V;
    fn sqrt(a: Self::V) -> Self::V;
    /// To the nearest whole number.
    fn round(a: Self::V) -> Self::V;
    /// `2^n` for whole `n` in -126..=127.
    fn power_of_two(n: Self::V) -> Self::V;
    /// `a < b ? yes : no`, lane by lane.
    fn if_less(a: Self::V, b: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// `x < low ? 0 : y * 2^n`, lane by lane, with whole `n` in -126..=127 where `x` is not below.
    #[inline(always)]
    fn power_if(x: Self::V, low: Self::V, y: Self::V, n: Self::V) -> Self::V {
        Self::if_less(x, low, Self::splat(0.0), Self::mul(y, Self::power_of_two(n)))
    }
    /// `1 / a` for finite `a` above 0, within a unit of the last place.
    #[inline(always)]
    fn inverse(a: Self::V) -> Self::V {
        Self::div(Self::splat(1.0), a)
    }
    fn sum(v: Self::V) -> f32;
    fn largest(v: Self::V) -> f32;

    /// Reads all of `from`, which is shorter than a vector, and fills the other lanes.
    #[inline(always)]
    fn load_part(from: &[f32], other: f32) -> Self::V {
        let mut whole = [other; 16];
        whole[..from.len()].copy_from_slice(from);
        Self::load(&whole)
    }

    /// Fills `to`, which is shorter than a vector.
    #[inline(always)]
    fn store_part(v: Self::V, to: &mut [f32]) {
        let mut whole = [0.0; 16];
        Self::store(v, &mut whole);
        to.copy_from_slice(&whole[..to.len()]);
    }
}

/// Eight rows by 32 columns of a product: sums over `steps` numbers of the left factor, which lie `step_bytes` apart and
/// `row_bytes` from row to row, and as many pairs of vectors of the right one.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct EightByTwo {
    pub(crate) left: *const f32,
    pub(crate) row_bytes: usize,
    pub(crate) step_bytes: usize,
    /// Vectors of the first sixteen columns one after the other, and how far away those of the others are.
    pub(crate) right: *const f32,
    pub(crate) panel_bytes: usize,
    pub(crate) steps: usize,
    /// What the sums begin with; null for zeros.
    pub(crate) start: *const f32,
    pub(crate) start_bytes: usize,
    pub(crate) out: *mut f32,
    pub(crate) out_bytes: usize,
    /// What to bring near meanwhile, and how much further at each step. May be anywhere.
    pub(crate) ahead: *const f32,
    pub(crate) ahead_bytes: usize,
}

/// Asks for the cache line at `from`, which may be anywhere, to be brought near.
#[inline(always)]
pub(crate) fn fetch(from: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every such CPU has the instruction, and it reads nothing that could fail.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(from.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = from;
}

pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self) -> Self::Output;
}

/// Runs the task with the vectors of `level`.
#[inline]
pub(crate) fn run<T: Task>(level: Level, task: T) -> T::Output {
    match level {
        // SAFETY: a level above portable is only ever given out when the CPU has its instructions.
        #[cfg(target_arch = "x86_64")]
        Level::AVX512 | Level::BF16 | Level::AMX => unsafe { avx512::run(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::AVX2 => unsafe { avx2::run(task) },
        _ => task.run::<portable::Portable>(),
    }
}
