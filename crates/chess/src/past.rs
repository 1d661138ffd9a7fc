//! The last positions and moves of a game, and how often each position has stood on the board.

use arrayvec::ArrayVec;
use shakmaty::{Chess, EnPassantMode, Move, Position, zobrist::Zobrist64};

/// How many earlier positions and moves a moment remembers.
pub const REMEMBERED: usize = 8;

/// What happened before the present position, newest last.
#[derive(Clone, Debug)]
pub struct Past {
    /// Up to [`REMEMBERED`] earlier positions; the present one is not among them.
    positions: ArrayVec<Chess, REMEMBERED>,
    /// The moves that were played in `positions`, aligned with them.
    moves: ArrayVec<Move, REMEMBERED>,
    /// Keys of all positions since the last capture or pawn move, the present one last.
    keys: Vec<u64>,
}

impl Past {
    /// The past of a game that begins with `position`.
    pub fn none(position: &Chess) -> Past {
        Past { positions: ArrayVec::new(), moves: ArrayVec::new(), keys: vec![key(position)] }
    }

    /// Records that `m` led from `before` to `after`.
    pub(crate) fn record(&mut self, before: &Chess, m: Move, after: &Chess) {
        if self.moves.is_full() {
            self.positions.remove(0);
            self.moves.remove(0);
        }
        self.positions.push(before.clone());
        self.moves.push(m);
        let next = before.update_zobrist_hash(Zobrist64(self.key()), m, EnPassantMode::Legal);
        if m.is_zeroing() {
            self.keys.clear();
        }
        self.keys.push(next.map_or_else(|| key(after), |zobrist| zobrist.0));
    }

    /// Earlier positions, newest first.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = &Chess> {
        self.positions.iter().rev()
    }

    /// Earlier moves, newest first.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> {
        self.moves.iter().rev().copied()
    }

    /// Zobrist key of the present position; en passant counts only where it can be played.
    pub fn key(&self) -> u64 {
        *self.keys.last().expect("the present position has a key")
    }

    /// Keys since the last capture or pawn move, the present one last.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How often the present position has been on the board before.
    pub fn repetitions(&self) -> usize {
        self.keys.iter().filter(|&&earlier| earlier == self.key()).count() - 1
    }
}

fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}
