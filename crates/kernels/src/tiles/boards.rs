//! Tiles of sixteen boards: row by row the boards, one square at a time, so that a neighbour is another tile and squares
//! beyond the edge are left out instead of multiplied by zero. The tiles of a rank lie one after the other.

use std::arch::asm;

use super::{ROW_BYTES, Tiles, WORDS};

/// Half a rank, whose results four tiles hold at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Files 0 to 3.
    Left,
    /// Files 4 to 7.
    Right,
}

/// Sums of half a rank.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct HalfRank(pub(crate) [f32; 4 * WORDS]);

/// Files whose tiles the results of half a rank need: one beyond its inner end.
pub(crate) const FILES_READ: usize = 5;

/// One step of half a rank, with the products in their order given.
macro_rules! step {
    ($board:ident, $weights:ident, [$($step:literal,)*]) => {
        asm!(
            "tileloadd tmm4, [{b} + {row}]",
            "tileloadd tmm7, [{a} + {row}]",
            "tileloadd tmm5, [{b} + {row} + 1024]",
            "tileloadd tmm6, [{b} + {row} + 2048]",
            $($step,)*
            a = in(reg) $board,
            b = in(reg) $weights,
            row = in(reg) ROW_BYTES,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack, readonly),
        )
    };
}

// For AMX only: dot products keep their sums in other ways (`conv::dots`).
//
// Sums stay in tiles 0 to 3 from one of the following calls to the next: the compiler itself never touches tiles, and what
// is called in between must not use them. So other work can be done between the steps, while the tiles are multiplied.
impl Tiles {
    /// Clears the sums of half a rank.
    #[inline]
    pub(crate) fn clear_half_rank(self) {
        // SAFETY: registers only, and `self` vouches for the tiles.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                options(nostack, nomem),
            );
        }
    }

    /// Adds three neighbours of one rank to the sums of half a rank: products of five tiles of boards, which follow each
    /// other, with three of weights (left, here, right).
    ///
    /// # Safety
    /// The tiles are valid memory.
    #[inline]
    pub(crate) unsafe fn step_half_rank(self, half: Half, board: *const f32, weights: *const f32) {
        match half {
            // SAFETY: the caller vouches for the memory, `self` for the tiles.
            Half::Left => unsafe {
                step!(
                    board,
                    weights,
                    [
                        "tdpbf16ps tmm1, tmm7, tmm4",
                        "tdpbf16ps tmm0, tmm7, tmm5",
                        "tileloadd tmm7, [{a} + {row} + 1024]",
                        "tdpbf16ps tmm2, tmm7, tmm4",
                        "tdpbf16ps tmm1, tmm7, tmm5",
                        "tdpbf16ps tmm0, tmm7, tmm6",
                        "tileloadd tmm7, [{a} + {row} + 2048]",
                        "tdpbf16ps tmm3, tmm7, tmm4",
                        "tdpbf16ps tmm2, tmm7, tmm5",
                        "tdpbf16ps tmm1, tmm7, tmm6",
                        "tileloadd tmm7, [{a} + {row} + 3072]",
                        "tdpbf16ps tmm3, tmm7, tmm5",
                        "tdpbf16ps tmm2, tmm7, tmm6",
                        "tileloadd tmm7, [{a} + {row} + 4096]",
                        "tdpbf16ps tmm3, tmm7, tmm6",
                    ]
                );
            },
            // SAFETY: as above.
            Half::Right => unsafe {
                step!(
                    board,
                    weights,
                    [
                        "tdpbf16ps tmm0, tmm7, tmm4",
                        "tileloadd tmm7, [{a} + {row} + 1024]",
                        "tdpbf16ps tmm1, tmm7, tmm4",
                        "tdpbf16ps tmm0, tmm7, tmm5",
                        "tileloadd tmm7, [{a} + {row} + 2048]",
                        "tdpbf16ps tmm2, tmm7, tmm4",
                        "tdpbf16ps tmm1, tmm7, tmm5",
                        "tdpbf16ps tmm0, tmm7, tmm6",
                        "tileloadd tmm7, [{a} + {row} + 3072]",
                        "tdpbf16ps tmm3, tmm7, tmm4",
                        "tdpbf16ps tmm2, tmm7, tmm5",
                        "tdpbf16ps tmm1, tmm7, tmm6",
                        "tileloadd tmm7, [{a} + {row} + 4096]",
                        "tdpbf16ps tmm3, tmm7, tmm5",
                        "tdpbf16ps tmm2, tmm7, tmm6",
                    ]
                );
            },
        }
    }

    /// Writes the sums of half a rank, `[4 squares][16 boards][16 channels]`.
    #[inline]
    pub(crate) fn store_half_rank(self, to: &mut HalfRank) {
        // SAFETY: four tiles are what `to` has room for, and `self` vouches for the tiles.
        unsafe {
            asm!(
                "tilestored [{c} + {row}], tmm0",
                "tilestored [{c} + {row} + 1024], tmm1",
                "tilestored [{c} + {row} + 2048], tmm2",
                "tilestored [{c} + {row} + 3072], tmm3",
                c = in(reg) to.0.as_mut_ptr(),
                row = in(reg) ROW_BYTES,
                options(nostack),
            );
        }
    }

    /// Adds to the gradients of three neighbours' weights (left, here, right), 16 x 16 each and `apart` numbers from one to
    /// the next, the products of `ranks` ranks of transposed inputs and gradients.
    ///
    /// # Safety
    /// `inputs` and `gradients` have eight tiles for every rank, `ranks` is not zero, and the three results have 16 rows
    /// that begin `stride` numbers apart.
    #[inline]
    pub(crate) unsafe fn neighbour_gradients(
        self,
        inputs: *const f32,
        gradients: *const f32,
        ranks: usize,
        out: *mut f32,
        apart: usize,
        stride: usize,
    ) {
        // SAFETY: the caller vouches for the memory, `self` for the tiles.
        unsafe {
            asm!(
                "tileloadd tmm0, [{c0} + {sc}]",
                "tileloadd tmm1, [{c1} + {sc}]",
                "tileloadd tmm2, [{c2} + {sc}]",
                "2:",
                "tileloadd tmm3, [{x} + {row}]",
                "tileloadd tmm6, [{g} + {row}]",
                "tdpbf16ps tmm1, tmm3, tmm6",
                "tileloadd tmm4, [{x} + {row} + 1024]",
                "tdpbf16ps tmm2, tmm4, tmm6",
                "tileloadd tmm7, [{g} + {row} + 1024]",
                "tdpbf16ps tmm0, tmm3, tmm7",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{x} + {row} + 2048]",
                "tdpbf16ps tmm2, tmm5, tmm7",
                "tileloadd tmm6, [{g} + {row} + 2048]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tdpbf16ps tmm1, tmm5, tmm6",
                "tileloadd tmm3, [{x} + {row} + 3072]",
                "tdpbf16ps tmm2, tmm3, tmm6",
                "tileloadd tmm7, [{g} + {row} + 3072]",
                "tdpbf16ps tmm0, tmm5, tmm7",
                "tdpbf16ps tmm1, tmm3, tmm7",
                "tileloadd tmm4, [{x} + {row} + 4096]",
                "tdpbf16ps tmm2, tmm4, tmm7",
                "tileloadd tmm6, [{g} + {row} + 4096]",
                "tdpbf16ps tmm0, tmm3, tmm6",
                "tdpbf16ps tmm1, tmm4, tmm6",
                "tileloadd tmm5, [{x} + {row} + 5120]",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tileloadd tmm7, [{g} + {row} + 5120]",
                "tdpbf16ps tmm0, tmm4, tmm7",
                "tdpbf16ps tmm1, tmm5, tmm7",
                "tileloadd tmm3, [{x} + {row} + 6144]",
                "tdpbf16ps tmm2, tmm3, tmm7",
                "tileloadd tmm6, [{g} + {row} + 6144]",
                "tdpbf16ps tmm0, tmm5, tmm6",
                "tdpbf16ps tmm1, tmm3, tmm6",
                "tileloadd tmm4, [{x} + {row} + 7168]",
                "tdpbf16ps tmm2, tmm4, tmm6",
                "tileloadd tmm7, [{g} + {row} + 7168]",
                "tdpbf16ps tmm0, tmm3, tmm7",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "add {x}, 8192",
                "add {g}, 8192",
                "dec {ranks}",
                "jnz 2b",
                "tilestored [{c0} + {sc}], tmm0",
                "tilestored [{c1} + {sc}], tmm1",
                "tilestored [{c2} + {sc}], tmm2",
                x = inout(reg) inputs => _,
                g = inout(reg) gradients => _,
                ranks = inout(reg) ranks => _,
                c0 = in(reg) out,
                c1 = in(reg) out.add(apart),
                c2 = in(reg) out.add(2 * apart),
                sc = in(reg) stride * 4,
                row = in(reg) ROW_BYTES,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}
