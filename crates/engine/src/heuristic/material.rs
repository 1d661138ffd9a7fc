//! Material, piece-square tables and the bishop pair.

use chess::shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use super::{
    features::{BISHOP_PAIR, CLOSED_KNIGHT, MATERIAL, SQUARES},
    squares::relative,
    tally::Tally,
    taper::Taper,
    weights::WEIGHTS,
};

/// Counts each piece and the square on which it stands.
pub(super) fn tally_pieces(board: &Board, tally: &mut impl Tally) {
    for (square, piece) in board {
        if piece.role != Role::King {
            tally.add(piece.color, MATERIAL.at(piece.role as usize - 1), 1);
        }
        tally.add(piece.color, square_feature(square, piece), 1);
    }
}

/// White's value minus Black's for one piece on one square: the part that the search keeps up to date as
/// pieces move.
#[inline]
pub(crate) fn piece_value(square: Square, piece: Piece) -> Taper {
    let mut value = WEIGHTS[square_feature(square, piece)];
    if piece.role != Role::King {
        value += WEIGHTS[MATERIAL.at(piece.role as usize - 1)];
    }
    piece.color.fold_wb(value, -value)
}

/// White's value minus Black's for all pieces on their squares.
pub(crate) fn pieces_value(board: &Board) -> Taper {
    board.iter().fold(Taper::ZERO, |sum, (square, piece)| sum + piece_value(square, piece))
}

#[inline]
fn square_feature(square: Square, piece: Piece) -> usize {
    SQUARES.at(64 * (piece.role as usize - 1) + relative(piece.color, square).to_usize())
}

/// Two bishops of different colours together see everything; knights like pawns, rooks do not.
pub(super) fn tally_balance(board: &Board, side: Color, tally: &mut impl Tally) {
    let ours = board.by_color(side);
    let bishops = board.bishops() & ours;
    let both = (bishops & Bitboard::LIGHT_SQUARES).any() && (bishops & Bitboard::DARK_SQUARES).any();
    tally.add(side, BISHOP_PAIR.at(0), i32::from(both));
    let pawns = (board.pawns() & ours).count() as i32 - 5;
    tally.add(side, CLOSED_KNIGHT.at(0), pawns * (board.knights() & ours).count() as i32);
    tally.add(side, CLOSED_KNIGHT.at(1), pawns * (board.rooks() & ours).count() as i32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::testing::{counts, feature_count};

    #[test]
    fn an_extra_rook_counts_as_material() {
        let trace = counts("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        assert_eq!(feature_count(&trace, Color::White, MATERIAL.at(3)), 1);
        assert_eq!(feature_count(&trace, Color::Black, MATERIAL.at(3)), 0);
    }

    #[test]
    fn squares_are_seen_from_the_owners_side() {
        let trace = counts("4k3/8/2n5/8/8/2N5/8/4K3 w - - 0 1");
        let c3 = SQUARES.at(64 + Square::C3.to_usize());
        assert_eq!(feature_count(&trace, Color::White, c3), 1);
        assert_eq!(feature_count(&trace, Color::Black, c3), 1);
    }

    #[test]
    fn a_pair_needs_both_colours() {
        let pair = |fen| feature_count(&counts(fen), Color::White, BISHOP_PAIR.at(0));
        assert_eq!(pair("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1"), 1);
        assert_eq!(pair("4k3/8/8/8/8/4B3/8/2B1K3 w - - 0 1"), 0, "both on dark squares");
    }
}
