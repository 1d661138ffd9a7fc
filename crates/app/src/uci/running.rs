//! One `go` on its way to its `bestmove`: the switches that both threads hold.

use std::{
    sync::{
        Condvar, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use engine::Signals;

use super::go::Go;

#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) signals: Signals,
    /// Nothing is sure to end it but a command.
    endless: bool,
    awaits_stop: bool,
    finished: AtomicBool,
    /// How long the move was meant to take.
    planned: OnceLock<Duration>,
    /// The answer may be given as soon as there is one.
    released: Mutex<bool>,
    changed: Condvar,
}

impl Running {
    pub(crate) fn new(go: &Go) -> Running {
        Running {
            signals: if go.ponder { Signals::pondering() } else { Signals::new() },
            endless: go.is_endless(),
            awaits_stop: go.awaits_stop(),
            finished: AtomicBool::new(false),
            planned: OnceLock::new(),
            released: Mutex::new(!go.ponder && !go.awaits_stop()),
            changed: Condvar::new(),
        }
    }

    /// Work that ends by itself, such as `bench`.
    pub(crate) fn finite() -> Running {
        Running::new(&Go { depth: Some(1), ..Go::default() })
    }

    pub(crate) fn stop(&self) {
        self.signals.stop();
        self.release();
    }

    pub(crate) fn ponder_hit(&self) {
        self.signals.ponder_hit();
        if !self.awaits_stop {
            self.release();
        }
    }

    /// Whether only a command that has not come yet can end it.
    pub(crate) fn needs_command(&self) -> bool {
        self.endless || self.signals.is_pondering()
    }

    /// Waits until the answer may be given: at once, or after `stop` or `ponderhit` where these must come first.
    pub(crate) fn wait_until_released(&self) {
        let released = self.released.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = self.changed.wait_while(released, |released| !*released);
        drop(waiting.unwrap_or_else(PoisonError::into_inner));
    }

    /// How long the move is meant to take, of what the clock will show.
    pub(crate) fn plan(&self, time: Duration) {
        let _ = self.planned.set(time);
    }

    pub(crate) fn planned(&self) -> Option<Duration> {
        self.planned.get().copied()
    }

    pub(crate) fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    fn release(&self) {
        *self.released.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}
