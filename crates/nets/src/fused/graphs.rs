//! The edges of a batch of graphs.

use kernels::graph::{Edges, Graphs};

/// The edges of a relation in all graphs, those of a target side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeList {
    /// Where the edges of each target begin, and the end of all.
    pub(crate) starts: Vec<u32>,
    pub(crate) sources: Vec<u32>,
    pub(crate) kinds: Vec<u16>,
    pub(crate) weights: Vec<f32>,
}

/// Graphs with their relations; see [`Graphs`] for the order of their nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphLists {
    /// Number of pieces up to and with each graph.
    pub(crate) pieces: Vec<usize>,
    pub(crate) edges: Vec<EdgeList>,
}

impl GraphLists {
    pub(crate) fn view(&self) -> Graphs<'_> {
        Graphs { pieces: &self.pieces, edges: self.edges.iter().map(EdgeList::view).collect() }
    }
}

impl EdgeList {
    fn view(&self) -> Edges<'_> {
        let EdgeList { starts, sources, kinds, weights } = self;
        Edges { starts, sources, kinds, weights }
    }
}
