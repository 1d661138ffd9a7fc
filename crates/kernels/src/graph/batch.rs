//! Batches of graphs over all threads.

use std::ops::Range;

use rayon::prelude::*;

use super::{Graphs, NODES, Node, PackedGraphLayer, group::Group};
use crate::{chunks::summed_together, rows};

/// Graphs that go through a layer together: their projected nodes fill the second cache.
const TOGETHER: usize = 4;

/// All nodes after the layer, in the order of the batch.
///
/// # Panics
/// If the graphs do not fit the layer, or `x` the graphs.
pub fn forward(packed: &PackedGraphLayer, graphs: &Graphs<'_>, x: &[f32], y: &mut [f32]) {
    check(packed, graphs, x);
    assert_eq!(x.len(), y.len());
    let groups = groups(0..graphs.len(), TOGETHER);
    let parts = parts(packed, graphs, &groups, y);
    groups.into_par_iter().zip(parts).for_each(|(which, y)| {
        let group = Group::new(packed, graphs, which.clone(), inputs(packed, graphs, which, x));
        NODES.into_iter().zip(y).for_each(|(node, y)| group.result(node, y));
    });
}

/// The gradients of all nodes before the layer, and of all parameters.
pub fn backward(
    packed: &PackedGraphLayer,
    graphs: &Graphs<'_>,
    x: &[f32],
    gradient: &[f32],
    to_x: &mut [f32],
) -> Vec<f32> {
    check(packed, graphs, x);
    assert!(x.len() == gradient.len() && x.len() == to_x.len());
    let chunks = groups(0..graphs.len(), summed_together(graphs.len()));
    let parts = parts(packed, graphs, &chunks, to_x);
    let sums: Vec<Vec<f32>> = chunks
        .into_par_iter()
        .zip(parts)
        .map(|(chunk, mut to_x)| {
            let mut sums = vec![0.0; packed.places.total];
            for which in groups(chunk, TOGETHER) {
                let group =
                    Group::new(packed, graphs, which.clone(), inputs(packed, graphs, which.clone(), x));
                let gradient = inputs(packed, graphs, which.clone(), gradient);
                let nodes = graphs.nodes(which);
                let width = packed.shape.width;
                let own = [0, 1, 2].map(|at| nodes[at].len() * width);
                let mut rest = to_x.each_mut();
                let to = [0, 1, 2].map(|at| {
                    let (own, others) = std::mem::take(rest[at]).split_at_mut(own[at]);
                    *rest[at] = others;
                    own
                });
                group.back(gradient, to, &mut sums);
            }
            sums
        })
        .collect();
    let mut sums = sums.into_iter();
    let first = sums.next().unwrap_or_else(|| vec![0.0; packed.places.total]);
    sums.fold(first, |mut total, sums| {
        rows::add(packed.level, &mut total, &sums);
        total
    })
}

/// The share that each edge of a relation carries, `[edges, heads]`, in the order of the edges: what the network attends to.
pub fn attention(packed: &PackedGraphLayer, graphs: &Graphs<'_>, x: &[f32], relation: usize) -> Vec<f32> {
    check(packed, graphs, x);
    let groups = groups(0..graphs.len(), TOGETHER);
    let shares = groups.into_iter().flat_map(|which| {
        Group::new(packed, graphs, which.clone(), inputs(packed, graphs, which, x)).shares(relation).to_vec()
    });
    shares.collect()
}

fn check(packed: &PackedGraphLayer, graphs: &Graphs<'_>, x: &[f32]) {
    graphs.check(&packed.shape);
    assert_eq!(x.len(), graphs.rows() * packed.shape.width);
}

fn groups(all: Range<usize>, len: usize) -> Vec<Range<usize>> {
    let end = all.end;
    all.step_by(len).map(|start| start..(start + len).min(end)).collect()
}

/// The rows of some graphs, by type.
fn inputs<'a>(
    packed: &PackedGraphLayer,
    graphs: &Graphs<'_>,
    which: Range<usize>,
    x: &'a [f32],
) -> [&'a [f32]; 3] {
    let nodes = graphs.nodes(which);
    let width = packed.shape.width;
    NODES.map(|node| {
        let Range { start, end } = nodes[node as usize];
        let first = graphs.first_row(node);
        &x[(first + start) * width..(first + end) * width]
    })
}

/// The rows of each group, by type.
fn parts<'a>(
    packed: &PackedGraphLayer,
    graphs: &Graphs<'_>,
    groups: &[Range<usize>],
    all: &'a mut [f32],
) -> Vec<[&'a mut [f32]; 3]> {
    let width = packed.shape.width;
    let wholes = graphs.first_row(Node::Whole) * width;
    let pieces = graphs.first_row(Node::Piece) * width;
    let (rest, pieces) = all.split_at_mut(pieces);
    let (squares, wholes) = rest.split_at_mut(wholes);
    let mut rest = [pieces, squares, wholes];
    let part = |which: &Range<usize>| {
        let nodes = graphs.nodes(which.clone());
        let mut at = 0;
        rest.each_mut().map(|rest| {
            let (own, others) = std::mem::take(rest).split_at_mut(nodes[at].len() * width);
            *rest = others;
            at += 1;
            own
        })
    };
    groups.iter().map(part).collect()
}
