//! How long to wait before a move that was found at once.

use std::time::Duration;

use chess::{Moment, Random, ThinkBin, ThinkTime};

use crate::{Limits, clock::reserve};

/// What is never waited away, besides the reserve of every search: on a busy machine a process may be held up for as long, and nobody knows
/// before it happens the first time.
const LEFT_ALONE: Duration = Duration::from_secs(1);
/// Share of the usable clock that one move may cost: a person rarely spends more, and the rest is never gone.
const MOST_OF_CLOCK: f64 = 0.5;

/// A duration drawn from what the mind predicts, as far as the clock allows it; `None` where no time counts, as in
/// analysis. What does not fit on the clock is impossible: its chances go to what does.
pub fn think_time(
    think: &ThinkTime,
    moment: &Moment,
    limits: &Limits,
    overhead_ms: u64,
    random: &mut Random,
) -> Option<Duration> {
    let most = most_time(moment, limits, overhead_ms)?;
    let bins: Vec<ThinkBin> = think
        .bins
        .iter()
        .filter(|bin| bin.from < most)
        .map(|bin| ThinkBin { to: bin.to.min(most), ..*bin })
        .collect();
    let possible: f32 = bins.iter().map(|bin| bin.chance).sum();
    let (bin, place) = (random.part(), random.part());
    // With nothing possible left, what remains is as fast as can be.
    Some(
        if possible > 0.0 { ThinkTime { bins }.sample(bin * possible, place) } else { Duration::ZERO }
            .min(most),
    )
}

/// The longest that a move may take.
fn most_time(moment: &Moment, limits: &Limits, overhead_ms: u64) -> Option<Duration> {
    // Delays between player and clock are not known exactly.
    let kept = Duration::from_millis(overhead_ms) + reserve(moment, limits, overhead_ms);
    let clock = moment.clocks.filter(|_| limits.on_clock).map(|clocks| {
        let left = Duration::from_millis(10 * u64::from(*clocks.left_cs.get(moment.turn())));
        left.saturating_sub(kept + LEFT_ALONE).mul_f64(MOST_OF_CLOCK)
    });
    let fixed = limits.move_time.map(|time| time.saturating_sub(kept));
    match (clock, fixed) {
        (Some(clock), Some(fixed)) => Some(clock.min(fixed)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use chess::{Clocks, shakmaty::ByColor};
    use proptest::prelude::*;

    use super::*;

    const EDGES_S: [f32; 9] = [0.0, 0.5, 1.5, 2.5, 4.5, 9.5, 19.5, 59.5, 180.0];

    fn with_clock(left_cs: u32, increment_cs: u32) -> Moment {
        let both = |cs| ByColor { white: cs, black: cs };
        let clocks = Clocks { left_cs: both(left_cs), increment_cs: both(increment_cs), base_cs: None };
        Moment { clocks: Some(clocks), ..Moment::default() }
    }

    proptest! {
        #[test]
        fn a_whole_game_of_waiting_never_loses_on_time(
            start_cs in 1u32..100_000,
            increment_cs in prop_oneof![Just(0u32), 0u32..3_000],
            weights in proptest::collection::vec(0.01f32..1.0, 8),
            overhead_ms in 1u64..500,
            seed: u64,
        ) {
            let think = ThinkTime::from_weights(&EDGES_S, &weights);
            let mut random = Random::new(seed);
            let mut left = Duration::from_millis(10 * u64::from(start_cs));
            for _ in 0..300 {
                let moment = with_clock((left.as_millis() / 10) as u32, increment_cs);
                let waited = think_time(&think, &moment, &Limits::clock(), overhead_ms, &mut random).unwrap();
                let kept = LEFT_ALONE + Duration::from_millis(overhead_ms);
                prop_assert!(waited.is_zero() || waited + kept < left, "{waited:?} of {left:?}");
                left = left - waited + Duration::from_millis(10 * u64::from(increment_cs));
            }
        }

        #[test]
        fn with_time_enough_bins_come_as_often_as_predicted(weights in proptest::collection::vec(0.01f32..1.0, 8)) {
            let think = ThinkTime::from_weights(&EDGES_S, &weights);
            let mut random = Random::new(1);
            let mut counts = [0.0f32; 8];
            for _ in 0..4000 {
                let waited = think_time(&think, &with_clock(1_000_000, 0), &Limits::clock(), 20, &mut random).unwrap();
                counts[think.bin_of(waited).unwrap()] += 1.0 / 4000.0;
            }
            for (count, bin) in counts.iter().zip(&think.bins) {
                prop_assert!((count - bin.chance).abs() < 0.05, "{count} {bin:?}");
            }
        }
    }

    #[test]
    fn only_clocks_and_move_times_ask_for_waiting() {
        let think = ThinkTime::from_weights(&EDGES_S, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let draw =
            |limits: &Limits| think_time(&think, &with_clock(60_000, 0), limits, 20, &mut Random::new(1));
        assert_eq!(
            (draw(&Limits::default()), draw(&Limits::nodes(1)), draw(&Limits::depth(3))),
            (None, None, None)
        );
        assert!(draw(&Limits::clock()).unwrap() > Duration::from_secs(59));
        let second = Limits::move_time(Duration::from_secs(1));
        assert_eq!(draw(&second).unwrap(), Duration::ZERO, "a minute is impossible within a second");
    }
}
