//! What goes wrong, by chance and yet the same way for the same seed.

use std::time::Duration;

/// Chances out of a thousand, for each request or each line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) too_many: u64,
    /// The server fails and has done nothing, or has done what it was asked for.
    pub(crate) fails_before: u64,
    pub(crate) fails_after: u64,
    pub(crate) slow: u64,
    /// A stream ends in the middle of a line.
    pub(crate) cut: u64,
    /// A line comes twice.
    pub(crate) twice: u64,
    pub(crate) seed: u64,
    /// What has gone wrong so far.
    pub(crate) count: usize,
}

impl Faults {
    pub(crate) fn many(seed: u64) -> Faults {
        Faults {
            too_many: 10,
            fails_before: 20,
            fails_after: 20,
            slow: 40,
            cut: 20,
            twice: 50,
            seed,
            count: 0,
        }
    }

    /// Whether something happens that has so many chances out of a thousand.
    pub(crate) fn strikes(&mut self, chances: u64) -> bool {
        let strikes = self.roll() % 1000 < chances;
        self.count += usize::from(strikes);
        strikes
    }

    pub(crate) fn delay(&mut self) -> Option<Duration> {
        let chances = self.slow;
        self.strikes(chances).then(|| Duration::from_millis(20 + self.roll() % 200))
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.seed >> 33
    }
}
