//! Time as a search sees it: that of this machine or, with a simulated device, of one that has the device.
//!
//! With a device the work of the mind takes no time here, however long this machine needs for it; the device's own time is added instead.
//! So the processor's work on the tree and the device's work on batches add up, or overlap, as they would there. The processor's work is
//! counted in its own time, so that it does not matter what else this machine has to do.

use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicI64, Ordering},
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

use thiserror::Error;

use crate::Signals;

/// What a batch costs on a device: so many microseconds each, and so many for each position in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Device {
    pub batch_us: f64,
    pub position_us: f64,
}

#[derive(Debug, Error)]
#[error(
    "`{0}` is no device; it is written as microseconds a batch and microseconds a position, such as 600+1.5"
)]
pub struct DeviceError(String);

impl Device {
    pub fn cost(self, positions: usize) -> Duration {
        Duration::from_secs_f64(1e-6 * (self.batch_us + self.position_us * positions as f64))
    }
}

impl FromStr for Device {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Device, DeviceError> {
        let number = |part: &str| part.parse::<f64>().ok().filter(|number| (0.0..=1e9).contains(number));
        let parts = text.split_once('+').map(|(batch, position)| (number(batch), number(position)));
        match parts {
            Some((Some(batch_us), Some(position_us))) => Ok(Device { batch_us, position_us }),
            _ => Err(DeviceError(text.to_owned())),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.batch_us, self.position_us)
    }
}

/// Runs from the beginning of one search.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    started: Instant,
    device: Option<Device>,
    /// The search's own thread, and its processor time when the search began. With a device only that counts: another load of this
    /// machine must not slow down the processor that is imagined beside the device.
    thread: ThreadId,
    processor: Duration,
    /// Nanoseconds by which the time of the search is ahead of this machine's.
    ahead: AtomicI64,
}

impl Stopwatch {
    pub(crate) fn start(device: Option<Device>) -> Stopwatch {
        let started = Instant::now();
        let (thread, processor) = (thread::current().id(), processor_time());
        Stopwatch { started, device, thread, processor, ahead: AtomicI64::new(0) }
    }

    pub(crate) fn device(&self) -> Option<Device> {
        self.device
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match self.device {
            Some(_) => self.shifted(processor_time().saturating_sub(self.processor)),
            None => self.started.elapsed(),
        }
    }

    /// Time spent on this move by our own clock, which stands still while we ponder.
    pub(crate) fn thought(&self, signals: &Signals) -> Duration {
        match self.device {
            Some(_) => self.elapsed(),
            None => signals.clock_started(self.started).elapsed(),
        }
    }

    /// The time that the search took, where it is not what this machine took.
    pub(crate) fn simulated(&self) -> Option<Duration> {
        self.device.map(|_| self.elapsed())
    }

    /// Work that the device does while the search waits for it. Other threads than the search's own have devices of their own.
    pub(crate) fn on_device<T>(&self, positions: usize, work: impl FnOnce() -> T) -> T {
        let Some(device) = self.device.filter(|_| thread::current().id() == self.thread) else {
            return work();
        };
        let done = self.frozen(work);
        self.add(device.cost(positions).as_nanos() as i64);
        done
    }

    /// Work of the search's own thread that takes no time.
    pub(crate) fn frozen<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = processor_time();
        let done = work();
        self.add(-(processor_time().saturating_sub(before).as_nanos() as i64));
        done
    }

    /// Waits, in the time of the search, until it is `time` after its beginning. Tells how long that is.
    pub(crate) fn wait_until(&self, time: Duration) -> Duration {
        let rest = time.saturating_sub(self.elapsed());
        self.add(rest.as_nanos() as i64);
        rest
    }

    fn add(&self, nanoseconds: i64) {
        self.ahead.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    fn shifted(&self, time: Duration) -> Duration {
        let ahead = self.ahead.load(Ordering::Relaxed);
        let shift = Duration::from_nanos(ahead.unsigned_abs());
        if ahead < 0 { time.saturating_sub(shift) } else { time + shift }
    }
}

/// Processor time that this thread has used.
#[cfg(unix)]
fn processor_time() -> Duration {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// Where threads have no clock of their own, time is what passes.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_written_as_they_are_read_and_nonsense_is_refused() {
        for text in ["600+1.5", "300+3", "0+0"] {
            assert_eq!(text.parse::<Device>().unwrap().to_string(), text);
        }
        for text in ["", "600", "600+", "-1+2", "1+NaN", "1+2+3"] {
            assert!(text.parse::<Device>().unwrap_err().to_string().contains("no device"), "{text}");
        }
        let device = Device { batch_us: 600.0, position_us: 1.5 };
        assert_eq!(device.cost(256), Duration::from_micros(984));
    }

    #[test]
    fn with_a_device_the_mind_takes_the_device_s_time_whatever_it_takes_here() {
        let stopwatch = Stopwatch::start(Some(Device { batch_us: 1e9, position_us: 1e6 }));
        stopwatch.on_device(2, || (0..100_000).map(std::hint::black_box).sum::<u64>());
        assert!(stopwatch.elapsed() >= Duration::from_secs(1001), "{stopwatch:?}");
        let late = stopwatch.elapsed() + Duration::from_secs(100);
        assert!(stopwatch.wait_until(late) > Duration::from_secs(40) && stopwatch.elapsed() >= late);
        assert_eq!(stopwatch.wait_until(Duration::from_secs(1)), Duration::ZERO);
        assert!(stopwatch.simulated().is_some() && Stopwatch::start(None).simulated().is_none());
    }
}
