//! The search as a whole: the tree is sound, mates are found, limits kept, and the tree stays from move to move.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use chess::{
    Brain, Evaluated, Moment, MoveScores, Opinion, PackedMove, Random, Traits, Wants,
    exchange::exchange_value,
    shakmaty::{CastlingMode, Chess, Color, Move, Position, Role},
};

use super::{
    Puct,
    q::is_decided,
    rounds::{LARGE, LEAST_BATCH, plausible_leaves},
    tree::{NONE, Node, State},
};
use crate::{
    Choice, Info, Limits, PuctSettings, Score, Search, Settings, Signals, Task,
    testing::{Whim, traits},
};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// A mind that counts pieces, before and after a move, and has a whim for each position.
struct Counter(Traits);

impl Brain for Counter {
    fn traits(&self) -> &Traits {
        &self.0
    }

    fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
        vec![Opinion::default(); moments.len()]
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        let after = |position: &Chess, m: Move| {
            let mut next = position.clone();
            next.play_unchecked(m);
            -counted(&next)
        };
        let scores = |position: &Chess| position.legal_moves().iter().map(|&m| after(position, m)).collect();
        let wanted = |wanted: bool| if wanted { positions } else { &[] };
        Evaluated {
            values: wanted(wants.value).iter().map(counted).collect(),
            scores: wanted(wants.policy).iter().map(scores).collect(),
        }
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

fn counted(position: &Chess) -> f32 {
    let board = position.board();
    let side = |color: Color| -> i32 {
        let pieces = |role: Role| (board.by_role(role) & board.by_color(color)).count() as i32;
        Role::ALL
            .into_iter()
            .filter(|&role| role != Role::King)
            .map(|role| exchange_value(role) * pieces(role))
            .sum()
    };
    let whim = Random::keyed(1, board.occupied().0).part();
    (side(position.turn()) - side(!position.turn())) as f32 + 20.0 * whim
}

fn search(batch: usize) -> Puct {
    let settings = Settings { hash_mb: 1, tree_mb: 64, batch, ..Settings::default() };
    Puct::new(Arc::new(Counter(traits(Some(MoveScores::Values), true))), settings)
}

fn at(fen: &str) -> Moment {
    Moment::from_fen(fen, CastlingMode::Standard).unwrap()
}

fn think(search: &mut Puct, moment: &Moment, limits: Limits) -> (Choice, Vec<Info>) {
    let signals = Signals::new();
    let mut infos = Vec::new();
    let task = Task { limits, signals: &signals, report: &mut |info| infos.push(info.clone()) };
    (search.choose(moment, task), infos)
}

/// Whether parents and children agree on each other, and visits and Q add up.
fn assert_sound(nodes: &[Node]) {
    for (id, node) in nodes.iter().enumerate() {
        let visits: u32 = node.edges.iter().map(|edge| edge.visits).sum();
        if node.state == State::Expanded {
            assert!(node.visits >= visits, "{} {visits}", node.visits);
        }
        let values = || node.edges.iter().map(|edge| edge.q).chain([node.value]);
        let (least, most) = (values().fold(f32::MAX, f32::min), values().fold(f32::MIN, f32::max));
        let over = node.state == State::Terminal || node.state == State::Pending;
        assert!(over || (least <= node.q + 1e-3 && node.q <= most + 1e-3));
        assert!(is_decided(node.q) || node.q.abs() <= 1.0);
        for (place, edge) in node.edges.iter().enumerate().filter(|(_, edge)| edge.child != NONE) {
            let child = &nodes[edge.child as usize];
            assert_eq!((child.parent as usize, usize::from(child.place)), (id, place));
            assert_eq!(child.ply, node.ply + 1);
        }
    }
}

#[test]
fn the_tree_is_sound_whatever_the_batch() {
    for batch in [1, 7, 64] {
        let mut search = search(batch);
        for fen in [KIWIPETE, "8/7p/8/8/8/4k3/8/R3K3 w - - 0 1", "k7/8/8/1Q6/8/7p/8/2K5 b - - 0 1"] {
            let (choice, infos) = think(&mut search, &at(fen), Limits::nodes(1500));
            assert_sound(&search.tree.nodes);
            assert!(choice.nodes <= 1500 && choice.best.is_some());
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
}

#[test]
fn batches_are_full_when_the_tree_is_large() {
    let mut search = search(32);
    think(&mut search, &at(KIWIPETE), Limits::nodes(20_000));
    assert!(search.stats().fill() > 0.6, "{}", search.stats());
}

#[test]
fn leaves_that_are_known_already_do_not_end_a_batch() {
    let mut search = search(32);
    think(&mut search, &at("8/8/1p1k1p2/1P6/8/4P1K1/6P1/8 w - - 0 1"), Limits::nodes(10_000));
    let stats = search.stats();
    assert!(3 * stats.asked < 2 * stats.nodes && stats.fill() > 0.7, "{stats}");
}

#[test]
fn a_large_tree_has_more_leaves_for_its_visits_than_a_small_one() {
    for (visits, leaves) in
        [(0, LEAST_BATCH), (160, 10), (LARGE, 64), (LARGE + 800, 164), (1_000_000, 124_936)]
    {
        assert_eq!(plausible_leaves(visits), leaves, "{visits} visits");
    }
}

#[test]
fn a_position_is_not_asked_about_twice() {
    let mut search = search(16);
    think(&mut search, &at("8/8/1p1k4/1P6/8/4P1K1/8/8 w - - 0 1"), Limits::nodes(5_000));
    let stats = search.stats();
    assert!(2 * stats.asked < stats.nodes, "{stats}");
    assert_sound(&search.tree.nodes);
}

/// Trees so small that they are visited as a whole: in larger ones it hangs on the order in which batches come back when a
/// mate is proven.
#[test]
fn mates_are_found_and_counted() {
    for (fen, best, mate) in
        [("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", 1), ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2)]
    {
        let moment = at(fen);
        let limits = Limits { mate: Some(mate), ..Limits::nodes(100_000) };
        let (choice, _) = think(&mut search(16), &moment, limits);
        assert_eq!(choice.score, Some(Score::mates(mate)), "{fen}");
        assert_eq!(moment.uci(choice.best.unwrap()), best, "{fen}");
    }
}

#[test]
fn the_losing_side_takes_the_repetition() {
    // Black is lost but for the perpetual on e1 and h4.
    let moment = at("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32")
        .after_uci(["h5e8", "g8h7", "e8h5", "h7g8", "h5e8", "g8h7"]);
    let moment = moment.unwrap();
    let (choice, _) = think(&mut search(16), &moment, Limits::nodes(5_000));
    assert_eq!(moment.uci(choice.best.unwrap()), "e8h5");
}

#[test]
fn the_tree_stays_from_move_to_move() {
    let mut search = search(16);
    let moment = at(KIWIPETE);
    let (choice, infos) = think(&mut search, &moment, Limits::nodes(3_000));
    let line = &infos.last().unwrap().line;
    let mut next = moment.clone();
    next.play(choice.best.unwrap());
    next.play(line[1]);
    let (choice, infos) = think(&mut search, &next, Limits::nodes(1));
    assert!(choice.nodes <= 1 && infos[0].line.len() > 1, "{infos:?}");
    assert_sound(&search.tree.nodes);
    // Another game, another tree.
    search.new_game();
    let (_, infos) = think(&mut search, &next, Limits::nodes(1));
    assert_eq!(infos[0].line.len(), 1);
}

#[test]
fn a_full_tree_is_cut_back_and_the_search_goes_on() {
    let mut search = search(64);
    search.settings.tree_mb = 0;
    let (choice, _) = think(&mut search, &at(KIWIPETE), Limits::nodes(30_000));
    assert_eq!(choice.nodes, 30_000);
    assert!(search.stats().thinned > 0 && search.tree.nodes.len() <= 8192, "{}", search.stats());
    assert_sound(&search.tree.nodes);
}

#[test]
fn only_wanted_moves_are_looked_at_and_not_remembered() {
    let mut search = search(16);
    let moment = at(KIWIPETE);
    let only = moment.parse_uci("a2a3").unwrap();
    let limits = Limits { search_moves: vec![only], ..Limits::nodes(500) };
    assert_eq!(think(&mut search, &moment, limits).0.best, Some(only));
    assert_ne!(think(&mut search, &moment, Limits::nodes(2_000)).0.best, Some(only));
}

#[test]
fn a_stop_at_any_time_leaves_a_legal_move() {
    for reports in 0..4 {
        let signals = Signals::new();
        let mut told = 0;
        if reports == 0 {
            signals.stop();
        }
        let report = &mut |_: &Info| {
            told += 1;
            if told == reports {
                signals.stop();
            }
        };
        let task = Task { limits: Limits::default(), signals: &signals, report };
        let best = search(16).choose(&at(KIWIPETE), task).best;
        assert!(best.is_some_and(|m| at(KIWIPETE).legal_moves().contains(&m)));
    }
}

/// A mind that takes a millisecond for each position, and raises a stop after so many of them.
struct Slow {
    counter: Counter,
    stop: Arc<Signals>,
    after: usize,
    batches: Mutex<Vec<usize>>,
}

impl Brain for Slow {
    fn traits(&self) -> &Traits {
        self.counter.traits()
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        self.counter.judge(moments, wants)
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        thread::sleep(Duration::from_millis(positions.len() as u64));
        let mut batches = self.batches.lock().unwrap();
        batches.push(positions.len());
        if batches.iter().sum::<usize>() >= self.after {
            self.stop.stop();
        }
        self.counter.evaluate(positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

#[test]
fn a_stop_never_waits_for_a_batch_that_takes_long() {
    let counter = Counter(traits(Some(MoveScores::Values), true));
    let stop = Arc::new(Signals::new());
    let slow = Arc::new(Slow { counter, stop: Arc::clone(&stop), after: 2_000, batches: Mutex::default() });
    let brain: Arc<dyn Brain> = Arc::clone(&slow) as _;
    let mut search = Puct::new(brain, Settings { hash_mb: 1, tree_mb: 64, ..Settings::default() });
    search.choose(&at(KIWIPETE), Task { limits: Limits::default(), signals: &stop, report: &mut |_| {} });
    // The tree is large enough for batches of twice the size by then.
    let batches = slow.batches.lock().unwrap();
    let late = &batches[batches.len() / 2..];
    assert!(late.iter().all(|&size| size < 64), "{late:?}");
}

#[test]
fn a_forced_move_costs_no_time() {
    let mut moment = at("k7/8/8/1Q6/8/7p/7P/2K5 b - - 0 1");
    assert_eq!(moment.legal_moves().len(), 1);
    moment.clocks = Some(chess::Clocks::start(600, 0));
    let (choice, _) = think(&mut search(16), &moment, Limits::clock());
    assert!(choice.nodes < 100, "{}", choice.nodes);
}

#[test]
fn bare_kings_are_mated_in_time() {
    for fen in [
        "8/8/8/4k3/8/8/8/4K2R w - - 0 1",
        "8/8/3k4/8/8/8/1Q6/K7 w - - 0 1",
        "8/8/8/3k4/8/8/8/2B1KB2 w - - 0 1",
    ] {
        let mut moment = at(fen);
        let mut search = search(16);
        while !moment.legal_moves().is_empty() && moment.position.halfmoves() < 100 {
            let (choice, _) = think(&mut search, &moment, Limits::nodes(20_000));
            moment.play(choice.best.unwrap());
        }
        assert!(moment.position.is_checkmate(), "{fen}: {}", moment.fen());
    }
}

#[test]
fn a_pawn_that_cannot_win_is_worth_nothing() {
    // The trade leaves a rook's pawn with the king in its way.
    let moment = at("k7/1r6/8/8/8/P7/1R6/1K6 b - - 0 1");
    let (choice, infos) = think(&mut search(16), &moment, Limits::nodes(3_000));
    assert_eq!(moment.uci(choice.best.unwrap()), "b7b2");
    assert!(matches!(infos.last().unwrap().score, Score::Centipawns(-40..=40)), "{infos:?}");
}

#[test]
fn node_limits_are_exact_from_the_first_node_on() {
    for batch in [1, 16, 256] {
        for nodes in [1, 2, 9, 100, 1500] {
            let (choice, infos) = think(&mut search(batch), &at(KIWIPETE), Limits::nodes(nodes));
            assert_eq!(choice.nodes, nodes, "batch {batch}");
            assert!(choice.best.is_some() && !infos.is_empty());
        }
    }
}

#[test]
fn single_positions_make_a_search_that_is_the_same_every_time() {
    let run = || {
        let (choice, infos) = think(&mut search(1), &at(KIWIPETE), Limits::nodes(700));
        (choice.best, choice.score, infos.last().map(|info| info.line.clone()))
    };
    assert_eq!(run(), run());
}

#[test]
fn several_lines_are_told_best_first_and_each_by_its_own_move() {
    let mut search = search(16);
    search.configure(&Settings { multipv: 3, ..search.settings.clone() });
    let (choice, infos) = think(&mut search, &at(KIWIPETE), Limits::nodes(1000));
    let last = &infos[infos.len() - 3..];
    assert_eq!(last.iter().map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(Some(last[0].line[0]), choice.best);
    assert!(last[0].line[0] != last[1].line[0] && last[1].line[0] != last[2].line[0]);
}

/// Priors are the mind's chances, more alike the higher the policy temperature.
#[test]
fn a_mind_with_a_policy_lends_its_chances_as_priors() {
    let priors = |policy_temperature: f32| {
        let puct = PuctSettings { policy_temperature, ..PuctSettings::default() };
        let settings = Settings { hash_mb: 1, tree_mb: 8, batch: 8, puct, ..Settings::default() };
        let mut search = Puct::new(Arc::new(Whim::default()), settings);
        let (choice, _) = think(&mut search, &at(KIWIPETE), Limits::nodes(1));
        let edges = &search.tree.root().edges;
        assert_eq!(choice.best.map(PackedMove::from), Some(edges[0].m));
        edges.iter().map(|edge| edge.prior).collect::<Vec<f32>>()
    };
    let chances = Whim::default().judge(&[at(KIWIPETE)], Wants::POLICY)[0].policy.clone().unwrap();
    let most = chances.iter().copied().fold(0.0, f32::max) / chances.iter().sum::<f32>();
    let (usual, warm) = (priors(1.0), priors(5.0));
    assert!((usual[0] - most).abs() < 1e-4, "{} {most}", usual[0]);
    for priors in [&usual, &warm] {
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-4 && priors.is_sorted_by(|a, b| a >= b));
    }
    assert!(warm[0] < usual[0] && warm.last() > usual.last());
}

/// Remembers how long the pasts were that it was shown.
struct Historian(Traits, std::sync::Mutex<Vec<(usize, Option<u16>)>>);

impl Brain for Historian {
    fn traits(&self) -> &Traits {
        &self.0
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        for moment in moments {
            let rating = moment.players.and_then(|players| players.of(Color::White));
            self.1.lock().unwrap().push((moment.past.moves().count(), rating));
        }
        Whim::default().judge(moments, wants)
    }

    fn evaluate(&self, _: &[Chess], _: Wants) -> Evaluated {
        panic!("it wants to see the past")
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

#[test]
fn a_mind_that_looks_at_the_past_is_shown_it_at_every_node() {
    let traits = Traits { context: true, ..traits(Some(MoveScores::Chances), true) };
    let historian = Arc::new(Historian(traits, std::sync::Mutex::default()));
    let mut search = Puct::new(historian.clone(), Settings { batch: 8, tree_mb: 8, ..Settings::default() });
    let moment = Moment::default().after_uci(["e2e4", "e7e5"]).unwrap();
    think(&mut search, &moment, Limits::nodes(200));
    let seen = historian.1.lock().unwrap();
    assert_eq!(seen[0].0, 2);
    assert!(seen[1..].iter().all(|(moves, _)| *moves > 2) && seen.iter().any(|(moves, _)| *moves > 3));
    assert!(seen.iter().all(|(_, rating)| rating.is_some()), "with the ratings of those who play");
}

#[test]
fn a_simulated_device_costs_its_own_time_and_changes_no_choice() {
    let run = |device: Option<crate::Device>, batch: usize| {
        let mut search = search(batch);
        search.configure(&Settings { device, ..search.settings.clone() });
        let (choice, _) = think(&mut search, &at(KIWIPETE), Limits::nodes(300));
        (choice, search.stats())
    };
    let device = crate::Device { batch_us: 1e6, position_us: 1e3 };
    let ((here, _), (there, stats)) = (run(None, 1), run(Some(device), 1));
    assert_eq!((here.best, here.score), (there.best, there.score));
    assert_eq!(here.simulated, None);
    let least = device.cost(1).mul_f64(stats.asked as f64);
    assert!(there.simulated.unwrap() >= least && stats.time >= least, "{stats}");
    let (batched, stats) = run(Some(device), 16);
    assert!(batched.simulated.unwrap() < least / 4, "{stats}");
}
