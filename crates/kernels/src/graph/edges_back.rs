//! The backward pass over the edges of one relation.

use super::{
    Form, MOST_HEADS, Node,
    edges::{Messages, add_scaled, dot},
};
use crate::{
    Aligned,
    simd::{Simd, Task},
};

/// Adds to the gradients of projected nodes, and to those of lambda and table.
pub(super) struct Back<'a> {
    pub(super) messages: Messages<'a>,
    pub(super) nodes: (Node, Node),
    pub(super) shares: &'a [f32],
    /// The gradient of what the targets hear.
    pub(super) gradient: &'a [f32],
    /// By type.
    pub(super) to_projected: &'a mut [Aligned; 3],
    /// Room for a number per edge and head.
    pub(super) gradients: &'a mut [f32],
    pub(super) to_lambda: &'a mut [f32],
    pub(super) to_table: &'a mut [f32],
}

impl Task for Back<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        self.values::<S>();
        match self.messages.form {
            Form::Sum => {}
            Form::Gate => self.gates(),
            Form::Attention => self.attention::<S>(),
        }
    }
}

impl Back<'_> {
    /// The gradients of values and, in `gradients`, of shares.
    #[inline(always)]
    fn values<S: Simd>(&mut self) {
        let m = self.messages;
        let (heads, head) = (m.heads, m.width / m.heads);
        let to_from = &mut self.to_projected[self.nodes.0 as usize];
        for target in 0..m.targets.1 - m.targets.0 {
            let gradient = &self.gradient[target * m.width..][..m.width];
            for at in m.of_target(target) {
                let source = m.edge(at).source;
                let to_value = &mut to_from[source * m.from.1 + m.columns.value..][..m.width];
                let shares = &self.shares[at * heads..][..heads];
                for (i, &share) in shares.iter().enumerate() {
                    let part = i * head..(i + 1) * head;
                    add_scaled::<S>(&mut to_value[part.clone()], share, &gradient[part]);
                }
                if m.form != Form::Sum {
                    let value = m.at(m.from, source, m.columns.value);
                    for i in 0..heads {
                        let part = i * head..(i + 1) * head;
                        self.gradients[at * heads + i] = dot::<S>(&value[part.clone()], &gradient[part]);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn gates(&mut self) {
        let m = self.messages;
        let heads = m.heads;
        let nodes = &mut self.to_projected[self.nodes.0 as usize];
        for target in 0..m.targets.1 - m.targets.0 {
            for at in m.of_target(target) {
                let edge = m.edge(at);
                for i in 0..heads {
                    let share = self.shares[at * heads + i];
                    let delta = self.gradients[at * heads + i] * share * (1.0 - share);
                    nodes[target * m.to.1 + m.columns.gates + MOST_HEADS + i] += delta;
                    nodes[edge.source * m.from.1 + m.columns.gates + i] += delta;
                    self.to_table[edge.kind * heads + i] += delta;
                }
            }
        }
    }

    #[inline(always)]
    fn attention<S: Simd>(&mut self) {
        let m = self.messages;
        let (heads, head, scale) = (m.heads, m.width / m.heads, m.scale());
        for target in 0..m.targets.1 - m.targets.0 {
            let mut along = [0.0; MOST_HEADS];
            for at in m.of_target(target) {
                for (i, along) in along[..heads].iter_mut().enumerate() {
                    *along += self.shares[at * heads + i] * self.gradients[at * heads + i];
                }
            }
            let query = m.at(m.to, target, m.columns.query);
            for at in m.of_target(target) {
                let edge = m.edge(at);
                let key = m.at(m.from, edge.source, m.columns.key);
                let factor = scale * (1.0 + m.lambda * edge.weight);
                for (i, along) in along[..heads].iter().enumerate() {
                    let delta = self.shares[at * heads + i] * (self.gradients[at * heads + i] - along);
                    self.to_table[edge.kind * heads + i] += delta;
                    let part = i * head..(i + 1) * head;
                    if edge.weight != 0.0 {
                        let product = dot::<S>(&key[part.clone()], &query[part.clone()]);
                        self.to_lambda[0] += delta * scale * edge.weight * product;
                    }
                    let start = target * m.to.1 + m.columns.query + i * head;
                    let to_query = &mut self.to_projected[self.nodes.1 as usize][start..start + head];
                    add_scaled::<S>(to_query, factor * delta, &key[part.clone()]);
                    let start = edge.source * m.from.1 + m.columns.key + i * head;
                    let to_key = &mut self.to_projected[self.nodes.0 as usize][start..start + head];
                    add_scaled::<S>(to_key, factor * delta, &query[part]);
                }
            }
        }
    }
}
