//! Leela's 112 planes, seen by the side to move: eight positions of twelve piece planes and one of repetition, newest first, then
//! castling rights, the side's colour, the fifty-move counter, an empty plane and one of ones.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, EnPassantMode, Position, Role, Square};

use crate::Moment;

pub const CHANNELS: usize = 112;
/// Positions that are seen, the present one included.
const POSITIONS: usize = 8;
/// Planes of a position.
const EACH: usize = 13;
const REPETITION: usize = 12;
const CASTLING: usize = POSITIONS * EACH;
const BLACK: usize = 108;
const FIFTY_MOVES: usize = 109;
const ONES: usize = 111;

/// The planes that may have one value on all squares.
pub const EVERYWHERE: [usize; 16] = [12, 25, 38, 51, 64, 77, 90, 103, 104, 105, 106, 107, 108, 109, 110, 111];

/// The planes without their zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planes {
    /// Places that hold a 1, as `CHANNELS * square + channel`.
    pub ones: Vec<u16>,
    /// Channels with one value on all squares, each of [`EVERYWHERE`].
    pub everywhere: Vec<(u8, f32)>,
}

/// Fills `out` with what the side to move sees. Before the usual start of a game there is nothing; before a position that was set up
/// the same stands again, as Leela has it.
pub fn encode(moment: &Moment, out: &mut Planes) {
    out.ones.clear();
    out.everywhere.clear();
    let us = moment.turn();
    let mut oldest = &moment.position;
    let mut known = 0;
    let earlier = moment.past.positions().take(POSITIONS - 1);
    for position in [&moment.position].into_iter().chain(earlier) {
        push(position.board(), us, known, out);
        if repeated(moment, known) {
            all(out, EACH * known + REPETITION, 1.0);
        }
        oldest = position;
        known += 1;
    }
    if known < POSITIONS && *oldest.board() != Board::new() {
        let before = before_double_step(oldest);
        (known..POSITIONS).for_each(|age| push(&before, us, age, out));
    }
    let sides = [CastlingSide::QueenSide, CastlingSide::KingSide];
    let rights = [us, !us].into_iter().flat_map(|color| sides.map(|side| (color, side)));
    for (at, (color, side)) in rights.enumerate() {
        if moment.position.castles().has(color, side) {
            all(out, CASTLING + at, 1.0);
        }
    }
    if us == Color::Black {
        all(out, BLACK, 1.0);
    }
    all(out, FIFTY_MOVES, moment.halfmoves() as f32);
    all(out, ONES, 1.0);
}

fn all(out: &mut Planes, channel: usize, value: f32) {
    out.everywhere.push((channel as u8, value));
}

fn push(board: &Board, us: Color, age: usize, out: &mut Planes) {
    for (square, piece) in board {
        let square = us.fold_wb(square, square.flip_vertical());
        let plane = EACH * age + 6 * usize::from(piece.color != us) + piece.role as usize - 1;
        out.ones.push((CHANNELS * usize::from(square) + plane) as u16);
    }
}

/// Whether the position of `age` plies ago had been there before, as far as moves that can be taken back reach.
fn repeated(moment: &Moment, age: usize) -> bool {
    let keys = moment.past.keys();
    match keys.len().checked_sub(age + 1) {
        Some(at) => keys[..at].contains(&keys[at]),
        None => false,
    }
}

/// The board with the pawn that has just made a double step back where it came from.
fn before_double_step(position: &Chess) -> Board {
    let mut board = position.board().clone();
    if let Some(behind) = position.ep_square(EnPassantMode::Always) {
        let step = position.turn().fold_wb(-8, 8);
        let [to, from] = [step, -step].map(|step: i32| Square::try_from(i32::from(u8::from(behind)) + step));
        if let (Ok(to), Ok(from)) = (to, from)
            && Bitboard::from(to).intersects(board.by_role(Role::Pawn))
            && let Some(pawn) = board.remove_piece_at(to)
        {
            board.set_piece_at(from, pawn);
        }
    }
    board
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;
    use crate::testing::{mirrored, random_game};

    fn encoded(moment: &Moment) -> Planes {
        let mut planes = Planes::default();
        encode(moment, &mut planes);
        planes.ones.sort_unstable();
        planes
    }

    fn has(planes: &Planes, square: Square, channel: usize) -> bool {
        planes.ones.contains(&((CHANNELS * usize::from(square) + channel) as u16))
    }

    proptest! {
        #[test]
        fn both_colours_see_the_same_but_for_the_plane_of_their_colour(game in random_game(40)) {
            let [mut one, mut other] = [encoded(game.last().unwrap()), encoded(&mirrored(&game))];
            for planes in [&mut one, &mut other] {
                planes.everywhere.retain(|&(channel, _)| usize::from(channel) != BLACK);
            }
            prop_assert_eq!(one, other);
        }

        #[test]
        fn what_is_everywhere_is_in_the_list(game in random_game(40)) {
            let planes = encoded(game.last().unwrap());
            prop_assert!(planes.everywhere.iter().all(|&(channel, _)| EVERYWHERE.contains(&usize::from(channel))));
        }
    }

    #[test]
    fn before_the_start_there_is_nothing_and_before_a_set_up_position_the_same() {
        let start = encoded(&Moment::default());
        assert_eq!(start.ones.len(), 32);
        let set_up = Moment::from_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", CastlingMode::Standard).unwrap();
        let planes = encoded(&set_up);
        assert_eq!(planes.ones.len(), 8 * 4);
        assert!(has(&planes, Square::D5, 6), "the pawn came to d5");
        assert!(has(&planes, Square::D7, 13 + 6), "and stood on d7");
    }

    #[test]
    fn repetitions_and_rights_have_planes_of_their_own() {
        let moment = Moment::default().after_uci(["g1f3", "g8f6", "f3g1", "f6g8"]).unwrap();
        let everywhere = encoded(&moment).everywhere;
        let value =
            |channel: usize| everywhere.iter().find(|pair| usize::from(pair.0) == channel).map(|pair| pair.1);
        assert_eq!((value(12), value(25)), (Some(1.0), None));
        assert_eq!([104, 105, 106, 107].map(value), [Some(1.0); 4]);
        assert_eq!((value(FIFTY_MOVES), value(BLACK)), (Some(4.0), None));
    }
}
