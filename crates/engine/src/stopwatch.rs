//! Time as a search sees it: that of this machine or, with a simulated device, of one that has the device.
//!
//! With a device the work of the mind takes no time here, however long this machine needs for it; the device's own time is added instead.
//! So the processor's work on the tree and the device's work on batches add up, or overlap, as they would there.

use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicI64, Ordering},
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
    /// Nanoseconds by which the time of the search is ahead of this machine's.
    ahead: AtomicI64,
}

impl Stopwatch {
    pub(crate) fn start(device: Option<Device>) -> Stopwatch {
        Stopwatch { started: Instant::now(), device, ahead: AtomicI64::new(0) }
    }

    pub(crate) fn device(&self) -> Option<Device> {
        self.device
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.shifted(self.started.elapsed())
    }

    /// Time spent on this move by our own clock, which stands still while we ponder.
    pub(crate) fn thought(&self, signals: &Signals) -> Duration {
        self.shifted(signals.clock_started(self.started).elapsed())
    }

    /// The time that the search took, where it is not what this machine took.
    pub(crate) fn simulated(&self) -> Option<Duration> {
        self.device.map(|_| self.elapsed())
    }

    /// Work that the device does while the search waits for it.
    pub(crate) fn on_device<T>(&self, positions: usize, work: impl FnOnce() -> T) -> T {
        let Some(device) = self.device else { return work() };
        let done = self.frozen(work);
        self.add(device.cost(positions).as_nanos() as i64);
        done
    }

    /// Work that takes no time.
    pub(crate) fn frozen<T>(&self, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = work();
        self.add(-(started.elapsed().as_nanos() as i64));
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
        stopwatch.on_device(2, || std::thread::sleep(Duration::from_millis(5)));
        assert!(stopwatch.elapsed() >= Duration::from_secs(1001), "{stopwatch:?}");
        let late = stopwatch.elapsed() + Duration::from_secs(100);
        assert!(stopwatch.wait_until(late) > Duration::from_secs(40) && stopwatch.elapsed() >= late);
        assert_eq!(stopwatch.wait_until(Duration::from_secs(1)), Duration::ZERO);
        assert!(stopwatch.simulated().is_some() && Stopwatch::start(None).simulated().is_none());
    }
}
