//! The two clocks of a game. The server alone runs them; the page only shows them.

use std::time::Duration;

use chess::{
    Clocks,
    shakmaty::{ByColor, Color},
};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use utoipa::ToSchema;

pub(crate) const MAX_BASE_S: u32 = 3 * 3600;
pub(crate) const MAX_INCREMENT_S: u32 = 180;

/// Seconds at the start, and for each move; not none of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeControl {
    #[schema(maximum = 10800)]
    pub(crate) base_s: u32,
    #[schema(maximum = 180)]
    pub(crate) increment_s: u32,
}

impl TimeControl {
    pub(crate) fn is_sane(self) -> bool {
        self.base_s + self.increment_s > 0 && self.base_s <= MAX_BASE_S && self.increment_s <= MAX_INCREMENT_S
    }
}

/// What is left on both clocks, and since when the side to move has been thinking. A game without a time
/// control counts the time as well, but nobody can lose by it.
#[derive(Clone, Debug)]
pub(crate) struct GameClock {
    control: Option<TimeControl>,
    left_ms: ByColor<u64>,
    turn_began: Instant,
}

impl GameClock {
    pub(crate) fn new(control: Option<TimeControl>, now: Instant) -> GameClock {
        // A game of increments alone starts with one of them, or nobody could make the first move.
        let start_ms =
            control.map_or(0, |c| 1000 * u64::from(if c.base_s > 0 { c.base_s } else { c.increment_s }));
        GameClock { control, left_ms: ByColor::new_with(|_| start_ms), turn_began: now }
    }

    pub(crate) fn control(&self) -> Option<TimeControl> {
        self.control
    }

    pub(crate) fn turn_began(&self) -> Instant {
        self.turn_began
    }

    /// What `side` would have left if the turn, whose clock `running` may count, were looked at now.
    pub(crate) fn left_ms(&self, side: Color, running: Option<Color>, now: Instant) -> u64 {
        let spent = if running == Some(side) { millis(now - self.turn_began) } else { 0 };
        self.left_ms.get(side).saturating_sub(spent)
    }

    /// Ends the turn of `side` and begins the next. A turn that does not count costs nothing and earns nothing.
    pub(crate) fn press(&mut self, side: Color, counts: bool, now: Instant) -> Pressed {
        let spent_ms = millis(now - self.turn_began);
        if let Some(control) = self.control.filter(|_| counts) {
            let left = self.left_ms.get_mut(side);
            *left = left.saturating_sub(spent_ms) + 1000 * u64::from(control.increment_s);
        }
        self.turn_began = now;
        Pressed { spent_ms, left_ms: self.control.map(|_| *self.left_ms.get(side)) }
    }

    /// Puts a clock back to what a journal says.
    pub(crate) fn set(&mut self, side: Color, left_ms: Option<u64>, now: Instant) {
        if let Some(left_ms) = left_ms {
            *self.left_ms.get_mut(side) = left_ms;
        }
        self.turn_began = now;
    }

    /// Goes on with a turn of which `spent` has passed already.
    pub(crate) fn resume(&mut self, spent: Duration, now: Instant) {
        self.turn_began = now.checked_sub(spent).unwrap_or(now);
    }

    /// When the flag of `side` falls, if its clock runs.
    pub(crate) fn flag_falls(&self, running: Option<Color>) -> Option<Instant> {
        self.control?;
        running.map(|side| self.turn_began + Duration::from_millis(*self.left_ms.get(side)))
    }

    /// As minds see it, at the beginning of a turn.
    pub(crate) fn as_seen(&self) -> Option<Clocks> {
        let control = self.control?;
        Some(Clocks {
            left_cs: self.left_ms.map(|ms| u32::try_from(ms / 10).unwrap_or(u32::MAX).max(1)),
            increment_cs: ByColor::new_with(|_| 100 * control.increment_s),
            base_cs: Some(100 * control.base_s),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pressed {
    pub(crate) spent_ms: u64,
    pub(crate) left_ms: Option<u64>,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLITZ: Option<TimeControl> = Some(TimeControl { base_s: 60, increment_s: 2 });

    #[test]
    fn a_turn_costs_its_time_and_earns_the_increment() {
        let start = Instant::now();
        let mut clock = GameClock::new(BLITZ, start);
        let later = start + Duration::from_secs(10);
        assert_eq!(clock.left_ms(Color::White, Some(Color::White), later), 50_000);
        assert_eq!(
            clock.press(Color::White, true, later),
            Pressed { spent_ms: 10_000, left_ms: Some(52_000) }
        );
        assert_eq!(clock.left_ms(Color::Black, None, later + Duration::from_secs(9)), 60_000);
        assert_eq!(clock.flag_falls(Some(Color::Black)), Some(later + Duration::from_secs(60)));
    }

    #[test]
    fn a_turn_that_does_not_count_is_free() {
        let start = Instant::now();
        let mut clock = GameClock::new(BLITZ, start);
        let pressed = clock.press(Color::White, false, start + Duration::from_secs(99));
        assert_eq!(pressed, Pressed { spent_ms: 99_000, left_ms: Some(60_000) });
        assert_eq!(clock.flag_falls(None), None);
    }

    #[test]
    fn a_turn_that_goes_on_has_cost_what_it_had() {
        let start = Instant::now() + Duration::from_secs(60);
        let mut clock = GameClock::new(BLITZ, start);
        clock.resume(Duration::from_secs(7), start);
        assert_eq!(clock.left_ms(Color::White, Some(Color::White), start), 53_000);
        assert_eq!(
            clock.press(Color::White, true, start + Duration::from_secs(1)).spent_ms,
            8000,
            "the turn began before"
        );
    }

    #[test]
    fn without_a_time_control_no_flag_ever_falls() {
        let mut clock = GameClock::new(None, Instant::now());
        assert_eq!(clock.press(Color::White, true, Instant::now()).left_ms, None);
        assert_eq!((clock.flag_falls(Some(Color::Black)), clock.as_seen()), (None, None));
    }

    #[test]
    fn increments_alone_give_time_for_the_first_move() {
        let clock = GameClock::new(Some(TimeControl { base_s: 0, increment_s: 5 }), Instant::now());
        assert_eq!(clock.left_ms(Color::White, None, Instant::now()), 5000);
    }
}
