//! The search as a whole: the value of minimax, mates, draws, limits, lines and threads.

use std::{path::PathBuf, time::Duration};

use chess::{Moment, shakmaty::CastlingMode};

use super::{minimax::minimax, *};
use crate::{Device, Info, Limits, Score, Signals, testing::Whim};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn at(fen: &str) -> Moment {
    Moment::from_fen(fen, CastlingMode::Standard).unwrap()
}

fn think(search: &mut AlphaBeta, moment: &Moment, limits: Limits) -> (Choice, Vec<Info>) {
    let signals = Signals::new();
    let mut infos = Vec::new();
    let task = Task { limits, signals: &signals, report: &mut |info| infos.push(info.clone()) };
    (search.choose(moment, task), infos)
}

fn small(settings: Settings) -> AlphaBeta {
    AlphaBeta::new(Settings { hash_mb: 8, ..settings })
}

fn choose(moment: &Moment, limits: Limits) -> Choice {
    think(&mut small(Settings::default()), moment, limits).0
}

/// Boards on which quiescence behind a single move has no end.
const ENDLESS: [&str; 3] = [
    "qqqqkqqq/qqqqqqqq/qqqqqqqq/8/8/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    "nnnnknnn/nnnnnnnn/nnnnnnnn/8/8/NNNNNNNN/NNNNNNNN/NNNNKNNN w - - 0 1",
    "qqqqkqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ b - - 0 1",
];

#[test]
fn nodes_are_limited_from_the_first_on() {
    for fen in ENDLESS.into_iter().chain([KIWIPETE]) {
        let moment = at(fen);
        for most in [1, 7, 1000, 20_000] {
            let choice = choose(&moment, Limits::nodes(most));
            assert!(choice.nodes <= most, "{} nodes instead of {most} in {fen}", choice.nodes);
            assert!(moment.legal_moves().contains(&choice.best.unwrap()), "{fen}");
        }
    }
}

#[test]
fn who_waits_is_told_which_move_is_looked_at_line_by_line() {
    let slow = Device { batch_us: 1e9, position_us: 0.0 };
    let settings = Settings { hash_mb: 8, multipv: 2, device: Some(slow), ..Settings::default() };
    let mut search = AlphaBeta::judged_by(Arc::new(Whim::default()), settings);
    let moment = at(KIWIPETE);
    let (_, infos) = think(&mut search, &moment, Limits::depth(2));
    let told = infos.iter().filter_map(|info| Some((info.depth, info.multipv, info.current?.1)));
    let count = moment.legal_moves().len();
    // The second line is searched without the first one's move.
    let passes = [(1, 1), (1, 2), (2, 1), (2, 2)];
    let expected =
        passes.into_iter().flat_map(|(depth, line)| (line..=count).map(move |at| (depth, line, at)));
    assert_eq!(told.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    assert!(infos.iter().filter(|info| info.current.is_none()).count() >= 4, "lines come as well");
}

#[test]
fn time_and_stops_hold_before_the_first_iteration_is_complete() {
    // Far more than a moment allows, and reached within seconds where neither limit holds.
    const NEVER: u64 = 5_000_000;
    for fen in ENDLESS {
        for threads in [1, 2] {
            let limits = Limits { nodes: Some(NEVER), ..Limits::move_time(Duration::from_millis(20)) };
            let mut search = small(Settings { threads, ..Settings::default() });
            assert!(think(&mut search, &at(fen), limits).0.nodes < NEVER, "{fen}");
        }
        let signals = Signals::new();
        signals.stop();
        let task = Task { limits: Limits::nodes(NEVER), signals: &signals, report: &mut |_| {} };
        let choice = small(Settings::default()).choose(&at(fen), task);
        assert!(
            choice.best.is_some() && choice.nodes <= 1024,
            "{} nodes after a stop in {fen}",
            choice.nodes
        );
    }
}

#[test]
fn without_tricks_alpha_beta_finds_the_value_of_minimax() {
    for (fen, depth) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4),
        (KIWIPETE, 3),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
        ("r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", 3),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 4),
        ("7k/8/8/8/8/8/1q6/K7 w - - 98 80", 3),
    ] {
        let moment = at(fen);
        let root = Node::new(&moment.position);
        let mut worker = Worker { plain: true, ..Worker::default() };
        worker.prepare(&moment, true);
        let expected = minimax(&mut worker, &root, depth, 0);

        let mut search = small(Settings::default());
        search.workers[0].plain = true;
        let (choice, _) = think(&mut search, &moment, Limits::depth(depth));
        assert_eq!(choice.score, Some(value::score(expected)), "{fen} to depth {depth}");
        assert!(
            choice.nodes < worker.nodes || choice.nodes < 100,
            "alpha-beta saves nodes: {} {}",
            choice.nodes,
            worker.nodes
        );
    }
}

#[test]
fn mates_are_found_and_counted() {
    for (fen, best, mate) in [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 3),
    ] {
        let moment = at(fen);
        let choice = choose(&moment, Limits { mate: Some(mate), depth: Some(20), ..Limits::default() });
        assert_eq!(choice.score, Some(Score::mates(mate)), "{fen}");
        assert_eq!(moment.uci(choice.best.unwrap()), best, "{fen}");
    }
}

#[test]
fn no_legal_move_means_no_choice() {
    assert!(choose(&at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Limits::depth(5)).best.is_none());
}

#[test]
fn the_losing_side_takes_the_repetition() {
    // Black is lost but for the perpetual on e1 and h4.
    let moment = at("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32")
        .after_uci(["h5e8", "g8h7", "e8h5", "h7g8", "h5e8", "g8h7"]);
    let choice = choose(&moment.unwrap(), Limits::depth(8));
    assert_eq!(choice.score, Some(Score::Centipawns(0)));
}

#[test]
fn fifty_moves_end_the_hope_of_a_win() {
    let choice = choose(&at("8/8/8/8/8/4k3/8/R3K3 w - - 99 120"), Limits::depth(10));
    assert_eq!(choice.score, Some(Score::Centipawns(0)));
}

#[test]
fn a_node_limit_is_kept_and_the_result_repeats() {
    let run = || {
        let (choice, infos) = think(&mut small(Settings::default()), &at(KIWIPETE), Limits::nodes(20_000));
        (choice.nodes, choice.best, infos.last().map(|info| info.score))
    };
    let first = run();
    assert!((20_000..20_100).contains(&first.0), "{first:?}");
    assert_eq!(first, run());
}

#[test]
fn a_search_that_is_cut_short_still_tells_what_its_move_is_worth() {
    for moment in [Moment::default(), at(KIWIPETE)] {
        let mut search = small(Settings::default());
        for nodes in (300..6000).step_by(97) {
            search.new_game();
            assert!(think(&mut search, &moment, Limits::nodes(nodes)).0.score.is_some(), "{nodes} nodes");
        }
    }
}

#[test]
fn several_lines_are_distinct_and_ordered() {
    let mut search = small(Settings { multipv: 4, ..Settings::default() });
    let (_, infos) = think(&mut search, &at(KIWIPETE), Limits::depth(8));
    let last: Vec<_> = infos.iter().filter(|info| info.depth == 8).collect();
    let last = &last[last.len() - 4..];
    assert_eq!(last.iter().map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(last.is_sorted_by(|better, worse| better.score >= worse.score));
    let firsts: std::collections::HashSet<_> = last.iter().map(|info| info.line[0]).collect();
    assert_eq!(firsts.len(), 4);
}

#[test]
fn every_reported_line_can_be_played() {
    for fen in [KIWIPETE, "8/8/8/8/8/4k3/8/R3K3 w - - 0 1", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"] {
        let (_, infos) = think(&mut small(Settings::default()), &at(fen), Limits::depth(9));
        for info in infos {
            let mut moment = at(fen);
            for m in info.line {
                assert!(moment.legal_moves().contains(&m), "{fen}: {m} in {}", moment.fen());
                moment.play(m);
            }
        }
    }
}

#[test]
fn only_wanted_moves_are_looked_at() {
    let moment = at(KIWIPETE);
    let only = moment.parse_uci("a2a3").unwrap();
    let limits = Limits { search_moves: vec![only], ..Limits::depth(6) };
    assert_eq!(choose(&moment, limits).best, Some(only));
}

#[test]
fn a_raised_stop_ends_even_an_endless_search() {
    let signals = Signals::new();
    signals.stop();
    let task = Task { limits: Limits::default(), signals: &signals, report: &mut |_| {} };
    let choice = small(Settings::default()).choose(&at(KIWIPETE), task);
    assert!(choice.best.is_some());
}

#[test]
fn threads_agree_on_a_forced_win() {
    let mut search = small(Settings { threads: 3, ..Settings::default() });
    let moment = at("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1");
    let (choice, _) = think(&mut search, &moment, Limits::depth(8));
    assert_eq!(choice.score, Some(Score::mates(3)));
    search.new_game();
    search.configure(&Settings { threads: 2, hash_mb: 4, ..Settings::default() });
    let (choice, _) = think(&mut search, &moment, Limits::move_time(Duration::from_millis(50)));
    assert!(choice.best.is_some());
}

#[test]
fn missing_tables_are_no_tables() {
    let syzygy = Syzygy::open(&[PathBuf::from("no/such/folder")]);
    assert_eq!(syzygy.value(&at("8/8/8/8/8/4k3/8/R3K3 w - - 0 1").position, 1), None);
}

#[test]
fn a_mind_that_judges_like_the_evaluation_finds_the_same() {
    let limits = Limits::depth(7);
    let mut judged =
        AlphaBeta::judged_by(std::sync::Arc::new(crate::heuristic::Heuristic), Settings::default());
    judged.configure(&Settings { hash_mb: 8, ..Settings::default() });
    let (by_mind, _) = think(&mut judged, &at(KIWIPETE), limits.clone());
    let by_hand = choose(&at(KIWIPETE), limits);
    assert_eq!((by_mind.best, by_mind.score, by_mind.nodes), (by_hand.best, by_hand.score, by_hand.nodes));
}
