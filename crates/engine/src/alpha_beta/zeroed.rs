//! Words of zero that take memory only where they are written to.
#![expect(
    unsafe_code,
    reason = "no safe function gives atomics as the system gives pages; 4 GiB took 12 s otherwise"
)]

use std::sync::atomic::AtomicU64;

/// As many zeros. The allocator asks the system for pages of zeros, and touches none of a large table.
pub(super) fn zeroed(words: usize) -> Box<[AtomicU64]> {
    // SAFETY: an atomic word whose bytes are all zero is the number zero.
    unsafe { Box::new_zeroed_slice(words).assume_init() }
}
