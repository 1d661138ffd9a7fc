//! The root: iterative deepening, and when to stop.

use chess::{Moment, shakmaty::Move};

use super::{judge::Worth, principal::Window, thinker::Thinker};
use crate::{
    Bound, Info, Signals, Task, TimeBudget,
    alpha_beta::{Node, history::Step, value::MAX_PLY},
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
    pub(super) worth: Option<Worth>,
    pub(super) line: Vec<Move>,
}

impl RootMove {
    pub(super) fn new(m: Move) -> RootMove {
        RootMove { m, worth: None, line: vec![m] }
    }
}

/// Share of the planned time after which another iteration would hardly be completed.
const ENOUGH: f64 = 0.6;

impl Thinker {
    /// Deepens until a limit or a signal ends it; the best move comes to the front of `moves`.
    pub(super) fn deepen(
        &mut self,
        moment: &Moment,
        moves: &mut [RootMove],
        task: Task<'_>,
        budget: TimeBudget,
        stopwatch: &Stopwatch,
    ) {
        let root = Node::new(&moment.position);
        let watch = Watch { signals: task.signals, stopwatch };
        self.limit(&task.limits, budget.hard);
        // A move is worth something to those who ask even if there is no time to look at it.
        moves[0].worth = Some(self.judge.position(&root));
        let deepest = task.limits.depth.unwrap_or(MAX_PLY as u32).clamp(1, MAX_PLY as u32 - 1);
        for depth in 1..=deepest {
            self.deepest = 0;
            self.search_root(&watch, &root, moves, depth as i32);
            let worth = moves[0].worth.clone().unwrap_or(Worth::Drawn);
            (task.report)(&self.info(moves, &worth, depth, stopwatch));
            if self.stopped || self.has_enough(&worth, moves.len(), depth, &task, budget, stopwatch) {
                return;
            }
        }
    }

    /// One pass over the root moves: each may become the best.
    fn search_root(&mut self, watch: &Watch<'_>, root: &Node, moves: &mut [RootMove], depth: i32) {
        let mut window = Window::open();
        for at in 0..moves.len() {
            let m = moves[at].m;
            let child = root.play(m);
            self.enter(&child, Some(Step::new(root.turn(), m)));
            let promising = at == 0 || self.ask(watch, &child, depth - 1, 1, window.question(true), false);
            let found = match promising && !self.stopped {
                true => Some(self.search(watch, &child, depth - 1, 1, window.clone())),
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
                moves[at].worth = Some(found);
                // The others keep their order behind the best.
                moves[..=at].rotate_right(1);
            }
        }
    }

    fn info(&mut self, moves: &[RootMove], worth: &Worth, depth: u32, stopwatch: &Stopwatch) -> Info {
        Info {
            depth,
            seldepth: self.deepest as u32 + 1,
            multipv: 1,
            score: self.judge.score(worth),
            bound: Bound::Exact,
            wdl: None,
            nodes: self.nodes,
            time: stopwatch.elapsed(),
            hashfull: 0,
            tbhits: 0,
            chance: None,
            line: moves[0].line.clone(),
            remark: None,
        }
    }

    /// Whether thinking on is not worth it: the mate is found, or most of the time for this move is used.
    fn has_enough(
        &self,
        worth: &Worth,
        moves: usize,
        depth: u32,
        task: &Task<'_>,
        budget: TimeBudget,
        stopwatch: &Stopwatch,
    ) -> bool {
        if let (Worth::Won(ply), Some(mate)) = (worth, task.limits.mate)
            && *ply < 2 * mate as usize
        {
            return true;
        }
        let Some(soft) = budget.soft.filter(|_| !task.signals.is_pondering()) else { return false };
        let seen_to_the_end = matches!(worth, Worth::Won(ply) | Worth::Lost(ply) if depth as usize > ply + 2);
        moves == 1 || seen_to_the_end || stopwatch.thought(task.signals) >= soft.mul_f64(ENOUGH)
    }
}
