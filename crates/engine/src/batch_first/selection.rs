//! Pruning and reductions: positions that are won or lost far beyond the goal, and moves that look bad.

use chess::shakmaty::Position;

use super::{
    node::{Edge, NONE, Node, ROOT},
    value::MATE_IN_REACH,
    walker::Walker,
};

/// Centipawns a ply by which a position may be above the goal and still fall below it.
const MARGIN: f32 = 75.0;
/// Centipawns by which a move may turn out better than the mind's score of it, and a capture beyond the horizon.
const DOUBT: f32 = 120.0;
const CAPTURE_DOUBT: f32 = 150.0;
/// Depths up to which the margin is trusted for whole nodes, and for quiet moves.
const SHALLOW_NODE: i16 = 5;
const SHALLOW_MOVE: i16 = 3;

impl Walker<'_> {
    fn is_selective(&self, node: &Node) -> bool {
        let goal = self.goal(node);
        self.rules.selective && node.ply > 0 && !node.board.in_check() && goal.abs() < MATE_IN_REACH
    }

    /// Whether the mind's own value is wanted before a node's moves are.
    pub(super) fn judges_first(&self, node: &Node) -> bool {
        node.depth > 0 && self.is_selective(node)
    }

    /// What a node with `depth` plies to go is worth at least, without a search of its moves.
    pub(super) fn sure_value(&self, node: &Node, depth: i16) -> Option<f32> {
        let least = node.value - MARGIN * f32::from(depth);
        (depth <= SHALLOW_NODE && least >= self.goal(node)).then_some(least)
    }

    /// The most that a move can be worth which is not even tried with `depth` plies to go.
    pub(super) fn skipped(&self, node: &Node, edge: &Edge, rank: usize, depth: i16) -> Option<f32> {
        if rank > 0 && depth <= SHALLOW_MOVE && self.evaluator.scores_are_values && self.is_selective(node) {
            let margin = if depth <= 0 { CAPTURE_DOUBT } else { DOUBT + MARGIN * f32::from(depth - 1) };
            let most = edge.score + margin;
            if most < self.goal(node) && (depth <= 1 || is_quiet(node, edge)) {
                return Some(most);
            }
        }
        if rank == 0 || depth <= 0 || depth > SHALLOW_MOVE || node.value.is_nan() {
            return None;
        }
        if !self.is_selective(node) || !is_quiet(node, edge) {
            return None;
        }
        let goal = self.goal(node);
        let most = node.value + 60.0 + 1.3 * MARGIN * f32::from(depth);
        let late = rank > 4 + 3 * (depth * depth) as usize;
        if most < goal { Some(most) } else { late.then(|| goal.next_down()) }
    }

    /// Depth of the first search of a move: late quiet moves get less, and the full depth only if they surprise.
    pub(super) fn first_depth(&self, node: &Node, child: &Node, rank: usize) -> i16 {
        let full = self.full_depth(node, child);
        let checks = node.board.in_check() || child.board.in_check();
        if !self.rules.selective || node.depth < 2 || rank < 3 || checks {
            return full;
        }
        let noisy = child.board.chess.halfmoves() == 0
            && !node.edges.get(rank).is_none_or(|edge| is_quiet(node, edge));
        if noisy {
            return full;
        }
        let less = 0.4 + f32::from(node.depth).ln() * (rank as f32).ln() / 2.2;
        (full - less as i16).max(full.min(0))
    }

    /// Tries what happens if the side to move passes: who stands well even so needs no further search (null move).
    pub(super) fn try_pass(&mut self, id: u32) {
        let node = self.node(id);
        let goal = self.goal(node);
        let sensible = node.depth >= 2
            && self.is_selective(node)
            && !node.arrived_by.is_none()
            && node.value >= goal
            && can_afford_to_pass(node)
            && node.pass_failed != node.visit;
        if !sensible {
            return;
        }
        let visit = node.visit;
        let less = 3 + node.depth / 4 + ((node.value - goal) / 200.0).min(2.0) as i16;
        let depth = (node.depth - less).max(0);
        let mut child = node.pass;
        if child == NONE {
            let Some(board) = node.board.pass() else { return };
            child = self.tree.grow_pass(id, board);
            self.node_mut(id).pass = child;
        } else if self.node(child).under == visit && !self.node(child).closed {
            return;
        }
        self.enter(child, depth);
    }

    /// Whether a node came about by passing.
    pub(super) fn is_pass(&self, id: u32) -> bool {
        id != ROOT && self.node(id).arrived_by.is_none()
    }
}

/// With a single piece the best move may be none at all, and passing would prove nothing.
fn can_afford_to_pass(node: &Node) -> bool {
    let board = node.board.chess.board();
    (node.board.chess.us() & !(board.pawns() | board.kings())).count() >= 2
}

fn is_quiet(node: &Node, edge: &Edge) -> bool {
    let chess = &node.board.chess;
    let takes = chess.them().contains(edge.m.target()) || chess.maybe_ep_square() == Some(edge.m.target());
    !takes && edge.m.promotion().is_none()
}
