//! How a game ends by the rules, at once or on a player's claim.

use std::fmt;

use shakmaty::{Color, Position};

use crate::Moment;

/// The game is over by rule; nobody has to claim anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Checkmate { winner: Color },
    Stalemate,
    InsufficientMaterial,
    FivefoldRepetition,
    SeventyFiveMoves,
}

/// A draw that the side to move may claim. Engine matches and Lichess end such games as drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    ThreefoldRepetition,
    FiftyMoves,
}

impl Ending {
    pub fn winner(self) -> Option<Color> {
        match self {
            Ending::Checkmate { winner } => Some(winner),
            _ => None,
        }
    }
}

impl Moment {
    /// The end of the game, if it has come. Mate on the very move that would complete 75 moves counts as mate.
    pub fn ending(&self) -> Option<Ending> {
        if self.legal_moves().is_empty() {
            return Some(match self.position.is_check() {
                true => Ending::Checkmate { winner: !self.turn() },
                false => Ending::Stalemate,
            });
        }
        if self.position.is_insufficient_material() {
            return Some(Ending::InsufficientMaterial);
        }
        if self.past.repetitions() >= 4 {
            return Some(Ending::FivefoldRepetition);
        }
        (self.halfmoves() >= 150).then_some(Ending::SeventyFiveMoves)
    }

    /// The draw that could be claimed now. A game that has ended allows no claim.
    pub fn claim(&self) -> Option<Claim> {
        if self.ending().is_some() {
            return None;
        }
        if self.past.repetitions() >= 2 {
            return Some(Claim::ThreefoldRepetition);
        }
        (self.halfmoves() >= 100).then_some(Claim::FiftyMoves)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Checkmate { winner: Color::White } => "White mates",
            Ending::Checkmate { winner: Color::Black } => "Black mates",
            Ending::Stalemate => "stalemate",
            Ending::InsufficientMaterial => "insufficient material",
            Ending::FivefoldRepetition => "fivefold repetition",
            Ending::SeventyFiveMoves => "75-move rule",
        })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Claim::ThreefoldRepetition => "threefold repetition",
            Claim::FiftyMoves => "50-move rule",
        })
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    fn at(fen: &str) -> Moment {
        Moment::from_fen(fen, CastlingMode::Standard).unwrap()
    }

    #[test]
    fn endings_by_position() {
        let table = [
            ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", Some(Ending::Checkmate { winner: Color::White })),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some(Ending::Stalemate)),
            ("8/8/4k3/8/8/3K1N2/8/8 w - - 0 1", Some(Ending::InsufficientMaterial)),
            ("8/8/4k3/8/8/3KNN2/8/8 w - - 0 1", None),
            ("8/8/4k3/8/8/3K1R2/8/8 w - - 150 90", Some(Ending::SeventyFiveMoves)),
            ("R5k1/5ppp/8/8/8/8/8/K7 b - - 150 90", Some(Ending::Checkmate { winner: Color::White })),
            ("8/8/4k3/8/8/3K1R2/8/8 w - - 149 90", None),
        ];
        for (fen, ending) in table {
            assert_eq!(at(fen).ending(), ending, "{fen}");
        }
    }

    #[test]
    fn the_third_and_fifth_occurrence_count() {
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let mut moment = Moment::default();
        let mut seen = Vec::new();
        for text in shuffle.iter().cycle().take(16) {
            moment = moment.after_uci([*text]).unwrap();
            seen.push((moment.claim(), moment.ending()));
        }
        assert_eq!(seen[6], (None, None));
        assert_eq!(seen[7], (Some(Claim::ThreefoldRepetition), None));
        assert_eq!(seen[15], (None, Some(Ending::FivefoldRepetition)));
    }

    #[test]
    fn castling_rights_tell_positions_apart() {
        let rooks_back = ["a1b1", "a8b8", "b1a1", "b8a8"];
        let moment = at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").after_uci(rooks_back).unwrap();
        assert_eq!(moment.past.repetitions(), 0, "the a-side rights are gone");
        let again = moment.after_uci(rooks_back).unwrap();
        assert_eq!(again.past.repetitions(), 1);
    }

    #[test]
    fn fifty_moves_may_be_claimed() {
        assert_eq!(at("8/8/4k3/8/8/3K1R2/8/8 w - - 100 90").claim(), Some(Claim::FiftyMoves));
        assert_eq!(at("8/8/4k3/8/8/3K1R2/8/8 w - - 99 90").claim(), None);
    }
}
