//! How long a person would think, as chances of bins of durations.

use std::time::Duration;

/// How long a person would think: bins of durations, short ones first, that do not overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct ThinkTime {
    /// The chances sum to 1.
    pub bins: Vec<ThinkBin>,
}

/// Durations from `from` up to, but not including, `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinkBin {
    pub from: Duration,
    pub to: Duration,
    pub chance: f32,
}

impl ThinkTime {
    /// Chances in proportion to `weights`, of which at least one is positive, one for each of the bins between
    /// neighbouring `edges_s` in seconds.
    pub fn from_weights(edges_s: &[f32], weights: &[f32]) -> ThinkTime {
        debug_assert_eq!(edges_s.len(), weights.len() + 1);
        let sum: f32 = weights.iter().sum();
        debug_assert!(sum > 0.0, "weights {weights:?}");
        let bins = edges_s.windows(2).zip(weights).map(|(edges, weight)| ThinkBin {
            from: Duration::from_secs_f32(edges[0]),
            to: Duration::from_secs_f32(edges[1]),
            chance: weight / sum,
        });
        ThinkTime { bins: bins.collect() }
    }

    /// A duration drawn with two random numbers in 0..1: one chooses the bin, one the place in it.
    pub fn sample(&self, bin: f32, place: f32) -> Duration {
        let mut rest = bin;
        let mut chosen = None;
        for candidate in self.bins.iter().filter(|candidate| candidate.chance > 0.0) {
            chosen = Some(candidate);
            rest -= candidate.chance;
            if rest < 0.0 {
                break;
            }
        }
        chosen.map_or(Duration::ZERO, |bin| bin.at(place))
    }

    /// The expected duration.
    pub fn mean(&self) -> Duration {
        let seconds: f64 = self.bins.iter().map(|bin| f64::from(bin.chance) * bin.mean_s()).sum();
        Duration::from_secs_f64(seconds.max(0.0))
    }

    /// The chance of less than `time`.
    pub fn below(&self, time: Duration) -> f32 {
        self.bins.iter().map(|bin| bin.chance * bin.share_below(time)).sum()
    }

    /// The place of the likeliest bin; of equals the shortest.
    pub fn likeliest(&self) -> Option<usize> {
        (0..self.bins.len()).reduce(
            |best, next| {
                if self.bins[next].chance > self.bins[best].chance { next } else { best }
            },
        )
    }

    /// The place of the bin that holds `time`; what lies outside all bins belongs to the nearest one.
    pub fn bin_of(&self, time: Duration) -> Option<usize> {
        let last = self.bins.len().checked_sub(1)?;
        Some(self.bins.iter().position(|bin| time < bin.to).unwrap_or(last))
    }
}

/// People feel durations by their ratio, so places in a bin are spread evenly over log(1 + seconds); the 1 keeps
/// bins that begin at zero finite.
impl ThinkBin {
    /// The duration at `place` in 0..1 of this bin.
    fn at(&self, place: f32) -> Duration {
        let (from, to) = (self.from.as_secs_f64().ln_1p(), self.to.as_secs_f64().ln_1p());
        let seconds = (from + f64::from(place.clamp(0.0, 1.0)) * (to - from)).exp_m1();
        Duration::from_secs_f64(seconds.max(0.0)).clamp(self.from, self.to)
    }

    /// The share of this bin's durations that are less than `time`.
    fn share_below(&self, time: Duration) -> f32 {
        let [from, to, time] = [self.from, self.to, time].map(|time| time.as_secs_f64().ln_1p());
        if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) as f32 } else { f32::from(from < time) }
    }

    fn mean_s(&self) -> f64 {
        let (from, to) = (1.0 + self.from.as_secs_f64(), 1.0 + self.to.as_secs_f64());
        let width = to.ln() - from.ln();
        if width > 0.0 { (to - from) / width - 1.0 } else { from - 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EDGES_S: [f32; 9] = [0.0, 0.5, 1.5, 2.5, 4.5, 9.5, 19.5, 59.5, 180.0];

    fn weights() -> impl Strategy<Value = Vec<f32>> {
        let weight = prop_oneof![Just(0.0f32), 0.001f32..1.0];
        proptest::collection::vec(weight, 8)
            .prop_filter("something is possible", |weights| weights.iter().sum::<f32>() > 0.0)
    }

    proptest! {
        #[test]
        fn what_is_drawn_lies_in_a_possible_bin(weights in weights(), bin in 0.0f32..1.0, place in 0.0f32..1.0) {
            let think = ThinkTime::from_weights(&EDGES_S, &weights);
            let drawn = think.sample(bin, place);
            let possible = |bin: &ThinkBin| bin.chance > 0.0 && bin.from <= drawn && drawn <= bin.to;
            prop_assert!(think.bins.iter().any(possible), "{drawn:?} of {weights:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn many_draws_tend_to_the_mean_and_to_the_chances(weights in weights()) {
            let think = ThinkTime::from_weights(&EDGES_S, &weights);
            let steps = 200;
            let part = |step: u32| (step as f32 + 0.5) / steps as f32;
            let mut sum = 0.0;
            let mut counts = [0u32; 8];
            for (bin, place) in (0..steps).flat_map(|bin| (0..steps).map(move |place| (part(bin), part(place)))) {
                let drawn = think.sample(bin, place);
                sum += drawn.as_secs_f64();
                counts[think.bin_of(drawn).unwrap()] += 1;
            }
            let mean = sum / f64::from(steps * steps);
            prop_assert!((mean - think.mean().as_secs_f64()).abs() < 0.02 * mean + 0.7, "{mean} {:?}", think.mean());
            for (count, bin) in counts.iter().zip(&think.bins) {
                let share = *count as f32 / (steps * steps) as f32;
                prop_assert!((share - bin.chance).abs() < 0.011, "{share} {bin:?}");
            }
        }
    }

    #[test]
    fn chances_below_a_duration_grow_from_none_to_all() {
        let think = ThinkTime::from_weights(&EDGES_S, &[1.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        for (seconds, expected) in [(0.0, 0.0), (0.5, 0.25), (1.5, 0.5), (2.5, 1.0), (500.0, 1.0)] {
            assert!((think.below(Duration::from_secs_f32(seconds)) - expected).abs() < 1e-5, "{seconds}");
        }
        let middle = think.below(Duration::from_secs(2));
        assert!(middle > 0.7 && middle < 0.8, "{middle}");
    }

    #[test]
    fn bins_know_their_durations_and_the_likeliest_is_the_one_with_most() {
        let think = ThinkTime::from_weights(&EDGES_S, &[1.0, 1.0, 3.0, 1.0, 1.0, 3.0, 0.0, 0.0]);
        assert_eq!(think.likeliest(), Some(2));
        for (seconds, bin) in [(0.0, 0), (0.5, 1), (2.0, 2), (59.4, 6), (60.0, 7), (9999.0, 7)] {
            assert_eq!(think.bin_of(Duration::from_secs_f32(seconds)), Some(bin), "{seconds}");
        }
        let nothing = ThinkTime { bins: Vec::new() };
        assert_eq!((nothing.sample(0.5, 0.5), nothing.likeliest()), (Duration::ZERO, None));
    }
}
