//! Which moves give check, told without playing them.

use chess::shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square, attacks};

/// Squares from which each of our roles would attack their king, and our pieces that stand in another's way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    king: Square,
    /// By role, pawn to king; a king never gives check by stepping.
    squares: [Bitboard; 6],
    discoverers: Bitboard,
}

impl Checks {
    pub(crate) fn new(chess: &Chess) -> Checks {
        let board = chess.board();
        let us = chess.turn();
        let king = board.king_of(!us).expect("king on board");
        let diagonal = attacks::bishop_attacks(king, board.occupied());
        let straight = attacks::rook_attacks(king, board.occupied());
        let squares = [
            attacks::pawn_attacks(!us, king),
            attacks::knight_attacks(king),
            diagonal,
            straight,
            diagonal | straight,
            Bitboard::EMPTY,
        ];
        Checks { king, squares, discoverers: discoverers(chess, us, king) }
    }

    /// Whether a legal move gives check.
    pub(crate) fn gives(&self, chess: &Chess, m: Move) -> bool {
        match m {
            Move::Normal { role, from, to, promotion: None, .. } => {
                let uncovers = self.discoverers.contains(from) && !attacks::aligned(from, to, self.king);
                uncovers || self.squares[role as usize - 1].contains(to)
            }
            _ => {
                let mut after = chess.clone();
                after.play_unchecked(m);
                after.is_check()
            }
        }
    }
}

/// Our pieces that alone stand between one of our sliders and their king.
fn discoverers(chess: &Chess, us: Color, king: Square) -> Bitboard {
    let board = chess.board();
    let ours = board.by_color(us);
    let sliders = (attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
        | attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens())
        & ours;
    let mut found = Bitboard::EMPTY;
    for slider in sliders {
        let between = attacks::between(king, slider) & board.occupied();
        if between.any() && !between.more_than_one() {
            found |= between & ours;
        }
    }
    found
}

/// Kept here so that the table of squares is indexed by role in one place.
const _: () = assert!(Role::Pawn as usize == 1 && Role::King as usize == 6);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random_game;

    proptest! {
        #[test]
        fn checks_are_told_as_if_played(game in random_game(150)) {
            for moment in game {
                let checks = Checks::new(&moment.position);
                for m in moment.legal_moves() {
                    let mut after = moment.position.clone();
                    after.play_unchecked(m);
                    prop_assert_eq!(checks.gives(&moment.position, m), after.is_check(), "{} {}", moment.fen(), m);
                }
            }
        }
    }
}
