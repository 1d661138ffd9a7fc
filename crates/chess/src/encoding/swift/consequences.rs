//! What a move brings about, as rows to look up: what hangs and what is saved, pins, who comes near a king, mates, repetition.
//!
//! These are the things that a person looks for before she lets go of the piece.

use shakmaty::{
    Bitboard, Board, Chess, Color, EnPassantMode, Move, Position, Role, Square, attacks, zobrist::Zobrist64,
};

use super::super::tension;
use crate::{Moment, exchange::en_prise};

/// Of a piece: hangs now, hung before and still does, hung before and is saved.
const FATES: usize = 3;
/// Ours and theirs, everything but kings.
const PIECES: usize = 2 * 5;
/// One, two, three and more squares beside the enemy king.
const AIMS: usize = 3;
/// None to four and more squares beside our king that they attack, once he has moved.
const SHELTERS: usize = 5;

const PINS: usize = PIECES * FATES;
const NEAR_KING: usize = PINS + PIECES;
const SHELTER: usize = NEAR_KING + 6 * AIMS;
const ALLOWS_MATE: usize = SHELTER + SHELTERS;
const LEAVES_MATE: usize = ALLOWS_MATE + 1;
const AVERTS_MATE: usize = ALLOWS_MATE + 2;
const THREATENS_MATE: usize = ALLOWS_MATE + 3;
const REPEATS: usize = ALLOWS_MATE + 4;
/// Of our piece that hangs only since their last move: left hanging, saved.
const ALARMS: usize = REPEATS + 2;
/// Rows of the table.
pub const CONSEQUENCES: usize = ALARMS + 5 * 2;

/// What is known before a move, to tell what is new after it. Pairs are ours and theirs.
pub(super) struct Before<'a> {
    moment: &'a Moment,
    us: Color,
    loose: [Bitboard; 2],
    pinned: [Bitboard; 2],
    /// Ours that hang only since their last move.
    alarmed: Bitboard,
    /// They could mate if it were their turn.
    threatened: bool,
    /// Positions that the next move may bring again, by key.
    earlier: Vec<u64>,
}

impl<'a> Before<'a> {
    pub(super) fn of(moment: &'a Moment) -> Before<'a> {
        let us = moment.turn();
        let board = moment.position.board();
        let keys = moment.past.keys();
        let loose = [us, !us].map(|color| en_prise(board, color));
        let earlier = moment.past.positions().next().map(|earlier| en_prise(earlier.board(), us));
        Before {
            moment,
            us,
            loose,
            alarmed: earlier.map_or(Bitboard::EMPTY, |earlier| loose[0] & !earlier),
            pinned: [us, !us].map(|color| tension::pinned(board, color)),
            threatened: !moment.position.is_check() && mates_if_to_move(&moment.position),
            earlier: keys.iter().rev().skip(1).step_by(2).copied().collect(),
        }
    }

    /// Tells the rows of a legal move; `after` is the position that it leads to.
    pub(super) fn consequences(&self, m: Move, after: &Chess, mut tell: impl FnMut(usize)) {
        self.pieces(m, after.board(), &mut tell);
        self.kings(m, after.board(), &mut tell);
        self.mates(after, &mut tell);
        if !m.is_zeroing() && !self.earlier.is_empty() {
            let key = after.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
            match self.earlier.iter().filter(|&&earlier| earlier == key).count() {
                0 => {}
                times => tell(REPEATS + times.min(2) - 1),
            }
        }
    }

    /// What hangs after the move, ours and theirs, and what no longer does; what is newly pinned.
    fn pieces(&self, m: Move, after: &Board, tell: &mut impl FnMut(usize)) {
        let before = self.moment.position.board();
        for (side, color) in [self.us, !self.us].into_iter().enumerate() {
            let piece = |role: Role| 5 * side + role as usize - 1;
            // The piece that moved is the same piece on another square.
            let moved = m.from().filter(|_| side == 0 && !m.is_castle());
            let came_from = |square: Square| moved.filter(|_| square == m.to()).unwrap_or(square);
            let went_to = |square: Square| if moved == Some(square) { m.to() } else { square };
            let now = en_prise(after, color);
            for square in now {
                let Some(role) = after.role_at(square) else { continue };
                let stood = came_from(square);
                tell(piece(role) * FATES + usize::from(self.loose[side].contains(stood)));
                if side == 0 && self.alarmed.contains(stood) {
                    tell(ALARMS + 2 * piece(role));
                }
            }
            for square in self.loose[side] {
                let Some(role) = before.role_at(square) else { continue };
                let there = went_to(square);
                if !now.contains(there) && after.color_at(there) == Some(color) {
                    tell(piece(role) * FATES + 2);
                    if side == 0 && self.alarmed.contains(square) {
                        tell(ALARMS + 2 * piece(role) + 1);
                    }
                }
            }
            for square in tension::pinned(after, color) {
                let Some(role) = after.role_at(square) else { continue };
                if !self.pinned[side].contains(came_from(square)) {
                    tell(PINS + piece(role));
                }
            }
        }
    }

    /// Squares beside the enemy king that the moved piece aims at, and beside our own that they do if he moved.
    fn kings(&self, m: Move, after: &Board, tell: &mut impl FnMut(usize)) {
        let beside = |color: Color| after.king_of(color).map_or(Bitboard::EMPTY, attacks::king_attacks);
        if m.role() == Role::King {
            let attacked = beside(self.us).into_iter().filter(|&square| is_attacked(after, square, !self.us));
            return tell(SHELTER + attacked.count().min(SHELTERS - 1));
        }
        let role = m.promotion().unwrap_or(m.role());
        let aims = (after.attacks_from(m.to()) & beside(!self.us)).count();
        if aims > 0 {
            tell(NEAR_KING + (role as usize - 1) * AIMS + aims.min(AIMS) - 1);
        }
    }

    /// Mates in one that they have after the move, or had before it, and one that it threatens.
    fn mates(&self, after: &Chess, tell: &mut impl FnMut(usize)) {
        match (mate_in_one(after), self.threatened) {
            (true, false) => tell(ALLOWS_MATE),
            (true, true) => tell(LEAVES_MATE),
            (false, true) => tell(AVERTS_MATE),
            (false, false) => {}
        }
        if !after.is_check() && mates_if_to_move(after) {
            tell(THREATENS_MATE);
        }
    }
}

fn is_attacked(board: &Board, square: Square, by: Color) -> bool {
    board.attacks_to(square, by, board.occupied()).any()
}

/// Whether the side that is not to move could mate if it were.
fn mates_if_to_move(position: &Chess) -> bool {
    // A king with nobody near him is not mated by one move.
    let board = position.board();
    let Some(king) = board.king_of(position.turn()) else { return false };
    let them = !position.turn();
    let free = attacks::king_attacks(king) & !board.by_color(position.turn());
    let refuges = free.into_iter().filter(|&square| !is_attacked(board, square, them)).count();
    refuges <= 3 && position.clone().swap_turn().is_ok_and(|swapped| mate_in_one(&swapped))
}

/// Whether the side to move has mate in one.
fn mate_in_one(position: &Chess) -> bool {
    let board = position.board();
    let (us, occupied) = (position.turn(), board.occupied());
    let Some(king) = board.king_of(!us) else { return false };
    let straight = attacks::rook_attacks(king, occupied);
    let diagonal = attacks::bishop_attacks(king, occupied);
    // A piece that stands in a line with the king may uncover a check.
    let screens = (straight | diagonal) & board.by_color(us);
    let checks = |m: &Move| {
        let from = match m.promotion().unwrap_or(m.role()) {
            Role::Pawn => attacks::pawn_attacks(!us, king),
            Role::Knight => attacks::knight_attacks(king),
            Role::Bishop => diagonal,
            Role::Rook => straight,
            Role::Queen => straight | diagonal,
            Role::King => Bitboard::EMPTY,
        };
        let unusual = m.is_castle() || m.is_en_passant() || m.is_promotion();
        unusual || from.contains(m.to()) || m.from().is_some_and(|from| screens.contains(from))
    };
    position.legal_moves().into_iter().filter(checks).any(|m| {
        let mut after = position.clone();
        after.play_unchecked(m);
        after.is_checkmate()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;
    use crate::testing::random_game;

    fn found(moment: &Moment, text: &str) -> Vec<usize> {
        let m = moment.parse_uci(text).unwrap();
        let mut after = moment.position.clone();
        after.play_unchecked(m);
        let mut found = Vec::new();
        Before::of(moment).consequences(m, &after, |row| found.push(row));
        found
    }

    fn piece(side: usize, role: Role, fate: usize) -> usize {
        (5 * side + role as usize - 1) * FATES + fate
    }

    #[test]
    fn what_hangs_what_is_saved_and_what_is_pinned_shows() {
        let table = [
            // The knight on c3 is attacked by a pawn: left alone it still hangs, moved to safety it does not.
            ("6k1/8/8/8/1p6/2N4P/8/6K1 w - - 0 1", "h3h4", vec![piece(0, Role::Knight, 1)]),
            ("6k1/8/8/8/1p6/2N4P/8/6K1 w - - 0 1", "c3e2", vec![piece(0, Role::Knight, 2)]),
            // A rook goes to where a bishop takes it.
            ("6k1/8/8/8/8/5b2/8/R5K1 w - - 0 1", "a1d1", vec![piece(0, Role::Rook, 0)]),
            // Rooks that face each other both hang.
            (
                "r5k1/8/8/8/8/7P/8/R5K1 w - - 0 1",
                "h3h4",
                vec![piece(0, Role::Rook, 1), piece(1, Role::Rook, 1)],
            ),
            // A bishop attacks a knight and pins it to its king.
            ("4k3/8/2n5/8/8/8/8/5B1K w - - 0 1", "f1b5", vec![piece(1, Role::Knight, 0), PINS + 5 + 1]),
        ];
        for (fen, text, expected) in table {
            let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            assert_eq!(found(&moment, text), expected, "{fen} {text}");
        }
    }

    #[test]
    fn mates_that_are_threatened_allowed_and_averted_show() {
        let back_rank = "3r2k1/5ppp/8/8/8/8/R4PPP/6K1 w - - 0 1";
        let table = [
            (back_rank, "a2a1", AVERTS_MATE),
            (back_rank, "a2b2", LEAVES_MATE),
            ("3r2k1/5ppp/8/8/8/8/3R1PPP/6K1 w - - 0 1", "d2a2", ALLOWS_MATE),
            ("6k1/5ppp/8/8/8/8/R4PPP/6K1 w - - 0 1", "a2b2", THREATENS_MATE),
        ];
        for (fen, text, expected) in table {
            let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            assert!(found(&moment, text).contains(&expected), "{fen} {text}");
        }
    }

    #[test]
    fn what_their_last_move_attacks_is_told_from_what_hung_before() {
        // The knight on c3 hangs since the pawn went to b4, the one on h4 has hung before.
        let fen = "6k1/8/8/1p4p1/7N/2N4P/8/6K1 b - - 0 1";
        let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap().after_uci(["b5b4"]).unwrap();
        let alarms = |text: &str| -> Vec<usize> {
            let rows = found(&moment, text).into_iter().filter_map(|row| row.checked_sub(ALARMS));
            rows.map(|row| row % 2).collect()
        };
        assert_eq!(alarms("g1h2"), [0]);
        assert_eq!(alarms("c3e2"), [1]);
        assert_eq!(alarms("h4f3"), [0]);
    }

    #[test]
    fn positions_that_come_again_show() {
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"];
        let moment = |count: usize| Moment::default().after_uci(moves[..count].iter().copied()).unwrap();
        assert!(found(&moment(3), "f6g8").contains(&REPEATS));
        assert!(found(&moment(7), "f6g8").contains(&(REPEATS + 1)));
        assert!(!found(&moment(3), "f6e4").iter().any(|&row| (REPEATS..ALARMS).contains(&row)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn mate_in_one_is_what_trying_all_moves_finds(game in random_game(120)) {
            for moment in game {
                let mates = moment.legal_moves().into_iter().any(|m| {
                    let mut after = moment.position.clone();
                    after.play_unchecked(m);
                    after.is_checkmate()
                });
                prop_assert_eq!(mate_in_one(&moment.position), mates, "{}", moment.fen());
            }
        }
    }
}
