//! Ctrl-C while a dataset is written.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use anyhow::Context;

/// What the shell expects of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Becomes true at the first Ctrl-C, for the work to end in good order; the second ends the program at once.
pub(crate) fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flag)
}
