//! The search as a whole: the value of minimax whatever the order of work, draws, limits, memory.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use chess::{
    Bins, Evaluated, MoveScores, Opinion, Random, Traits,
    shakmaty::{CastlingMode, Chess, EnPassantMode, Position, zobrist::Zobrist64},
};

use super::*;
use crate::{Info, Limits, Score, Signals, heuristic::Heuristic, testing::traits};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const PLAIN: Rules =
    Rules { quiescence: false, extensions: false, selective: false, strict_table: true, tolerance: 0.0 };
const DEFINED: Rules = Rules { quiescence: true, extensions: true, ..PLAIN };

/// A mind that is a table of numbers: value and move scores depend on the position alone, and mean nothing.
struct Dice {
    traits: Traits,
    largest_batch: AtomicUsize,
}

fn dice(scores: bool) -> Arc<Dice> {
    let traits = traits(scores.then_some(MoveScores::Values), true);
    Arc::new(Dice { traits, largest_batch: AtomicUsize::new(0) })
}

impl Brain for Dice {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
        vec![Opinion::default(); moments.len()]
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        if wants.value {
            self.largest_batch.fetch_max(positions.len(), Ordering::Relaxed);
        }
        let value = |position: &Chess| 400.0 * roll(position, 1) - 200.0;
        let scores =
            |position: &Chess| (0..position.legal_moves().len()).map(|m| roll(position, m + 2)).collect();
        let wanted = |wanted: bool| if wanted { positions } else { &[] };
        Evaluated {
            values: wanted(wants.value).iter().map(value).collect(),
            scores: wanted(wants.policy).iter().map(scores).collect(),
        }
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

fn roll(position: &Chess, throw: usize) -> f32 {
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
    Random::keyed(throw as u64, key).part()
}

fn at(fen: &str) -> Moment {
    Moment::from_fen(fen, CastlingMode::Standard).unwrap()
}

fn search(brain: Arc<dyn Brain>, rules: Rules, batch: usize) -> BatchFirst {
    let settings = Settings { hash_mb: 4, tree_mb: 64, batch, ..Settings::default() };
    BatchFirst { rules, ..BatchFirst::new(brain, settings) }
}

fn think(search: &mut BatchFirst, moment: &Moment, limits: Limits) -> (Choice, Vec<Info>) {
    let signals = Signals::new();
    let mut infos = Vec::new();
    let task = Task { limits, signals: &signals, report: &mut |info| infos.push(info.clone()) };
    (search.choose(moment, task), infos)
}

/// The exact value of the root after a search to `depth`.
fn value(search: &mut BatchFirst, moment: &Moment, depth: u32) -> f32 {
    think(search, moment, Limits::depth(depth));
    let root = &search.tree.nodes[0];
    assert_eq!(root.lower, root.upper, "{}", moment.fen());
    root.lower
}

fn expected(brain: &dyn Brain, rules: &Rules, moment: &Moment, depth: i16) -> f32 {
    reference::value(brain, rules, moment, depth, &mut vec![moment.past.key()])
}

/// Positions from random games, some of them with a past to repeat.
fn random_positions(count: usize, seed: u64) -> Vec<Moment> {
    let mut random = Random::new(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut moment = Moment::default();
        for _ in 0..random.below(240) {
            let moves = moment.legal_moves();
            if moves.is_empty() {
                break;
            }
            moment.play(moves[random.below(moves.len())]);
        }
        if !moment.legal_moves().is_empty() {
            positions.push(moment);
        }
    }
    positions
}

/// The same with few pieces, where exchanges end soon even if values are dice.
fn sparse_positions(count: usize, seed: u64) -> Vec<Moment> {
    let mut positions = random_positions(12 * count, seed);
    positions.retain(|moment| moment.position.board().occupied().count() < 14);
    positions.truncate(count);
    positions
}

#[test]
fn the_value_is_that_of_minimax() {
    let dice = dice(true);
    let mut search = search(dice.clone(), PLAIN, 16);
    for (number, moment) in random_positions(300, 1).into_iter().enumerate() {
        let depth = match moment.legal_moves().len() {
            0..8 => 4,
            8..20 => 3,
            _ => 1 + number as u32 % 2,
        };
        let found = value(&mut search, &moment, depth);
        assert_eq!(found, expected(&*dice, &PLAIN, &moment, depth as i16), "{} to {depth}", moment.fen());
    }
    assert!(dice.largest_batch.load(Ordering::Relaxed) == 16, "values came in batches");
}

#[test]
fn with_quiescence_and_extensions_the_value_is_that_of_plain_recursion() {
    let dice = dice(false);
    let mut search = search(dice.clone(), DEFINED, 32);
    for (number, moment) in sparse_positions(60, 2).into_iter().enumerate() {
        let depth = 1 + number as u32 % 2;
        let found = value(&mut search, &moment, depth);
        assert_eq!(found, expected(&*dice, &DEFINED, &moment, depth as i16), "{} to {depth}", moment.fen());
    }
}

#[test]
fn bins_batches_and_threads_change_the_order_of_work_and_never_the_value() {
    let bins = [
        Bins { shift: 0.0, edges: Vec::new() },
        Bins { shift: 0.5, edges: vec![0.1, 0.2, 0.3, 0.4] },
        Bins { shift: 2.0, edges: (0..400).map(|edge| edge as f32 / 200.0).collect() },
    ];
    let positions = sparse_positions(12, 3);
    let run = |bins: &Bins, batch: usize, threads: usize| -> (Vec<f32>, u64) {
        let dice = dice(true);
        let mut search = search(dice, DEFINED, batch);
        search.configure(&Settings { threads, ..search.settings.clone() });
        search.queue = Queue::new(bins.clone());
        let mut nodes = 0;
        let values = positions.iter().map(|moment| {
            let value = value(&mut search, moment, 2);
            nodes += search.stats().nodes;
            value
        });
        (values.collect(), nodes)
    };
    let (values, nodes) = run(&bins[0], 1, 1);
    let mut counts = vec![nodes];
    for (bins, batch, threads) in [(&bins[1], 7, 1), (&bins[2], 256, 1), (&bins[0], 64, 3), (&bins[1], 1, 2)]
    {
        let (same, nodes) = run(bins, batch, threads);
        assert_eq!(values, same, "{batch} {threads}");
        counts.push(nodes);
    }
    counts.sort_unstable();
    counts.dedup();
    assert!(counts.len() > 1, "the order of work did change");
}

#[test]
fn searches_that_look_less_come_to_an_end_too() {
    for (scores, batch) in [(true, 16), (false, 3)] {
        let dice = dice(scores);
        let mut search = search(dice, Rules::PLAY, batch);
        for moment in random_positions(24, 6) {
            let (choice, infos) = think(&mut search, &moment, Limits::depth(3));
            assert_eq!(infos.last().map(|info| info.depth), Some(3), "{}", moment.fen());
            assert!(choice.best.is_some());
        }
    }
}

#[test]
fn the_best_move_is_one_of_the_best_value() {
    let dice = dice(false);
    let mut search = search(dice.clone(), PLAIN, 8);
    for moment in random_positions(40, 4) {
        let (choice, _) = think(&mut search, &moment, Limits::depth(2));
        let mut next = moment.clone();
        next.play(choice.best.unwrap());
        let mut path = vec![moment.past.key(), next.past.key()];
        let value = -reference::value(&*dice, &PLAIN, &next, 1, &mut path);
        assert_eq!(value, expected(&*dice, &PLAIN, &moment, 2), "{}", moment.fen());
    }
}

fn play() -> BatchFirst {
    search(Arc::new(Heuristic), Rules::PLAY, 32)
}

#[test]
fn mates_are_found_and_counted() {
    for (fen, best, mate) in [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 3),
    ] {
        let moment = at(fen);
        let limits = Limits { mate: Some(mate), depth: Some(12), ..Limits::default() };
        let (choice, _) = think(&mut play(), &moment, limits);
        assert_eq!(choice.score, Some(Score::mates(mate)), "{fen}");
        assert_eq!(moment.uci(choice.best.unwrap()), best, "{fen}");
    }
}

#[test]
fn the_losing_side_takes_the_repetition() {
    // Black is lost but for the perpetual on e1 and h4.
    let moment = at("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32")
        .after_uci(["h5e8", "g8h7", "e8h5", "h7g8", "h5e8", "g8h7"]);
    let (choice, _) = think(&mut play(), &moment.unwrap(), Limits::depth(6));
    assert_eq!(choice.score, Some(Score::Centipawns(0)));
}

#[test]
fn fifty_moves_end_the_hope_of_a_win_unless_the_last_one_mates() {
    let (choice, _) = think(&mut play(), &at("8/8/8/8/8/4k3/8/R3K3 w - - 99 120"), Limits::depth(5));
    assert_eq!(choice.score, Some(Score::Centipawns(0)));
    let (choice, _) = think(&mut play(), &at("6k1/5ppp/8/8/8/8/8/K2R4 w - - 99 120"), Limits::depth(3));
    assert_eq!(choice.score, Some(Score::mates(1)));
}

#[test]
fn a_hanging_queen_is_not_counted_at_the_horizon() {
    // One ply deep, taking the defended pawn looks like a gain only in the middle of the exchange.
    let moment = at("4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1");
    let (choice, _) = think(&mut play(), &moment, Limits::depth(1));
    assert_ne!(moment.uci(choice.best.unwrap()), "d2d6");
}

#[test]
fn a_position_with_more_than_a_hundred_moves_is_no_different() {
    let moment = at("3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1");
    assert_eq!(moment.legal_moves().len(), 218);
    let (choice, _) = think(&mut play(), &moment, Limits::depth(2));
    assert_eq!(choice.score, Some(Score::mates(1)));
}

#[test]
fn a_full_tree_is_thinned_out_and_the_search_goes_on() {
    let dice = dice(false);
    let mut search = search(dice, PLAIN, 64);
    search.settings.tree_mb = 0;
    let moment = at("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10");
    let found = value(&mut search, &moment, 3);
    assert!(search.stats().thinned > 0, "{}", search.stats());
    search.settings.tree_mb = 512;
    search.new_game();
    assert_eq!(found, value(&mut search, &moment, 3));
    assert_eq!(search.stats().thinned, 0);
}

#[test]
fn a_node_limit_is_kept() {
    let (choice, _) = think(&mut play(), &at(KIWIPETE), Limits::nodes(5_000));
    assert!((5_000..5_600).contains(&choice.nodes), "{}", choice.nodes);
}

#[test]
fn every_reported_line_can_be_played() {
    for fen in [KIWIPETE, "8/8/8/8/8/4k3/8/R3K3 w - - 0 1", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"] {
        let (choice, infos) = think(&mut play(), &at(fen), Limits::depth(4));
        assert_eq!(infos.last().unwrap().line.first().copied(), choice.best);
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
    let limits = Limits { search_moves: vec![only], ..Limits::depth(3) };
    assert_eq!(think(&mut play(), &moment, limits).0.best, Some(only));
}

#[test]
fn a_raised_stop_ends_even_an_endless_search() {
    let signals = Signals::new();
    signals.stop();
    let task = Task { limits: Limits::default(), signals: &signals, report: &mut |_| {} };
    assert!(play().choose(&at(KIWIPETE), task).best.is_some());
}

#[test]
fn a_stop_in_mid_search_leaves_the_best_move_so_far() {
    let signals = Signals::new();
    let mut depths = Vec::new();
    let task = Task {
        limits: Limits::default(),
        signals: &signals,
        report: &mut |info| {
            depths.push(info.depth);
            if info.depth == 3 {
                signals.stop();
            }
        },
    };
    let moment = at("6k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1");
    let choice = play().choose(&moment, task);
    assert_eq!(choice.score, Some(Score::mates(1)));
    assert!(depths.contains(&3) && !depths.contains(&5), "{depths:?}");
}

#[test]
fn pondering_goes_on_until_the_hit() {
    let signals = Signals::pondering();
    let mut moment = at(KIWIPETE);
    moment.clocks = Some(chess::Clocks::start(1, 0));
    let mut reports = 0;
    let task = Task {
        limits: Limits::clock(),
        signals: &signals,
        report: &mut |_| {
            reports += 1;
            if reports == 4 {
                signals.ponder_hit();
            }
        },
    };
    assert!(play().choose(&moment, task).best.is_some());
    assert!(reports >= 4);
}

#[test]
fn no_legal_move_means_no_choice() {
    assert!(think(&mut play(), &at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Limits::depth(5)).0.best.is_none());
}

#[test]
fn settings_may_change_between_searches() {
    let mut search = play();
    for (threads, hash_mb, tree_mb) in [(1, 4, 64), (3, 1, 64), (2, 8, 0)] {
        search.configure(&Settings { threads, hash_mb, tree_mb, ..Settings::default() });
        let (choice, _) = think(&mut search, &at(KIWIPETE), Limits::move_time(Duration::from_millis(30)));
        assert!(choice.best.is_some_and(|m| at(KIWIPETE).legal_moves().contains(&m)));
    }
}

#[test]
fn several_lines_are_the_best_moves_each_with_its_own_value() {
    for moment in sparse_positions(12, 11) {
        let brain: Arc<dyn Brain> = dice(true);
        let mut several = search(Arc::clone(&brain), DEFINED, 16);
        several.settings.multipv = 3;
        let (choice, infos) = think(&mut several, &moment, Limits::depth(2));
        let count = moment.legal_moves().len().min(3);
        let last: Vec<&Info> = infos.iter().filter(|info| info.depth == 2).collect();
        assert_eq!(last.iter().map(|info| info.multipv).collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>());
        assert!(last.is_sorted_by(|a, b| a.score >= b.score), "{}", moment.fen());
        assert_eq!(last[0].line.first().copied(), choice.best);
        for (rank, info) in last.iter().enumerate() {
            assert!(last[..rank].iter().all(|before| before.line[0] != info.line[0]), "{}", moment.fen());
            let only = Limits { search_moves: vec![info.line[0]], ..Limits::depth(2) };
            let (alone, _) = think(&mut search(Arc::clone(&brain), DEFINED, 16), &moment, only);
            assert_eq!(alone.score, Some(info.score), "{}", moment.fen());
        }
    }
}
