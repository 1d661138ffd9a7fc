//! A move in sixteen bits: the form in which tables store games and the engine remembers moves.
//!
//! Bits 0-5 origin, 6-11 target, 12-14 promotion (0 none, else the role's number), with castling as the king
//! taking its own rook. The form never depends on the order of a move generator.

use shakmaty::{Chess, Move, Position, Role, Square};

/// A move without its context; `0` (a1a1) is no move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackedMove(pub u16);

impl PackedMove {
    pub const NONE: PackedMove = PackedMove(0);

    pub fn is_none(self) -> bool {
        self == PackedMove::NONE
    }

    pub fn origin(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    /// Target square; for castling the square of the rook.
    pub fn target(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    pub fn promotion(self) -> Option<Role> {
        [None, None, Some(Role::Knight), Some(Role::Bishop), Some(Role::Rook), Some(Role::Queen), None, None]
            [usize::from(self.0 >> 12 & 7)]
    }

    /// The move that this is in `position`, if it fits the pieces there; legality is not asked.
    pub fn fit(self, position: &Chess) -> Option<Move> {
        let (from, to, board) = (self.origin(), self.target(), position.board());
        let role = board.role_at(from)?;
        if !position.us().contains(from) {
            return None;
        }
        if position.us().contains(to) {
            let castles = role == Role::King && board.rooks().contains(to);
            return castles.then_some(Move::Castle { king: from, rook: to });
        }
        let capture = board.role_at(to);
        if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
            return Some(Move::EnPassant { from, to });
        }
        Some(Move::Normal { role, from, capture, to, promotion: self.promotion() })
    }

    /// The legal move that this is in `position`.
    pub fn unpack(self, position: &Chess) -> Option<Move> {
        self.fit(position).filter(|&m| position.is_legal(m))
    }
}

impl From<Move> for PackedMove {
    fn from(m: Move) -> PackedMove {
        let from = m.from().expect("no drops in chess") as u16;
        let promotion = m.promotion().map_or(0, |role| role as u16);
        PackedMove(from | (m.to() as u16) << 6 | promotion << 12)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random_game;

    proptest! {
        #[test]
        fn every_legal_move_survives_packing(game in random_game(120)) {
            for moment in game {
                for m in moment.legal_moves() {
                    prop_assert_eq!(PackedMove::from(m).unpack(&moment.position), Some(m));
                }
            }
        }

        #[test]
        fn no_bit_pattern_panics(bits: u16, game in random_game(40)) {
            let moment = game.last().unwrap();
            if let Some(m) = PackedMove(bits).unpack(&moment.position) {
                prop_assert!(moment.legal_moves().contains(&m));
            }
        }
    }
}
