//! Maia-3's eight boards of twelve piece planes, oldest board first: each is seen by the side that was to move on it, with ranks
//! mirrored and colours swapped for Black. A short past is filled up at its front with its oldest board.

use shakmaty::{Chess, Position};

use crate::Moment;

pub const BOARDS: usize = 8;
/// Pawn, knight, bishop, rook, queen and king of the side to move, then of the other.
pub const PLANES: usize = 12;
/// Numbers of a square.
pub const CHANNELS: usize = BOARDS * PLANES;

/// Fills `places` with the places that hold a one, as `CHANNELS * square + channel`.
pub fn encode(moment: &Moment, places: &mut Vec<u16>) {
    places.clear();
    let mut earlier = moment.past.positions().take(BOARDS - 1);
    let mut position = &moment.position;
    for board in (0..BOARDS).rev() {
        push(position, PLANES * board, places);
        position = earlier.next().unwrap_or(position);
    }
}

fn push(position: &Chess, first: usize, places: &mut Vec<u16>) {
    let us = position.turn();
    for (square, piece) in position.board() {
        let square = us.fold_wb(square, square.flip_vertical());
        let plane = 6 * usize::from(piece.color != us) + piece.role as usize - 1;
        places.push((CHANNELS * usize::from(square) + first + plane) as u16);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Square;

    use super::*;
    use crate::testing::{mirrored, random_game};

    fn encoded(moment: &Moment) -> Vec<u16> {
        let mut places = Vec::new();
        encode(moment, &mut places);
        places.sort_unstable();
        places
    }

    proptest! {
        #[test]
        fn both_colours_see_the_same(game in random_game(40)) {
            prop_assert_eq!(encoded(game.last().unwrap()), encoded(&mirrored(&game)));
        }
    }

    #[test]
    fn boards_alternate_in_view_and_the_oldest_fills_the_front() {
        let moment = Moment::default().after_uci(["e2e4"]).unwrap();
        let places = encoded(&moment);
        let has = |square: Square, board: usize, plane: usize| {
            places.contains(&((CHANNELS * usize::from(square) + PLANES * board + plane) as u16))
        };
        assert!(has(Square::E5, 7, 6), "Black sees White's pawn that came to e4 on his own fifth rank");
        for board in 0..7 {
            assert!(has(Square::E2, board, 0) && has(Square::E7, board, 6), "White saw the start");
        }
        assert_eq!(places.len(), 8 * 32);
    }
}
