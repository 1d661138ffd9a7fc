//! How long to wait before the next try: longer each time, never quite the same.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

#[derive(Debug)]
pub(crate) struct BackOff {
    first: Duration,
    most: Duration,
    tries: u32,
}

impl BackOff {
    pub(crate) fn new(first: Duration, most: Duration) -> BackOff {
        BackOff { first, most, tries: 0 }
    }

    /// All is well again.
    pub(crate) fn reset(&mut self) {
        self.tries = 0;
    }

    /// The wait before the next try: the first, doubled with each, less up to a third by chance, so that many who were cut off together
    /// do not come back together.
    pub(crate) fn next(&mut self) -> Duration {
        let whole = self.first.saturating_mul(1 << self.tries.min(16)).min(self.most);
        self.tries += 1;
        let chance = (RandomState::new().hash_one(self.tries) % 1024) as f64 / 1024.0;
        whole.mul_f64(1.0 - chance / 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_most_and_begin_anew() {
        let mut back_off = BackOff::new(Duration::from_secs(1), Duration::from_secs(60));
        for whole in [1, 2, 4, 8, 16, 32, 60, 60] {
            let wait = back_off.next().as_secs_f64();
            assert!(wait <= f64::from(whole) && wait >= 0.66 * f64::from(whole), "{wait} of {whole}");
        }
        back_off.reset();
        assert!(back_off.next() <= Duration::from_secs(1));
    }
}
