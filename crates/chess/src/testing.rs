//! Random games for property tests.

use proptest::prelude::*;

use crate::Moment;

/// The moments of a random game of at most `plies` plies, the start included.
pub(crate) fn random_game(plies: usize) -> impl Strategy<Value = Vec<Moment>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 1..=plies).prop_map(|choices| {
        let mut game = vec![Moment::default()];
        for choice in choices {
            let moment = game.last().expect("a game has a start");
            let moves = moment.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mut next = moment.clone();
            next.play(moves[choice.index(moves.len())]);
            game.push(next);
        }
        game
    })
}
