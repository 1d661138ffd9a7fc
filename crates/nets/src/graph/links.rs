//! The relations of the network's graphs, in one list: between which nodes, how their messages add up, and which edges they have.

use chess::encoding::graph::{self, Edge, Graph};
use kernels::graph::{Form, Node, Relation};

use super::GraphConfig;
use crate::fused::EdgeList;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Attack,
    Defence,
    Ray,
    /// From pieces to the squares that they control, and back.
    Control,
    Controlled,
    Grid,
    /// From a piece to its square, and back.
    On,
    Under,
    /// From the pieces to the whole, and from the whole to pieces and squares.
    Pool,
    WholeToPiece,
    WholeToSquare,
}

impl Link {
    /// Those of a network.
    pub(super) fn all(config: &GraphConfig) -> Vec<Link> {
        let switched = |link: &Link| match link {
            Link::Ray => config.rays,
            Link::Control | Link::Controlled => config.control,
            Link::Grid => config.grid,
            _ => true,
        };
        let every = [
            Link::Attack,
            Link::Defence,
            Link::Ray,
            Link::Control,
            Link::Controlled,
            Link::Grid,
            Link::On,
            Link::Under,
            Link::Pool,
            Link::WholeToPiece,
            Link::WholeToSquare,
        ];
        every.into_iter().filter(switched).collect()
    }

    pub(super) fn relation(self) -> Relation {
        use Form::{Attention, Gate, Sum};
        use Node::{Piece, Square, Whole};
        let (from, to, form, kinds) = match self {
            Link::Attack | Link::Defence => (Piece, Piece, Attention, graph::INTERACTION_KINDS),
            Link::Ray => (Piece, Piece, Gate, graph::RAY_KINDS),
            Link::Control => (Piece, Square, Attention, graph::CONTROL_KINDS),
            Link::Controlled => (Square, Piece, Attention, graph::CONTROL_KINDS),
            Link::Grid => (Square, Square, Attention, graph::GRID_KINDS),
            Link::On => (Piece, Square, Sum, 0),
            Link::Under => (Square, Piece, Sum, 0),
            Link::Pool => (Piece, Whole, Attention, graph::PIECES),
            Link::WholeToPiece => (Whole, Piece, Sum, 0),
            Link::WholeToSquare => (Whole, Square, Sum, 0),
        };
        Relation { from, to, form, kinds }
    }

    /// Adds the edges of the graph with number `at`, whose first piece has number `first`.
    pub(super) fn push(self, graph: &Graph, at: usize, first: usize, to: &mut EdgeList) {
        let pieces = graph.pieces.len();
        let squares = 64 * at;
        let whole = |_| Some((at, 0, 0.0));
        let none: [(usize, u16, f32); 0] = [];
        match self {
            Link::Attack => to.push_all(pieces, first, &graph.attacks),
            Link::Defence => to.push_all(pieces, first, &graph.defences),
            Link::Ray => to.push_all(pieces, first, &graph.rays),
            Link::Control => to.push_all(64, first, &graph.control),
            Link::Controlled => {
                let mut back: Vec<Edge> =
                    graph.control.iter().map(|edge| Edge { from: edge.to, to: edge.from, ..*edge }).collect();
                back.sort_by_key(|edge| (edge.to, edge.from));
                to.push_all(pieces, squares, &back);
            }
            Link::Grid => to.push_all(64, squares, graph::grid()),
            Link::On => {
                let mut holders = graph.pieces.iter().enumerate().peekable();
                for square in 0..64u8 {
                    match holders.next_if(|(_, piece)| piece.square == square) {
                        Some((piece, _)) => to.push([(first + piece, 0, 0.0)]),
                        None => to.push(none),
                    }
                }
            }
            Link::Under => {
                graph
                    .pieces
                    .iter()
                    .for_each(|piece| to.push([(squares + usize::from(piece.square), 0, 0.0)]));
            }
            Link::Pool => {
                let edge =
                    |(piece, node): (usize, &graph::PieceNode)| (first + piece, u16::from(node.kind), 0.0);
                to.push(graph.pieces.iter().enumerate().map(edge));
            }
            Link::WholeToPiece => (0..pieces).for_each(|piece| to.push(whole(piece))),
            Link::WholeToSquare => (0..64).for_each(|square| to.push(whole(square))),
        }
    }
}

impl EdgeList {
    /// A target with its edges: source, kind, weight.
    fn push(&mut self, edges: impl IntoIterator<Item = (usize, u16, f32)>) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        for (source, kind, weight) in edges {
            self.sources.push(source as u32);
            self.kinds.push(kind);
            self.weights.push(weight);
        }
        self.starts.push(self.sources.len() as u32);
    }

    /// So many targets with edges that lie by target.
    fn push_all(&mut self, targets: usize, first_source: usize, edges: &[Edge]) {
        let mut rest = edges;
        for target in 0..targets {
            let count = rest.iter().take_while(|edge| usize::from(edge.to) == target).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            self.push(own.iter().map(|edge| (first_source + usize::from(edge.from), edge.kind, edge.weight)));
        }
    }
}
