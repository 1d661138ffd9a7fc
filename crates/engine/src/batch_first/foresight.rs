//! Positions that will be wanted soon: what a batch is filled up with when nothing is left to open.
//!
//! The next iteration visits the leaves of this one with a ply more to go, and the goal will be about the same. So the moves
//! that it will try there are known today: those that the rules do not skip. Their positions become nodes and are judged, but
//! nobody visits them yet; who does finds the answer there. Values depend on positions alone, so no result can change.

use super::{
    node::{Edge, Moves, NONE},
    order::forcing_moves,
    walker::Walker,
};

/// Iterations that are prepared for ahead of time; the nearest comes first.
const LOOKAHEAD: usize = 3;
/// What is foreseen as part of an exchange, not of an iteration to come.
const EXCHANGE: u8 = u8::MAX;
/// Captures of a leaf that are asked about together with it, answers to each of them, answers to these.
pub(super) const CAPTURES: [usize; 3] = [2, 1, 1];

/// How many of a leaf's moves are evaluated ahead of time.
#[derive(Clone, Copy, Debug)]
struct Breadth {
    /// Moves where none is expected to reach the goal, and where one is.
    moves: [usize; 2],
    /// Centipawns by which a leaf may miss the goal: from farther away few moves reach it.
    miss: f32,
}

/// The likeliest moves first, and the others when all leaves have had their turn.
const BREADTHS: [Breadth; 2] =
    [Breadth { moves: [3, 1], miss: 50.0 }, Breadth { moves: [12, 4], miss: 300.0 }];

/// Leaves whose moves will be wanted in the next iteration, in the one after it, ...: for each breadth a list.
#[derive(Debug, Default)]
pub(super) struct Leaves([[Vec<u32>; LOOKAHEAD]; BREADTHS.len()]);

impl Leaves {
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().flatten().for_each(Vec::clear);
    }

    /// What was two iterations ahead is one ahead now.
    pub(super) fn begin_iteration(&mut self) {
        for lists in &mut self.0 {
            lists[0].clear();
            lists.rotate_left(1);
        }
    }
}

impl Walker<'_> {
    /// Remembers a leaf for the time when a batch is not full.
    pub(super) fn remember_leaf(&mut self, id: u32) {
        let node = self.node(id);
        if node.depth == 0 && !node.over && !node.value.is_nan() && node.explored == 0 {
            self.leaves.0[0][0].push(id);
        }
    }

    /// Asks about positions after one leaf that will likely be wanted. False when there is no such leaf.
    pub(super) fn look_ahead(&mut self) -> bool {
        for breadth in 0..BREADTHS.len() {
            for far in 0..LOOKAHEAD {
                if let Some(id) = self.leaves.0[breadth][far].pop() {
                    self.explore(id, breadth, far as u8);
                    return true;
                }
            }
        }
        false
    }

    /// Asks about the moves that a visit with one more ply to go would try.
    fn explore(&mut self, id: u32, breadth: usize, far: u8) {
        let node = self.node(id);
        let done = usize::from(node.explored) > breadth;
        // A visit that is under way counts on the edges that it found.
        let visited = node.visit > 0 && !node.closed;
        if done || visited || node.over || node.value.is_nan() || node.board.in_check() {
            return;
        }
        if node.moves != Moves::All {
            if node.ranked.is_empty() {
                return;
            }
            self.take_ranked(id);
        }
        self.node_mut(id).explored = breadth as u8 + 1;
        if breadth + 1 < BREADTHS.len() {
            self.leaves.0[breadth + 1][usize::from(far)].push(id);
        }
        let node = self.node(id);
        let Breadth { moves: [many, few], miss } = BREADTHS[breadth];
        let above = node.value - self.goal(node);
        if above < -miss || (self.rules.selective && self.sure_value(node, 1).is_some()) {
            return;
        }
        let tried = |&rank: &usize| self.skipped(node, &node.edges[rank], rank, 1).is_none();
        let ranks = (0..node.edges.len()).filter(tried).take(if above >= 0.0 { few } else { many });
        for rank in ranks.collect::<Vec<_>>() {
            self.foresee(id, rank, far + 1);
        }
    }

    /// Asks about what comes of the captures of a leaf together with the leaf itself: one question for an exchange instead of one for
    /// each of its moves.
    pub(super) fn foresee_exchanges(&mut self, id: u32, captures: &[usize]) {
        let Some((&most, after)) = captures.split_first() else { return };
        if !self.has_spare_places(most) {
            return;
        }
        let node = self.node(id);
        if node.moves != Moves::None || !node.edges.is_empty() || node.board.in_check() {
            return;
        }
        let moves: Vec<_> = forcing_moves(&node.board.chess).into_iter().take(most).collect();
        for (m, _) in moves {
            let child = self.tree.add_child(id, m);
            let edge = Edge { m: m.into(), child, score: 0.0, forcing: true };
            // These become known as children when the node gets its moves.
            self.node_mut(id).edges.push(edge);
            self.tree.count_edges(1);
            if self.ask_ahead(child, EXCHANGE) {
                self.foresee_exchanges(child, after);
            }
        }
    }

    /// Asks about the position after a move, which nobody may ever visit.
    fn foresee(&mut self, id: u32, rank: usize, far: u8) {
        let node = self.node(id);
        let edge = node.edges[rank];
        if edge.child != NONE {
            return;
        }
        let m = edge.m.fit(&node.board.chess).expect("an edge's move fits its node");
        let child = self.tree.add_child(id, m);
        self.node_mut(id).edges[rank].child = child;
        self.ask_ahead(child, far);
    }

    /// Whether the mind had to be asked.
    fn ask_ahead(&mut self, child: u32, far: u8) -> bool {
        let node = self.node(child);
        if node.over {
            return false;
        }
        if let Some(entry) = self.table.get(node.board.key, node.ply).filter(|entry| !entry.value.is_nan()) {
            self.node_mut(child).value = entry.value;
            return false;
        }
        self.node_mut(child).foreseen = far;
        self.stats.foreseen += 1;
        self.ask(child);
        true
    }

    /// A judgement of a position that nobody visits has come.
    pub(super) fn take_foreseen(&mut self, id: u32) {
        let far = usize::from(self.node(id).foreseen);
        if far < LOOKAHEAD {
            self.leaves.0[0][far].push(id);
        }
    }
}
