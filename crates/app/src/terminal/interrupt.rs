//! Ctrl-C, and the signals that ask a program to end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use anyhow::Context;

/// What the shell expects of a program that was interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// Becomes true at the first Ctrl-C, for the work to end in good order; the second ends the program at once.
pub(crate) fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    flag_and(|| {})
}

/// The same, with something to be done at once. A process has one such handler: a verb asks for it once.
pub(crate) fn flag_and(mut act: impl FnMut() + Send + 'static) -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
        act();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flag)
}
