//! One walk over the tree that finds out whether the root is worth at least a goal.
//!
//! A visit to a node asks on which side of the goal its value lies. It plays the node's moves one by one, in the
//! order of the queue over the whole tree, and closes when one move reaches the goal or none is left that could.
//! Nodes and bounds stay from walk to walk: what an earlier goal found out is not asked again.

use std::time::Duration;

use chess::PackedMove;

use super::{
    foresight::Leaves,
    node::{Moves, Node, ROOT},
    queue::{Open, Queue},
    rules::Rules,
    table::Table,
    tree::Tree,
    value::sound,
};
use crate::{
    Stats,
    evaluator::{Answers, EvalBatch, Evaluator},
};

/// Batches are not made smaller than this to save time.
const LEAST_BATCH: usize = 8;
/// As many boards go through a network side by side even on a CPU: up to here more of them are nearly free.
const SIDE_BY_SIDE: usize = 16;

/// The clock is read before every so many steps, and whenever a batch has come or gone: it takes as long as a fair part of a step.
const GLANCE: u32 = 8;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Decided,
    Stopped,
    /// Even the order that needs the least memory did not get through.
    NoRoom,
}

pub(super) struct Walker<'a> {
    pub(super) tree: &'a mut Tree,
    pub(super) queue: &'a mut Queue,
    pub(super) table: &'a mut Table,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) rules: Rules,
    pub(super) batch_size: usize,
    /// The root's moves that count; empty means all.
    pub(super) wanted: Vec<PackedMove>,
    /// The clock allows no batch that takes longer.
    pub(super) patience: Option<Duration>,
    pub(super) stats: Stats,
    /// What a node must be worth to its side: at even plies, at odd plies.
    pub(super) goals: [f32; 2],
    pub(super) visits: u32,
    pub(super) tickets: u32,
    /// Positions to ask the mind about next: those that are wanted for sure, and those that a batch is filled up with.
    pub(super) gathered: EvalBatch,
    pub(super) spare: EvalBatch,
    /// Leaves that the next iterations will go on from.
    pub(super) leaves: Leaves,
    /// Depth first, because best first did not fit into the tree.
    pub(super) narrow: bool,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        tree: &'a mut Tree,
        queue: &'a mut Queue,
        table: &'a mut Table,
        evaluator: &'a mut Evaluator,
        rules: Rules,
        batch_size: usize,
        wanted: Vec<PackedMove>,
    ) -> Walker<'a> {
        Walker {
            tree,
            queue,
            table,
            evaluator,
            rules,
            batch_size: batch_size.max(1),
            wanted,
            patience: None,
            stats: Stats::default(),
            goals: [0.0; 2],
            visits: 0,
            tickets: 0,
            gathered: EvalBatch::default(),
            spare: EvalBatch::default(),
            leaves: Leaves::default(),
            narrow: false,
        }
    }

    pub(super) fn root(&self) -> &Node {
        self.node(ROOT)
    }

    pub(super) fn node(&self, id: u32) -> &Node {
        &self.tree.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.tree.nodes[id as usize]
    }

    pub(super) fn goal(&self, node: &Node) -> f32 {
        self.goals[usize::from(node.ply % 2)]
    }

    /// Finds out whether the root, `depth` plies deep, is worth at least `goal`.
    pub(super) fn prove(
        &mut self,
        goal: f32,
        depth: i16,
        must_stop: &mut dyn FnMut(u64, bool) -> bool,
    ) -> End {
        // A child is worth more than minus the goal exactly if it denies the goal to its parent.
        self.goals = [goal, (-goal).next_up()];
        self.narrow = false;
        self.begin(depth);
        let mut steps = 0u32;
        while !self.root().closed {
            let batches = self.evaluator.under_way();
            steps += 1;
            if let Some(answer) = self.evaluator.poll() {
                self.take_in(answer);
            } else if must_stop(self.tree.made, steps.is_multiple_of(GLANCE)) {
                return End::Stopped;
            } else if self.tree.is_full() {
                if !self.make_room() {
                    return End::NoRoom;
                }
                self.begin(depth);
            } else if self.evaluator.is_full(self.batch_size) {
                self.await_answer();
            } else if self.gathered.len() >= self.full_batch() {
                self.send();
            } else if let Some(open) = self.next_open() {
                if self.node(open.id).ticket == open.ticket && self.is_live(open.id) {
                    self.follow(open.id);
                }
            } else if self.is_worth_sending() {
                self.send();
            } else if !self.speculate() && !self.await_answer() && self.gathered.len() == 0 {
                debug_assert!(false, "an open root has open nodes");
                return End::Stopped;
            }
            if self.evaluator.under_way() != batches {
                steps = GLANCE - 1;
            }
        }
        End::Decided
    }

    /// Starts from the root anew. What was gathered and not sent will mostly be wanted again.
    fn begin(&mut self, depth: i16) {
        self.queue.clear();
        self.enter(ROOT, depth);
    }

    /// The next open node that is wanted for sure, or any if there is nothing to ask.
    fn next_open(&mut self) -> Option<Open> {
        let level = self.queue.level()?;
        let idle = self.gathered.len() + self.spare.len() == 0 && self.evaluator.is_idle();
        if level == 0 || idle { self.queue.pop() } else { None }
    }

    /// Whether a batch goes that is not full. As long as another one is under way, whose answers will bring more to ask, it
    /// must hold as much as pays for a batch.
    fn is_worth_sending(&self) -> bool {
        let (gathered, spare) = (self.gathered.len(), self.spare.len());
        let idle = self.evaluator.is_idle() && gathered + spare > 0;
        idle || (gathered > 0 && 2 * gathered >= self.worthwhile())
    }

    /// Does a piece of work that may turn out not to be needed, to fill up the next batch while nothing else can be done. Whether there
    /// was any.
    fn speculate(&mut self) -> bool {
        if !self.has_spare_places(1) {
            return false;
        }
        let Some(open) = self.queue.pop() else { return self.look_ahead() };
        if self.node(open.id).ticket == open.ticket && self.is_live(open.id) {
            self.follow(open.id);
        }
        true
    }

    /// Positions that a batch must hold to be worth sending beside another.
    fn worthwhile(&self) -> usize {
        self.evaluator.pace.worthwhile().max(SIDE_BY_SIDE).min(self.full_batch())
    }

    /// Positions up to which a batch is filled because more of them hardly cost more.
    fn nearly_free(&self) -> usize {
        self.evaluator.pace.worthwhile().min(self.full_batch())
    }

    /// Whether so many positions more, which may turn out not to be needed, cost hardly anything.
    pub(super) fn has_spare_places(&self, more: usize) -> bool {
        self.gathered.len() + self.spare.len() + more <= self.nearly_free() && !self.tree.is_half_full()
    }

    /// Positions that make a batch worth sending while there is more to open.
    fn full_batch(&self) -> usize {
        let in_time =
            self.patience.map_or(usize::MAX, |time| self.evaluator.pace.reach(time).max(LEAST_BATCH));
        if self.narrow { 1 } else { self.batch_size.min(in_time) }
    }

    fn send(&mut self) {
        let mut batch = self.gathered.take(self.batch_size);
        let least = usize::from(batch.len() == 0);
        batch.append(self.spare.take(self.nearly_free().saturating_sub(batch.len()).max(least)));
        self.stats.batches += 1;
        self.stats.asked += batch.len() as u64;
        self.evaluator.ask(batch);
    }

    fn await_answer(&mut self) -> bool {
        let answer = self.evaluator.wait();
        let any = answer.is_some();
        answer.into_iter().for_each(|answer| self.take_in(answer));
        any
    }

    fn take_in(&mut self, (ids, judgements): Answers) {
        for (id, judgement) in ids.into_iter().zip(judgements) {
            let node = self.node_mut(id);
            node.value = sound(judgement.value);
            node.asked = false;
            let foreseen = node.foreseen > 0;
            if node.moves != Moves::All {
                node.ranked = judgement.moves;
                let more = node.ranked.len();
                self.tree.count_edges(more);
            }
            if self.node(id).moves == Moves::Remembered {
                self.take_ranked(id);
            }
            if foreseen { self.take_foreseen(id) } else { self.go_on(id) }
        }
    }

    /// Thins out a full tree. Whether the walk can go on.
    fn make_room(&mut self) -> bool {
        while self.await_answer() {}
        let goals = self.goals;
        let was_narrow = self.narrow;
        let kept = self.tree.thin_out(|node| node.decides(goals[usize::from(node.ply % 2)]));
        self.gathered = EvalBatch::default();
        self.spare = EvalBatch::default();
        self.leaves.clear();
        for node in &mut self.tree.nodes {
            node.asked = false;
        }
        self.narrow |= !kept;
        self.stats.thinned += 1;
        kept || !was_narrow
    }
}
