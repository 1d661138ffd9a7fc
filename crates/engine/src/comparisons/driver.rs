//! The root: iterative deepening, and when to stop.

use chess::{Moment, shakmaty::Move};

use super::{judge::Value, principal::Window, thinker::Thinker};
use crate::{
    Bound, Info, Signals, Task, TimeBudget,
    alpha_beta::{Node, history::Step, value::MAX_PLY},
    info::TELLS_MOVES_AFTER,
    stopwatch::Stopwatch,
};

/// What a search looks at while it runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch<'a> {
    pub(super) signals: &'a Signals,
    pub(super) stopwatch: &'a Stopwatch,
}

/// A move at the root with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) m: Move,
    /// What the best move led to when it became the best.
    pub(super) value: Option<Value>,
    pub(super) line: Vec<Move>,
}

impl RootMove {
    pub(super) fn new(m: Move) -> RootMove {
        RootMove { m, value: None, line: vec![m] }
    }
}

/// Share of the planned time after which another iteration would hardly be completed.
const ENOUGH: f64 = 0.6;

impl Thinker {
    /// Deepens until a limit or a signal ends it; the best moves come to the front of `moves`, as many as `multipv` in their order.
    pub(super) fn deepen(
        &mut self,
        moment: &Moment,
        moves: &mut [RootMove],
        multipv: usize,
        task: Task<'_>,
        budget: TimeBudget,
        stopwatch: &Stopwatch,
    ) {
        let root = Node::new(&moment.position);
        let watch = Watch { signals: task.signals, stopwatch };
        self.limit(&task.limits, budget.hard);
        // A move is worth something to those who ask even if there is no time to look at it.
        moves[0].value = Some(self.judge.position(&root));
        let lines = multipv.clamp(1, moves.len());
        let deepest = task.limits.depth.unwrap_or(MAX_PLY as u32).clamp(1, MAX_PLY as u32 - 1);
        for depth in 1..=deepest {
            self.deepest = 0;
            for line in 0..lines {
                self.search_root(&watch, &root, &mut moves[line..], line, depth, task.report);
                if self.stopped {
                    break;
                }
                self.rank(&mut moves[..=line]);
            }
            for (rank, best) in moves[..lines].iter().enumerate() {
                // A line that was not reached has nothing to tell.
                let Some(value) = &best.value else { break };
                (task.report)(&self.info(best, value, rank, depth, stopwatch));
            }
            let value = moves[0].value.clone().unwrap_or(Value::Drawn);
            if self.stopped || self.has_enough(&value, moves.len(), depth, &task, budget, stopwatch) {
                return;
            }
        }
    }

    /// One pass over the root moves behind those of the lines before: each may become the best.
    fn search_root(
        &mut self,
        watch: &Watch<'_>,
        root: &Node,
        moves: &mut [RootMove],
        line: usize,
        depth: u32,
        report: &mut dyn FnMut(&Info),
    ) {
        let mut window = Window::open();
        let full = depth as i32 - 1;
        for at in 0..moves.len() {
            let m = moves[at].m;
            if watch.stopwatch.thought(watch.signals) >= TELLS_MOVES_AFTER
                && let Some(value) = &moves[0].value
            {
                let known = self.info(&moves[0], value, line, depth, watch.stopwatch);
                report(&Info { current: Some((m, line + at + 1)), ..known });
            }
            let child = root.play(m);
            self.enter(&child, Some(Step::new(root.turn(), m)));
            let promising = at == 0 || self.ask(watch, &child, full, 1, window.question(true), false);
            let found = match promising && !self.stopped {
                true => Some(self.search(watch, &child, full, 1, window.clone())),
                false => None,
            };
            self.leave();
            if self.stopped {
                return;
            }
            if let Some(found) = found
                && (window.narrow(self, true, &found) || at == 0)
            {
                self.extend_line(0, m);
                moves[at].line = self.line(0).to_vec();
                moves[at].value = Some(found);
                // The others keep their order behind the best.
                moves[..=at].rotate_right(1);
            }
        }
    }

    /// Brings the last of some lines before those that it turned out better than.
    fn rank(&mut self, moves: &mut [RootMove]) {
        for at in (1..moves.len()).rev() {
            let better = match (&moves[at].value, &moves[at - 1].value) {
                (Some(one), Some(other)) => self.judge.better(one, other),
                _ => false,
            };
            if !better {
                return;
            }
            moves.swap(at, at - 1);
        }
    }

    fn info(
        &mut self,
        best: &RootMove,
        value: &Value,
        rank: usize,
        depth: u32,
        stopwatch: &Stopwatch,
    ) -> Info {
        Info {
            depth,
            seldepth: self.deepest as u32 + 1,
            multipv: rank + 1,
            score: self.judge.score(value),
            bound: Bound::Exact,
            wdl: None,
            nodes: self.nodes,
            time: stopwatch.elapsed(),
            hashfull: 0,
            tbhits: 0,
            chance: None,
            line: best.line.clone(),
            remark: None,
            current: None,
        }
    }

    /// Whether thinking on is not worth it: the mate is found, or most of the time for this move is used.
    fn has_enough(
        &self,
        value: &Value,
        moves: usize,
        depth: u32,
        task: &Task<'_>,
        budget: TimeBudget,
        stopwatch: &Stopwatch,
    ) -> bool {
        if let (Value::Won(ply), Some(mate)) = (value, task.limits.mate)
            && *ply < 2 * mate as usize
        {
            return true;
        }
        let Some(soft) = budget.soft.filter(|_| !task.signals.is_pondering()) else { return false };
        let seen_to_the_end = matches!(value, Value::Won(ply) | Value::Lost(ply) if depth as usize > ply + 2);
        moves == 1 || seen_to_the_end || stopwatch.thought(task.signals) >= soft.mul_f64(ENOUGH)
    }
}
