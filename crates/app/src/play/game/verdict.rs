//! How a game on the page ended.

use chess::{
    Claim, Ending, Moment,
    shakmaty::{Color, KnownOutcome, Outcome, Position},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::side::Side;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    Checkmate,
    Stalemate,
    Material,
    Repetition,
    FiftyMoves,
    Agreement,
    Resignation,
    Time,
    /// Before both had moved: nobody's game.
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// `None` is a draw, or a game that was not played.
    pub(crate) winner: Option<Color>,
    pub(crate) reason: Reason,
}

impl Verdict {
    pub(crate) fn new(winner: Option<Color>, reason: Reason) -> Verdict {
        Verdict { winner, reason }
    }

    /// The end that the position itself brings. A draw that could be claimed is given at once, since neither side
    /// gains by playing on.
    pub(crate) fn by_rule(moment: &Moment) -> Option<Verdict> {
        let reason = match moment.ending() {
            Some(Ending::Checkmate { .. }) => Reason::Checkmate,
            Some(Ending::Stalemate) => Reason::Stalemate,
            Some(Ending::InsufficientMaterial) => Reason::Material,
            Some(Ending::FivefoldRepetition) => Reason::Repetition,
            Some(Ending::SeventyFiveMoves) => Reason::FiftyMoves,
            None => match moment.claim()? {
                Claim::ThreefoldRepetition => Reason::Repetition,
                Claim::FiftyMoves => Reason::FiftyMoves,
            },
        };
        Some(Verdict::new(moment.ending().and_then(Ending::winner), reason))
    }

    /// The flag of `side` fell: lost, unless the opponent has nothing left to mate with.
    pub(crate) fn by_time(moment: &Moment, side: Color) -> Verdict {
        let can_win = !moment.position.has_insufficient_material(!side);
        Verdict::new(can_win.then_some(!side), Reason::Time)
    }

    pub(crate) fn outcome(self) -> Outcome {
        match (self.winner, self.reason) {
            (_, Reason::Aborted) => Outcome::Unknown,
            (Some(winner), _) => Outcome::Known(KnownOutcome::Decisive { winner }),
            (None, _) => Outcome::Known(KnownOutcome::Draw),
        }
    }
}

/// As journals and the page have it: `{"winner": "white", "reason": "time"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Verdict)]
pub(crate) struct VerdictJson {
    winner: Option<Side>,
    reason: Reason,
}

impl From<Verdict> for VerdictJson {
    fn from(verdict: Verdict) -> VerdictJson {
        VerdictJson { winner: verdict.winner.map(Side::from), reason: verdict.reason }
    }
}

impl From<VerdictJson> for Verdict {
    fn from(json: VerdictJson) -> Verdict {
        Verdict::new(json.winner.map(Color::from), json.reason)
    }
}

#[cfg(test)]
mod tests {
    use chess::shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn a_flag_against_a_bare_king_is_a_draw() {
        let moment = |fen| Moment::from_fen(fen, CastlingMode::Standard).unwrap();
        let table = [
            ("8/8/4k3/8/8/3K4/8/7Q w - - 0 1", Color::White, None),
            ("8/8/4k3/8/8/3K4/8/7Q w - - 0 1", Color::Black, Some(Color::White)),
            ("8/8/4k3/4p3/8/3K4/8/7Q w - - 0 1", Color::White, Some(Color::Black)),
        ];
        for (fen, side, winner) in table {
            assert_eq!(Verdict::by_time(&moment(fen), side).winner, winner, "{fen}");
        }
    }

    #[test]
    fn a_verdict_survives_json() {
        for winner in [None, Some(Color::White), Some(Color::Black)] {
            let verdict = Verdict::new(winner, Reason::Agreement);
            let text = serde_json::to_string(&VerdictJson::from(verdict)).unwrap();
            let back: VerdictJson = serde_json::from_str(&text).unwrap();
            assert_eq!(Verdict::from(back), verdict);
        }
    }
}
