//! Iterative deepening, zero windows by bisection, and when to stop.

use std::{sync::Arc, time::Duration};

use chess::{
    Moment,
    shakmaty::{Move, Position},
};

use super::{
    line::{first_answer, line},
    value::{MATE_IN_REACH, MAX_PLY, plies_to_mate, score},
    walker::{End, Walker},
};
use crate::{Bound, Choice, Info, Stats, Task, TimeBudget, heuristic::win_chances, stopwatch::Stopwatch};

/// First step from a bound to the next goal, in centipawns; each further one is twice as long.
const FIRST_STEP: f32 = 8.0;
/// An iteration that takes this many times the planned time is left unfinished.
const OVERDRAFT: f64 = 2.0;
/// Share of the planned time after which the next iteration would hardly come to an end.
const LAST_START: f64 = 0.55;

/// What the search would answer now.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) best: Option<Move>,
    pub(super) line: Vec<Move>,
    pub(super) value: f32,
    pub(super) depth: u32,
    /// Iterations in which the best move stayed the same.
    pub(super) unchanged: usize,
}

pub(super) struct Deepening<'a, 'b> {
    pub(super) walker: Walker<'a>,
    pub(super) moment: &'a Moment,
    pub(super) task: Task<'b>,
    pub(super) budget: TimeBudget,
    pub(super) stopwatch: Arc<Stopwatch>,
    /// How many best lines are wanted, and nodes that were made for other lines than the present one.
    pub(super) multipv: usize,
    pub(super) nodes_before: u64,
}

impl Standing {
    pub(super) fn new(best: Option<Move>) -> Standing {
        Standing { best, line: Vec::new(), value: 0.0, depth: 0, unchanged: 0 }
    }

    /// How long the best move has stayed the same, with the standing of the iteration before.
    pub(super) fn count_unchanged(&mut self, before: &Standing) {
        self.unchanged = if self.best == before.best { before.unchanged + 1 } else { 0 };
    }
}

impl Deepening<'_, '_> {
    pub(super) fn run(mut self) -> (Choice, Stats) {
        let legal = self.moment.legal_moves();
        let wanted = &self.task.limits.search_moves;
        let allowed: Vec<Move> =
            legal.into_iter().filter(|m| wanted.is_empty() || wanted.contains(m)).collect();
        let lines = self.multipv.clamp(1, allowed.len().max(1));
        if lines > 1 {
            return self.run_lines(&allowed, lines);
        }
        let mut standing = Standing::new(allowed.first().copied());
        let deepest = self.deepest();
        for depth in 1..=deepest {
            self.walker.leaves.begin_iteration();
            let before = standing.clone();
            let ended = self.iterate(depth as i16, &mut standing);
            if !ended {
                // Who reads along must not be surprised by the answer.
                if standing.line.first() != before.line.first() {
                    self.report(&Standing { depth, ..standing.clone() }, Bound::Lower, 1);
                }
                break;
            }
            standing.count_unchanged(&before);
            if self.has_enough(&standing, before.value) {
                break;
            }
        }
        if standing.depth == 0 && standing.line.is_empty() {
            standing.best = self.likeliest().or(standing.best);
        }
        self.conclude(standing)
    }

    pub(super) fn deepest(&self) -> u32 {
        self.task.limits.depth.unwrap_or(u32::from(MAX_PLY)).clamp(1, u32::from(MAX_PLY))
    }

    /// The answer that goes with a standing.
    pub(super) fn conclude(self, standing: Standing) -> (Choice, Stats) {
        let root = &self.walker.root().board;
        let answer = standing.line.get(1).copied();
        let ponder = answer.or_else(|| first_answer(root, standing.best?, self.walker.table));
        let choice = Choice {
            best: standing.best,
            ponder,
            score: (standing.depth > 0).then(|| score(standing.value)),
            nodes: self.nodes_before + self.walker.tree.made,
            simulated: self.stopwatch.simulated(),
            ..Choice::default()
        };
        (choice, self.stats())
    }

    /// The move that comes first in the order of the mind, if it was asked already.
    pub(super) fn likeliest(&self) -> Option<Move> {
        let root = self.walker.root();
        root.board.recall(root.edges.first()?.m)
    }

    /// Narrows the bounds of the root until they meet. False when it was stopped before.
    pub(super) fn iterate(&mut self, depth: i16, standing: &mut Standing) -> bool {
        let mut step = FIRST_STEP;
        let mut bounds = (f32::NEG_INFINITY, f32::INFINITY);
        let guess = standing.value;
        loop {
            let goal = next_goal(bounds, guess, &mut step);
            let end = self.prove(goal, depth, standing.depth);
            if end != End::Decided {
                return false;
            }
            let root = self.walker.root();
            bounds = (root.lower, root.upper);
            if root.lower >= goal {
                standing.value = root.lower;
                standing.best = root.board.recall(root.best).or(standing.best);
                standing.line = line(&self.walker);
            }
            let near = bounds.1 - bounds.0 <= self.walker.rules.tolerance;
            if bounds.0 >= bounds.1 || near {
                standing.depth = depth as u32;
                if self.multipv == 1 {
                    self.report(standing, Bound::Exact, 1);
                }
                return true;
            }
            if self.multipv == 1 && self.thought() >= Duration::from_secs(1) && standing.depth > 0 {
                let bound = if root_reached(bounds, goal) { Bound::Lower } else { Bound::Upper };
                let value = if bound == Bound::Lower { bounds.0 } else { bounds.1 };
                let now = Standing { value, depth: depth as u32, ..standing.clone() };
                self.report(&now, bound, 1);
            }
        }
    }

    fn prove(&mut self, goal: f32, depth: i16, completed: u32) -> End {
        let (limits, signals, before) = (&self.task.limits, self.task.signals, self.nodes_before);
        let (budget, stopwatch) = (self.budget, Arc::clone(&self.stopwatch));
        let soft = budget.soft.map(|soft| soft.mul_f64(OVERDRAFT));
        // Without any result it is worth going to the limit.
        let soft = soft.filter(|_| completed > 0);
        let latest = [soft, budget.hard].into_iter().flatten().min();
        self.walker.patience = TimeBudget { soft: None, hard: latest }.for_a_batch(limits);
        let mut must_stop = |nodes: u64, on_time: bool| {
            if limits.nodes.is_some_and(|most| before + nodes >= most) {
                return true;
            }
            let out_of_time = || latest.is_some_and(|latest| stopwatch.thought(signals) >= latest);
            signals.is_stopped() || (on_time && !signals.is_pondering() && out_of_time())
        };
        if signals.is_stopped() {
            return End::Stopped;
        }
        self.walker.prove(goal, depth, &mut must_stop)
    }

    /// Time spent on this move by our own clock.
    fn thought(&self) -> Duration {
        self.stopwatch.thought(self.task.signals)
    }

    /// Whether thinking on is not worth it: the mate is found, or the time for this move is used.
    pub(super) fn has_enough(&self, standing: &Standing, earlier: f32) -> bool {
        let mate = plies_to_mate(standing.value);
        if let (Some(wanted), Some(plies)) = (self.task.limits.mate, mate)
            && standing.value > 0.0
            && plies < 2 * wanted
        {
            return true;
        }
        let Some(soft) = self.budget.soft else { return false };
        if self.task.signals.is_pondering() {
            return false;
        }
        // A forced move needs no thought, and a mate seen to its end no more.
        if self.walker.root().edges.len() == 1 || mate.is_some_and(|plies| standing.depth > plies + 2) {
            return true;
        }
        let steady = [1.5, 1.2, 1.0, 0.9, 0.8][standing.unchanged.min(4)];
        let fall = f64::from((earlier - standing.value).clamp(-30.0, 90.0)) / 150.0;
        self.thought().as_secs_f64() >= soft.as_secs_f64() * LAST_START * steady * (1.0 + fall)
    }

    pub(super) fn report(&mut self, standing: &Standing, bound: Bound, rank: usize) {
        let stats = self.stats();
        let decided = standing.value.abs() >= MATE_IN_REACH;
        let centipawns = standing.value.round() as i32;
        let wdl = (!decided).then(|| win_chances(centipawns, self.moment.position.halfmoves()));
        let info = Info {
            depth: standing.depth,
            seldepth: u32::from(self.walker.tree.deepest),
            multipv: rank,
            score: score(standing.value),
            bound,
            wdl,
            nodes: stats.nodes,
            time: stats.time,
            hashfull: self.walker.table.fullness(),
            tbhits: 0,
            chance: None,
            line: standing.line.clone(),
            current: None,
            remark: (bound == Bound::Exact).then(|| stats.to_string()),
        };
        (self.task.report)(&info);
    }

    fn stats(&self) -> Stats {
        let Walker { tree, batch_size, stats, .. } = &self.walker;
        let counted = Stats { nodes: self.nodes_before + tree.made, batch_size: *batch_size, ..*stats };
        counted.timed(&self.stopwatch, self.walker.evaluator)
    }
}

fn root_reached(bounds: (f32, f32), goal: f32) -> bool {
    bounds.0 >= goal
}

/// A goal between the bounds that tells the most: the guess, then steps from the one bound, then the middle of both.
fn next_goal((lower, upper): (f32, f32), guess: f32, step: &mut f32) -> f32 {
    let long = *step;
    let goal = match (lower.is_finite(), upper.is_finite()) {
        (false, false) => return guess,
        (true, true) => lower + (upper - lower) / 2.0,
        (true, false) => lower + long,
        (false, true) => upper - long,
    };
    *step *= 2.0;
    // Exactly between two neighbouring floats there is nothing left to halve.
    if goal > lower { goal.min(upper) } else { lower.next_up() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bisection_ends_at_the_value(value in -32_000.0f32..32_000.0, guess in -32_000.0f32..32_000.0) {
            let (mut bounds, mut step) = ((f32::NEG_INFINITY, f32::INFINITY), FIRST_STEP);
            let mut goals = 0;
            while bounds.0 < bounds.1 {
                let goal = next_goal(bounds, guess, &mut step);
                // The worst case: nothing is learned but the side of the goal.
                if value >= goal { bounds.0 = goal } else { bounds.1 = goal.next_down() }
                prop_assert!(bounds.0 <= value && value <= bounds.1);
                goals += 1;
                prop_assert!(goals < 80, "{bounds:?}");
            }
        }
    }
}
