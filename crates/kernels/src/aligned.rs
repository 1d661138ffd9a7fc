//! A buffer for numbers that begins on a cache line, and is used again instead of going back to the system: a training step asks
//! for the same sizes as the step before, and fresh pages cost more than the arithmetic that fills them.

use std::{
    collections::HashMap,
    ops::{Deref, DerefMut},
    sync::{LazyLock, Mutex, PoisonError},
};

const PER_LINE: usize = 16;
/// Smaller buffers are left to the system's allocator, which keeps such sizes itself; but each is filled with zeros first, and
/// 64 squares of a board are worth sparing that.
const SMALLEST_KEPT: usize = 128;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; PER_LINE]);

type Kept = HashMap<usize, Vec<Vec<Line>>>;
static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

/// A slice of f32 of fixed length whose first value begins a cache line.
#[derive(Default)]
pub struct Aligned {
    lines: Vec<Line>,
    len: usize,
}

/// Lines of a buffer for so many numbers: at most an eighth more than needed, so that buffers of about the same size are one kind
/// and what is kept stays bounded however the sizes vary.
fn lines_for(len: usize) -> usize {
    let lines = len.div_ceil(PER_LINE);
    lines.next_multiple_of((lines.next_power_of_two() / 16).max(1))
}

impl Aligned {
    pub fn zeros(len: usize) -> Aligned {
        let lines = lines_for(len);
        match take(lines) {
            Some(mut kept) => {
                kept.fill(Line([0.0; PER_LINE]));
                Aligned { lines: kept, len }
            }
            None => Aligned { lines: vec![Line([0.0; PER_LINE]); lines], len },
        }
    }

    /// A buffer whose numbers are whatever was there before.
    pub fn scratch(len: usize) -> Aligned {
        match take(lines_for(len)) {
            Some(lines) => Aligned { lines, len },
            None => Aligned::zeros(len),
        }
    }
}

fn take(lines: usize) -> Option<Vec<Line>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&lines)?.pop()
}

impl Drop for Aligned {
    fn drop(&mut self) {
        if self.lines.len() >= SMALLEST_KEPT {
            let lines = std::mem::take(&mut self.lines);
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            kept.entry(lines.len()).or_default().push(lines);
        }
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Aligned {
        let mut copy = Aligned::scratch(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: the lines are plain f32 without padding and hold at least `len` of them.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

impl std::fmt::Debug for Aligned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Aligned({})", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_in_few_sizes_that_waste_little() {
        let sizes: std::collections::HashSet<usize> = (1..=1usize << 20).map(lines_for).collect();
        assert!(sizes.len() < 200, "{}", sizes.len());
        assert!((1..=1usize << 20).all(|len| {
            let lines = len.div_ceil(PER_LINE);
            (lines..=lines + lines / 8).contains(&lines_for(len))
        }));
    }

    #[test]
    fn a_buffer_that_was_used_comes_back_as_zeros_when_zeros_are_asked_for() {
        Aligned::zeros(77_777).fill(3.0);
        assert!(Aligned::zeros(77_777).iter().all(|&x| x == 0.0));
    }
}
