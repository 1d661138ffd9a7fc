//! Leela's words, seen by the side to move: 1,792 pairs of squares, then promotions to queen, rook and bishop. Castling is the king
//! taking his own rook, and promotion to a knight is the bare move.

use std::sync::LazyLock;

use shakmaty::{Color, Move, Role, Square};

use super::{PAIRS, reaches};

/// Words: pairs, and 22 steps of a pawn to its last rank with three roles each.
pub const SIZE: usize = PAIRS + 66;
/// Planes of the convolutional policy: 8 directions of 7 steps, 8 jumps, 3 directions of 3 promotions.
pub const PLANES: usize = 80;

const ROLES: [Role; 3] = [Role::Queen, Role::Rook, Role::Bishop];
/// (files, ranks).
const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const JUMPS: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// What a move is to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub from: usize,
    pub to: usize,
    /// Place in the order queen, rook, bishop.
    pub promotion: Option<usize>,
}

impl Step {
    /// The step of a legal move of `turn`.
    pub fn of(turn: Color, m: Move) -> Step {
        let seen = |square: Square| turn.fold_wb(square, square.flip_vertical());
        let role = |role| ROLES.iter().position(|&promoted| promoted == role);
        Step {
            from: seen(m.from().unwrap_or(m.to())).into(),
            to: seen(m.to()).into(),
            promotion: m.promotion().and_then(role),
        }
    }

    /// Its place among the 1,858 words.
    pub fn index(self) -> usize {
        match self.promotion {
            None => usize::from(NUMBERS[self.from][self.to]),
            Some(role) => PAIRS + 3 * (2 * (self.from % 8) + self.to % 8) + role,
        }
    }

    /// Its plane in a convolutional policy, whose square is its origin.
    pub fn plane(self) -> usize {
        let files = (self.to % 8) as i32 - (self.from % 8) as i32;
        let ranks = (self.to / 8) as i32 - (self.from / 8) as i32;
        if let Some(role) = self.promotion {
            // Here the order is rook, bishop, queen.
            return 64 + 3 * (files + 1) as usize + (role + 2) % 3;
        }
        if let Some(jump) = JUMPS.iter().position(|&jump| jump == (files, ranks)) {
            return 56 + jump;
        }
        let steps = files.abs().max(ranks.abs()).max(1);
        let direction = DIRECTIONS.iter().position(|&way| way == (files / steps, ranks / steps)).unwrap_or(0);
        7 * direction + steps as usize - 1
    }
}

/// Numbers of the pairs that a queen or a knight can move between, by origin and target.
static NUMBERS: LazyLock<[[u16; 64]; 64]> = LazyLock::new(|| {
    let mut next = 0;
    std::array::from_fn(|from| {
        std::array::from_fn(|to| {
            let number = if reaches(from as u8, to as u8) { next } else { u16::MAX };
            next += u16::from(number != u16::MAX);
            number
        })
    })
});

/// Whether a queen or a knight goes from one square to another on an empty board; squares by rank, then file.
pub fn is_step(from: usize, to: usize) -> bool {
    reaches(from as u8, to as u8)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{Moment, testing::random_game};

    #[test]
    fn known_words_keep_their_places() {
        let table = [
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1b1", 0),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2", 7),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 1792),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8b", 1797),
            ("4k3/7P/8/8/8/8/8/4K3 w - - 0 1", "h7h8b", 1857),
        ];
        for (fen, text, expected) in table {
            let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            let step = Step::of(moment.turn(), moment.parse_uci(text).unwrap());
            assert_eq!(step.index(), expected, "{text} in {fen}");
        }
    }

    #[test]
    fn castling_takes_the_rook_and_a_knight_is_the_bare_move() {
        let step = |fen: &str, text: &str| {
            let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            Step::of(moment.turn(), moment.parse_uci(text).unwrap())
        };
        let castling = step("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8");
        assert_eq!((castling.from, castling.to), (4, 7));
        assert_eq!(step("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n").promotion, None);
    }

    proptest! {
        #[test]
        fn every_legal_move_has_its_own_word_and_plane(game in random_game(80)) {
            for moment in game {
                let legal = moment.legal_moves();
                let steps: Vec<Step> = legal.iter().map(|&m| Step::of(moment.turn(), m)).collect();
                let words: HashSet<usize> = steps.iter().map(|step| step.index()).collect();
                let planes: HashSet<_> = steps.iter().map(|step| (step.from, step.plane())).collect();
                prop_assert_eq!((words.len(), planes.len()), (legal.len(), legal.len()));
                prop_assert!(words.iter().all(|&word| word < SIZE));
                prop_assert!(planes.iter().all(|&(_, plane)| plane < PLANES - 7));
            }
        }
    }
}
