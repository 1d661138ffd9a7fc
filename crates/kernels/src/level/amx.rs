//! Whether AMX tiles work in this process. Virtual machines may hide the CPUID leaves that describe tiles though the tiles work, so
//! a child process tries one before anything relies on them.

use std::{arch::asm, sync::OnceLock};

#[repr(C, align(64))]
struct Config {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

static EIGHT_FULL_TILES: Config = Config {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    row_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// Whether bf16 and int8 tiles work in this process; asks the operating system for them once.
pub(crate) fn available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| cpu_has_tiles() && ask_permission() && child_survives_a_tile())
}

fn cpu_has_tiles() -> bool {
    use std::arch::x86_64::{__cpuid_count, _xgetbv};
    let edx = __cpuid_count(7, 0).edx;
    let [bf16, tile, int8] = [22, 24, 25].map(|bit| edx >> bit & 1 == 1);
    if !(bf16 && tile && int8 && __cpuid_count(1, 0).ecx >> 27 & 1 == 1) {
        return false;
    }
    #[target_feature(enable = "xsave")]
    fn enabled_state() -> u64 {
        // SAFETY: register 0 exists wherever the system has enabled xsave, which bit 27 above says.
        unsafe { _xgetbv(0) }
    }
    // SAFETY: bit 27 of leaf 1 says that the system has enabled xsave.
    unsafe { enabled_state() >> 17 & 3 == 3 }
}

#[cfg(target_os = "linux")]
fn ask_permission() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_int = 0x1023;
    const TILE_DATA: libc::c_ulong = 18;
    // SAFETY: this call only sets a permission of the process, or fails.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, TILE_DATA) == 0 }
}

#[cfg(target_os = "linux")]
fn child_survives_a_tile() -> bool {
    // SAFETY: the child calls nothing but async-signal-safe code: tile instructions and `_exit`.
    unsafe {
        match libc::fork() {
            -1 => false,
            0 => {
                load_config();
                asm!(
                    "tilezero tmm0",
                    "tilezero tmm1",
                    "tilezero tmm2",
                    "tdpbf16ps tmm0, tmm1, tmm2",
                    out("tmm0") _, out("tmm1") _, out("tmm2") _,
                    options(nomem, nostack),
                );
                libc::_exit(0)
            }
            child => {
                let mut status = 0;
                while libc::waitpid(child, &mut status, 0) == -1 {
                    if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
                        return false;
                    }
                }
                libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_permission() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn child_survives_a_tile() -> bool {
    false
}

/// # Safety
/// The process must have been granted tiles.
pub(crate) unsafe fn load_config() {
    // SAFETY: the configuration is 64 valid bytes; the caller vouches for the instruction.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const EIGHT_FULL_TILES, options(nostack, readonly)) }
}
