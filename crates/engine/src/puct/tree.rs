//! The tree: nodes (positions) with edges (their moves) in one array of limited size. It stays from move to move of a game.

use std::collections::HashMap;

use chess::{
    Moment, PackedMove,
    shakmaty::{Move, Position},
};

use super::{
    probe::Probe,
    q::{DRAWN, LOST, MATED, WON},
};
use crate::{
    alpha_beta::{Node as Board, Syzygy},
    repetition::is_repetition,
};

/// No node.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const ROOT: u32 = 0;

/// Nodes that fit into the smallest tree.
const LEAST_NODES: usize = 4096;

/// What the map of known positions needs for each: twice the size of an entry, since it is never full.
const KNOWN_BYTES: usize = 2 * size_of::<(u64, u32)>();

/// A legal move of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) m: PackedMove,
    pub(super) child: u32,
    /// The prior: how likely the policy held it to be the best move.
    pub(super) prior: f32,
    /// Q for the side that makes the move; before the first visit the first-play urgency.
    pub(super) q: f32,
    /// Visits, those under way included.
    pub(super) visits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The mind was not asked yet.
    Leaf,
    /// The mind is being asked.
    Pending,
    Expanded,
    /// The game ends here, or a tablebase knows how it ends.
    Terminal,
}

/// A position.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) parent: u32,
    /// Which of the parent's edges leads here.
    pub(super) place: u16,
    pub(super) ply: u16,
    pub(super) state: State,
    /// The mind's value of the bare position, for the side to move like `q`.
    pub(super) value: f32,
    /// Mean of the values below, or a proven result.
    pub(super) q: f32,
    pub(super) visits: u32,
    pub(super) edges: Vec<Edge>,
    /// Tactical probes made here.
    pub(super) probes: u8,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Expanded nodes by the keys of their positions.
    known: HashMap<u64, u32>,
    /// Keys of the game since the last capture or pawn move, the root's last.
    past: Vec<u64>,
    edges: usize,
    most_bytes: usize,
    /// Nodes visited for the first time in this search.
    pub(super) made: u64,
    pub(super) deepest: u16,
    pub(super) tablebase_hits: u64,
    /// Once it was needed.
    probe: Option<Box<Probe>>,
}

impl Tree {
    /// Goes on from what is known below this position, if it is in the tree.
    pub(super) fn root_in(&mut self, board: Board, past: &[u64], megabytes: usize) {
        self.most_bytes = (megabytes << 20).max(LEAST_NODES * size_of::<Node>());
        self.past = past.to_vec();
        (self.made, self.deepest, self.tablebase_hits) = (0, 0, 0);
        let root = self.nodes.iter().position(|node| {
            let same = node.board.key == board.key && node.board.chess.halfmoves() == board.chess.halfmoves();
            same && node.ply <= 2 && node.state == State::Expanded
        });
        let Some(root) = root else {
            self.nodes.clear();
            self.known.clear();
            self.edges = 0;
            self.nodes.push(leaf(board, NONE, 0, 0));
            return;
        };
        let root = root as u32;
        let mut kept = vec![false; self.nodes.len()];
        for id in 0..self.nodes.len() {
            let node = &self.nodes[id];
            kept[id] = id as u32 == root || (node.parent != NONE && kept[node.parent as usize]);
        }
        self.nodes[root as usize].parent = NONE;
        self.keep(&kept);
        for id in 0..self.nodes.len() {
            let parent = self.nodes[id].parent;
            self.nodes[id].ply = if parent == NONE { 0 } else { self.nodes[parent as usize].ply + 1 };
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Tree::default();
    }

    pub(super) fn root(&self) -> &Node {
        &self.nodes[ROOT as usize]
    }

    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// A move of the node's position that wins material, found by looking at so many positions.
    pub(super) fn probe(&mut self, id: u32, positions: u64) -> Option<PackedMove> {
        let position = &self.nodes[id as usize].board.chess;
        self.probe.get_or_insert_default().winning_move(position, positions)
    }

    /// Gives the memory of probes back.
    pub(super) fn forget_probes(&mut self) {
        self.probe = None;
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes() + 512 * size_of::<Node>() > self.most_bytes
    }

    fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + KNOWN_BYTES) + self.edges * size_of::<Edge>()
    }

    /// Thousandths of the memory in use.
    pub(super) fn fullness(&self) -> u32 {
        (1000 * self.bytes() / self.most_bytes.max(1)) as u32
    }

    /// Gives a node the mind's value of its position, and its moves.
    pub(super) fn expand(&mut self, id: u32, value: f32, edges: Vec<Edge>) {
        self.edges += edges.len();
        let node = self.node_mut(id);
        node.state = State::Expanded;
        (node.value, node.q) = (value, value);
        node.edges = edges;
        let key = node.board.key;
        self.known.entry(key).or_insert(id);
    }

    /// Another expanded node with the same position. Near a draw by the 50-move rule positions are not the same.
    pub(super) fn transposition(&self, id: u32) -> Option<&Node> {
        let chess = &self.node(id).board.chess;
        let other = self.node(*self.known.get(&self.node(id).board.key)?);
        let far_from_draw = chess.halfmoves().max(other.board.chess.halfmoves()) < 80;
        (far_from_draw && id != ROOT).then_some(other)
    }

    /// The node at the end of an edge, made if it was never visited.
    pub(super) fn child(&mut self, id: u32, place: usize, syzygy: &Syzygy) -> u32 {
        let parent = self.node(id);
        let Edge { m, child, .. } = parent.edges[place];
        if child != NONE {
            return child;
        }
        let m: Move = m.fit(&parent.board.chess).expect("an edge's move fits its node");
        let mut node = leaf(parent.board.play(m), id, place as u16, parent.ply + 1);
        if let Some(q) = self.result(&node, syzygy) {
            (node.state, node.q) = (State::Terminal, q);
        }
        self.made += 1;
        self.deepest = self.deepest.max(node.ply);
        self.nodes.push(node);
        let child = (self.nodes.len() - 1) as u32;
        self.node_mut(id).edges[place].child = child;
        child
    }

    /// How the game ends in a position, for the side to move.
    fn result(&mut self, node: &Node, syzygy: &Syzygy) -> Option<f32> {
        let chess = &node.board.chess;
        if chess.legal_moves().is_empty() {
            return Some(if node.board.in_check() { MATED } else { DRAWN });
        }
        let line = std::iter::successors(Some(node.parent), |&id| Some(self.node(id).parent));
        let keys = line.take(usize::from(node.ply)).map(|id| self.node(id).board.key);
        let drawn = chess.halfmoves() >= 100
            || chess.is_insufficient_material()
            || is_repetition(&node.board, usize::from(node.ply), keys, &self.past);
        if drawn {
            return Some(DRAWN);
        }
        let result = syzygy.result(chess)?;
        self.tablebase_hits += 1;
        Some([LOST, DRAWN, WON][(1 + result) as usize])
    }

    /// The moment at a node, with the past that leads there.
    pub(super) fn moment(&self, id: u32, root: &Moment) -> Moment {
        let mut line = Vec::new();
        let mut node = self.node(id);
        while node.parent != NONE {
            let parent = self.node(node.parent);
            line.push(parent.edges[usize::from(node.place)].m);
            node = parent;
        }
        let mut moment = root.clone();
        for m in line.into_iter().rev() {
            let m = m.fit(&moment.position).expect("an edge's move fits its node");
            moment.play(m);
        }
        moment
    }

    /// Cuts off the nodes with the fewest visits, until half of the memory is free. What was found there stays as the edge's Q.
    pub(super) fn cut_back(&mut self) {
        let mut least = 2;
        let kept = loop {
            let kept: Vec<bool> =
                self.nodes.iter().map(|node| node.visits >= least || node.parent == NONE).collect();
            if 2 * kept.iter().filter(|&&kept| kept).count() <= self.nodes.len() {
                break kept;
            }
            least *= 2;
        };
        self.keep(&kept);
    }

    /// Children are never kept without their parents, and nodes that were not expanded not at all. Nobody may hold a node's number over
    /// this.
    fn keep(&mut self, kept: &[bool]) {
        let mut new_ids = vec![NONE; kept.len()];
        let mut count = 0;
        for (id, node) in self.nodes.iter().enumerate() {
            let settled = matches!(node.state, State::Expanded | State::Terminal) || node.parent == NONE;
            let rooted = node.parent == NONE || new_ids[node.parent as usize] != NONE;
            if kept[id] && settled && rooted {
                new_ids[id] = count;
                count += 1;
            }
        }
        let mut id = 0;
        self.nodes.retain(|_| {
            id += 1;
            new_ids[id - 1] != NONE
        });
        self.edges = 0;
        self.known.clear();
        for (id, node) in self.nodes.iter_mut().enumerate() {
            if node.state == State::Expanded {
                self.known.entry(node.board.key).or_insert(id as u32);
            }
            if node.parent != NONE {
                node.parent = new_ids[node.parent as usize];
            }
            for edge in node.edges.iter_mut().filter(|edge| edge.child != NONE) {
                edge.child = new_ids[edge.child as usize];
            }
            self.edges += node.edges.len();
        }
    }
}

fn leaf(board: Board, parent: u32, place: u16, ply: u16) -> Node {
    let (value, q, edges) = (0.0, 0.0, Vec::new());
    Node { board, parent, place, ply, state: State::Leaf, value, q, visits: 0, edges, probes: 0 }
}
