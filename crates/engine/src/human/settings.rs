//! What can be chosen about a human-like opponent; the same for UCI, arena and the page.

use chess::{Moment, Ratings, shakmaty::Color};
use serde::{Deserialize, Serialize};

/// How strictly the engine looks over the player's shoulder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    Off,
    /// Vetoes what loses more than the level may.
    #[default]
    Human,
    /// Vetoes what loses half of that.
    Strict,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HumanSettings {
    /// Rating of the person to play like, on the Lichess scale.
    pub rating: u16,
    /// Rating of the opponent; `None` is the same.
    pub opponent: Option<u16>,
    /// 0 plays the likeliest move; 1 is that of the level ([`level_temperature`](super::level_temperature)); more is
    /// wilder.
    pub temperature: f32,
    /// Moves beyond this share of the (tempered) chances are never drawn.
    pub top_p: f32,
    /// Take as long as a person would.
    pub timing: bool,
    pub guard: Guard,
    /// Resign lost games as people do.
    pub resigns: bool,
    /// Offer draws.
    pub offers_draws: bool,
    /// Games with the same seed and the same opponent's moves go the same way; `None` is a new one for each game.
    pub seed: Option<u64>,
}

impl HumanSettings {
    pub const LEAST_RATING: u16 = 600;
    pub const MOST_RATING: u16 = 2600;

    /// The moment with the ratings of those who play: ours for `us`.
    pub fn seat(&self, moment: &Moment, us: Color) -> Moment {
        let (own, other) = (Some(self.rating), Some(self.opponent.unwrap_or(self.rating)));
        let players = Ratings::lichess(us.fold_wb(own, other), us.fold_wb(other, own));
        Moment { players: Some(players), ..moment.clone() }
    }
}

impl Default for HumanSettings {
    fn default() -> HumanSettings {
        HumanSettings {
            rating: 1500,
            opponent: None,
            temperature: 1.0,
            top_p: 0.95,
            timing: false,
            guard: Guard::default(),
            resigns: false,
            offers_draws: false,
            seed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_sit_on_the_side_of_their_players() {
        let settings = HumanSettings { rating: 1100, opponent: Some(1900), ..HumanSettings::default() };
        for us in Color::ALL {
            let players = settings.seat(&Moment::default(), us).players.unwrap();
            assert_eq!((players.of(us), players.of(!us)), (Some(1100), Some(1900)));
        }
    }
}
