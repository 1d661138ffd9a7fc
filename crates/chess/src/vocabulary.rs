//! Move vocabularies: fixed lists of words, one for each move a policy can name.
//!
//! A word is an origin, a target and perhaps a promotion, as UCI writes moves. Every promotion has a word of its
//! own, the queen's too. Castling is the king's two-square step when a king on the e-file castles with a rook in
//! the corner, which is all of standard chess. Every other castling of Chess960 is the king taking its own rook:
//! the king's step alone could be a plain king move (f1g1) or no move at all (g1g1), while no other move ends on
//! an own piece. The two forms never meet, as a king has at most one rook to castle with on either side.

pub mod absolute;
pub mod geometric;
pub mod leela;
pub mod maia3;

use shakmaty::{Chess, File, Move, Rank, Role, Square, uci::UciMove};

/// Ordered pairs of squares that a queen or a knight can move between on an empty board.
const PAIRS: usize = 1792;
/// Ways to promote of one colour: 22 pawn steps, each to four roles.
const PROMOTIONS: usize = 88;
/// In the order of their words.
const PROMOTED: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

static PAIR_TABLE: PairTable = PairTable::new();

/// Numbers the pairs by origin, then by target, both in the order a1, a2, .. a8, b1, ..
struct PairTable {
    number: [[u16; 64]; 64],
    squares: [(u8, u8); PAIRS],
}

impl PairTable {
    const fn new() -> PairTable {
        let mut table = PairTable { number: [[u16::MAX; 64]; 64], squares: [(0, 0); PAIRS] };
        let mut count = 0;
        let mut step = 0;
        while step < 64 * 64 {
            let (from, to) = (by_file(step / 64), by_file(step % 64));
            if reaches(from, to) {
                table.number[from as usize][to as usize] = count as u16;
                table.squares[count] = (from, to);
                count += 1;
            }
            step += 1;
        }
        assert!(count == PAIRS);
        table
    }
}

/// The square at `place` of the order a1, a2, .. a8, b1, ..
const fn by_file(place: usize) -> u8 {
    (place / 8 + place % 8 * 8) as u8
}

const fn reaches(from: u8, to: u8) -> bool {
    let files = (from % 8).abs_diff(to % 8);
    let ranks = (from / 8).abs_diff(to / 8);
    from != to && (files == 0 || ranks == 0 || files == ranks || files * ranks == 2)
}

/// The squares that name a move, and its promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    from: Square,
    to: Square,
    promotion: Option<Role>,
}

impl Word {
    fn of(m: Move) -> Word {
        let from = m.from().expect("no drops in chess");
        let to = match m {
            Move::Castle { king, rook } if king.file() == File::E => match rook.file() {
                File::A => Square::from_coords(File::C, king.rank()),
                File::H => Square::from_coords(File::G, king.rank()),
                _ => rook,
            },
            _ => m.to(),
        };
        Word { from, to, promotion: m.promotion() }
    }

    /// The legal move that bears this word in `position`.
    fn find(self, position: &Chess) -> Option<Move> {
        let Word { from, to, promotion } = self;
        let m = UciMove::Normal { from, to, promotion }.to_move(position).ok()?;
        // The king taking a corner rook is understood too, but its word is the two-square step.
        (Word::of(m) == self).then_some(m)
    }

    /// The word as the other side sees the board: ranks flipped, files kept.
    fn flipped(self) -> Word {
        Word { from: self.from.flip_vertical(), to: self.to.flip_vertical(), ..self }
    }

    fn pair_number(self) -> usize {
        usize::from(PAIR_TABLE.number[self.from.to_usize()][self.to.to_usize()])
    }

    fn from_pair(number: usize) -> Word {
        let (from, to) = PAIR_TABLE.squares[number];
        Word { from: Square::new(from.into()), to: Square::new(to.into()), promotion: None }
    }

    /// Below [`PROMOTIONS`] and the same for both colours: by file of origin, file of target, role.
    fn promotion_number(self, role: Role) -> usize {
        let step = 2 * self.from.file().to_usize() + self.to.file().to_usize();
        let place = PROMOTED.iter().position(|&promoted| promoted == role).expect("a role to promote to");
        PROMOTED.len() * step + place
    }

    /// White's promotion of this number.
    fn from_promotion(number: usize) -> Word {
        let step = number / PROMOTED.len();
        // The a-file has no step to its left, so the three steps of a file begin one early.
        let from = (step + 1) / 3;
        let to = step - 2 * from;
        let square = |file: usize, rank| Square::from_coords(File::new(file as u32), rank);
        Word {
            from: square(from, Rank::Seventh),
            to: square(to, Rank::Eighth),
            promotion: Some(PROMOTED[number % PROMOTED.len()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Position};

    use super::*;
    use crate::Moment;

    #[test]
    fn castling_has_the_word_of_the_two_square_step_or_of_taking_the_rook() {
        let table = [
            ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", "e1g1"),
            ("4k3/8/8/8/8/8/8/R3K3 w A - 0 1", "e1c1"),
            ("r3k3/8/8/8/8/8/8/4K3 b a - 0 1", "e8c8"),
            ("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "e1g1"),
            ("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "e1b1"),
            ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1"),
            ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1"),
            ("1r1k4/8/8/8/8/8/8/6K1 b b - 0 1", "d8b8"),
        ];
        for (fen, expected) in table {
            let position = Moment::from_fen(fen, CastlingMode::Chess960).unwrap().position;
            let castling = position.legal_moves().into_iter().find(|m| m.is_castle()).expect(fen);
            let word = Word::of(castling);
            assert_eq!(format!("{}{}", word.from, word.to), expected, "{fen}");
            assert_eq!(word.find(&position), Some(castling), "{fen}");
        }
    }
}
