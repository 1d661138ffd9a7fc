//! A layer of weighted heterogeneous graph attention for batches of chess graphs with sparse edges.
//!
//! Nodes are of three types, and edges of relations, each from one type to one type. What an edge needs of its two ends is computed
//! per node before, in one product per type: query, and for each relation key and value, with the relation's matrices already in the
//! weights. An edge is then a dot product per head and a weighted sum. After the messages come a product and a feed-forward part,
//! each with a norm before and a shortcut around it. The backward pass computes a group of graphs once more, while all of it is in cache.

mod batch;
mod edges;
mod edges_back;
mod group;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use self::batch::{attention, backward, forward};
use crate::{
    Aligned, Level,
    product::{self, View},
};

/// Types of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Piece,
    Square,
    /// One for each graph.
    Whole,
}

pub const NODES: [Node; 3] = [Node::Piece, Node::Square, Node::Whole];

/// How the messages that reach a node over a relation are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By attention: softmax over the incoming edges of `(1 + lambda x weight) key . query / sqrt(head) + bias of the kind`.
    Attention,
    /// Each in full: for relations that bring a node one edge, over which a softmax is 1.
    Sum,
    /// Each through a gate: sigmoid of what source, target and kind of edge say. From a type to itself.
    Gate,
}

/// A relation between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    pub from: Node,
    pub to: Node,
    pub form: Form,
    /// Kinds of edges, each with a bias per head; 0 for sums.
    pub kinds: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Numbers per node.
    pub width: usize,
    pub heads: usize,
    /// Numbers inside the feed-forward part.
    pub feed: usize,
    pub relations: Vec<Relation>,
}

/// Columns that hold the gates of a node: those of heads as a source, then as a target.
pub const GATES: usize = 16;
/// More heads have no room in [`GATES`].
pub const MOST_HEADS: usize = GATES / 2;

/// Where a relation finds its numbers among those of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Of the target.
    pub query: usize,
    /// Of the source, like the value.
    pub key: usize,
    pub value: usize,
    /// Of both.
    pub gates: usize,
}

impl Shape {
    /// Whether such layers can be computed here.
    pub fn fits(&self) -> bool {
        let Shape { width, heads, feed, relations } = self;
        let sizes = *heads > 0 && width.is_multiple_of(16 * heads) && *feed > 0 && feed.is_multiple_of(16);
        let gates = |relation: &Relation| relation.form != Form::Gate || relation.from == relation.to;
        sizes && *heads <= MOST_HEADS && relations.iter().all(gates)
    }

    /// Numbers that a node of a type is projected to, and where each relation finds its own.
    pub fn columns(&self) -> ([usize; 3], Vec<Columns>) {
        let mut end = [0; 3];
        let mut next = |node: Node, len: usize| {
            end[node as usize] += len;
            end[node as usize] - len
        };
        let asked = |node: Node| {
            let asks = |relation: &Relation| relation.form == Form::Attention && relation.to == node;
            self.relations.iter().any(asks)
        };
        let query = NODES.map(|node| if asked(node) { next(node, self.width) } else { 0 });
        let columns = self.relations.iter().map(|relation| {
            let Relation { from, to, form, .. } = *relation;
            let mut own = Columns { query: query[to as usize], ..Columns::default() };
            if form == Form::Attention {
                own.key = next(from, self.width);
            }
            own.value = next(from, self.width);
            if form == Form::Gate {
                own.gates = next(from, GATES);
            }
            own
        });
        let columns = columns.collect();
        (end, columns)
    }

    /// Places of all parts among the flat parameters.
    pub fn places(&self) -> Places {
        let (columns, _) = self.columns();
        let (width, feed) = (self.width, self.feed);
        let mut end = 0;
        let mut next = |len: usize| {
            end += len;
            end - len..end
        };
        let nodes = NODES.map(|node| NodePlaces {
            norm: next(width),
            norm_bias: next(width),
            project: next(width * columns[node as usize]),
            project_bias: next(columns[node as usize]),
            out: next(width * width),
            out_bias: next(width),
            feed_norm: next(width),
            feed_norm_bias: next(width),
            up: next(width * feed),
            up_bias: next(feed),
            down: next(feed * width),
            down_bias: next(width),
        });
        let relations = self.relations.iter().map(|relation| RelationPlaces {
            lambda: next(usize::from(relation.form == Form::Attention)),
            table: next(relation.kinds * self.heads),
        });
        let relations = relations.collect();
        Places { nodes, relations, total: end }
    }
}

/// Parameters of a layer, in the order of the fields; matrices are `[inputs, outputs]`.
#[derive(Clone, Debug)]
pub struct Places {
    /// By type, in the order of [`NODES`].
    pub nodes: [NodePlaces; 3],
    pub relations: Vec<RelationPlaces>,
    pub total: usize,
}

#[derive(Clone, Debug)]
pub struct NodePlaces {
    pub norm: Range<usize>,
    pub norm_bias: Range<usize>,
    pub project: Range<usize>,
    pub project_bias: Range<usize>,
    pub out: Range<usize>,
    pub out_bias: Range<usize>,
    pub feed_norm: Range<usize>,
    pub feed_norm_bias: Range<usize>,
    pub up: Range<usize>,
    pub up_bias: Range<usize>,
    pub down: Range<usize>,
    pub down_bias: Range<usize>,
}

#[derive(Clone, Debug)]
pub struct RelationPlaces {
    /// How much the weight of an edge counts.
    pub lambda: Range<usize>,
    /// `[kinds, heads]`.
    pub table: Range<usize>,
}

/// The edges of one relation in all graphs. Nodes are numbered by type through all graphs; those of target `i` are
/// `starts[i]..starts[i + 1]`.
#[derive(Clone, Copy, Debug)]
pub struct Edges<'a> {
    pub starts: &'a [u32],
    pub sources: &'a [u32],
    pub kinds: &'a [u16],
    pub weights: &'a [f32],
}

impl Edges<'_> {
    fn of(&self, targets: Range<usize>) -> Range<usize> {
        self.starts[targets.start] as usize..self.starts[targets.end] as usize
    }
}

/// A batch. Its rows are the squares of all graphs, then their wholes, then their pieces.
#[derive(Clone, Debug)]
pub struct Graphs<'a> {
    /// Number of pieces up to and with each graph.
    pub pieces: &'a [usize],
    /// Aligned with the relations of the shape.
    pub edges: Vec<Edges<'a>>,
}

impl Graphs<'_> {
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Rows of all nodes.
    pub fn rows(&self) -> usize {
        65 * self.len() + self.pieces.last().copied().unwrap_or(0)
    }

    /// Numbers of the nodes of some graphs, by type.
    fn nodes(&self, graphs: Range<usize>) -> [Range<usize>; 3] {
        let end = |graph: usize| if graph == 0 { 0 } else { self.pieces[graph - 1] };
        let squares = 64 * graphs.start..64 * graphs.end;
        [end(graphs.start)..end(graphs.end), squares, graphs]
    }

    /// The row of the first node of a type.
    fn first_row(&self, node: Node) -> usize {
        match node {
            Node::Square => 0,
            Node::Whole => 64 * self.len(),
            Node::Piece => 65 * self.len(),
        }
    }

    fn check(&self, shape: &Shape) {
        assert!(self.pieces.is_sorted() && self.edges.len() == shape.relations.len());
        let nodes = self.nodes(0..self.len());
        for (edges, relation) in self.edges.iter().zip(&shape.relations) {
            let count = edges.sources.len();
            assert!(edges.kinds.len() == count && edges.weights.len() == count);
            assert!(edges.starts.len() == nodes[relation.to as usize].len() + 1 && edges.starts.is_sorted());
            assert!(edges.starts.last().is_some_and(|&last| last as usize == count));
            let kinds =
                relation.form == Form::Sum || edges.kinds.iter().all(|&k| usize::from(k) < relation.kinds);
            assert!(kinds, "an edge of a kind that {relation:?} does not have");
        }
    }
}

/// The matrices of a type, packed for the forward pass and, where it trains, for the backward pass.
#[derive(Clone, Debug)]
struct PackedNode {
    project: [Aligned; 2],
    out: [Aligned; 2],
    up: [Aligned; 2],
    down: [Aligned; 2],
}

/// A layer's parameters, packed for the CPU.
#[derive(Clone, Debug)]
pub struct PackedGraphLayer {
    level: Level,
    shape: Shape,
    places: Places,
    widths: [usize; 3],
    columns: Vec<Columns>,
    nodes: Vec<PackedNode>,
    /// All parameters as they are.
    parameters: Vec<f32>,
}

impl PackedGraphLayer {
    /// `train` if the backward pass will be asked for.
    pub fn new(level: Level, shape: &Shape, parameters: &[f32], train: bool) -> PackedGraphLayer {
        assert!(shape.fits(), "{shape:?}");
        let places = shape.places();
        assert_eq!(parameters.len(), places.total);
        let (widths, columns) = shape.columns();
        let pair = |place: &Range<usize>, rows: usize, columns: usize| {
            let view = View::new(&parameters[place.clone()], rows, columns);
            let mut ahead = Aligned::scratch(product::words(level, columns, rows));
            product::right(level, view, &mut ahead);
            let mut back = Aligned::default();
            if train {
                back = Aligned::scratch(product::words(level, rows, columns));
                product::right_transposed(level, view, &mut back);
            }
            [ahead, back]
        };
        let (width, feed) = (shape.width, shape.feed);
        let node = |(at, place): (usize, &NodePlaces)| PackedNode {
            project: pair(&place.project, width, widths[at]),
            out: pair(&place.out, width, width),
            up: pair(&place.up, width, feed),
            down: pair(&place.down, feed, width),
        };
        let nodes = places.nodes.iter().enumerate().map(node).collect();
        let (shape, parameters) = (shape.clone(), parameters.to_vec());
        PackedGraphLayer { level, shape, places, widths, columns, nodes, parameters }
    }

    fn part(&self, place: &Range<usize>) -> &[f32] {
        &self.parameters[place.clone()]
    }
}
