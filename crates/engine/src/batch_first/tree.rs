//! The tree: nodes in one array of limited size, thinned out when it is full.

use chess::{
    PackedMove,
    shakmaty::{Move, Position},
};

use super::{
    node::{Edge, NONE, Node, ROOT},
    value::mated_at,
};
use crate::{alpha_beta::Node as Board, repetition::is_repetition};

/// Nodes that fit into the smallest tree: enough for the longest line with all its moves.
const LEAST_NODES: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Keys of the game since the last capture or pawn move, the root's last.
    past: Vec<u64>,
    edges: usize,
    most_bytes: usize,
    /// Nodes that were ever made in this search.
    pub(super) made: u64,
    /// The furthest from the root that any of them was.
    pub(super) deepest: u16,
}

impl Tree {
    /// A tree of its root alone, that may take up `megabytes`.
    pub(super) fn reset(&mut self, root: Board, past: &[u64], megabytes: usize) {
        self.most_bytes = (megabytes << 20).max(LEAST_NODES * size_of::<Node>());
        self.nodes.clear();
        self.nodes.reserve(self.most_bytes / size_of::<Node>());
        self.past = past.to_vec();
        self.begin_anew(root);
    }

    /// The same game and the same room, without a node but the root.
    pub(super) fn begin_anew(&mut self, root: Board) {
        self.nodes.clear();
        self.nodes.push(Node::new(root, NONE, PackedMove::NONE, 0));
        self.edges = 0;
        self.made = 1;
        self.deepest = 0;
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes() + 512 * size_of::<Node>() > self.most_bytes
    }

    fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges * size_of::<Edge>()
    }

    /// No work that may not be needed is done in the second half.
    pub(super) fn is_half_full(&self) -> bool {
        2 * self.bytes() > self.most_bytes
    }

    pub(super) fn count_edges(&mut self, more: usize) {
        self.edges += more;
    }

    pub(super) fn forget_edges(&mut self, less: usize) {
        self.edges = self.edges.saturating_sub(less);
    }

    /// Makes the node that `m` leads to.
    pub(super) fn add_child(&mut self, parent: u32, m: Move) -> u32 {
        let board = self.nodes[parent as usize].board.play(m);
        self.add(parent, board, m.into())
    }

    /// Makes the node after passing, with `board` as its position.
    pub(super) fn grow_pass(&mut self, parent: u32, board: Board) -> u32 {
        self.add(parent, board, PackedMove::NONE)
    }

    fn add(&mut self, parent: u32, board: Board, arrived_by: PackedMove) -> u32 {
        let ply = self.nodes[parent as usize].ply + 1;
        let mut node = Node::new(board, parent, arrived_by, ply);
        if let Some(value) = self.final_value(&node) {
            node.over = true;
            (node.lower, node.upper) = (value, value);
        }
        self.made += 1;
        self.deepest = self.deepest.max(ply);
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// The value of a position in which the game ends.
    fn final_value(&self, node: &Node) -> Option<f32> {
        let chess = &node.board.chess;
        if chess.legal_moves().is_empty() {
            return Some(if node.board.in_check() { mated_at(node.ply) } else { 0.0 });
        }
        let drawn = chess.halfmoves() >= 100 || chess.is_insufficient_material() || self.is_repetition(node);
        drawn.then_some(0.0)
    }

    fn is_repetition(&self, node: &Node) -> bool {
        let line = std::iter::successors(Some(node.parent), |&id| Some(self.nodes[id as usize].parent));
        let ply = usize::from(node.ply);
        is_repetition(
            &node.board,
            ply,
            line.take(ply).map(|id| self.nodes[id as usize].board.key),
            &self.past,
        )
    }

    /// Drops what lies below nodes that are decided, or, if that leaves too much, everything but the root.
    /// Whether more than the root could be kept. Nobody may hold a node's number over this.
    pub(super) fn thin_out(&mut self, is_decided: impl Fn(&Node) -> bool) -> bool {
        let mut kept = vec![false; self.nodes.len()];
        kept[ROOT as usize] = true;
        // Parents come before their children, so one pass sees every parent's fate first.
        for id in 1..self.nodes.len() {
            let parent = self.nodes[id].parent as usize;
            kept[id] = kept[parent] && (parent == ROOT as usize || !is_decided(&self.nodes[parent]));
        }
        let enough = 2 * kept.iter().filter(|&&kept| kept).count() < self.nodes.len();
        if !enough {
            kept[1..].fill(false);
        }
        self.keep(&kept);
        enough
    }

    fn keep(&mut self, kept: &[bool]) {
        let mut new_ids = vec![NONE; kept.len()];
        let survivors = kept.iter().enumerate().filter(|(_, kept)| **kept);
        for (new, (old, _)) in survivors.enumerate() {
            new_ids[old] = new as u32;
        }
        let mut id = 0;
        self.nodes.retain(|_| {
            id += 1;
            kept[id - 1]
        });
        self.edges = 0;
        for node in &mut self.nodes {
            if node.parent != NONE {
                node.parent = new_ids[node.parent as usize];
            }
            if node.pass != NONE {
                node.pass = new_ids[node.pass as usize];
            }
            let mut any = false;
            for edge in node.edges.iter_mut().filter(|edge| edge.child != NONE) {
                edge.child = new_ids[edge.child as usize];
                any |= edge.child != NONE;
            }
            if !any && node.parent != NONE {
                // Moves are quickly made again, and most of these nodes will never be asked for them.
                node.edges = Vec::new();
                node.moves = super::node::Moves::None;
            }
            node.explored = 0;
            self.edges += node.edges.len() + node.ranked.len();
        }
    }
}
