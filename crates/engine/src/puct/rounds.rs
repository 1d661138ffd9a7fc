//! Rounds of batches: gather leaves, ask the mind, back its answers up.
//!
//! Every leaf of a batch is found by a descent of its own, whose virtual visits send the next one elsewhere.

use std::{sync::Arc, time::Duration};

use chess::{Moment, PackedMove};

use super::{
    descent::{Guide, Leaf},
    q::score,
    tree::{Edge, ROOT, State, Tree},
};
use crate::{
    Choice, Task, TimeBudget,
    evaluator::{Answers, EvalBatch, Evaluator},
    stats::Stats,
    stopwatch::Stopwatch,
};

/// A batch holds one leaf for so many visits of the tree: in a small tree there are not many leaves worth evaluating at once.
const VISITS_PER_LEAF: usize = 16;
/// Visits beyond which there are twice as many: a leaf more or less matters little there.
pub(super) const LARGE: usize = 1024;
/// Leaves whose value is known already, and which cost nothing, for each leaf of a batch that is not.
const KNOWN_PER_LEAF: usize = 4;
/// Batches are not made smaller than this where there is more to expand: as many boards go side by side through a network.
pub(super) const LEAST_BATCH: usize = 8;
/// Rounds without a new leaf after which there is nothing left to find out.
const ROUNDS_IN_VAIN: u32 = 100;

pub(super) struct Rounds<'a, 'b> {
    pub(super) tree: &'a mut Tree,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) guide: Guide<'a>,
    pub(super) moment: &'a Moment,
    pub(super) task: Task<'b>,
    pub(super) budget: TimeBudget,
    pub(super) stopwatch: Arc<Stopwatch>,
    pub(super) batch_size: usize,
    pub(super) multipv: usize,
    /// The root's moves that count; empty means all.
    pub(super) wanted: Vec<PackedMove>,
    pub(super) stats: Stats,
}

impl Rounds<'_, '_> {
    pub(super) fn run(mut self) -> (Choice, Stats) {
        self.search();
        self.report();
        let best = self.best().and_then(|edge| self.tree.root().board.recall(edge.m));
        let legal = self.moment.legal_moves();
        let any = legal.into_iter().find(|&m| self.wanted.is_empty() || self.wanted.contains(&m.into()));
        let choice = Choice {
            best: best.or(any),
            ponder: self.best().and_then(|best| self.line(best).get(1).copied()),
            score: self.best().map(|edge| score(edge.q)),
            nodes: self.tree.made,
            simulated: self.stopwatch.simulated(),
            ..Choice::default()
        };
        (choice, self.stats())
    }

    fn search(&mut self) {
        let most_under_way = self.evaluator.most_under_way(self.batch_size);
        let (mut told, mut in_vain) = ((None, 0), 0);
        while !self.must_stop() && in_vain < ROUNDS_IN_VAIN {
            while let Some(answers) = self.evaluator.poll() {
                self.take_in(answers);
            }
            if self.tree.is_full() {
                self.make_room();
            }
            if self.evaluator.under_way() < most_under_way {
                let batch = self.gather(self.next_batch());
                if batch.len() > 0 {
                    self.stats.batches += 1;
                    self.stats.asked += batch.len() as u64;
                    self.evaluator.ask(batch);
                    if self.evaluator.under_way() < most_under_way && self.tree.root().visits > 1 {
                        continue;
                    }
                }
            }
            in_vain = match self.evaluator.wait_beside() {
                Some(answers) => {
                    self.take_in(answers);
                    0
                }
                None => in_vain + 1,
            };
            let now = (self.best().map(|edge| edge.m), self.tree.root().visits);
            if now.0 != told.0 || now.1 >= 2 * told.1 {
                told = now;
                self.report();
            }
        }
        // The last nodes count only with their values. Who stops the search does not wait for them.
        while !self.has_nodes_left() && !self.task.signals.is_stopped() {
            let Some(answers) = self.evaluator.wait() else { break };
            self.take_in(answers);
        }
    }

    /// Leaves that the next batch may hold.
    fn next_batch(&self) -> usize {
        let plausible = plausible_leaves(self.tree.root().visits as usize);
        let patience = self.budget.for_a_batch(&self.task.limits);
        let in_time =
            patience.map_or(usize::MAX, |time: Duration| self.evaluator.pace.reach(time).max(LEAST_BATCH));
        plausible.min(in_time).min(self.batch_size)
    }

    /// Whether another node may be visited. The root always is.
    pub(super) fn has_nodes_left(&self) -> bool {
        let most = self.task.limits.nodes;
        most.is_none_or(|most| self.tree.made < most) || self.tree.root().state == State::Leaf
    }

    fn gather(&mut self, most: usize) -> EvalBatch {
        let mut batch = EvalBatch::default();
        let mut collisions = Vec::new();
        let mut known = 0;
        // Known leaves do not end a batch: where positions are reached in many ways they are more than half of all.
        let goes_on = |known: usize, collisions: usize| {
            known < KNOWN_PER_LEAF * most + LEAST_BATCH && collisions < most + LEAST_BATCH
        };
        while batch.len() < most
            && goes_on(known, collisions.len())
            && self.has_nodes_left()
            && !self.task.signals.is_stopped()
        {
            match self.tree.descend(&self.guide) {
                Leaf::New(id) => match self.guide.moment {
                    Some(root) => batch.push_moment(id, self.tree.moment(id, root)),
                    None => batch.push(id, &self.tree.node(id).board.chess),
                },
                Leaf::Known => known += 1,
                Leaf::Collision(ROOT) => break,
                Leaf::Collision(id) => {
                    // Makes the next descent go elsewhere, and the more so the more often it did not help.
                    let visits = 1 + collisions.len() as i32 / 8;
                    self.tree.add_visits(id, visits);
                    collisions.push((id, visits));
                }
            }
        }
        collisions.into_iter().for_each(|(id, visits)| self.tree.add_visits(id, -visits));
        batch
    }

    fn take_in(&mut self, (ids, judgements): Answers) {
        for (id, mut judgement) in ids.into_iter().zip(judgements) {
            if id == ROOT && !self.wanted.is_empty() {
                judgement.moves.retain(|(m, _)| self.wanted.contains(m));
            }
            self.tree.take_in(id, &judgement, &self.guide);
        }
    }

    fn make_room(&mut self) {
        while let Some(answers) = self.evaluator.wait() {
            self.take_in(answers);
        }
        self.tree.cut_back();
        self.stats.thinned += 1;
    }

    /// The root's edge that would be played now.
    pub(super) fn best(&self) -> Option<&Edge> {
        self.tree.root().best()
    }
}

/// Leaves of a tree with so many visits that are worth evaluating at once.
pub(super) fn plausible_leaves(visits: usize) -> usize {
    let (small, further) = (visits.min(LARGE), visits.saturating_sub(LARGE));
    (small / VISITS_PER_LEAF + 2 * further / VISITS_PER_LEAF).max(LEAST_BATCH)
}
