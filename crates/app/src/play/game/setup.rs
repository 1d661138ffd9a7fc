//! What was agreed before a game: opponent, ratings, colours, time and the position to start from.

use chess::{
    Moment, MomentError, Ratings,
    shakmaty::{CastlingMode, Color},
};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use super::{
    clock::{MAX_BASE_S, MAX_INCREMENT_S, TimeControl},
    side::{self, Side},
};

pub(crate) const RATINGS: std::ops::RangeInclusive<u16> = 600..=2600;
const LONGEST_NAME: usize = 60;
/// A game that begins deep in another is practice; one longer than any ever played is a mistake or an attack.
const MOST_MOVES: usize = 600;

/// A game as it is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    /// The opponent, as `tabiya` names its minds: `family:search`.
    #[schema(example = "heuristic:alpha-beta")]
    pub(crate) mind: String,
    /// The rating that the opponent plays at.
    #[schema(minimum = 600, maximum = 2600)]
    pub(crate) rating: u16,
    #[schema(minimum = 600, maximum = 2600)]
    pub(crate) own_rating: u16,
    #[serde(with = "side")]
    #[schema(value_type = Side)]
    pub(crate) color: Color,
    /// `null` is a game without clocks.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    pub(crate) time: Option<TimeControl>,
    #[serde(default)]
    pub(crate) start: Start,
    #[serde(default)]
    pub(crate) pace: Pace,
    #[serde(default = "yes")]
    pub(crate) takebacks: bool,
    /// What the player has agreed with herself to see while she plays.
    #[serde(default)]
    pub(crate) hints: bool,
    #[serde(default)]
    pub(crate) evaluation: bool,
    /// What the player calls herself, for the PGN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 60)]
    pub(crate) name: Option<String>,
    /// What the player calls the position that she practises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 60)]
    pub(crate) title: Option<String>,
}

fn yes() -> bool {
    true
}

/// Where a game begins: a position, and moves from it that are already played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Start {
    /// The usual position if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fen: Option<String>,
    /// In UCI.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 600)]
    pub(crate) moves: Vec<String>,
}

/// How long the opponent lets the player wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pace {
    /// As long as a person would.
    #[default]
    Human,
    AtOnce,
    /// One second a move.
    Second,
}

#[derive(Debug, Error)]
pub(crate) enum SetupError {
    #[error("a rating must lie between {low} and {high}, not at {0}", low = RATINGS.start(), high = RATINGS.end())]
    Rating(u16),
    #[error(
        "a time control has at most {MAX_BASE_S} seconds and {MAX_INCREMENT_S} a move, and not none at all: {0}+{1}"
    )]
    Time(u32, u32),
    #[error("a name has at most {LONGEST_NAME} characters")]
    Name,
    #[error("a game can start after at most {MOST_MOVES} moves, not {0}")]
    Moves(usize),
    #[error(transparent)]
    Position(#[from] MomentError),
    #[error("the game is already over in {0}")]
    Over(String),
}

impl Setup {
    pub(crate) fn check(&self) -> Result<(), SetupError> {
        for rating in [self.rating, self.own_rating] {
            if !RATINGS.contains(&rating) {
                return Err(SetupError::Rating(rating));
            }
        }
        if let Some(time) = self.time.filter(|time| !time.is_sane()) {
            return Err(SetupError::Time(time.base_s, time.increment_s));
        }
        let too_long =
            |name: &Option<String>| name.as_ref().is_some_and(|n| n.chars().count() > LONGEST_NAME);
        if too_long(&self.name) || too_long(&self.title) {
            return Err(SetupError::Name);
        }
        let moment = self.start.moment()?;
        if moment.ending().is_some() {
            return Err(SetupError::Over(moment.fen()));
        }
        Ok(())
    }

    pub(crate) fn ratings(&self) -> Ratings {
        let of = |side| Some(if side == self.color { self.own_rating } else { self.rating });
        Ratings::lichess(of(Color::White), of(Color::Black))
    }
}

impl Start {
    /// The position before the first move.
    pub(crate) fn first(&self) -> Result<Moment, SetupError> {
        let first =
            self.fen.as_deref().map(|fen| Moment::from_fen(fen, CastlingMode::Standard)).transpose()?;
        Ok(first.unwrap_or_default())
    }

    /// The same for a game or question that begins now: what no game leads to is refused. Games of old that begin so are still shown.
    pub(crate) fn new_moment(&self) -> Result<Moment, SetupError> {
        self.first()?.check_pieces()?;
        self.moment()
    }

    /// The position after all of them.
    pub(crate) fn moment(&self) -> Result<Moment, SetupError> {
        if self.moves.len() > MOST_MOVES {
            return Err(SetupError::Moves(self.moves.len()));
        }
        Ok(self.first()?.after_uci(self.moves.iter().map(String::as_str))?)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn casual() -> Setup {
        Setup {
            mind: "heuristic:alpha-beta".to_owned(),
            rating: 1500,
            own_rating: 1400,
            color: Color::White,
            time: Some(TimeControl { base_s: 300, increment_s: 3 }),
            start: Start::default(),
            pace: Pace::AtOnce,
            takebacks: true,
            hints: false,
            evaluation: false,
            name: None,
            title: None,
        }
    }

    #[test]
    fn a_setup_survives_json() {
        let setup = casual();
        let text = serde_json::to_string(&setup).unwrap();
        assert_eq!(serde_json::from_str::<Setup>(&text).unwrap(), setup);
        assert!(serde_json::from_str::<Setup>(&text.replace("rating", "raiting")).is_err());
    }

    #[test]
    fn what_cannot_be_played_is_told_with_its_value() {
        let start = |fen: Option<&str>, moves: &[&str]| Start {
            fen: fen.map(str::to_owned),
            moves: moves.iter().map(|&m| m.to_owned()).collect(),
        };
        let table: [(Setup, &str); 6] = [
            (Setup { rating: 99, ..casual() }, "not at 99"),
            (Setup { time: Some(TimeControl { base_s: 0, increment_s: 0 }), ..casual() }, "0+0"),
            (Setup { name: Some("x".repeat(61)), ..casual() }, "60 characters"),
            (Setup { start: start(Some("nonsense"), &[]), ..casual() }, "`nonsense` is not a FEN"),
            (Setup { start: start(None, &["e2e5"]), ..casual() }, "e2e5 cannot be played"),
            (Setup { start: start(Some("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), &[]), ..casual() }, "already over"),
        ];
        for (setup, part) in table {
            let error = setup.check().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        casual().check().unwrap();
    }
}
