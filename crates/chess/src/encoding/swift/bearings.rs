//! Where a move goes, seen from where the last moves went and from the kings, as rows to look up.
//!
//! People answer what was just played and carry on what they began. Convolutions of 3x3 hardly connect a bishop on g4 with the pawn that
//! drives it away from h3 at the other end of a diagonal; a row for each pair of pieces and each distance does.

use shakmaty::{Board, Color, Move, Position, Role, Square};

use super::seen_by;
use crate::Moment;

/// Files and ranks from one square to another, -7 to 7 each.
const DISTANCES: usize = 15 * 15;
/// Mover, other piece, distance.
const PAIRS: usize = 6 * 6 * DISTANCES;
/// Mover, distance.
const SINGLES: usize = 6 * DISTANCES;
/// How many squares more a piece reaches from its new square: three classes less, the same, three more.
const REACHES: usize = 7;

/// From the target of their last move to our target, and to our origin.
const ANSWER_TO: usize = 0;
const ANSWER_FROM: usize = PAIRS;
/// From the target of our own last move to our target.
const SEQUEL: usize = 2 * PAIRS;
/// From their king, and from ours, to our target.
const THEIR_KING: usize = 3 * PAIRS;
const OUR_KING: usize = THEIR_KING + SINGLES;
const REACH: usize = OUR_KING + SINGLES;
/// The piece that moved last moves again; it goes back to where it came from.
const AGAIN: usize = REACH + 6 * REACHES;
const BACK: usize = AGAIN + 1;
/// Rows of the table.
pub const BEARINGS: usize = BACK + 1;

/// What the moves of a moment are seen from, by the side to move.
pub(super) struct Landmarks<'a> {
    us: Color,
    board: &'a Board,
    theirs: Option<(Role, Square)>,
    ours: Option<(Role, Square)>,
    came_from: Option<Square>,
    kings: [Option<Square>; 2],
}

impl<'a> Landmarks<'a> {
    pub(super) fn of(moment: &'a Moment) -> Landmarks<'a> {
        let us = moment.turn();
        let board = moment.position.board();
        let mut moves = moment.past.moves();
        let mut last = || moves.next().map(|m| (m.role(), seen_by(us, m.to()), m.from()));
        let (theirs, ours) = (last(), last());
        Landmarks {
            us,
            board,
            theirs: theirs.map(|(role, to, _)| (role, to)),
            ours: ours.map(|(role, to, _)| (role, to)),
            came_from: ours.and_then(|(_, _, from)| from).map(|square| seen_by(us, square)),
            kings: [!us, us].map(|color| board.king_of(color).map(|square| seen_by(us, square))),
        }
    }

    /// Tells the rows of a legal move; `after` is the board that it leads to.
    pub(super) fn bearings(&self, m: Move, after: &Board, mut tell: impl FnMut(usize)) {
        let Some(origin) = m.from() else { return };
        let (from, to) = (seen_by(self.us, origin), seen_by(self.us, m.to()));
        let mover = m.role() as usize - 1;
        let pair = |role: Role| (6 * mover + role as usize - 1) * DISTANCES;
        if let Some((role, square)) = self.theirs {
            tell(ANSWER_TO + pair(role) + distance(square, to));
            tell(ANSWER_FROM + pair(role) + distance(square, from));
        }
        if let Some((role, square)) = self.ours {
            tell(SEQUEL + pair(role) + distance(square, to));
            if square == from {
                tell(AGAIN + usize::from(self.came_from == Some(to)));
            }
        }
        for (base, king) in [THEIR_KING, OUR_KING].into_iter().zip(self.kings) {
            if let Some(king) = king {
                tell(base + mover * DISTANCES + distance(king, to));
            }
        }
        if !m.is_castle() {
            let reach = |board: &Board, square: Square| board.attacks_from(square).count() as i32;
            let more = reach(after, m.to()) - reach(self.board, origin);
            tell(REACH + mover * REACHES + reach_class(more));
        }
    }
}

/// Below [`DISTANCES`].
fn distance(from: Square, to: Square) -> usize {
    let (files, ranks) =
        (i32::from(to.file()) - i32::from(from.file()), i32::from(to.rank()) - i32::from(from.rank()));
    (15 * (ranks + 7) + files + 7) as usize
}

/// One or two squares are a class, three or four the next, and so on.
fn reach_class(more: i32) -> usize {
    (3 + more.signum() * ((more.abs() + 1) / 2).min(3)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(moves: &str, text: &str) -> Vec<usize> {
        let moment = Moment::default().after_uci(moves.split_whitespace()).unwrap();
        let m = moment.parse_uci(text).unwrap();
        let mut after = moment.clone();
        after.play(m);
        let mut found = Vec::new();
        Landmarks::of(&moment).bearings(m, after.position.board(), |row| found.push(row));
        found
    }

    fn pair(mover: Role, other: Role, files: i32, ranks: i32) -> usize {
        (6 * (mover as usize - 1) + other as usize - 1) * DISTANCES + (15 * (ranks + 7) + files + 7) as usize
    }

    #[test]
    fn a_pawn_that_drives_a_bishop_away_shows_from_both_sides() {
        let white = found("e2e4 d7d6 g1f3 c8g4", "h2h3");
        assert_eq!(white[0], ANSWER_TO + pair(Role::Pawn, Role::Bishop, 1, -1));
        assert_eq!(white[1], ANSWER_FROM + pair(Role::Pawn, Role::Bishop, 1, -2));
        assert_eq!(white[2], SEQUEL + pair(Role::Pawn, Role::Knight, 2, 0));
        let black = found("d2d3 e7e5 c1g5 g8f6 h2h4", "h7h6");
        assert_eq!(black[0], ANSWER_TO + pair(Role::Pawn, Role::Pawn, 0, -2));
        let answer = found("d2d3 e7e5 c1g5", "h7h6");
        assert_eq!(answer[0], ANSWER_TO + pair(Role::Pawn, Role::Bishop, 1, -1));
    }

    #[test]
    fn moving_again_and_going_back_show() {
        let moves = "g1f3 d7d5 f3d4 e7e5";
        assert!(found(moves, "d4b5").contains(&AGAIN));
        assert!(found(moves, "d4f3").contains(&BACK));
        assert!(!found(moves, "e2e4").iter().any(|&row| row >= AGAIN));
    }

    #[test]
    fn reach_is_told_in_classes() {
        assert_eq!([-9, -3, -1, 0, 1, 2, 3, 5, 20].map(reach_class), [0, 1, 2, 3, 4, 4, 5, 6, 6]);
        // A knight from g1 reaches two empty squares and its own pawn, from f3 eight.
        assert!(found("", "g1f3").contains(&(REACH + REACHES + 6)));
    }
}
