//! The root: iterative deepening, aspiration windows, several best lines, and when to stop.

use std::sync::atomic::Ordering;

use chess::shakmaty::{Move, Position};

use super::{
    history::Step,
    node::Node,
    picker::is_noisy,
    quest::{Quest, Window},
    reductions::reduction,
    value::{INFINITE, MATE, MATE_IN_REACH, MAX_PLY, score},
    worker::{Shared, Worker},
};
use crate::{Bound, Info, heuristic::win_chances, info::TELLS_MOVES_AFTER};

/// A move at the root with what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) m: Move,
    /// Value in the present iteration, `-INFINITE` while it has none.
    pub(crate) value: i32,
    previous: i32,
    pub(crate) line: Vec<Move>,
    nodes: u64,
    deepest: usize,
}

impl RootMove {
    pub(crate) fn new(m: Move) -> RootMove {
        RootMove { m, value: -INFINITE, previous: -INFINITE, line: vec![m], nodes: 0, deepest: 0 }
    }

    /// The value of this iteration, or of the one before where this one has not come to the move.
    pub(crate) fn last_value(&self) -> i32 {
        if self.value == -INFINITE { self.previous } else { self.value }
    }
}

/// How settled the choice is, over the iterations so far.
#[derive(Debug, Default)]
struct Steadiness {
    best: Option<Move>,
    unchanged: usize,
    values: Vec<i32>,
}

impl Worker {
    /// Deepens until a limit or a signal ends it; the best move comes to the front of `moves`.
    pub(crate) fn deepen(
        &mut self,
        shared: &Shared<'_>,
        root: &Node,
        moves: &mut [RootMove],
        report: &mut dyn FnMut(&Info),
    ) {
        let lines = shared.multipv.clamp(1, moves.len());
        let deepest = shared.limits.depth.unwrap_or(MAX_PLY as u32).clamp(1, MAX_PLY as u32 - 1) as i32;
        let mut steadiness = Steadiness::default();
        let mut told = None;
        for depth in 1..=deepest {
            for root_move in moves.iter_mut() {
                root_move.previous = root_move.value;
                root_move.value = -INFINITE;
            }
            for line in 0..lines {
                self.aspire(shared, root, moves, line, depth, report);
                if self.stopped {
                    break;
                }
                moves[..=line].sort_by_key(|root_move| -root_move.value);
                if self.is_main && (lines == 1 || line + 1 == lines || shared.thought().as_secs() >= 1) {
                    for (rank, best) in moves[..=line].iter().enumerate() {
                        report(&self.info(shared, root, best, rank, depth, Bound::Exact));
                    }
                    told = Some(moves[0].m);
                }
            }
            if self.stopped {
                // Moves without a value in this iteration keep their old order behind those with one.
                moves.sort_by_key(|root_move| (-root_move.value, -root_move.previous));
                // Who reads along must not be surprised by the answer.
                if self.is_main && told != Some(moves[0].m) {
                    let known = moves[..lines].iter().take_while(|line| line.last_value() > -INFINITE);
                    for (rank, best) in known.enumerate() {
                        report(&self.info(shared, root, best, rank, depth, Bound::Exact));
                    }
                }
                return;
            }
            self.completed_depth = depth;
            if self.is_main && self.has_enough(shared, moves, depth, &mut steadiness) {
                return;
            }
        }
    }

    /// Searches the moves from `line` on with a narrow window about the last value, widened as it fails.
    fn aspire(
        &mut self,
        shared: &Shared<'_>,
        root: &Node,
        moves: &mut [RootMove],
        line: usize,
        depth: i32,
        report: &mut dyn FnMut(&Info),
    ) {
        let expected = moves[line].previous;
        let mut delta = 14;
        let mut window = Window { alpha: -INFINITE, beta: INFINITE };
        if depth >= 4 && expected.abs() < MATE_IN_REACH {
            window = Window { alpha: expected - delta, beta: expected + delta };
        }
        let mut less = 0;
        loop {
            let ahead = (depth - less).max(1);
            let value =
                self.search_root(shared, root, &mut moves[line..], window, ahead, &mut |current, info| {
                    let current = current.map(|(m, number)| (m, line + number));
                    report(&Info { multipv: line + 1, depth: depth as u32, current, ..info });
                });
            moves[line..].sort_by_key(|root_move| -root_move.value);
            if self.stopped {
                return;
            }
            let bound = if value <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (value - delta).max(-INFINITE);
                less = 0;
                Bound::Upper
            } else if value >= window.beta {
                window.beta = (value + delta).min(INFINITE);
                less = if self.plain { 0 } else { (less + 1).min(3) };
                Bound::Lower
            } else {
                return;
            };
            if self.is_main && shared.multipv == 1 && shared.thought().as_secs() >= 1 {
                report(&self.info(shared, root, &moves[line], line, depth, bound));
            }
            delta += delta / 2;
            if delta > 600 {
                window = Window { alpha: -INFINITE, beta: INFINITE };
            }
        }
    }

    /// One pass over the root moves.
    fn search_root(
        &mut self,
        shared: &Shared<'_>,
        root: &Node,
        moves: &mut [RootMove],
        window: Window,
        depth: i32,
        tell: &mut dyn FnMut(Option<(Move, usize)>, Info),
    ) -> i32 {
        let ask = |window: Window, depth: i32, cut_node: bool| Quest { window, depth, ply: 1, cut_node };
        let Window { mut alpha, beta } = window;
        let mut best = -INFINITE;
        self.frame(1).killers = [None; 2];
        self.frame(2).cutoffs = 0;
        self.frame(0).evaluation = super::value::UNKNOWN;
        if !root.in_check() {
            self.frame(0).evaluation = self.evaluate(shared, root);
        }
        for count in 0..moves.len() {
            if self.is_main && shared.thought() >= TELLS_MOVES_AFTER {
                let known = self.info(shared, root, &moves[0], 0, depth, Bound::Exact);
                tell(Some((moves[count].m, count + 1)), known);
            }
            let root_move = &mut moves[count];
            let m = root_move.m;
            let before = self.nodes;
            self.deepest = 0;
            let child = root.play(m);
            self.enter(shared, 0, Some(Step::new(root.turn(), m)), &child);
            let full = depth - 1;
            let mut value = -INFINITE;
            if count > 0 {
                let late = depth >= 3 && count > 2 && !is_noisy(m) && !child.in_check() && !self.plain;
                let less =
                    if late { (reduction(depth, count as i32) / 1024 - 1).clamp(0, full - 1) } else { 0 };
                value =
                    -self.search::<false>(shared, &child, ask(Window::zero(-alpha - 1), full - less, true));
                if value > alpha && less > 0 {
                    value = -self.search::<false>(shared, &child, ask(Window::zero(-alpha - 1), full, true));
                }
            }
            if count == 0 || value > alpha {
                value =
                    -self.search::<true>(shared, &child, ask(Window { alpha, beta }.flipped(), full, false));
            }
            self.leave();
            root_move.nodes += self.nodes - before;
            if self.stopped {
                return best;
            }
            root_move.value = -INFINITE;
            if count == 0 || value > alpha {
                root_move.value = value;
                root_move.deepest = self.deepest;
                self.extend_line(0, m);
                root_move.line = self.frame(0).line.to_vec();
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if value >= beta {
                break;
            }
        }
        best
    }

    fn info(
        &self,
        shared: &Shared<'_>,
        root: &Node,
        root_move: &RootMove,
        rank: usize,
        depth: i32,
        bound: Bound,
    ) -> Info {
        let value = root_move.last_value();
        let halfmoves = root.chess.halfmoves();
        Info {
            depth: depth as u32,
            seldepth: root_move.deepest as u32 + 1,
            multipv: rank + 1,
            score: score(value),
            bound,
            wdl: Some(win_chances(value, halfmoves)),
            nodes: self.nodes + shared.helper_nodes.load(Ordering::Relaxed),
            time: shared.stopwatch.elapsed(),
            hashfull: shared.table.fullness(),
            tbhits: self.tablebase_hits,
            chance: None,
            line: root_move.line.clone(),
            current: None,
            remark: None,
        }
    }

    /// Whether thinking on is not worth it: the mate is found, or the time for this move is used.
    fn has_enough(
        &self,
        shared: &Shared<'_>,
        moves: &[RootMove],
        depth: i32,
        steadiness: &mut Steadiness,
    ) -> bool {
        let value = moves[0].value;
        let plies_to_mate = MATE - value.abs();
        if let Some(mate) = shared.limits.mate
            && value >= MATE_IN_REACH
            && plies_to_mate < 2 * mate as i32
        {
            return true;
        }
        steadiness.unchanged = if steadiness.best == Some(moves[0].m) { steadiness.unchanged + 1 } else { 0 };
        steadiness.best = Some(moves[0].m);
        steadiness.values.push(value);
        let Some(soft) = shared.budget.soft else { return false };
        if shared.signals.is_pondering() {
            return false;
        }
        // A forced move needs no thought, and a mate seen to its end no more.
        if moves.len() == 1 || (value.abs() >= MATE_IN_REACH && depth > plies_to_mate + 2) {
            return true;
        }
        shared.thought().as_secs_f64() >= soft.as_secs_f64() * self.patience(moves, steadiness)
    }

    /// Share of the planned time that this choice deserves: more while the best move changes, the value falls
    /// or other moves take most of the work.
    fn patience(&self, moves: &[RootMove], steadiness: &Steadiness) -> f64 {
        let steady = [1.65, 1.25, 1.05, 0.95, 0.88, 0.82][steadiness.unchanged.min(5)];
        let values = &steadiness.values;
        let earlier = values[values.len().saturating_sub(4)];
        let fall = f64::from((earlier - moves[0].value).clamp(-30, 90)) / 150.0;
        let share = moves[0].nodes as f64 / self.nodes.max(1) as f64;
        steady * (1.0 + fall) * (1.55 - 0.95 * share)
    }
}
