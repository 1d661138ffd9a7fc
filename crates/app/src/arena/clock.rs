//! The chess clock of one side, kept to the microsecond by the arena and never by the engines.

use std::{fmt, str::FromStr, time::Duration};

use anyhow::{Context, ensure};

/// `moves/base+increment` in seconds, as `40/60+0.5` or `8+0.08`; without `moves/` for the whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeControl {
    /// The base is added again after every so many moves.
    pub(crate) moves: Option<u32>,
    pub(crate) base: Duration,
    pub(crate) increment: Duration,
}

impl FromStr for TimeControl {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<TimeControl> {
        let wrong = || format!("`{text}` is not a time control such as 8+0.08 or 40/60+0.5");
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().with_context(wrong)?), rest),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let control =
            TimeControl { moves, base: seconds(base, wrong)?, increment: seconds(increment, wrong)? };
        ensure!(control.moves != Some(0) && !control.base.is_zero(), wrong());
        Ok(control)
    }
}

/// Eleven days; far from where adding times could overflow.
const MOST_SECONDS: f64 = 1e6;

fn seconds(text: &str, wrong: impl Fn() -> String) -> anyhow::Result<Duration> {
    let seconds: f64 = text.parse().with_context(&wrong)?;
    ensure!((0.0..=MOST_SECONDS).contains(&seconds), wrong());
    Ok(Duration::from_secs_f64(seconds))
}

/// The form that the PGN tag `TimeControl` has.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// The clock of one side during a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) control: TimeControl,
    pub(crate) left: Duration,
    moves_made: u32,
}

/// The time of a move and the margin have run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlagFell;

impl Clock {
    pub(crate) fn start(control: TimeControl) -> Clock {
        Clock { control, left: control.base, moves_made: 0 }
    }

    /// Moves until the base is added again, the present one included.
    pub(crate) fn moves_to_go(&self) -> Option<u32> {
        self.control.moves.map(|moves| moves - self.moves_made % moves)
    }

    /// Takes the time of one move off the clock, then adds what the control grants. Overstepping by no more
    /// than `margin` is forgiven: the clock then stands at zero before the increment.
    pub(crate) fn press(&mut self, elapsed: Duration, margin: Duration) -> Result<(), FlagFell> {
        if elapsed > self.left + margin {
            self.left = Duration::ZERO;
            return Err(FlagFell);
        }
        self.left = self.left.saturating_sub(elapsed) + self.control.increment;
        self.moves_made += 1;
        if self.moves_to_go() == self.control.moves {
            self.left += self.control.moves.map_or(Duration::ZERO, |_| self.control.base);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn time_controls_are_read_and_written_alike() {
        for text in ["8+0.08", "40/60+0.5", "60", "1+0.01", "40/60"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in ["", "x", "8+", "+1", "0/60", "-1+1", "0+1", "1/2/3", "nan", "inf+1", "1e9"] {
            let error = text.parse::<TimeControl>().unwrap_err();
            assert!(format!("{error}").contains("is not a time control"), "{text}: {error}");
        }
    }

    #[test]
    fn the_margin_forgives_and_more_does_not() {
        let clock = Clock::start("1+0.01".parse().unwrap());
        for (elapsed_ms, left_ms) in
            [(0, Some(1010)), (400, Some(610)), (1000, Some(10)), (1005, Some(10)), (1006, None)]
        {
            let mut clock = clock;
            let pressed = clock.press(elapsed_ms * MS, 5 * MS);
            assert_eq!(pressed.ok().map(|()| clock.left.as_millis()), left_ms, "{elapsed_ms}");
        }
    }

    #[test]
    fn the_base_comes_back_at_the_control() {
        let mut clock = Clock::start("2/10+1".parse().unwrap());
        let mut seen = Vec::new();
        for _ in 0..4 {
            clock.press(3000 * MS, MS).unwrap();
            seen.push((clock.left.as_secs(), clock.moves_to_go()));
        }
        assert_eq!(seen, [(8, Some(1)), (16, Some(2)), (14, Some(1)), (22, Some(2))]);
    }
}
