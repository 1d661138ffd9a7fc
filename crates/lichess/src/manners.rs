//! How a game is played beyond the moves.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manners {
    /// Kept back on every move for the way to Lichess, in milliseconds; what is measured comes on top.
    pub move_overhead_ms: u64,
    /// For a move in a game without a clock, in milliseconds.
    pub correspondence_ms: u64,
    /// Takebacks granted in a game.
    pub takebacks: u32,
    /// Draws that are offered are taken where the position is not better than even.
    pub draws: bool,
    /// A game is given up that has looked lost for three moves, and won games of opponents who left are claimed.
    pub resign: bool,
    pub claim: bool,
    /// Seconds after which a game is aborted whose opponent has not begun.
    pub abort_after_s: u64,
    /// What Ctrl-C does to games: they are finished, or left for the next start.
    pub on_interrupt: OnInterrupt,
}

impl Default for Manners {
    fn default() -> Manners {
        Manners {
            move_overhead_ms: 150,
            correspondence_ms: 5_000,
            takebacks: 0,
            draws: true,
            resign: true,
            claim: true,
            abort_after_s: 30,
            on_interrupt: OnInterrupt::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnInterrupt {
    #[default]
    Finish,
    Leave,
}

/// What is said in the chat; nothing where it is empty. `{opponent}` is the opponent's name, `{level}` the level that plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Chat {
    pub hello: String,
    pub goodbye: String,
}

impl Chat {
    /// A text with its names filled in.
    pub(crate) fn fill(text: &str, opponent: &str, level: Option<u16>) -> String {
        let level = level.map_or_else(|| "full strength".to_owned(), |level| level.to_string());
        text.replace("{opponent}", opponent).replace("{level}", &level)
    }
}

/// Which level a human-like mind plays at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Level {
    Rating(u16),
    Opponent(OpponentWord),
}

/// The opponent's rating, game by game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpponentWord {
    Opponent,
}

impl Level {
    pub const OPPONENT: Level = Level::Opponent(OpponentWord::Opponent);
    /// For opponents without a rating.
    const USUAL: u16 = 1500;

    pub fn against(self, opponent: Option<u16>) -> u16 {
        match self {
            Level::Rating(rating) => rating,
            Level::Opponent(_) => opponent.unwrap_or(Level::USUAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_a_number_or_follows_the_opponent() {
        #[derive(Deserialize)]
        struct Of {
            level: Level,
        }
        let level = |text: &str| toml::from_str::<Of>(text).map(|of| of.level);
        assert_eq!(level("level = 1800").unwrap().against(Some(900)), 1800);
        assert_eq!(level("level = \"opponent\"").unwrap().against(Some(900)), 900);
        assert_eq!(Level::OPPONENT.against(None), Level::USUAL);
        assert!(level("level = \"mine\"").is_err());
    }

    #[test]
    fn greetings_name_the_opponent() {
        assert_eq!(Chat::fill("Hi {opponent}, I am {level}.", "Mary", Some(1500)), "Hi Mary, I am 1500.");
    }
}
