//! Boards with their zeros, and the small work on squares between products.

use super::{BEFORE, BOARD, row};
use crate::{
    Aligned, Level, product,
    simd::{self, Simd, Task},
};

/// A board as plain numbers, and as the products read it.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) plain: Aligned,
    pub(super) packed: Aligned,
    channels: usize,
}

impl Board {
    pub(super) fn new(level: Level, channels: usize) -> Board {
        let words = if level.rounds() { BOARD * channels / 2 } else { 0 };
        Board { plain: Aligned::zeros(BOARD * channels), packed: Aligned::zeros(words), channels }
    }

    pub(super) fn square(&mut self, square: usize) -> &mut [f32] {
        &mut self.plain[(BEFORE + row(square)) * self.channels..][..self.channels]
    }

    pub(super) fn fill(&mut self, squares: &[f32]) {
        for (square, from) in squares.chunks_exact(self.channels).enumerate() {
            self.square(square).copy_from_slice(from);
        }
    }

    pub(super) fn read(&mut self, squares: &mut [f32]) {
        for (square, to) in squares.chunks_exact_mut(self.channels).enumerate() {
            to.copy_from_slice(self.square(square));
        }
    }

    /// Makes the plain numbers ready for products.
    pub(super) fn pack(&mut self, level: Level) {
        if level.rounds() {
            product::to_bf16(level, &self.plain, &mut self.packed);
        }
    }

    pub(super) fn words(&self) -> &[f32] {
        if self.packed.is_empty() { &self.plain } else { &self.packed }
    }
}

/// What becomes of a square's sum; all slices have one number per channel.
pub(super) enum Then<'a> {
    /// `to = max(sum + bias, 0)`.
    Rectify { bias: &'a [f32] },
    /// `to = max(sum + bias + shortcut, 0)`.
    Join { bias: &'a [f32], shortcut: &'a [f32] },
    /// `to = sum` where `shown` is above zero, else 0.
    Gate { shown: &'a [f32] },
    /// `to = sum + shortcut`.
    Add { shortcut: &'a [f32] },
}

pub(super) fn then(level: Level, sum: &[f32], what: Then<'_>, to: &mut [f32]) {
    simd::run(level, Run { sum, what, to });
}

struct Run<'a> {
    sum: &'a [f32],
    what: Then<'a>,
    to: &'a mut [f32],
}

impl Task for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let zero = S::splat(0.0);
        for i in (0..self.to.len()).step_by(S::LANES) {
            let sum = S::load(&self.sum[i..]);
            let result = match self.what {
                Then::Rectify { bias } => S::max(zero, S::add(sum, S::load(&bias[i..]))),
                Then::Join { bias, shortcut } => {
                    S::max(zero, S::add(S::add(sum, S::load(&bias[i..])), S::load(&shortcut[i..])))
                }
                Then::Gate { shown } => S::if_less(zero, S::load(&shown[i..]), sum, zero),
                Then::Add { shortcut } => S::add(sum, S::load(&shortcut[i..])),
            };
            S::store(result, &mut self.to[i..]);
        }
    }
}
