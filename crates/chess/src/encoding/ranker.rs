//! Fifteen planes, seen by the side to move: pieces, rooks that may still castle, en passant. For the ranker.

use shakmaty::{Chess, Color, EnPassantMode, Move, Position, Role, Square};

pub const PLANES: usize = 15;
/// Length of the dense form, `[square][plane]`.
pub const LEN: usize = 64 * PLANES;
/// Kinds of step that a move can be: 56 of a queen, 8 of a knight, 9 promotions to less than a queen.
pub const STEPS: usize = 73;

const CASTLING: usize = 12;
const EN_PASSANT: usize = 14;

/// Fills `out` with the places that hold a 1, as `PLANES * square + plane`.
pub fn encode(position: &Chess, out: &mut Vec<u16>) {
    out.clear();
    let us = position.turn();
    let mut one = |square: Square, plane: usize| {
        out.push((PLANES * usize::from(seen_by(us, square)) + plane) as u16);
    };
    for (square, piece) in position.board() {
        one(square, 6 * usize::from(piece.color != us) + piece.role as usize - 1);
    }
    for rook in position.castles().castling_rights() {
        let theirs = position.board().color_at(rook) != Some(us);
        one(rook, CASTLING + usize::from(theirs));
    }
    if let Some(square) = position.ep_square(EnPassantMode::Legal) {
        one(square, EN_PASSANT);
    }
}

fn seen_by(us: Color, square: Square) -> Square {
    us.fold_wb(square, square.flip_vertical())
}

/// Origin and kind of step of a move of `us`, both seen by `us`. Castling is the king taking its rook, which may be any
/// number of squares to either side.
pub fn step(us: Color, m: Move) -> (Square, usize) {
    let from = seen_by(us, m.from().expect("no drops in chess"));
    let to = seen_by(us, m.to());
    let files = i32::from(to.file()) - i32::from(from.file());
    let ranks = i32::from(to.rank()) - i32::from(from.rank());
    let lesser = m.promotion().and_then(|role| match role {
        Role::Knight => Some(0),
        Role::Bishop => Some(1),
        Role::Rook => Some(2),
        _ => None,
    });
    let step = match lesser {
        Some(role) => 64 + 3 * role + (files + 1) as usize,
        None if files.abs() * ranks.abs() == 2 => 56 + knight_direction(files, ranks),
        None => 7 * queen_direction(files, ranks) + files.abs().max(ranks.abs()) as usize - 1,
    };
    (from, step)
}

/// The kind of step on a board whose files are mirrored.
pub fn mirrored(step: usize) -> usize {
    match step {
        0..56 => {
            let (direction, distance) = (step / 7, step % 7);
            let place = direction + usize::from(direction > 3);
            let place = 3 * (2 - place / 3) + place % 3;
            7 * (place - usize::from(place > 4)) + distance
        }
        56..64 => 56 + ((step - 56) ^ 4),
        _ => {
            let (role, file) = ((step - 64) / 3, (step - 64) % 3);
            64 + 3 * role + 2 - file
        }
    }
}

/// Below 8: the nine pairs of signs without standing still.
fn queen_direction(files: i32, ranks: i32) -> usize {
    let place = 3 * (files.signum() + 1) + ranks.signum() + 1;
    (place - i32::from(place > 4)) as usize
}

/// Below 8: signs, and which of the two is longer.
fn knight_direction(files: i32, ranks: i32) -> usize {
    (4 * i32::from(files > 0) + 2 * i32::from(ranks > 0) + i32::from(files.abs() > ranks.abs())) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        Moment,
        testing::{mirrored as mirrored_game, random_chess960_game, random_game},
    };

    fn encoded(moment: &Moment) -> Vec<u16> {
        let mut out = Vec::new();
        encode(&moment.position, &mut out);
        out.sort_unstable();
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn both_colours_see_the_same(game in random_game(80)) {
            prop_assert_eq!(encoded(game.last().unwrap()), encoded(&mirrored_game(&game)));
        }

        #[test]
        fn every_legal_move_has_its_own_step(game in random_chess960_game(80)) {
            for moment in game {
                let mut seen = HashSet::new();
                for m in moment.legal_moves() {
                    let (from, step) = step(moment.turn(), m);
                    prop_assert!(step < STEPS && seen.insert((from, step)), "{m:?} in {}", moment.fen());
                }
            }
        }
    }

    #[test]
    fn a_mirrored_step_goes_the_other_way_and_twice_mirrored_is_itself() {
        let step = |from: Square, to: Square, promotion| {
            super::step(Color::White, Move::Normal { role: Role::Queen, from, capture: None, to, promotion })
                .1
        };
        let flip = |square: Square| square.flip_horizontal();
        for from in Square::ALL {
            for to in Square::ALL {
                let (files, ranks) = (from.file().distance(to.file()), from.rank().distance(to.rank()));
                let along = (files == 0 || ranks == 0 || files == ranks) && from != to;
                if along || files * ranks == 2 {
                    let there = step(from, to, None);
                    assert_eq!(mirrored(there), step(flip(from), flip(to), None), "{from}{to}");
                    assert_eq!(mirrored(mirrored(there)), there);
                }
            }
        }
        for (to, other) in [(Square::D8, Square::D8), (Square::E8, Square::C8), (Square::C8, Square::E8)] {
            for role in [Role::Knight, Role::Bishop, Role::Rook] {
                let from = Square::D7;
                assert_eq!(mirrored(step(from, to, Some(role))), step(from, other, Some(role)));
            }
        }
    }

    #[test]
    fn rooks_that_may_castle_and_en_passant_have_planes() {
        let moment = Moment::default().after_uci(["e2e4", "g8f6", "e4e5", "d7d5"]).unwrap();
        let ones = encoded(&moment);
        let has =
            |square: Square, plane: usize| ones.contains(&((PLANES * usize::from(square) + plane) as u16));
        assert!(has(Square::A1, CASTLING) && has(Square::H1, CASTLING) && has(Square::H8, CASTLING + 1));
        assert!(has(Square::D6, EN_PASSANT));
        assert_eq!(ones.len(), 32 + 4 + 1);
    }
}
