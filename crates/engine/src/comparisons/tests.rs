//! The search as a whole: what minimax finds on a total order, mates, draws and limits.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use chess::{
    Comparer, Embedding, Moment,
    shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, zobrist::Zobrist64},
};
use proptest::prelude::*;

use super::{minimax::minimax, *};
use crate::{
    Device, Info, Limits, Score, Signals, alpha_beta::Node, heuristic::Heuristic, testing::random_game,
};

/// A total order of positions that has nothing to do with chess.
struct Whimsical;

impl Comparer for Whimsical {
    fn embed(&mut self, position: &Chess, player: Color) -> Embedding {
        let mut hasher = DefaultHasher::new();
        position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0.hash(&mut hasher);
        let number = (hasher.finish() >> 40) as f32 / (1 << 23) as f32 - 1.0;
        Arc::new([player.fold_wb(number, -number)])
    }

    fn compare(&mut self, one: &Embedding, other: &Embedding) -> f32 {
        one[0] - other[0]
    }

    fn draw(&mut self) -> Embedding {
        Arc::new([0.0])
    }
}

/// Raises a stop at the tenth position that it is shown.
struct Stopping(Arc<Signals>, Arc<AtomicUsize>);

impl Comparer for Stopping {
    fn embed(&mut self, position: &Chess, player: Color) -> Embedding {
        if self.1.fetch_add(1, Ordering::Relaxed) + 1 == 10 {
            self.0.stop();
        }
        Whimsical.embed(position, player)
    }

    fn compare(&mut self, one: &Embedding, other: &Embedding) -> f32 {
        Whimsical.compare(one, other)
    }

    fn draw(&mut self) -> Embedding {
        Whimsical.draw()
    }
}

fn at(fen: &str) -> Moment {
    Moment::from_fen(fen, CastlingMode::Standard).unwrap()
}

fn small(comparer: Box<dyn Comparer>) -> Comparisons {
    Comparisons {
        thinker: Thinker::new(comparer, 2),
        settings: Settings { hash_mb: 2, ..Settings::default() },
    }
}

fn by_heuristic() -> Comparisons {
    small(Box::new(ByValue(Arc::new(Heuristic))))
}

fn think(search: &mut Comparisons, moment: &Moment, limits: Limits) -> (Choice, Vec<Info>) {
    let signals = Signals::new();
    let mut infos = Vec::new();
    let task = Task { limits, signals: &signals, report: &mut |info| infos.push(info.clone()) };
    (search.choose(moment, task), infos)
}

/// Whether the search without tricks leads to what minimax leads to, and by the same move.
fn agrees_with_minimax(mut search: Comparisons, moment: &Moment, depth: u32) {
    search.thinker.plain = true;
    let (choice, infos) = think(&mut search, moment, Limits::depth(depth));
    let found = infos.last().expect("an iteration").score;
    search.thinker.begin(moment);
    let root = Node::new(&moment.position);
    let expected = minimax(&mut search.thinker, &root, depth, 0);
    let same = search.thinker.judge.score(&expected);
    assert_eq!(found, same, "{} to depth {depth}", moment.fen());
    // The move leads there as well, whichever of several it is.
    search.thinker.begin(moment);
    let child = root.play(choice.best.unwrap());
    search.thinker.enter(&child, None);
    let behind = minimax(&mut search.thinker, &child, depth - 1, 1);
    assert!(
        !search.thinker.judge.better(&behind, &expected) && !search.thinker.judge.better(&expected, &behind),
        "{:?} in {} to depth {depth}",
        choice.best,
        moment.fen()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn on_a_total_order_the_search_without_tricks_finds_what_minimax_finds(game in random_game(60), depth in 1u32..=3) {
        let moment = game.last().unwrap();
        prop_assume!(!moment.legal_moves().is_empty() && moment.legal_moves().len() < 30);
        agrees_with_minimax(small(Box::new(Whimsical)), moment, depth);
        agrees_with_minimax(by_heuristic(), moment, depth);
    }
}

#[test]
fn mates_and_draws_come_out_as_minimax_has_them() {
    for (fen, depth) in [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 2),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3),
        ("7k/8/8/8/8/8/1q6/K7 w - - 98 80", 3),
        ("8/8/8/8/8/4k3/8/R3K3 w - - 99 120", 2),
        ("8/8/8/8/8/5k2/5p2/5K2 b - - 0 1", 3),
    ] {
        agrees_with_minimax(small(Box::new(Whimsical)), &at(fen), depth);
    }
}

#[test]
fn mates_are_found_with_all_tricks() {
    for (fen, best, mate) in [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 3),
    ] {
        let moment = at(fen);
        let (choice, _) = think(&mut by_heuristic(), &moment, Limits::depth(7));
        assert_eq!(choice.score, Some(Score::mates(mate)), "{fen}");
        assert_eq!(moment.uci(choice.best.unwrap()), best, "{fen}");
    }
}

#[test]
fn the_losing_side_takes_the_repetition() {
    // Black is lost but for the perpetual on e1 and h4.
    let moment = at("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32")
        .after_uci(["h5e8", "g8h7", "e8h5", "h7g8", "h5e8", "g8h7"]);
    let (choice, _) = think(&mut by_heuristic(), &moment.unwrap(), Limits::depth(6));
    assert_eq!(choice.score, Some(Score::Centipawns(0)));
}

#[test]
fn lines_can_be_played_and_limits_hold_and_results_repeat() {
    let moment = at("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let run = || think(&mut by_heuristic(), &moment, Limits::nodes(20_000));
    let (choice, infos) = run();
    assert!(choice.nodes <= 20_000 && infos.len() > 2, "{} {}", choice.nodes, infos.len());
    for info in &infos {
        let mut moment = moment.clone();
        for &m in &info.line {
            assert!(moment.legal_moves().contains(&m), "{m} in {}", moment.fen());
            moment.play(m);
        }
    }
    assert_eq!((run().0.best, run().0.nodes), (choice.best, choice.nodes));
    let only = moment.parse_uci("a2a3").unwrap();
    let limits = Limits { search_moves: vec![only], ..Limits::depth(3) };
    assert_eq!(think(&mut by_heuristic(), &moment, limits).0.best, Some(only));
    let soon = Limits { depth: Some(60), ..Limits::move_time(Duration::from_millis(20)) };
    assert!(think(&mut by_heuristic(), &moment, soon).0.best.is_some());
}

#[test]
fn who_waits_is_told_which_move_is_looked_at() {
    let moment = at("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let told_after = |seconds: u64| {
        let stopwatch = Stopwatch::start(Some(Device { batch_us: 1e6 * seconds as f64, position_us: 0.0 }));
        stopwatch.on_device(1, || ());
        let (signals, mut told) = (Signals::new(), Vec::new());
        let mut report = |info: &Info| told.extend(info.current.map(|(m, number)| (info.depth, m, number)));
        let task = Task { limits: Limits::depth(2), signals: &signals, report: &mut report };
        let mut moves: Vec<RootMove> = moment.legal_moves().into_iter().map(RootMove::new).collect();
        let mut search = by_heuristic();
        search.thinker.begin(&moment);
        search.thinker.deepen(&moment, &mut moves, 1, task, TimeBudget::default(), &stopwatch);
        told
    };
    assert!(told_after(0).is_empty());
    let told = told_after(60);
    let count = moment.legal_moves().len();
    assert_eq!(told.len(), 2 * count, "each move in each iteration");
    for (at, &(depth, m, number)) in told.iter().enumerate() {
        assert_eq!((depth as usize, number), (at / count + 1, at % count + 1), "{m}");
    }
}

#[test]
fn a_stop_is_seen_at_the_next_node() {
    let (signals, shown) = (Arc::new(Signals::new()), Arc::new(AtomicUsize::new(0)));
    let mut search = small(Box::new(Stopping(Arc::clone(&signals), Arc::clone(&shown))));
    let task = Task { limits: Limits::default(), signals: &signals, report: &mut |_| {} };
    assert!(search.choose(&Moment::default(), task).best.is_some());
    let shown = shown.load(Ordering::Relaxed);
    assert!(shown <= 12, "{shown} positions were looked at");
}
