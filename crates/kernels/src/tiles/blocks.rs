//! Blocks of tiles of a product's result, summed in tile registers.

use std::arch::asm;

use super::{ROW_BYTES, Tiles};

/// What the sums of a block begin with. Never dereferenced but by tile instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// Null for zeros.
    at: *const f32,
    stride_bytes: usize,
}

impl Start {
    pub(crate) const ZERO: Start = Start { at: std::ptr::null(), stride_bytes: 0 };

    /// Numbers that lie `stride` from row to row; with a stride of 0 every row is the same.
    pub(crate) fn at(at: *const f32, stride: usize) -> Start {
        Start { at, stride_bytes: 4 * stride }
    }
}

impl Tiles {
    /// `out[32 x 32] = start + left[32 x 32 steps] * right[32 steps x 32]`, as 2 x 2 tiles.
    ///
    /// # Safety
    /// For all functions here: the tiles are AMX's. Each of `left` and `right` has `steps` tiles one after the other, at least one, at all its
    /// pointers; `out` has 32 rows of `out_stride` f32, 32 of them valid in each, and so has the start.
    #[inline]
    pub(crate) unsafe fn four(
        self,
        start: Start,
        left: [*const f32; 2],
        right: [*const f32; 2],
        steps: usize,
        out: *mut f32,
        out_stride: usize,
    ) {
        debug_assert!(self.native && steps > 0);
        // SAFETY: the caller vouches for the memory, `self` for the tiles.
        unsafe {
            asm!(
                "test {i}, {i}",
                "jz 3f",
                "tileloadd tmm0, [{i} + {si}]",
                "tileloadd tmm1, [{i} + {si} + 64]",
                "lea {i}, [{i} + 8 * {si}]",
                "lea {i}, [{i} + 8 * {si}]",
                "tileloadd tmm2, [{i} + {si}]",
                "tileloadd tmm3, [{i} + {si} + 64]",
                "jmp 2f",
                "3:",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm6, [{b0} + {row}]",
                "tileloadd tmm4, [{a0} + {row}]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{b1} + {row}]",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{a1} + {row}]",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "add {a0}, 1024",
                "add {a1}, 1024",
                "add {b0}, 1024",
                "add {b1}, 1024",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{c0} + {sc}], tmm0",
                "tilestored [{c0} + {sc} + 64], tmm1",
                "tilestored [{c1} + {sc}], tmm2",
                "tilestored [{c1} + {sc} + 64], tmm3",
                i = inout(reg) start.at => _,
                si = in(reg) start.stride_bytes,
                a0 = inout(reg) left[0] => _,
                a1 = inout(reg) left[1] => _,
                b0 = inout(reg) right[0] => _,
                b1 = inout(reg) right[1] => _,
                steps = inout(reg) steps => _,
                c0 = in(reg) out,
                c1 = in(reg) out.add(16 * out_stride),
                sc = in(reg) out_stride * 4,
                row = in(reg) ROW_BYTES,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }

    /// `out[16 x 64] = start + left[16 x 32 steps] * right[32 steps x 64]`: four tiles side by side, for products of few rows.
    ///
    /// # Safety
    /// As for [`Tiles::four`], with 16 rows and 64 columns of `out`.
    #[inline]
    pub(crate) unsafe fn beside(
        self,
        start: Start,
        left: *const f32,
        right: [*const f32; 4],
        steps: usize,
        out: *mut f32,
        out_stride: usize,
    ) {
        debug_assert!(self.native && steps > 0);
        // SAFETY: the caller vouches for the memory, `self` for the tiles.
        unsafe {
            asm!(
                "test {i}, {i}",
                "jz 3f",
                "tileloadd tmm0, [{i} + {si}]",
                "tileloadd tmm1, [{i} + {si} + 64]",
                "tileloadd tmm2, [{i} + {si} + 128]",
                "tileloadd tmm3, [{i} + {si} + 192]",
                "jmp 2f",
                "3:",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm4, [{a} + {row}]",
                "tileloadd tmm5, [{b0} + {row}]",
                "tdpbf16ps tmm0, tmm4, tmm5",
                "tileloadd tmm6, [{b1} + {row}]",
                "tdpbf16ps tmm1, tmm4, tmm6",
                "tileloadd tmm7, [{b2} + {row}]",
                "tdpbf16ps tmm2, tmm4, tmm7",
                "tileloadd tmm5, [{b3} + {row}]",
                "tdpbf16ps tmm3, tmm4, tmm5",
                "add {a}, 1024",
                "add {b0}, 1024",
                "add {b1}, 1024",
                "add {b2}, 1024",
                "add {b3}, 1024",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{c} + {sc}], tmm0",
                "tilestored [{c} + {sc} + 64], tmm1",
                "tilestored [{c} + {sc} + 128], tmm2",
                "tilestored [{c} + {sc} + 192], tmm3",
                i = in(reg) start.at,
                si = in(reg) start.stride_bytes,
                a = inout(reg) left => _,
                b0 = inout(reg) right[0] => _,
                b1 = inout(reg) right[1] => _,
                b2 = inout(reg) right[2] => _,
                b3 = inout(reg) right[3] => _,
                steps = inout(reg) steps => _,
                c = in(reg) out,
                sc = in(reg) out_stride * 4,
                row = in(reg) ROW_BYTES,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }

    /// `out[16 x 16] = start + left[16 x 32 steps] * right[32 steps x 16]`: one tile.
    ///
    /// # Safety
    /// As for [`Tiles::four`], with one pointer each and 16 rows and columns of `out`.
    #[inline]
    pub(crate) unsafe fn one(
        self,
        start: Start,
        left: *const f32,
        right: *const f32,
        steps: usize,
        out: *mut f32,
        out_stride: usize,
    ) {
        debug_assert!(self.native && steps > 0);
        // SAFETY: the caller vouches for the memory, `self` for the tiles.
        unsafe {
            asm!(
                "test {i}, {i}",
                "jz 3f",
                "tileloadd tmm0, [{i} + {si}]",
                "jmp 2f",
                "3:",
                "tilezero tmm0",
                "2:",
                "tileloadd tmm4, [{a} + {row}]",
                "tileloadd tmm6, [{b} + {row}]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "add {a}, 1024",
                "add {b}, 1024",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{c} + {sc}], tmm0",
                i = in(reg) start.at,
                si = in(reg) start.stride_bytes,
                a = inout(reg) left => _,
                b = inout(reg) right => _,
                steps = inout(reg) steps => _,
                c = in(reg) out,
                sc = in(reg) out_stride * 4,
                row = in(reg) ROW_BYTES,
                out("tmm0") _, out("tmm4") _, out("tmm6") _,
                options(nostack),
            );
        }
    }
}
