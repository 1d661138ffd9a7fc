//! How much of the clock a move may cost.

use std::time::Duration;

use chess::Moment;

use crate::Limits;

/// Time kept back for each move unless told otherwise: engine, GUI and network all need a little.
pub const MOVE_OVERHEAD_MS: u64 = 20;

/// Moves that a game is expected to go on for when the clock does not say.
const MOVES_LEFT: f64 = 38.0;
/// Overheads, and delays as long as the latest ones, that the clock must still have room for after each move.
const OVERHEADS_KEPT: u32 = 5;
const DELAYS_KEPT: u32 = 3;
/// Share of the base time that the clock keeps, and the most: a busy machine may hold a process up for as long, before any delay was measured.
const SHARE_KEPT: f64 = 0.125;
const MOST_KEPT: Duration = Duration::from_secs(1);
/// Batches of positions that must fit into the time for a move, so that none oversteps it by much.
const BATCHES: u32 = 16;
/// The longest that one may take: who stops a search does not wait for it.
const LONGEST_BATCH: Duration = Duration::from_millis(40);

/// What stays on the clock whatever happens, as long as there is that much: a busy machine may wake a thread late.
pub(crate) fn reserve(moment: &Moment, limits: &Limits, move_overhead_ms: u64) -> Duration {
    let base = moment.clocks.and_then(|clocks| clocks.base_cs).unwrap_or(0);
    let share = Duration::from_millis(10 * u64::from(base)).mul_f64(SHARE_KEPT).min(MOST_KEPT);
    OVERHEADS_KEPT * Duration::from_millis(move_overhead_ms) + DELAYS_KEPT * limits.lateness + share
}

/// What a move may cost. Both are `None` when time does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeBudget {
    /// Do not begin another iteration after this; stretched while the choice is unsettled.
    pub soft: Option<Duration>,
    /// Stop in mid-thought.
    pub hard: Option<Duration>,
}

impl TimeBudget {
    pub fn new(moment: &Moment, limits: &Limits, move_overhead_ms: u64) -> TimeBudget {
        let mut budget = TimeBudget::default();
        let overhead = Duration::from_millis(move_overhead_ms) + limits.lateness;
        if limits.on_clock
            && let Some(clocks) = moment.clocks
        {
            let us = moment.turn();
            budget = share_of_clock(
                10.0 * f64::from(*clocks.left_cs.get(us)),
                10.0 * f64::from(*clocks.increment_cs.get(us)),
                limits.moves_to_go,
                1000.0 * overhead.as_secs_f64(),
                1000.0 * reserve(moment, limits, move_overhead_ms).as_secs_f64(),
            );
        }
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead).max(time / 4);
            budget.hard = Some(budget.hard.map_or(time, |hard| hard.min(time)));
        }
        budget
    }

    /// How long a mind may take for a batch of positions. `None` where time ends nothing: such searches are to be repeatable.
    pub(crate) fn for_a_batch(&self, limits: &Limits) -> Option<Duration> {
        let endless = limits.nodes.is_none() && limits.depth.is_none();
        let time = [self.soft, self.hard].into_iter().flatten().min();
        let share = time.map(|time| time / BATCHES);
        share.or(endless.then_some(LONGEST_BATCH)).map(|time| time.min(LONGEST_BATCH))
    }
}

/// All arguments in milliseconds. Neither limit ever reaches what is left on the clock.
fn share_of_clock(
    left: f64,
    increment: f64,
    moves_to_go: Option<u32>,
    overhead: f64,
    reserve: f64,
) -> TimeBudget {
    // With the reserve touched, something must remain to think with, but less than the increment brings back.
    let least = (0.2 * left).min((increment - overhead).max(0.02 * left));
    let usable = (left - overhead - reserve).max(least);
    let moves = moves_to_go.map_or(MOVES_LEFT, |moves| f64::from(moves.clamp(1, 50)));
    // The increments to come are part of the budget, the overheads to come are not.
    let pool = (usable + (increment - overhead) * (moves - 1.0)).max(0.3 * usable);
    // With one move to go everything may be spent; otherwise never more than a good part of the clock.
    let (most_soft, most_hard) = if moves_to_go == Some(1) { (0.8, 0.9) } else { (0.5, 0.7) };
    let soft = (pool / moves * 0.85).min(most_soft * usable);
    let hard = (soft * 4.5).min(most_hard * usable);
    let millis = |ms: f64| Some(Duration::from_secs_f64(ms.max(1.0) / 1000.0));
    TimeBudget { soft: millis(soft), hard: millis(hard) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn never_plans_to_lose_on_time(
            left in 20u32..10_000_000,
            increment in 0u32..60_000,
            moves_to_go in proptest::option::of(0u32..100),
            overhead in 0u32..5_000,
            reserve in 0u32..5_000,
        ) {
            let budget =
                share_of_clock(left.into(), increment.into(), moves_to_go, overhead.into(), reserve.into());
            let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
            prop_assert!(soft <= hard);
            prop_assert!(hard.as_secs_f64() * 1000.0 <= 0.9 * f64::from(left));
            // Within rounding up to the millisecond.
            let kept = f64::from(left) - hard.as_secs_f64() * 1000.0;
            let touched = f64::from(left) < 1.25 * f64::from(overhead + reserve) + 10.0;
            prop_assert!(touched || kept >= f64::from(overhead + reserve), "{kept}");
        }

        #[test]
        fn a_whole_game_at_the_limit_never_runs_out_where_the_increment_is_longer_than_delays(
            start in 100u32..100_000,
            increment in 60.0f64..5_000.0,
            late in 0.0f64..30.0,
        ) {
            let mut left = f64::from(start);
            for _ in 0..400 {
                let budget = share_of_clock(left, increment, None, 20.0 + late, 100.0 + 3.0 * late);
                left -= 1000.0 * budget.hard.unwrap().as_secs_f64() + late;
                prop_assert!(left > 30.0, "{left}");
                left += increment;
            }
        }

        #[test]
        fn a_clock_below_its_reserve_recovers_by_the_increment(
            left in 100.0f64..1_000.0,
            increment in 40.0f64..2_000.0,
            reserve in 1_500.0f64..3_000.0,
        ) {
            let spent = 1000.0 * share_of_clock(left, increment, None, 20.0, reserve).hard.unwrap().as_secs_f64();
            prop_assert!(spent < increment, "{spent}");
        }

        #[test]
        fn a_longer_clock_never_means_less_time(left in 20u32..1_000_000, increment in 0u32..10_000) {
            let soft = |left: u32| share_of_clock(left.into(), increment.into(), None, 20.0, 100.0).soft.unwrap();
            prop_assert!(soft(left) <= soft(left + 1000));
        }
    }

    #[test]
    fn batches_are_short_where_a_clock_or_a_stop_ends_the_search() {
        let batch = |limits: Limits| TimeBudget::new(&Moment::default(), &limits, 20).for_a_batch(&limits);
        assert_eq!(batch(Limits::default()), Some(LONGEST_BATCH));
        assert_eq!(batch(Limits::move_time(Duration::from_secs(3600))), Some(LONGEST_BATCH));
        assert_eq!(batch(Limits::move_time(Duration::from_millis(180))), Some(Duration::from_millis(10)));
        assert_eq!((batch(Limits::nodes(9)), batch(Limits::depth(9))), (None, None));
    }

    #[test]
    fn a_fixed_move_time_is_kept_within_its_overhead() {
        let limits = Limits::move_time(Duration::from_millis(1000));
        let budget = TimeBudget::new(&Moment::default(), &limits, 50);
        assert_eq!(budget, TimeBudget { soft: None, hard: Some(Duration::from_millis(950)) });
    }
}
