//! What a move does to the board, as the recycling transformer learns it.

use arrayvec::ArrayVec;
use shakmaty::{CastlingSide, Chess, Color, Move, Position, Square};

use super::{View, class, is_attacked};

/// The squares that a move changes, each with the class of what stands there afterwards.
pub type Changes = ArrayVec<(Square, u8), 4>;

/// Two squares as a rule; three with en passant, four with castling (fewer in Chess960 where king or rook stays).
pub fn changes(position: &Chess, m: Move, view: View) -> Changes {
    let turn = position.turn();
    let before = position.board();
    let mut after = position.clone();
    after.play_unchecked(m);
    let after = after.board();
    let touched: ArrayVec<Square, 4> = match m {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(rook > king);
            let king_to = Square::from_coords(side.king_to_file(), king.rank());
            let rook_to = Square::from_coords(side.rook_to_file(), king.rank());
            ArrayVec::from([king, rook, king_to, rook_to])
        }
        Move::EnPassant { from, to } => {
            ArrayVec::from_iter([from, to, Square::from_coords(to.file(), from.rank())])
        }
        _ => ArrayVec::from_iter(m.from().into_iter().chain([m.to()])),
    };
    let mut changes = Changes::new();
    for square in touched {
        let changed = before.piece_at(square) != after.piece_at(square);
        let place = view.square(turn, square);
        if changed && !changes.iter().any(|&(known, _)| known == place) {
            changes.push((place, class(after.role_at(square))));
        }
    }
    changes
}

/// Whose piece stands on a square, and whether the other side attacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threat {
    pub square: Square,
    /// Whether the piece belongs to the side that made the move.
    pub movers: bool,
    pub attacked: bool,
}

/// For every piece on the board after the move, whether the other side attacks it.
pub fn threats(position: &Chess, m: Move, view: View) -> Vec<Threat> {
    let turn = position.turn();
    let mut after = position.clone();
    after.play_unchecked(m);
    let board = after.board();
    let threat = |square: Square| {
        let color = board.color_at(square).expect("an occupied square");
        Threat {
            square: view.square(turn, square),
            movers: color == turn,
            attacked: is_attacked(board, square, !color),
        }
    };
    board.occupied().into_iter().map(threat).collect()
}

/// The square of the opponent's king, and whether the move gives check.
pub fn check(position: &Chess, m: Move, view: View) -> (Square, bool) {
    let turn: Color = position.turn();
    let mut after = position.clone();
    after.play_unchecked(m);
    let king = after.board().king_of(!turn).expect("king on board");
    (view.square(turn, king), after.is_check())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{
        Moment,
        testing::{random_chess960_game, random_game},
    };

    fn told(fen: &str, uci: &str) -> String {
        let moment = Moment::from_fen(fen, CastlingMode::Chess960).unwrap();
        let m = moment.parse_uci(uci).unwrap();
        let mut changes: Vec<String> = changes(&moment.position, m, View::Board)
            .into_iter()
            .map(|(square, class)| format!("{square}{class}"))
            .collect();
        changes.sort();
        changes.join(" ")
    }

    #[test]
    fn each_kind_of_move_changes_its_squares() {
        for (fen, uci, expected) in [
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "e20 e41"),
            ("4k3/8/8/8/8/5p2/4P3/4K3 w - - 0 1", "e2f3", "e20 f31"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "d50 d61 e50"),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a70 a82"),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a70 a85"),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8a8", "a80 c86 d84 e80"),
            // The king stays where it is, and the rook jumps over it.
            ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "f14 h10"),
            // King and rook change places but for one file.
            ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "f14 g16"),
        ] {
            assert_eq!(told(fen, uci), expected, "{fen} {uci}");
        }
    }

    #[test]
    fn check_is_told_at_the_opponents_king() {
        let moment = Moment::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", CastlingMode::Standard).unwrap();
        for (uci, gives) in [("a1a8", true), ("a1a7", false)] {
            let m = moment.parse_uci(uci).unwrap();
            assert_eq!(check(&moment.position, m, View::Board), (Square::E8, gives), "{uci}");
        }
    }

    #[test]
    fn threats_are_those_after_the_move() {
        let moment = Moment::from_fen("4k3/8/8/3p4/8/8/8/R3K3 w Q - 0 1", CastlingMode::Standard).unwrap();
        let m = moment.parse_uci("a1a5").unwrap();
        let attacked: Vec<Threat> =
            threats(&moment.position, m, View::Board).into_iter().filter(|threat| threat.attacked).collect();
        assert_eq!(attacked, [Threat { square: Square::D5, movers: false, attacked: true }]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn no_two_legal_moves_make_the_same_changes(game in random_game(80)) {
            let position = &game.last().unwrap().position;
            let mut seen = HashSet::new();
            for m in position.legal_moves() {
                let mut all: Vec<(Square, u8)> = changes(position, m, View::Mover).into_iter().collect();
                all.sort();
                prop_assert!((2..=4).contains(&all.len()));
                prop_assert!(seen.insert(all), "{m:?}");
            }
        }

        #[test]
        fn squares_that_are_not_named_stay_as_they_are(game in random_chess960_game(60)) {
            let position = &game.last().unwrap().position;
            for m in position.legal_moves() {
                let changes = changes(position, m, View::Board);
                let mut after = position.clone();
                after.play_unchecked(m);
                for square in Square::ALL {
                    match changes.iter().find(|change| change.0 == square) {
                        Some(&(_, class)) => prop_assert_eq!(class, super::class(after.board().role_at(square))),
                        None => prop_assert_eq!(position.board().piece_at(square), after.board().piece_at(square)),
                    }
                }
            }
        }
    }
}
