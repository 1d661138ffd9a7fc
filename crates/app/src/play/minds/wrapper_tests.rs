//! A mind behind the page's shared evaluator plays as it does without, under every search that goes with it.

use std::sync::Arc;

use chess::{Moment, shakmaty::CastlingMode};
use engine::{Choice, HumanSettings, Limits, Mind, Settings, Signals, Task, searches_for};

use super::{evaluator::Evaluator, test_brain::TestBrain};
use crate::minds::{MINDS, Names};

const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7",
    "8/5pk1/6p1/3R4/5P2/6PP/r7/6K1 b - - 3 40",
];
const NODES: u64 = 300;

/// All that come with the program, and one that costs nothing.
fn minds() -> Vec<Mind> {
    let mut minds: Vec<Mind> = MINDS.iter().filter_map(|name| Names::parse(name).mind().ok()).collect();
    minds.push(Mind::new("test", Arc::new(TestBrain::default())));
    minds
}

fn choose(mind: &Mind, search: &str, moment: &Moment) -> Choice {
    let human = HumanSettings { seed: Some(5), timing: true, ..HumanSettings::default() };
    // Single positions, for a search that is the same every time.
    let settings = Settings { hash_mb: 1, batch: 1, human, ..Settings::default() };
    let mut search = engine::build(mind, search).unwrap();
    search.configure(&settings);
    search
        .choose(moment, Task { limits: Limits::nodes(NODES), signals: &Signals::new(), report: &mut |_| {} })
}

#[test]
fn every_mind_chooses_the_same_through_the_page_and_bare_under_every_search() {
    for bare in minds() {
        let shared = Mind::new(bare.name.clone(), Arc::new(Evaluator::start(bare.brain.clone())));
        assert_eq!(shared.brain.traits(), bare.brain.traits(), "{bare:?}");
        for entry in searches_for(&bare) {
            for fen in POSITIONS {
                let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
                let (there, here) =
                    (choose(&shared, entry.name, &moment), choose(&bare, entry.name, &moment));
                let told = |choice: &Choice| (choice.best, choice.ponder, choice.score, choice.nodes);
                assert_eq!(told(&there), told(&here), "{bare:?} under {} in {fen}", entry.name);
                assert!(here.best.is_some());
            }
        }
    }
}
