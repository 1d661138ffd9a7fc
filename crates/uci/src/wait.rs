//! Waiting for a message, but neither for ever nor against the user's will.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// How often a waiting thread looks whether all is being stopped.
const GLANCE: Duration = Duration::from_millis(50);

/// Why a message did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Late,
    Gone,
    Aborted,
}

/// Waits for a message until `deadline`, in steps short enough to notice an abort.
pub fn wait_for<T>(channel: &Receiver<T>, deadline: Instant, abort: &AtomicBool) -> Result<T, Missing> {
    loop {
        if abort.load(Ordering::Relaxed) {
            return Err(Missing::Aborted);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match channel.recv_timeout(left.min(GLANCE)) {
            Ok(message) => return Ok(message),
            Err(RecvTimeoutError::Disconnected) => return Err(Missing::Gone),
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Missing::Late),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
