//! Time controls as PGN tags give them, and the classes that Lichess sorts them into.

use serde::{Deserialize, Serialize};

/// Base time and increment of a game, the same for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    pub base_s: u32,
    pub increment_s: u32,
}

/// Classes of speed by the expected length of a game: base + 40 x increment, with Lichess's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speed {
    UltraBullet,
    Bullet,
    Blitz,
    Rapid,
    Classical,
    /// No clock, days per move, or a control that is not plain base + increment.
    Other,
}

impl Speed {
    pub const ALL: [Speed; 6] =
        [Speed::UltraBullet, Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical, Speed::Other];

    pub fn of(control: Option<TimeControl>) -> Speed {
        let Some(control) = control else { return Speed::Other };
        match u64::from(control.base_s) + 40 * u64::from(control.increment_s) {
            0..30 => Speed::UltraBullet,
            30..180 => Speed::Bullet,
            180..480 => Speed::Blitz,
            480..1500 => Speed::Rapid,
            _ => Speed::Classical,
        }
    }

    pub fn name(self) -> &'static str {
        ["ultrabullet", "bullet", "blitz", "rapid", "classical", "other"][self as usize]
    }
}

impl TimeControl {
    /// `300+3` or `180`; `None` for `-`, `?`, stages (`40/7200:3600`) and days (`1/86400`).
    pub fn parse(text: &[u8]) -> Option<TimeControl> {
        let text = std::str::from_utf8(text).ok()?;
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        Some(TimeControl { base_s: base.parse().ok()?, increment_s: increment.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_lichess() {
        let table = [
            ("15+0", Speed::UltraBullet),
            ("60+0", Speed::Bullet),
            ("120+1", Speed::Bullet),
            ("180", Speed::Blitz),
            ("300+3", Speed::Blitz),
            ("600+0", Speed::Rapid),
            ("900+15", Speed::Classical),
            ("-", Speed::Other),
            ("1/259200", Speed::Other),
            ("40/7200:3600", Speed::Other),
        ];
        for (text, speed) in table {
            assert_eq!(Speed::of(TimeControl::parse(text.as_bytes())), speed, "{text}");
        }
    }
}
