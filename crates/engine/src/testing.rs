//! Random games and a whimsical mind for tests.

use std::hash::{DefaultHasher, Hash, Hasher};

use chess::{Brain, Moment, Opinion, Wdl};
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

/// A mind whose opinion looks random and depends on the position and the ratings alone.
pub(crate) struct Whim;

impl Brain for Whim {
    fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
        let opinion = |moment: &Moment| {
            let whim = |word: String| {
                let mut hasher = DefaultHasher::new();
                (moment.past.key(), moment.players.and_then(|players| players.of(moment.turn())), word)
                    .hash(&mut hasher);
                (hasher.finish() % 1000 + 1) as f32
            };
            let policy = moment.legal_moves().iter().map(|&m| whim(moment.uci(m))).collect();
            let wdl =
                Wdl::from_weights(whim("win".to_owned()), whim("draw".to_owned()), whim("loss".to_owned()));
            Opinion { policy: Some(policy), wdl: Some(wdl), ..Opinion::default() }
        };
        moments.iter().map(opinion).collect()
    }
}
