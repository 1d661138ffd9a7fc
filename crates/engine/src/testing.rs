//! Random games and a whimsical mind for tests.

use std::hash::{DefaultHasher, Hash, Hasher};

use chess::{
    Brain, Evaluated, Moment, MoveScores, Opinion, Traits, Wants, Wdl, search_name, shakmaty::Chess,
};
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

/// Traits of a mind with a policy and a value, or without.
pub(crate) fn traits(policy: Option<MoveScores>, value: bool) -> Traits {
    let (think, line, context, hand_made) = (false, false, false, false);
    let search = search_name::INSTANT;
    Traits { policy, value, think, line, context, bins: None, hand_made, most_effort: 0, search }
}

/// A mind whose opinion looks random and depends on the position and the ratings alone.
pub(crate) struct Whim(Traits);

impl Default for Whim {
    fn default() -> Whim {
        Whim(traits(Some(MoveScores::Chances), true))
    }
}

/// A mind without any opinion.
pub(crate) struct Mute(Traits);

impl Default for Mute {
    fn default() -> Mute {
        Mute(traits(None, false))
    }
}

impl Brain for Mute {
    fn traits(&self) -> &Traits {
        &self.0
    }

    fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
        vec![Opinion::default(); moments.len()]
    }

    fn evaluate(&self, _: &[Chess], _: Wants) -> Evaluated {
        Evaluated::default()
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

impl Brain for Whim {
    fn traits(&self) -> &Traits {
        &self.0
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
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
            Opinion { policy: Some(policy), wdl: Some(wdl), ..Opinion::default() }.only(wants)
        };
        moments.iter().map(opinion).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}
