//! Messages over the edges of one relation.

use std::ops::Range;

use super::{Columns, Edges, Form, MOST_HEADS};
use crate::{
    math,
    simd::{Simd, Task},
};

/// Some targets of a relation, the projected nodes at both ends, and what weighs the edges.
#[derive(Clone, Copy)]
pub(super) struct Messages<'a> {
    pub(super) edges: Edges<'a>,
    pub(super) form: Form,
    pub(super) columns: Columns,
    pub(super) heads: usize,
    pub(super) width: usize,
    pub(super) targets: (usize, usize),
    /// The number of the first source whose numbers are there.
    pub(super) first_source: usize,
    /// Projected nodes, and numbers from one to the next.
    pub(super) from: (&'a [f32], usize),
    pub(super) to: (&'a [f32], usize),
    pub(super) lambda: f32,
    pub(super) table: &'a [f32],
}

impl Messages<'_> {
    /// The edges that reach a target, as places among those of all targets here.
    #[inline(always)]
    pub(super) fn of_target(&self, target: usize) -> Range<usize> {
        let first = self.edges.starts[self.targets.0] as usize;
        let start = self.targets.0 + target;
        self.edges.starts[start] as usize - first..self.edges.starts[start + 1] as usize - first
    }

    pub(super) fn len(&self) -> usize {
        self.edges.of(self.targets.0..self.targets.1).len()
    }

    #[inline(always)]
    pub(super) fn edge(&self, edge: usize) -> Edge {
        let at = self.edges.starts[self.targets.0] as usize + edge;
        Edge {
            source: self.edges.sources[at] as usize - self.first_source,
            kind: usize::from(self.edges.kinds[at]),
            weight: self.edges.weights[at],
        }
    }

    /// `width` numbers of a projected node.
    #[inline(always)]
    pub(super) fn at<'b>(
        &self,
        (nodes, stride): (&'b [f32], usize),
        node: usize,
        column: usize,
    ) -> &'b [f32] {
        &nodes[node * stride + column..][..self.width]
    }

    #[inline(always)]
    pub(super) fn scale(&self) -> f32 {
        1.0 / ((self.width / self.heads) as f32).sqrt()
    }
}

#[derive(Clone, Copy)]
pub(super) struct Edge {
    /// Among the nodes that are there.
    pub(super) source: usize,
    pub(super) kind: usize,
    pub(super) weight: f32,
}

/// A buffer for a number per edge and head, in whole vectors.
pub(super) fn buffer_len(edges: usize, heads: usize) -> usize {
    (edges * heads).next_multiple_of(16)
}

/// The dot product of two rows' parts of a head.
#[inline(always)]
pub(super) fn dot<S: Simd>(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = S::splat(0.0);
    for (a, b) in a.chunks_exact(S::LANES).zip(b.chunks_exact(S::LANES)) {
        sum = S::fma(S::load(a), S::load(b), sum);
    }
    S::sum(sum)
}

/// `to += factor * from`.
#[inline(always)]
pub(super) fn add_scaled<S: Simd>(to: &mut [f32], factor: f32, from: &[f32]) {
    let factor = S::splat(factor);
    for (to, from) in to.chunks_exact_mut(S::LANES).zip(from.chunks_exact(S::LANES)) {
        S::store(S::fma(factor, S::load(from), S::load(to)), to);
    }
}

/// What share of its source's value each edge carries, by head: [edges, heads].
pub(super) struct Shares<'a> {
    pub(super) messages: Messages<'a>,
    pub(super) shares: &'a mut [f32],
}

impl Task for Shares<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Shares { messages: m, shares } = self;
        match m.form {
            Form::Sum => shares.fill(1.0),
            Form::Gate => gates::<S>(&m, shares),
            Form::Attention => attention::<S>(&m, shares),
        }
    }
}

#[inline(always)]
fn gates<S: Simd>(m: &Messages<'_>, shares: &mut [f32]) {
    let heads = m.heads;
    for target in 0..m.targets.1 - m.targets.0 {
        let own = &m.to.0[target * m.to.1 + m.columns.gates + MOST_HEADS..][..heads];
        for at in m.of_target(target) {
            let edge = m.edge(at);
            let source = &m.from.0[edge.source * m.from.1 + m.columns.gates..][..heads];
            let kind = &m.table[edge.kind * heads..][..heads];
            for (i, share) in shares[at * heads..][..heads].iter_mut().enumerate() {
                *share = own[i] + source[i] + kind[i];
            }
        }
    }
    shares[m.len() * heads..].fill(0.0);
    for x in shares.chunks_exact_mut(S::LANES) {
        S::store(math::sigmoid::<S>(S::load(x)), x);
    }
}

#[inline(always)]
fn attention<S: Simd>(m: &Messages<'_>, shares: &mut [f32]) {
    let (heads, head, scale) = (m.heads, m.width / m.heads, m.scale());
    let targets = m.targets.1 - m.targets.0;
    for target in 0..targets {
        let query = m.at(m.to, target, m.columns.query);
        let mut top = [f32::NEG_INFINITY; MOST_HEADS];
        for at in m.of_target(target) {
            let edge = m.edge(at);
            let key = m.at(m.from, edge.source, m.columns.key);
            let factor = scale * (1.0 + m.lambda * edge.weight);
            for i in 0..heads {
                let part = i * head..(i + 1) * head;
                let logit = factor * dot::<S>(&key[part.clone()], &query[part]);
                let logit = logit + m.table[edge.kind * heads + i];
                top[i] = top[i].max(logit);
                shares[at * heads + i] = logit;
            }
        }
        for at in m.of_target(target) {
            for i in 0..heads {
                shares[at * heads + i] -= top[i];
            }
        }
    }
    shares[m.len() * heads..].fill(0.0);
    for x in shares.chunks_exact_mut(S::LANES) {
        S::store(math::exp::<S>(S::load(x)), x);
    }
    for target in 0..targets {
        let mut sums = [0.0; MOST_HEADS];
        for at in m.of_target(target) {
            for i in 0..heads {
                sums[i] += shares[at * heads + i];
            }
        }
        for at in m.of_target(target) {
            for i in 0..heads {
                shares[at * heads + i] /= sums[i];
            }
        }
    }
}

/// Adds the messages to what their targets hear: [targets, width].
pub(super) struct Sums<'a> {
    pub(super) messages: Messages<'a>,
    pub(super) shares: &'a [f32],
    pub(super) heard: &'a mut [f32],
}

impl Task for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Sums { messages: m, shares, heard } = self;
        let (heads, head) = (m.heads, m.width / m.heads);
        for target in 0..m.targets.1 - m.targets.0 {
            let heard = &mut heard[target * m.width..][..m.width];
            for at in m.of_target(target) {
                let value = m.at(m.from, m.edge(at).source, m.columns.value);
                for i in 0..heads {
                    let part = i * head..(i + 1) * head;
                    add_scaled::<S>(&mut heard[part.clone()], shares[at * heads + i], &value[part]);
                }
            }
        }
    }
}
