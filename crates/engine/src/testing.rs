//! Random games for property tests.

use chess::Moment;
use proptest::prelude::*;

/// The moments of a random game of at most `plies` plies, the start included.
pub(crate) fn random_game(plies: usize) -> impl Strategy<Value = Vec<Moment>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 1..=plies).prop_map(|choices| {
        let mut game = vec![Moment::default()];
        for choice in choices {
            let mut next = game[game.len() - 1].clone();
            let moves = next.legal_moves();
            if moves.is_empty() {
                break;
            }
            next.play(moves[choice.index(moves.len())]);
            game.push(next);
        }
        game
    })
}
