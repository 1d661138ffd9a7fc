//! The one instruction of the search that safe Rust has no word for.
#![expect(unsafe_code, reason = "a prefetch needs an intrinsic; its worth stands in docs/log.md")]

/// Tells the CPU that `target` will be read soon. Does nothing where there is no such instruction.
#[inline(always)]
pub(crate) fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults and changes no memory, and the pointer comes from a live reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(target).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = target;
}
