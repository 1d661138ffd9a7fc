//! A finished game: what the journal keeps, and all that tables and PGN are made from.

use chess::{
    pgn::Eval,
    shakmaty::{ByColor, Color},
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    #[serde(rename = "1-0")]
    WhiteWins,
    #[serde(rename = "0-1")]
    BlackWins,
    #[serde(rename = "1/2-1/2")]
    Draw,
}

/// How the game came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum End {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    Repetition,
    FiftyMoves,
    /// Given up by the loser, or both sides saw it won for the same one.
    Resigned,
    /// Both sides saw it level.
    AgreedDrawn,
    TooLong,
    TimeForfeit,
    IllegalMove,
    Crash,
    /// No answer long after the flag fell.
    Hang,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// Place in the schedule, from 0.
    pub(crate) game: usize,
    /// `3.2` is the second game of the third round.
    pub(crate) round: String,
    /// Day on which the game ended, as PGN writes it.
    pub(crate) date: String,
    pub(crate) white: String,
    pub(crate) black: String,
    /// How fast White and Black were to play.
    pub(crate) pace: [String; 2],
    pub(crate) chess960: bool,
    /// `None` for the usual start.
    pub(crate) start_fen: Option<String>,
    pub(crate) outcome: Outcome,
    pub(crate) end: End,
    /// What went wrong, for ends that are somebody's fault.
    pub(crate) note: Option<String>,
    pub(crate) moves: Vec<Played>,
}

/// One move of a game; those of the opening have neither eval nor clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Played {
    pub(crate) uci: String,
    /// What the mover thinks of it, in centipawns for White.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cp: Option<i32>,
    /// The same if it sees a mate: moves to it, negative if White is mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mate: Option<i32>,
    /// Left on the mover's clock after the move, increment included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) clock_ms: Option<u64>,
    /// What the move took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) think_ms: Option<u64>,
}

impl Played {
    /// A move of the opening.
    pub(crate) fn book(uci: &str) -> Played {
        Played { uci: uci.to_owned(), cp: None, mate: None, clock_ms: None, think_ms: None }
    }

    pub(crate) fn eval(&self) -> Option<Eval> {
        self.mate.map(Eval::Mate).or(self.cp.map(Eval::Centipawns))
    }
}

impl Outcome {
    pub(crate) fn won_by(color: Color) -> Outcome {
        color.fold_wb(Outcome::WhiteWins, Outcome::BlackWins)
    }

    pub(crate) fn winner(self) -> Option<Color> {
        match self {
            Outcome::WhiteWins => Some(Color::White),
            Outcome::BlackWins => Some(Color::Black),
            Outcome::Draw => None,
        }
    }

    /// Points of a side, doubled: 0, 1 or 2.
    pub(crate) fn half_points(self, color: Color) -> usize {
        match self.winner() {
            None => 1,
            Some(winner) => 2 * usize::from(winner == color),
        }
    }

    pub(crate) fn pgn(self) -> &'static str {
        match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
        }
    }
}

impl End {
    /// Whether the loser lost by breaking down and not by chess.
    pub(crate) fn is_fault(self) -> bool {
        matches!(self, End::TimeForfeit | End::IllegalMove | End::Crash | End::Hang)
    }

    /// The value of the PGN tag `Termination`.
    pub(crate) fn pgn(self) -> &'static str {
        match self {
            End::Resigned | End::AgreedDrawn | End::TooLong => "adjudication",
            End::TimeForfeit => "time forfeit",
            End::IllegalMove => "rules infraction",
            End::Crash | End::Hang => "abandoned",
            _ => "normal",
        }
    }

    /// The end in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            End::Checkmate => "checkmate",
            End::Stalemate => "stalemate",
            End::InsufficientMaterial => "insufficient material",
            End::Repetition => "threefold repetition",
            End::FiftyMoves => "50-move rule",
            End::Resigned => "won by adjudication: both sides agree",
            End::AgreedDrawn => "drawn by adjudication: both sides agree",
            End::TooLong => "drawn by adjudication: too many moves",
            End::TimeForfeit => "lost on time",
            End::IllegalMove => "lost by an illegal move",
            End::Crash => "lost by a crash",
            End::Hang => "lost by hanging",
        }
    }
}

impl Record {
    pub(crate) fn names(&self) -> ByColor<&str> {
        ByColor { white: &self.white, black: &self.black }
    }

    /// Who broke down, if the game ended in that way.
    pub(crate) fn culprit(&self) -> Option<&str> {
        let loser = !self.outcome.winner()?;
        self.end.is_fault().then(|| *self.names().get(loser))
    }

    /// How it ended, in a sentence that names who broke down.
    pub(crate) fn ending(&self) -> String {
        let culprit = self.culprit().map(|name| format!("{name} ")).unwrap_or_default();
        let note = self.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        format!("{culprit}{}{note}", self.end.words())
    }
}
