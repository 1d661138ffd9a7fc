//! Products of tiles: on AMX, which is asked for and set up here, or by dot products of AVX-512 in the same layouts (`dots`).
//!
//! A tile has 16 rows of 64 bytes. A left tile holds 16 rows x 32 bf16 of the left factor, a right tile 16 pairs of rows x 16
//! columns of the right one, and a result tile 16 x 16 f32.

mod blocks;
pub(crate) mod boards;
pub(crate) mod dots;

use std::{arch::asm, cell::Cell};

use crate::{Level, level::amx};
pub(crate) use blocks::Start;

/// Words of 32 bits in a tile.
pub(crate) const WORDS: usize = 256;
const ROW_BYTES: usize = 64;

/// Proof that this thread may multiply tiles, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiles {
    /// AMX, or else dot products.
    native: bool,
}

impl Tiles {
    /// Configures the tiles of this thread, the first time that it asks.
    ///
    /// # Panics
    /// If the level computes in f32, or the CPU has no tiles: callers dispatch on the level.
    #[inline]
    pub(crate) fn of_this_thread(level: Level) -> Tiles {
        assert!(level.rounds());
        if level == Level::BF16 {
            return Tiles { native: false };
        }
        thread_local! { static READY: Cell<bool> = const { Cell::new(false) }; }
        READY.with(|ready| {
            if !ready.replace(true) {
                assert!(amx::available(), "no AMX tiles on this CPU");
                // SAFETY: available.
                unsafe { amx::load_config() }
            }
        });
        Tiles { native: true }
    }

    /// `out[32 x 32] = left * right`, as 2 x 2 tiles, where step `i` of the left factor's rows begins `offsets[i]`
    /// bytes after the pointers and the rows lie `row_bytes` apart.
    ///
    /// # Safety
    /// All that is so described is valid memory, and `offsets` is not empty.
    #[inline]
    pub(crate) unsafe fn four_strided(
        self,
        left: [*const f32; 2],
        row_bytes: usize,
        offsets: &[i32],
        right: [*const f32; 2],
        out: *mut f32,
        out_stride: usize,
    ) {
        if !self.native {
            for (row, left) in left.into_iter().enumerate() {
                // SAFETY: the caller vouches for the memory, `self` for the instructions.
                unsafe {
                    let left = |step: usize| left.byte_offset(offsets[step] as isize);
                    let out = out.add(16 * row * out_stride);
                    dots::two_columns(left, row_bytes / 4, right, offsets.len(), out, out_stride, false);
                }
            }
            return;
        }
        // SAFETY: the caller vouches for the memory, `self` for the tiles.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "movsxd {t}, dword ptr [{offsets}]",
                "lea {q}, [{a1} + {t}]",
                "add {t}, {a0}",
                "tileloadd tmm6, [{b0} + {row}]",
                "tileloadd tmm4, [{t} + {sa}]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{b1} + {row}]",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{q} + {sa}]",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "add {offsets}, 4",
                "add {b0}, 1024",
                "add {b1}, 1024",
                "dec {steps}",
                "jnz 2b",
                "mov {q}, {sc}",
                "shl {q}, 4",
                "add {q}, {c}",
                "tilestored [{c} + {sc}], tmm0",
                "tilestored [{c} + {sc} + 64], tmm1",
                "tilestored [{q} + {sc}], tmm2",
                "tilestored [{q} + {sc} + 64], tmm3",
                a0 = in(reg) left[0],
                a1 = in(reg) left[1],
                sa = in(reg) row_bytes,
                offsets = inout(reg) offsets.as_ptr() => _,
                b0 = inout(reg) right[0] => _,
                b1 = inout(reg) right[1] => _,
                steps = inout(reg) offsets.len() => _,
                c = in(reg) out,
                sc = in(reg) out_stride * 4,
                row = in(reg) ROW_BYTES,
                t = out(reg) _,
                q = out(reg) _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }

    /// One tile of [`Tiles::four_strided`].
    ///
    /// # Safety
    /// As there.
    #[inline]
    pub(crate) unsafe fn one_strided(
        self,
        left: *const f32,
        row_bytes: usize,
        offsets: &[i32],
        right: *const f32,
        out: *mut f32,
        out_stride: usize,
    ) {
        if !self.native {
            // SAFETY: the caller vouches for the memory, `self` for the instructions.
            return unsafe {
                let left = |step: usize| left.byte_offset(offsets[step] as isize);
                dots::one_column(left, row_bytes / 4, right, offsets.len(), out, out_stride, false);
            };
        }
        // SAFETY: the caller vouches for the memory, `self` for the tiles.
        unsafe {
            asm!(
                "tilezero tmm0",
                "2:",
                "movsxd {t}, dword ptr [{offsets}]",
                "add {t}, {a}",
                "tileloadd tmm6, [{b} + {row}]",
                "tileloadd tmm4, [{t} + {sa}]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "add {offsets}, 4",
                "add {b}, 1024",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{c} + {sc}], tmm0",
                a = in(reg) left,
                sa = in(reg) row_bytes,
                offsets = inout(reg) offsets.as_ptr() => _,
                b = inout(reg) right => _,
                steps = inout(reg) offsets.len() => _,
                c = in(reg) out,
                sc = in(reg) out_stride * 4,
                row = in(reg) ROW_BYTES,
                t = out(reg) _,
                out("tmm0") _, out("tmm4") _, out("tmm6") _,
                options(nostack),
            );
        }
    }

    /// Multiplies four tiles of zeros `rounds` times, to measure how fast that can be.
    pub(crate) fn spin(self, rounds: usize) {
        if !self.native {
            // SAFETY: `self` vouches for the instructions. Sixteen of them make a sixteenth of a tile.
            return unsafe { dots::spin(4 * 16 * rounds) };
        }
        // SAFETY: registers only, and `self` vouches for the tiles.
        unsafe {
            asm!(
                "tilezero tmm4",
                "tilezero tmm5",
                "2:",
                "tdpbf16ps tmm0, tmm4, tmm5",
                "tdpbf16ps tmm1, tmm4, tmm5",
                "tdpbf16ps tmm2, tmm4, tmm5",
                "tdpbf16ps tmm3, tmm4, tmm5",
                "dec {rounds}",
                "jnz 2b",
                rounds = inout(reg) rounds.max(1) => _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _, out("tmm4") _, out("tmm5") _,
                options(nostack, nomem),
            );
        }
    }
}
