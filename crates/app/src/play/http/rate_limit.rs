//! How often someone may speak: so many words at once, so many a second for ever.

use std::time::Instant;

#[derive(Debug)]
pub(crate) struct Rate {
    per_second: f64,
    burst: f64,
    saved: f64,
    since: Instant,
}

impl Rate {
    pub(crate) fn new(per_second: f64, burst: f64, now: Instant) -> Rate {
        Rate { per_second, burst, saved: burst, since: now }
    }

    /// Whether one more word is allowed now.
    pub(crate) fn allows(&mut self, now: Instant) -> bool {
        let earned = (now - self.since).as_secs_f64() * self.per_second;
        (self.saved, self.since) = ((self.saved + earned).min(self.burst), now);
        let allowed = self.saved >= 1.0;
        if allowed {
            self.saved -= 1.0;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_passes_and_then_only_the_rate() {
        let start = Instant::now();
        let mut rate = Rate::new(2.0, 5.0, start);
        let mut passed = |at| (0..20).filter(|_| rate.allows(at)).count();
        assert_eq!(passed(start), 5);
        assert_eq!(passed(start + Duration::from_secs(1)), 2);
        assert_eq!(passed(start + Duration::from_secs(100)), 5);
    }
}
