//! What becomes of memory that the program has freed. It is here because asking the allocator takes `unsafe`.

/// Bytes from which an allocation is mapped on its own and given back to the system as soon as it is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: libc::c_int = 1 << 20;
/// Arenas that threads share. Each keeps what was freed in it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: libc::c_int = 2;

/// Makes the allocator give back what is freed, for servers that think now for this player and now for that one. Trees and tables of
/// searches that have ended stay in the allocator's arenas otherwise. Not for training, which allocates again what it has just freed.
/// Whether the allocator understood; only glibc's is asked.
pub fn give_back() -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: `mallopt` takes numbers only and may be called at any time; glibc's own lock guards what it changes.
        let set = |what, to| unsafe { libc::mallopt(what, to) == 1 };
        set(libc::M_MMAP_THRESHOLD, MAPPED) & set(libc::M_ARENA_MAX, ARENAS)
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    false
}

/// Gives back now what is free in the arenas.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes a number only; glibc's own lock guards what it changes.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    /// Pages of this process in memory.
    fn resident_megabytes() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
    }

    #[test]
    fn what_was_freed_goes_back_to_the_system() {
        assert!(super::give_back());
        // Small pieces, as trees are made of; every thousandth stays.
        let mut pieces: Vec<Option<Vec<u8>>> = (0..400_000).map(|_| Some(vec![1; 400])).collect();
        let full = resident_megabytes();
        let free = |(at, piece): (usize, &mut Option<Vec<u8>>)| {
            if at % 1000 != 0 {
                *piece = None;
            }
        };
        pieces.iter_mut().enumerate().for_each(free);
        super::trim();
        let left = resident_megabytes();
        assert!(full > 150 && left < full - 100, "{full} MB, then {left} MB");
    }
}
