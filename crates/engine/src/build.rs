//! Which mind can be put under which search.

use thiserror::Error;

use crate::{Search, alpha_beta::AlphaBeta};

/// Minds by name.
pub const BRAINS: &[&str] = &["heuristic"];

/// Searches by name.
pub const SEARCHES: &[&str] = &["alpha-beta"];

/// A mind, a search, and how the two are put together.
type Pair = (&'static str, &'static str, fn() -> Box<dyn Search>);

/// The pairs that work.
const PAIRS: &[Pair] = &[("heuristic", "alpha-beta", || Box::<AlphaBeta>::default())];

#[derive(Debug, Error)]
pub enum BuildError {
    #[error("there is no mind `{0}`; there are: {names}", names = BRAINS.join(", "))]
    NoSuchBrain(String),
    #[error("there is no search `{0}`; there are: {names}", names = SEARCHES.join(", "))]
    NoSuchSearch(String),
    #[error("`{0}` does not go with `{1}`; these pairs work: {pairs}", pairs = pairs())]
    NoSuchPair(String, String),
}

fn pairs() -> String {
    PAIRS.iter().map(|(brain, search, _)| format!("{brain}:{search}")).collect::<Vec<_>>().join(", ")
}

/// A search with a mind in it.
pub fn build(brain: &str, search: &str) -> Result<Box<dyn Search>, BuildError> {
    if !BRAINS.contains(&brain) {
        return Err(BuildError::NoSuchBrain(brain.to_owned()));
    }
    if !SEARCHES.contains(&search) {
        return Err(BuildError::NoSuchSearch(search.to_owned()));
    }
    let pair = PAIRS.iter().find(|pair| (pair.0, pair.1) == (brain, search));
    let pair = pair.ok_or_else(|| BuildError::NoSuchPair(brain.to_owned(), search.to_owned()))?;
    Ok(pair.2())
}

#[cfg(test)]
mod tests {
    use chess::{Moment, shakmaty::CastlingMode};

    use super::*;
    use crate::{Limits, Signals, Task};

    #[test]
    fn every_pair_answers_with_a_legal_move_or_none() {
        let positions = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ];
        for (brain, search, _) in PAIRS {
            for fen in positions {
                let moment = Moment::from_fen(fen, CastlingMode::Chess960).unwrap();
                let signals = Signals::new();
                let task = Task { limits: Limits::nodes(2000), signals: &signals, report: &mut |_| {} };
                let best = build(brain, search).unwrap().choose(&moment, task).best;
                let legal = moment.legal_moves();
                assert!(best.map_or(legal.is_empty(), |m| legal.contains(&m)), "{brain}:{search} in {fen}");
            }
        }
    }

    #[test]
    fn unknown_names_are_told_with_those_that_exist() {
        assert!(build("heuristic", "alpha-beta").is_ok());
        let error = build("oracle", "alpha-beta").err().unwrap().to_string();
        assert_eq!(error, "there is no mind `oracle`; there are: heuristic");
    }
}
