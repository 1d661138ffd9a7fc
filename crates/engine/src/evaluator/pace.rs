//! How long a mind takes for a batch: so much for each batch, so much for each position in it. Found while it works.

use std::time::Duration;

/// What an earlier batch counts compared with the one after it.
const MEMORY: f64 = 0.97;
/// Batches after which a guess is worth something.
const FEWEST: f64 = 4.0;

/// Sums over the latest batches, older ones fading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    batches: f64,
    positions: f64,
    seconds: f64,
    positions_squared: f64,
    positions_seconds: f64,
    /// Seconds for each batch, and for each position in it, as found when batches last differed in size.
    line: Option<(f64, f64)>,
}

impl Pace {
    pub(crate) fn add(&mut self, positions: usize, took: Duration) {
        let (n, t) = (positions as f64, took.as_secs_f64());
        let fade = |sum: &mut f64, new: f64| *sum = MEMORY * *sum + new;
        fade(&mut self.batches, 1.0);
        fade(&mut self.positions, n);
        fade(&mut self.seconds, t);
        fade(&mut self.positions_squared, n * n);
        fade(&mut self.positions_seconds, n * t);
        self.line = self.least_squares().or(self.line);
    }

    /// Seconds for each batch, and for each position in it.
    fn costs(&self) -> (f64, f64) {
        self.line.unwrap_or((0.0, self.seconds / self.positions))
    }

    /// The line of least squares, neither number negative. None is found where batches hardly differ in size.
    fn least_squares(&self) -> Option<(f64, f64)> {
        let (n, t) = (self.positions / self.batches, self.seconds / self.batches);
        let spread = self.positions_squared / self.batches - n * n;
        let joint = self.positions_seconds / self.batches - n * t;
        let each = (joint / spread).clamp(0.0, t / n);
        (spread > 0.01 * n * n).then_some((t - each * n, each))
    }

    /// Positions that the mind gets through in this time, in one batch.
    pub(crate) fn reach(&self, time: Duration) -> usize {
        if self.batches == 0.0 {
            return usize::MAX;
        }
        let (batch, each) = self.costs();
        ((time.as_secs_f64() - batch).max(0.0) / each.max(1e-9)) as usize
    }

    /// Positions with which a batch takes twice as long as with one: up to here more of them cost little.
    pub(crate) fn worthwhile(&self) -> usize {
        if self.batches < FEWEST {
            return 1;
        }
        let (batch, each) = self.costs();
        (batch / each.max(1e-9)) as usize + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(batch_us: u64, each_us: u64) -> Pace {
        let mut pace = Pace::default();
        for positions in [3, 40, 7, 120, 1, 60, 18] {
            pace.add(positions, Duration::from_micros(batch_us + each_us * positions as u64));
        }
        pace
    }

    #[test]
    fn batches_are_worth_filling_where_a_batch_costs_more_than_its_positions() {
        assert_eq!(pace(0, 50).worthwhile(), 1);
        assert!((199..=201).contains(&(pace(2000, 10).worthwhile() - 1)));
        assert!(pace(2000, 0).worthwhile() > 100_000);
    }

    #[test]
    fn full_batches_do_not_make_it_forget_what_a_batch_costs() {
        let mut pace = pace(2000, 10);
        for _ in 0..1000 {
            pace.add(256, Duration::from_micros(2000 + 10 * 256));
        }
        assert!((199..=201).contains(&(pace.worthwhile() - 1)), "{}", pace.worthwhile());
    }

    #[test]
    fn the_clock_allows_what_fits_into_it() {
        assert!((299..=300).contains(&pace(2000, 10).reach(Duration::from_millis(5))));
        assert_eq!(pace(2000, 10).reach(Duration::from_millis(1)), 0);
        assert_eq!(Pace::default().reach(Duration::ZERO), usize::MAX);
    }
}
