//! A moment in the middle of a stored game, reached at the speed of the bare board.

use shakmaty::{Chess, Position};

use crate::{Moment, PackedMove, Past};

/// Room that one thread lends to one replay after another.
#[derive(Debug, Default)]
pub struct Replay {
    line: Vec<(Chess, shakmaty::Move)>,
}

impl Replay {
    /// The moment after `moves` from `start`; `None` if a move does not fit the pieces. Legality is not asked: the moves
    /// of a stored game were checked when it was read. Only the positions that a moment remembers are hashed.
    pub fn moment(&mut self, start: Chess, moves: &[PackedMove]) -> Option<Moment> {
        self.line.clear();
        let mut position = start;
        let mut last_zeroing = 0;
        for (ply, packed) in moves.iter().enumerate() {
            let m = packed.fit(&position)?;
            self.line.push((position.clone(), m));
            position.play_unchecked(m);
            if m.is_zeroing() {
                last_zeroing = ply + 1;
            }
        }
        let past = Past::of_line(&self.line, last_zeroing, &position);
        Some(Moment { position, past, clocks: None, players: None })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random_game;

    proptest! {
        #[test]
        fn a_replayed_moment_equals_one_that_was_lived(game in random_game(120)) {
            let moves: Vec<_> = game[1..].iter().map(|moment| PackedMove::from(moment.past.moves().next().unwrap())).collect();
            let lived = game.last().unwrap();
            let replayed = Replay::default().moment(Chess::default(), &moves).unwrap();
            prop_assert_eq!(&replayed.position, &lived.position);
            prop_assert_eq!(replayed.past.keys(), lived.past.keys());
            prop_assert!(replayed.past.moves().eq(lived.past.moves()));
            prop_assert!(replayed.past.positions().eq(lived.past.positions()));
        }
    }
}
