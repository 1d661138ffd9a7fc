//! One walk over the tree that finds out whether the root is worth at least a goal.
//!
//! A visit to a node asks on which side of the goal its value lies. It plays the node's moves one by one, in the
//! order of the queue over the whole tree, and closes when one move reaches the goal or none is left that could.
//! Nodes and bounds stay from walk to walk: what an earlier goal found out is not asked again.

use std::time::Duration;

use chess::{PackedMove, shakmaty::Position};

use super::{
    evaluator::{Answers, Batch, Evaluator, Opinions, Wish},
    node::{Node, ROOT},
    queue::{Open, Queue},
    rules::Rules,
    stats::Stats,
    table::Table,
    tree::Tree,
    value::sound,
};

/// Doubtful work may fill this part of a batch: a mind takes hardly longer for a few positions than for one.
const SPECULATION: usize = 8;

/// Batches are not made smaller than this to save time.
const LEAST_BATCH: usize = 8;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Decided,
    Stopped,
    /// Even the order that needs the least room did not get through.
    NoRoom,
}

pub(super) struct Walker<'a> {
    pub(super) tree: &'a mut Tree,
    pub(super) queue: &'a mut Queue,
    pub(super) table: &'a mut Table,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) rules: Rules,
    pub(super) batch_size: usize,
    /// Whether the mind scores moves; otherwise they are ordered by hand.
    pub(super) scores_moves: bool,
    /// The root's moves that count; empty means all.
    pub(super) wanted: Vec<PackedMove>,
    /// The clock allows no batch that takes longer.
    pub(super) patience: Option<Duration>,
    pub(super) stats: Stats,
    /// What a node must be worth to its side: at even plies, at odd plies.
    pub(super) goals: [f32; 2],
    pub(super) visits: u32,
    pub(super) tickets: u32,
    pub(super) values: Batch,
    pub(super) scores: Batch,
    /// Depth first, because best first did not fit into the tree.
    pub(super) narrow: bool,
}

impl<'a> Walker<'a> {
    #[expect(clippy::too_many_arguments, reason = "the parts of a search, each named by its type")]
    pub(super) fn new(
        tree: &'a mut Tree,
        queue: &'a mut Queue,
        table: &'a mut Table,
        evaluator: &'a mut Evaluator,
        rules: Rules,
        batch_size: usize,
        scores_moves: bool,
        wanted: Vec<PackedMove>,
    ) -> Walker<'a> {
        Walker {
            tree,
            queue,
            table,
            evaluator,
            rules,
            batch_size: batch_size.max(1),
            scores_moves,
            wanted,
            patience: None,
            stats: Stats::default(),
            goals: [0.0; 2],
            visits: 0,
            tickets: 0,
            values: Batch::default(),
            scores: Batch::default(),
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
    pub(super) fn prove(&mut self, goal: f32, depth: i16, must_stop: &mut dyn FnMut(u64) -> bool) -> End {
        // A child is worth more than minus the goal exactly if it denies the goal to its parent.
        self.goals = [goal, (-goal).next_up()];
        self.narrow = false;
        self.begin(depth);
        while !self.root().closed {
            if let Some(answer) = self.evaluator.poll() {
                self.take_in(answer);
            } else if must_stop(self.tree.made) {
                return End::Stopped;
            } else if self.tree.is_full() {
                if !self.make_room() {
                    return End::NoRoom;
                }
                self.begin(depth);
            } else if self.evaluator.is_full() {
                self.await_answer();
            } else if let Some(wish) = self.full_batch() {
                self.send(wish);
            } else if let Some(open) = self.next_open() {
                if self.node(open.id).ticket == open.ticket && self.is_live(open.id) {
                    self.follow(open.id);
                }
            } else if let Some(wish) = self.fuller_batch() {
                self.send(wish);
            } else if !self.await_answer() {
                debug_assert!(false, "an open root has open nodes");
                return End::Stopped;
            }
        }
        End::Decided
    }

    /// Starts from the root anew. Whatever was asked for and not sent may not be needed any more.
    fn begin(&mut self, depth: i16) {
        self.queue.clear();
        for id in std::mem::take(&mut self.values).ids {
            self.node_mut(id).value_asked = false;
        }
        for id in std::mem::take(&mut self.scores).ids {
            self.node_mut(id).scores_asked = false;
        }
        self.enter(ROOT, depth);
    }

    /// The next open node. Work that may not be needed is only done to make a small batch larger.
    fn next_open(&mut self) -> Option<Open> {
        let gathered = self.values.len() + self.scores.len();
        let level = self.queue.level()?;
        let worth_it = level == 0 || gathered < self.batch_size / SPECULATION;
        let needed = gathered == 0 && self.evaluator.is_idle();
        if worth_it || needed { self.queue.pop() } else { None }
    }

    fn full_batch(&self) -> Option<Wish> {
        let in_time = self.patience.map_or(usize::MAX, |time| self.evaluator.reach(time).max(LEAST_BATCH));
        let most = if self.narrow { 1 } else { self.batch_size.min(in_time) };
        match () {
            () if self.values.len() >= most => Some(Wish::Values),
            () if self.scores.len() >= most => Some(Wish::Scores),
            () => None,
        }
    }

    /// With nothing left to open, the larger batch goes as it is.
    fn fuller_batch(&self) -> Option<Wish> {
        match (self.values.len(), self.scores.len()) {
            (0, 0) => None,
            (values, scores) if values >= scores => Some(Wish::Values),
            _ => Some(Wish::Scores),
        }
    }

    fn send(&mut self, wish: Wish) {
        let batch = match wish {
            Wish::Values => std::mem::take(&mut self.values),
            Wish::Scores => std::mem::take(&mut self.scores),
        };
        self.stats.batches += 1;
        self.stats.asked += batch.len() as u64;
        self.evaluator.ask(wish, batch);
    }

    fn await_answer(&mut self) -> bool {
        let answer = self.evaluator.wait();
        let any = answer.is_some();
        answer.into_iter().for_each(|answer| self.take_in(answer));
        any
    }

    fn take_in(&mut self, (ids, opinions): Answers) {
        match opinions {
            Opinions::Values(values) => {
                for (id, value) in ids.into_iter().zip(values) {
                    let node = self.node_mut(id);
                    node.value = sound(value);
                    node.value_asked = false;
                    self.go_on(id);
                }
            }
            Opinions::Scores(scores) => {
                for (id, scores) in ids.into_iter().zip(scores) {
                    self.node_mut(id).scores_asked = false;
                    let moves = self.node(id).board.chess.legal_moves();
                    self.take_moves(id, moves.into_iter().zip(scores).collect());
                    self.go_on(id);
                }
            }
        }
    }

    /// Thins out a full tree. Whether the walk can go on.
    fn make_room(&mut self) -> bool {
        while self.await_answer() {}
        let goals = self.goals;
        let was_narrow = self.narrow;
        let kept = self.tree.thin_out(|node| node.decides(goals[usize::from(node.ply % 2)]));
        self.values = Batch::default();
        self.scores = Batch::default();
        for node in &mut self.tree.nodes {
            (node.value_asked, node.scores_asked) = (false, false);
        }
        self.narrow |= !kept;
        self.stats.thinned += 1;
        kept || !was_narrow
    }
}
