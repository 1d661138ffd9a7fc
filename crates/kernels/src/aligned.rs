//! Room for numbers that begins on a cache line.

use std::ops::{Deref, DerefMut};

const PER_LINE: usize = 16;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; PER_LINE]);

/// A slice of f32 of fixed length whose first value begins a cache line.
#[derive(Clone, Default)]
pub struct Aligned {
    lines: Vec<Line>,
    len: usize,
}

impl Aligned {
    pub fn zeros(len: usize) -> Aligned {
        Aligned { lines: vec![Line([0.0; PER_LINE]); len.div_ceil(PER_LINE)], len }
    }

    /// Makes room for `len` values where there is less; what they hold is unspecified.
    pub fn reserve(&mut self, len: usize) -> &mut [f32] {
        if self.len < len {
            *self = Aligned::zeros(len);
        }
        &mut self[..len]
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
