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
    flag_with(&Arc::default())
}

/// The same, with another flag that is raised first: for work that may also be ended for reasons of its own.
pub(crate) fn flag_with(abort: &Arc<AtomicBool>) -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let (raised, abort) = (Arc::clone(&flag), Arc::clone(abort));
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
        abort.store(true, Ordering::Relaxed);
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flag)
}
