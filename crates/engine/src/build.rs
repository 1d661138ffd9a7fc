//! Which mind can be put under which search.

use std::sync::Arc;

use chess::{Brain, Moment, shakmaty::Chess};
use thiserror::Error;

use crate::{
    Mind, Search, Settings, alpha_beta::AlphaBeta, batch_first::BatchFirst, heuristic::Heuristic,
    instant::Instant,
};

/// Searches by name.
pub const SEARCHES: &[&str] = &["alpha-beta", "batch-first", "instant"];

/// Stands for the search that suits the mind.
pub const AUTO: &str = "auto";

#[derive(Debug, Error)]
pub enum BuildError {
    #[error("there is no search `{0}`; there are: {names}", names = SEARCHES.join(", "))]
    NoSuchSearch(String),
    #[error("`{0}` does not go with `{1}`; these pairs work: {2}")]
    NoSuchPair(String, String, String),
    #[error("`{0}` has no opinion on moves, which `instant` plays by")]
    NoPolicy(String),
    #[error("`{0}` puts no value on positions, which `{1}` needs")]
    NoValue(String, String),
}

/// A search with a mind in it. The search [`AUTO`] is the one that suits the mind.
pub fn build(mind: &Mind, search: &str) -> Result<Box<dyn Search>, BuildError> {
    let search = if search == AUTO { mind.usual_search() } else { search };
    match (mind, search) {
        (Mind::Heuristic, "alpha-beta") => Ok(Box::<AlphaBeta>::default()),
        (Mind::Heuristic, "batch-first") => {
            Ok(Box::new(BatchFirst::new(Arc::new(Heuristic), Settings::default())))
        }
        (Mind::Net { name, brain }, "alpha-beta" | "batch-first") if !has_value(brain) => {
            Err(BuildError::NoValue(name.clone(), search.to_owned()))
        }
        (Mind::Net { brain, .. }, "alpha-beta") => {
            Ok(Box::new(AlphaBeta::judged_by(Arc::clone(brain), Settings::default())))
        }
        (Mind::Net { brain, .. }, "batch-first") => {
            Ok(Box::new(BatchFirst::new(Arc::clone(brain), Settings::default())))
        }
        (Mind::Net { name, brain }, "instant") => match has_policy(brain) {
            true => Ok(Box::new(Instant::new(Arc::clone(brain)))),
            false => Err(BuildError::NoPolicy(name.clone())),
        },
        (_, known) if SEARCHES.contains(&known) => {
            Err(BuildError::NoSuchPair(mind.name().to_owned(), search.to_owned(), pairs(mind)))
        }
        _ => Err(BuildError::NoSuchSearch(search.to_owned())),
    }
}

/// The pairs that work, with the mind at hand for a network.
fn pairs(mind: &Mind) -> String {
    let network = match mind {
        Mind::Heuristic => "any network",
        Mind::Net { name, .. } => name,
    };
    let networks: Vec<String> = SEARCHES.iter().map(|search| format!("{network}:{search}")).collect();
    let networks = networks.join(", ");
    format!("heuristic:alpha-beta, heuristic:batch-first, {networks}")
}

fn has_policy(brain: &Arc<dyn Brain>) -> bool {
    brain.judge(&[Moment::default()]).first().is_some_and(|opinion| opinion.policy.is_some())
}

fn has_value(brain: &Arc<dyn Brain>) -> bool {
    brain.values(&[Chess::default()]).is_some()
}

#[cfg(test)]
mod tests {
    use chess::shakmaty::CastlingMode;

    use super::*;
    use crate::{Limits, Signals, Task, heuristic::Heuristic, testing::Whim};

    #[test]
    fn every_mind_answers_with_a_legal_move_or_none() {
        let positions = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ];
        let whim = Mind::net("whim", Arc::new(Whim));
        let minds = [&Mind::Heuristic, &whim].into_iter();
        let pairs = minds.flat_map(|mind| SEARCHES.iter().chain([&AUTO]).map(move |search| (mind, search)));
        for (mind, search) in pairs {
            for fen in positions {
                let Ok(mut search) = build(mind, search) else { continue };
                let moment = Moment::from_fen(fen, CastlingMode::Chess960).unwrap();
                let signals = Signals::new();
                let task = Task { limits: Limits::nodes(2000), signals: &signals, report: &mut |_| {} };
                let best = search.choose(&moment, task).best;
                let legal = moment.legal_moves();
                assert!(best.map_or(legal.is_empty(), |m| legal.contains(&m)), "{mind:?} in {fen}");
            }
        }
    }

    /// A mind without any opinion.
    struct Lost;

    impl Brain for Lost {
        fn judge(&self, moments: &[Moment]) -> Vec<chess::Opinion> {
            moments.iter().map(|_| chess::Opinion::default()).collect()
        }
    }

    #[test]
    fn impossible_pairs_are_told_with_those_that_work() {
        let whim = Mind::net("whim", Arc::new(Whim));
        let mute = Mind::net("mute", Arc::new(Heuristic));
        let lost = Mind::net("lost", Arc::new(Lost));
        for (mind, search, sentence) in [
            (&lost, "alpha-beta", "`lost` puts no value on positions, which `alpha-beta` needs"),
            (&lost, "batch-first", "`lost` puts no value on positions, which `batch-first` needs"),
            (
                &Mind::Heuristic,
                "instant",
                "`heuristic` does not go with `instant`; these pairs work: heuristic:alpha-beta, heuristic:batch-first, any network:alpha-beta, any network:batch-first, any network:instant",
            ),
            (&whim, "magic", "there is no search `magic`; there are: alpha-beta, batch-first, instant"),
            (&mute, "instant", "`mute` has no opinion on moves, which `instant` plays by"),
        ] {
            assert_eq!(build(mind, search).err().unwrap().to_string(), sentence);
        }
    }
}
