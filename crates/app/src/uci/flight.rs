//! One `go` on its way to its `bestmove`: the switches that both threads hold.

use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use engine::Signals;

use super::go::Go;

#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) signals: Signals,
    /// Nothing is sure to end it but a command.
    endless: bool,
    awaits_stop: bool,
    landed: AtomicBool,
    /// The answer may be given as soon as there is one.
    cleared: Mutex<bool>,
    clearance: Condvar,
}

impl Flight {
    pub(crate) fn new(go: &Go) -> Flight {
        Flight {
            signals: if go.ponder { Signals::pondering() } else { Signals::new() },
            endless: go.is_endless(),
            awaits_stop: go.awaits_stop(),
            landed: AtomicBool::new(false),
            cleared: Mutex::new(!go.ponder && !go.awaits_stop()),
            clearance: Condvar::new(),
        }
    }

    /// Work that ends by itself, such as `bench`.
    pub(crate) fn finite() -> Flight {
        Flight::new(&Go { depth: Some(1), ..Go::default() })
    }

    pub(crate) fn stop(&self) {
        self.signals.stop();
        self.clear();
    }

    pub(crate) fn ponder_hit(&self) {
        self.signals.ponder_hit();
        if !self.awaits_stop {
            self.clear();
        }
    }

    /// Whether only a command that has not come yet can end it.
    pub(crate) fn needs_command(&self) -> bool {
        self.endless || self.signals.is_pondering()
    }

    /// Waits until the answer may be given: at once, or after `stop` or `ponderhit` where these must come first.
    pub(crate) fn await_clearance(&self) {
        let cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = self.clearance.wait_while(cleared, |cleared| !*cleared);
        drop(waiting.unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn land(&self) {
        self.landed.store(true, Ordering::Release);
    }

    pub(crate) fn has_landed(&self) -> bool {
        self.landed.load(Ordering::Acquire)
    }

    fn clear(&self) {
        *self.cleared.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.clearance.notify_all();
    }
}
