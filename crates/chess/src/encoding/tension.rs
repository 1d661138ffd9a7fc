//! Who attacks what: the cheapest attacker of every square, pins, and pieces that hang.

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

/// Kinds of attacker from cheap to dear: pawn, knight or bishop, rook, queen, king.
const CLASSES: usize = 5;
/// States of a square under the attacks of one side: none, or a class of cheapest attacker, alone or not.
pub(super) const STATES: usize = 1 + 2 * CLASSES;

/// What the pieces of one side attack, own squares included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attacks {
    by_class: [Bitboard; CLASSES],
    once: Bitboard,
    twice: Bitboard,
}

fn class(role: Role) -> usize {
    match role {
        Role::Pawn => 0,
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 3,
        Role::King => 4,
    }
}

impl Attacks {
    pub(super) fn of(board: &Board, color: Color) -> Attacks {
        let mut all = Attacks::default();
        for square in board.by_color(color) {
            let attacked = board.attacks_from(square);
            let role = board.role_at(square).expect("a piece of this colour");
            all.by_class[class(role)] |= attacked;
            all.twice |= all.once & attacked;
            all.once |= attacked;
        }
        all
    }

    /// Below [`STATES`].
    pub(super) fn state(&self, square: Square) -> usize {
        match self.cheapest(square) {
            None => 0,
            Some(class) => 1 + 2 * class + usize::from(self.twice.contains(square)),
        }
    }

    pub(super) fn any(&self, square: Square) -> bool {
        self.once.contains(square)
    }

    fn cheapest(&self, square: Square) -> Option<usize> {
        self.by_class.iter().position(|attacked| attacked.contains(square))
    }
}

/// Pieces that would be lost if nothing is done: attacked by something cheaper, or attacked and not defended.
pub(super) fn hanging(board: &Board, color: Color, own: &Attacks, others: &Attacks) -> Bitboard {
    let pieces = board.by_color(color) & !board.kings();
    let hangs = |square: &Square| {
        let dear = class(board.role_at(*square).expect("a piece of this colour"));
        others.cheapest(*square).is_some_and(|attacker| attacker < dear || !own.any(*square))
    };
    pieces.into_iter().filter(hangs).collect()
}

/// Pieces of `color` that stand alone between their king and an enemy slider.
pub(super) fn pinned(board: &Board, color: Color) -> Bitboard {
    let Some(king) = board.king_of(color) else { return Bitboard::EMPTY };
    let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
        | attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens())
        & board.by_color(!color);
    let mut pinned = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & board.occupied();
        if !between.more_than_one() {
            pinned |= between & board.by_color(color);
        }
    }
    pinned
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Position};

    use super::*;
    use crate::Moment;

    fn board(fen: &str) -> Board {
        Moment::from_fen(fen, CastlingMode::Standard).unwrap().position.board().clone()
    }

    #[test]
    fn a_lone_piece_before_its_king_is_pinned_and_two_are_not() {
        let board = board("4r2k/8/8/b7/4N3/2P5/8/r1BBK3 w - - 0 1");
        assert_eq!(pinned(&board, Color::White), Bitboard::from_iter([Square::E4, Square::C3]));
    }

    #[test]
    fn what_is_attacked_by_a_cheaper_piece_or_undefended_hangs() {
        let board = board("4k3/8/2p5/3N4/8/5b2/3R4/3QK3 w - - 0 1");
        let (own, others) = (Attacks::of(&board, Color::White), Attacks::of(&board, Color::Black));
        let hangs = hanging(&board, Color::White, &own, &others);
        assert_eq!(hangs, Bitboard::from_iter([Square::D5, Square::D1]));
        assert_eq!(hanging(&board, Color::Black, &others, &own), Bitboard::from_square(Square::F3));
    }

    #[test]
    fn the_state_tells_the_cheapest_attacker_and_whether_it_is_alone() {
        let board = board("4k3/8/8/8/8/3P4/5N2/4K2R w - - 0 1");
        let attacks = Attacks::of(&board, Color::White);
        assert_eq!(attacks.state(Square::E4), 2, "pawn and knight");
        assert_eq!(attacks.state(Square::C4), 1, "pawn alone");
        assert_eq!(attacks.state(Square::H1), 3, "knight alone");
        assert_eq!(attacks.state(Square::A8), 0);
    }
}
