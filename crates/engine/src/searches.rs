//! Every search, in one list, and which minds go with which. Adding one takes its file or folder, its `mod` in `lib.rs` and its line here:
//! command line, UCI, page, help and tests read this list.

use thiserror::Error;

use crate::{Mind, Search, SearchEntry, Settings, alpha_beta, batch_first, comparisons, instant, puct};

pub const SEARCHES: &[SearchEntry] = &[
    alpha_beta::ENTRY, //
    batch_first::ENTRY,
    comparisons::ENTRY,
    instant::ENTRY,
    puct::ENTRY,
];

/// Stands for the search that suits the mind.
pub const AUTO: &str = "auto";

/// Names of all searches, in the order of the list.
pub const SEARCH_NAMES: &[&str] = &names();

const fn names() -> [&'static str; SEARCHES.len()] {
    let mut names = [""; SEARCHES.len()];
    let mut at = 0;
    while at < SEARCHES.len() {
        names[at] = SEARCHES[at].name;
        at += 1;
    }
    names
}

#[derive(Debug, Error)]
pub enum BuildError {
    #[error("there is no search `{0}`; there are: {names}", names = SEARCH_NAMES.join(", "))]
    NoSuchSearch(String),
    #[error("`{mind}` does not go with `{search}`, which needs {needs}; these pairs work: {pairs}")]
    NoSuchPair { mind: String, search: String, needs: &'static str, pairs: String },
}

/// The search in the list. [`AUTO`] is the one that suits the mind.
pub fn find_search(mind: &Mind, search: &str) -> Result<&'static SearchEntry, BuildError> {
    let name = if search == AUTO { mind.usual_search() } else { search };
    let entry = SEARCHES.iter().find(|entry| entry.name == name);
    entry.ok_or_else(|| BuildError::NoSuchSearch(name.to_owned()))
}

/// A search with a mind in it, by its name or [`AUTO`].
pub fn build(mind: &Mind, search: &str) -> Result<Box<dyn Search>, BuildError> {
    build_with(mind, search, Settings::default())
}

/// The same with other settings from the first: tables of the usual size are not even asked for.
pub fn build_with(mind: &Mind, search: &str, settings: Settings) -> Result<Box<dyn Search>, BuildError> {
    let entry = find_search(mind, search)?;
    match entry.lacks(mind.brain.traits()) {
        None => Ok((entry.make)(mind.brain.clone(), settings)),
        Some(needs) => Err(BuildError::NoSuchPair {
            mind: mind.name.clone(),
            search: entry.name.to_owned(),
            needs,
            pairs: pairs(mind),
        }),
    }
}

/// The searches that go with a mind.
pub fn searches_for(mind: &Mind) -> impl Iterator<Item = &'static SearchEntry> {
    let traits = mind.brain.traits();
    SEARCHES.iter().filter(move |entry| entry.lacks(traits).is_none())
}

fn pairs(mind: &Mind) -> String {
    let pairs: Vec<String> =
        searches_for(mind).map(|entry| format!("{}:{}", mind.name, entry.name)).collect();
    if pairs.is_empty() { "none".to_owned() } else { pairs.join(", ") }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use chess::{Moment, shakmaty::CastlingMode};

    use super::*;
    use crate::{
        Choice, Info, Limits, Signals, Task,
        testing::{Mute, Whim},
    };

    #[test]
    fn every_search_is_listed_once_with_a_sentence() {
        for entry in SEARCHES {
            assert!(entry.about.len() > 20 && entry.about.ends_with('.'), "{}", entry.name);
            assert_eq!(SEARCH_NAMES.iter().filter(|name| **name == entry.name).count(), 1);
        }
        assert!(SEARCH_NAMES.is_sorted());
    }

    #[test]
    fn every_mind_answers_with_a_legal_move_or_none() {
        let positions = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            // No game leads here, and no search may get lost here.
            "qqqqkqqq/qqqqqqqq/qqqqqqqq/8/8/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1",
            "nnnnknnn/nnnnnnnn/nnnnnnnn/NNNNNNNN/nnnnnnnn/NNNNNNNN/NNNNNNNN/NNNNKNNN w - - 0 1",
            "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
        ];
        for mind in [Mind::heuristic(), Mind::new("whim", Arc::new(Whim::default()))] {
            assert!(searches_for(&mind).count() > 1);
            for search in searches_for(&mind).map(|entry| entry.name).chain([AUTO]) {
                for fen in positions {
                    let mut search = build(&mind, search).unwrap();
                    let moment = Moment::from_fen(fen, CastlingMode::Chess960).unwrap();
                    let signals = Signals::new();
                    let task = Task { limits: Limits::nodes(2000), signals: &signals, report: &mut |_| {} };
                    let choice = search.choose(&moment, task);
                    // What a search has under way when the limit is reached is one batch at most.
                    assert!(choice.nodes <= 2000 + 256, "{} nodes of {mind:?} in {fen}", choice.nodes);
                    let best = choice.best;
                    let legal = moment.legal_moves();
                    assert!(best.map_or(legal.is_empty(), |m| legal.contains(&m)), "{mind:?} in {fen}");
                }
            }
        }
    }

    /// The last line of each rank.
    fn lines_told(
        search: &mut dyn Search,
        moment: &Moment,
        limits: Limits,
    ) -> (Choice, BTreeMap<usize, Info>) {
        let (signals, mut lines) = (Signals::new(), BTreeMap::new());
        let mut report = |info: &Info| {
            lines.insert(info.multipv, info.clone());
        };
        let choice = search.choose(moment, Task { limits, signals: &signals, report: &mut report });
        (choice, lines)
    }

    #[test]
    fn every_search_tells_as_many_lines_as_are_wanted_and_there_are_moves_for() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
        let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
        let few: Vec<_> = ["a2a3", "e1g1"].iter().map(|uci| moment.parse_uci(uci).unwrap()).collect();
        for mind in [Mind::heuristic(), Mind::new("whim", Arc::new(Whim::default()))] {
            for entry in searches_for(&mind) {
                for (wanted, only, told) in [(4, &[][..], 4), (5, &few[..], 2), (1, &few[..], 1)] {
                    let mut search = build(&mind, entry.name).unwrap();
                    search.configure(&Settings { multipv: wanted, ..Settings::default() });
                    let limits = Limits { search_moves: only.to_vec(), ..Limits::nodes(20_000) };
                    let (choice, lines) = lines_told(&mut *search, &moment, limits);
                    let who = format!("{wanted} lines of {} with {}", mind.name, entry.name);
                    assert!(lines.keys().copied().eq(1..=told), "{who}: {:?}", lines.keys());
                    let mut first: Vec<_> = lines.values().map(|info| info.line[0]).collect();
                    assert!(first.iter().all(|m| only.is_empty() || only.contains(m)), "{who}: {first:?}");
                    // Without a tree the move is drawn, and need not be the likeliest.
                    assert!(entry.at_once || choice.best == Some(first[0]), "{who}: {choice:?}, {first:?}");
                    first.sort_by_key(|m| moment.uci(*m));
                    first.dedup();
                    assert_eq!(first.len(), told, "{who}: each its own move");
                    for info in lines.values() {
                        let mut after = moment.clone();
                        for &m in &info.line {
                            assert!(after.legal_moves().contains(&m), "{who}: {m} in {}", after.fen());
                            after.play(m);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn impossible_pairs_are_told_with_those_that_work() {
        let lost = Mind::new("lost", Arc::new(Mute::default()));
        for (mind, search, sentence) in [
            (
                &lost,
                "alpha-beta",
                "`lost` does not go with `alpha-beta`, which needs a value of positions; these pairs work: none",
            ),
            (
                &Mind::heuristic(),
                "instant",
                "`heuristic` does not go with `instant`, which needs an opinion on moves; these pairs work: heuristic:alpha-beta, heuristic:batch-first, heuristic:comparisons",
            ),
            (
                &lost,
                "magic",
                "there is no search `magic`; there are: alpha-beta, batch-first, comparisons, instant, puct",
            ),
        ] {
            assert_eq!(build(mind, search).err().unwrap().to_string(), sentence);
        }
    }
}
