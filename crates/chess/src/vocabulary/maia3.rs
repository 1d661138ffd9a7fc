//! Maia-3's words, seen by the side to move: every pair of squares, then promotions by file of origin, file of target and role.

use shakmaty::{Color, Move};

use super::{PROMOTED, Word};

/// Words for pairs of squares.
pub const PAIRS: usize = 64 * 64;
pub const SIZE: usize = PAIRS + 8 * 8 * PROMOTED.len();

/// What a move is to the network, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub from: usize,
    pub to: usize,
    /// Place in the order queen, rook, bishop, knight.
    pub promotion: Option<usize>,
}

impl Step {
    /// The step of a legal move of `turn`.
    pub fn of(turn: Color, m: Move) -> Step {
        let word = turn.fold_wb(Word::of(m), Word::of(m).flipped());
        let place = |role| PROMOTED.iter().position(|&promoted| promoted == role);
        Step { from: word.from.into(), to: word.to.into(), promotion: word.promotion.and_then(place) }
    }

    /// Its place among all words.
    pub fn index(self) -> usize {
        match self.promotion {
            Some(role) => PAIRS + (8 * (self.from % 8) + self.to % 8) * PROMOTED.len() + role,
            None => 64 * self.from + self.to,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{Moment, testing::random_chess960_game};

    #[test]
    fn known_words_keep_their_places() {
        let table = [
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 64 * 4 + 6),
            ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8c8", 64 * 4 + 2),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 4096),
            ("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1n", 4096 + 4 + 3),
            ("4k3/7P/8/8/8/8/8/4K3 w - - 0 1", "h7h8r", 4096 + 4 * 63 + 1),
        ];
        for (fen, text, expected) in table {
            let moment = Moment::from_fen(fen, shakmaty::CastlingMode::Standard).unwrap();
            let step = Step::of(moment.turn(), moment.parse_uci(text).unwrap());
            assert_eq!(step.index(), expected, "{text} in {fen}");
        }
    }

    proptest! {
        #[test]
        fn every_legal_move_has_its_own_word(game in random_chess960_game(60)) {
            for moment in game {
                let words: HashSet<usize> =
                    moment.legal_moves().iter().map(|&m| Step::of(moment.turn(), m).index()).collect();
                prop_assert_eq!(words.len(), moment.legal_moves().len(), "{}", moment.fen());
                prop_assert!(words.iter().all(|&word| word < SIZE));
            }
        }
    }
}
