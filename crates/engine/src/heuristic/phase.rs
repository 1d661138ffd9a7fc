//! How far the game has come, and the mean of opening and endgame value that belongs to it.

use chess::shakmaty::Board;

use super::taper::Taper;

/// Phase of a full set of pieces: the opening. With pawns and kings alone it is 0.
pub(crate) const OPENING: i32 = 24;

/// A full scale: the endgame value counts whole.
pub(crate) const FULL_SCALE: i32 = 64;

/// Phase by the pieces left: 1 for a knight or bishop, 2 for a rook, 4 for a queen.
#[inline]
pub(crate) fn phase(board: &Board) -> i32 {
    let light = (board.knights() | board.bishops()).count();
    let pieces = light + 2 * board.rooks().count() + 4 * board.queens().count();
    (pieces as i32).min(OPENING)
}

/// Weighted mean of opening and endgame value; the endgame value is scaled down in drawish endings.
#[inline]
pub(crate) fn interpolate(score: Taper, phase: i32, scale: i32) -> i32 {
    let endgame = score.endgame() * scale / FULL_SCALE;
    (score.opening() * phase + endgame * (OPENING - phase)) / OPENING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::taper::taper;

    #[test]
    fn the_start_is_all_opening_and_bare_pawns_all_endgame() {
        assert_eq!(phase(&Board::default()), OPENING);
        let pawns: Board = "4k3/pppp4/8/8/8/8/PPPP4/4K3".parse().unwrap();
        assert_eq!(phase(&pawns), 0);
    }

    #[test]
    fn interpolation_meets_both_ends_and_the_middle() {
        let score = taper(100, -20);
        assert_eq!(interpolate(score, OPENING, FULL_SCALE), 100);
        assert_eq!(interpolate(score, 0, FULL_SCALE), -20);
        assert_eq!(interpolate(score, OPENING / 2, FULL_SCALE), 40);
        assert_eq!(interpolate(score, 0, FULL_SCALE / 2), -10);
    }
}
