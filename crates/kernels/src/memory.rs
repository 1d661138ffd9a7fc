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

/// Keeps freed memory for the next step of a training, which asks for the same sizes again: otherwise the system hands out each tensor of
/// some megabytes page by page. For a process that does nothing but train.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGEST: i32 = 1 << 30;
        // Older versions of the library take no more than half of a thread's heap.
        const LARGEST_ONCE: i32 = 32 << 20;
        // SAFETY: the calls change two settings of the allocator and nothing else.
        unsafe {
            if libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST) == 0 {
                libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_ONCE);
            }
            libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        }
    }
}
