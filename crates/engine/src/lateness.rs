//! How late moves are on this machine: what the clock lost beyond the plan, whoever caused it.

use std::time::Duration;

/// Share of a measured delay that still counts one move later.
const MEMORY: f64 = 0.95;
/// Longer delays come from a suspended machine or a clock that was set by hand, and do not repeat.
const LONGEST: Duration = Duration::from_secs(2);

/// The worst delay of the latest moves; older ones fade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness(Duration);

impl Lateness {
    /// Takes in how late one move was.
    pub fn add(&mut self, late: Duration) {
        self.0 = self.0.mul_f64(MEMORY).max(late.min(LONGEST));
    }

    /// What the next moves must be ready for.
    pub fn expected(self) -> Duration {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_delay_is_remembered_and_fades() {
        let mut lateness = Lateness::default();
        lateness.add(Duration::from_millis(80));
        lateness.add(Duration::from_millis(10));
        assert_eq!(lateness.expected(), Duration::from_millis(76));
        (0..100).for_each(|_| lateness.add(Duration::ZERO));
        assert!(lateness.expected() < Duration::from_millis(1));
        lateness.add(Duration::from_secs(3600));
        assert_eq!(lateness.expected(), LONGEST);
    }
}
