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

    /// The past of `present` at the end of a line of positions and the moves played in them; the line's positions from
    /// `last_zeroing` on came after the last capture or pawn move.
    pub(crate) fn of_line(line: &[(Chess, Move)], last_zeroing: usize, present: &Chess) -> Past {
        let recent = &line[line.len().saturating_sub(REMEMBERED)..];
        let since = line[last_zeroing..].iter().map(|(position, _)| position);
        Past {
            positions: recent.iter().map(|(position, _)| position.clone()).collect(),
            moves: recent.iter().map(|&(_, m)| m).collect(),
            keys: since.chain([present]).map(key).collect(),
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Moment,
        testing::{random_chess960_game, random_game, random_shuffle},
    };

    fn any_game() -> impl Strategy<Value = Vec<Moment>> {
        prop_oneof![random_game(60), random_chess960_game(60), random_shuffle(60)]
    }

    proptest! {
        #[test]
        fn the_last_eight_positions_are_remembered_newest_first(game in any_game()) {
            for (ply, moment) in game.iter().enumerate() {
                let expected: Vec<&Chess> = game[..ply].iter().rev().take(8).map(|earlier| &earlier.position).collect();
                prop_assert_eq!(moment.past.positions().collect::<Vec<_>>(), expected);
            }
        }

        #[test]
        fn each_remembered_move_leads_to_the_next_position(game in any_game()) {
            for moment in game {
                let mut after = moment.position;
                prop_assert_eq!(moment.past.moves().len(), moment.past.positions().len());
                for (m, before) in moment.past.moves().zip(moment.past.positions()) {
                    prop_assert_eq!(before.clone().play(m).unwrap(), after);
                    after = before.clone();
                }
            }
        }

        #[test]
        fn repetitions_are_those_of_a_recount(game in any_game()) {
            for (ply, moment) in game.iter().enumerate() {
                let recount = game[..ply].iter().filter(|earlier| earlier.position == moment.position).count();
                prop_assert_eq!(moment.past.repetitions(), recount, "{}", moment.fen());
            }
        }

        #[test]
        fn the_key_is_that_of_the_bare_position(game in any_game()) {
            for moment in game {
                prop_assert_eq!(moment.past.key(), key(&moment.position), "{}", moment.fen());
            }
        }
    }

    #[test]
    fn a_right_to_capture_en_passant_tells_positions_apart_only_if_it_can_be_used() {
        let after = |fen: &str| {
            let start = Moment::from_fen(fen, shakmaty::CastlingMode::Standard).unwrap();
            start.after_uci(["d2d4", "e8d8", "e1d1", "d8e8", "d1e1"]).unwrap()
        };
        assert_eq!(after("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1").past.repetitions(), 1);
        assert_eq!(after("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1").past.repetitions(), 0);
    }
}
