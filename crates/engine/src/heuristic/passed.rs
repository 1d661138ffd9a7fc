//! Passed pawns and what stands in their way.

use chess::shakmaty::{Bitboard, Color, Role};

use super::{
    features::{
        PASSED_BLOCKED, PASSED_DEFENDED, PASSED_FREE, PASSED_OWN_KING, PASSED_THEIR_KING, PASSED_UNSTOPPABLE,
    },
    picture::Picture,
    squares::{ahead, all_ahead, files, relative_rank},
    tally::Tally,
};

/// Counts the passed pawns of one side beyond what the pawns alone tell.
pub(super) fn tally_passed(
    picture: &Picture<'_>,
    side: Color,
    passed: Bitboard,
    to_move: Color,
    tally: &mut impl Tally,
) {
    for square in passed {
        let rank = relative_rank(side, square);
        if rank < 3 {
            continue;
        }
        let here = Bitboard::from_square(square);
        let next = ahead(side, here);
        if (next & picture.occupied).any() {
            tally.add(side, PASSED_BLOCKED.at(rank), 1);
        } else if (next & picture.all[!side as usize]).is_empty() {
            tally.add(side, PASSED_FREE.at(rank), 1);
        }
        if let Some(next) = next.first() {
            let distance = |king: Color| picture.king[king as usize].distance(next).min(5) as i32;
            tally.add(side, PASSED_OWN_KING.at(rank), distance(side));
            tally.add(side, PASSED_THEIR_KING.at(rank), distance(!side));
        }
        tally.add(side, PASSED_DEFENDED.at(0), i32::from((next & picture.all[side as usize]).any()));
        let behind = all_ahead(!side, here) & picture.ours(side, Role::Rook);
        tally.add(side, PASSED_DEFENDED.at(1), i32::from(behind.any()));
    }
    tally.add(side, PASSED_UNSTOPPABLE.at(0), i32::from(outruns(picture, side, passed, to_move)));
}

/// Whether a pawn queens before a lone king can come: the rule of the square, with a free path.
fn outruns(picture: &Picture<'_>, side: Color, passed: Bitboard, to_move: Color) -> bool {
    let them = picture.board.by_color(!side) ^ picture.pawns[!side as usize];
    if them.more_than_one() {
        return false;
    }
    passed.into_iter().any(|square| {
        let path = all_ahead(side, Bitboard::from_square(square));
        let queening = if side.is_white() { path.last() } else { path.first() };
        let steps = path.count() as i32 - i32::from(relative_rank(side, square) == 1);
        let king = queening.map_or(0, |goal| picture.king[!side as usize].distance(goal) as i32);
        (path & picture.occupied).is_empty() && steps < king - i32::from(to_move != side)
    }) && (files(passed) & picture.board.by_color(side)).any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::testing::{counts, feature_count};

    fn unstoppable(fen: &str) -> i32 {
        feature_count(&counts(fen), Color::White, PASSED_UNSTOPPABLE.at(0))
    }

    #[test]
    fn the_rule_of_the_square_knows_who_moves() {
        assert_eq!(unstoppable("8/8/8/7P/2k5/8/8/K7 b - - 0 1"), 1);
        assert_eq!(unstoppable("8/8/8/7P/4k3/8/8/K7 b - - 0 1"), 0, "the king steps into the square");
        assert_eq!(unstoppable("8/8/8/7P/4k3/8/8/K7 w - - 0 1"), 1);
        assert_eq!(unstoppable("8/8/8/7P/2k5/8/8/K5r1 w - - 0 1"), 0, "a rook can stop it");
    }

    #[test]
    fn a_blocked_passed_pawn_is_told_from_a_free_one() {
        let blocked = counts("8/4k3/8/4n3/4P3/8/8/4K3 w - - 0 1");
        assert_eq!(feature_count(&blocked, Color::White, PASSED_BLOCKED.at(3)), 1);
        let free = counts("8/4k3/8/8/4P3/8/8/4K3 w - - 0 1");
        assert_eq!(feature_count(&free, Color::White, PASSED_FREE.at(3)), 1);
    }
}
