//! Positions that will be wanted soon: what a batch is filled up with when nothing is left to open.
//!
//! The next iteration visits the leaves of this one with a ply more to go, and the goal will be about the same. So the moves
//! that it will try there are known today: those that the rules do not skip. Their positions become nodes and are judged, but
//! nobody visits them yet; who does finds the answer there. Values depend on positions alone, so no result can change.

use super::{
    node::{Moves, NONE},
    walker::Walker,
};

/// Iterations that are looked ahead to; the nearest comes first.
pub(super) const LOOKAHEAD: usize = 3;

/// Moves of a leaf that are looked at ahead of time, at most.
const MOST_MOVES: usize = 3;

/// Centipawns by which a leaf may miss the goal and still be looked at: from farther away few moves reach it.
const NEAR: f32 = 50.0;

/// Leaves whose moves will be wanted in the next iteration, in the one after it, ...
pub(super) type Leaves = [Vec<u32>; LOOKAHEAD];

impl Walker<'_> {
    /// Remembers a leaf for the time when a batch has room left.
    pub(super) fn remember_leaf(&mut self, id: u32) {
        let node = self.node(id);
        if node.depth == 0 && !node.over && !node.value.is_nan() && !node.explored {
            self.leaves[0].push(id);
        }
    }

    /// Fills the batch up to `most` with positions that will likely be wanted.
    pub(super) fn look_ahead(&mut self, most: usize) {
        for far in 0..LOOKAHEAD {
            while self.gathered.len() < most && !self.tree.is_half_full() {
                let Some(id) = self.leaves[far].pop() else { break };
                self.explore(id, far as u8);
            }
        }
    }

    /// Asks about the moves that a visit with one more ply to go would try.
    fn explore(&mut self, id: u32, far: u8) {
        let node = self.node(id);
        if node.explored || node.over || node.value.is_nan() || node.board.in_check() {
            return;
        }
        if node.moves != Moves::All {
            if node.ranked.is_empty() {
                return;
            }
            self.take_ranked(id);
        }
        self.node_mut(id).explored = true;
        let node = self.node(id);
        let goal = self.goal(node);
        let few = self.node(id).value >= goal;
        if goal - node.value > NEAR {
            return;
        }
        let ranks: Vec<usize> = match self.sure_value(node, 1) {
            Some(_) if self.rules.selective => Vec::new(),
            _ if few => vec![0],
            _ => {
                let tried = |&rank: &usize| self.skipped(node, &node.edges[rank], rank, 1).is_none();
                (0..node.edges.len()).filter(tried).take(MOST_MOVES).collect()
            }
        };
        for rank in ranks {
            self.foresee(id, rank, far + 1);
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
        let child = self.tree.grow(id, m);
        self.node_mut(id).edges[rank].child = child;
        if self.node(child).over {
            return;
        }
        let node = self.node(child);
        if let Some(entry) = self.table.get(node.board.key, node.ply).filter(|entry| !entry.value.is_nan()) {
            self.node_mut(child).value = entry.value;
            return;
        }
        self.node_mut(child).foreseen = far;
        self.stats.foreseen += 1;
        self.ask(child);
    }

    /// A judgement of a position that nobody visits has come.
    pub(super) fn take_foreseen(&mut self, id: u32) {
        let far = usize::from(self.node(id).foreseen);
        if far < LOOKAHEAD {
            self.leaves[far].push(id);
        }
    }
}
