//! What the system's allocator does with large blocks that are freed.

/// Keeps freed memory for the next step of a training, which asks for the same sizes again: otherwise each tensor of some megabytes is
/// fetched from the system page by page, which costs about a tenth of a step. For a process that does nothing but train.
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
