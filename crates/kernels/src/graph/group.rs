//! A few graphs on their way through a layer, all of whose numbers stay in the nearest caches.

use std::ops::Range;

use super::{
    Graphs, NODES, Node, PackedGraphLayer,
    edges::{Messages, Shares, Sums, buffer_len},
    edges_back::Back,
};
use crate::{
    Activation, Aligned, activation,
    norm::{self, Moments},
    product::{self, Into, Out, Size, View, product_of, product_of_transposed, rounded},
    rows, simd,
};

/// The numbers of some graphs after each part of a layer, by type. Rows round up to whole grains.
pub(super) struct Group<'a> {
    packed: &'a PackedGraphLayer,
    graphs: &'a Graphs<'a>,
    nodes: [Range<usize>; 3],
    x: [&'a [f32]; 3],
    normed: [Aligned; 3],
    moments: [Vec<Moments>; 3],
    projected: [Aligned; 3],
    /// By relation.
    shares: Vec<Aligned>,
    heard: [Aligned; 3],
    between: [Aligned; 3],
    feed_normed: [Aligned; 3],
    feed_moments: [Vec<Moments>; 3],
    up: [Aligned; 3],
    active: [Aligned; 3],
}

impl<'a> Group<'a> {
    /// The forward pass; `x` are the rows of the graphs by type.
    pub(super) fn new(
        packed: &'a PackedGraphLayer,
        graphs: &'a Graphs<'a>,
        which: Range<usize>,
        x: [&'a [f32]; 3],
    ) -> Group<'a> {
        let nodes = graphs.nodes(which);
        let none = || [0; 3].map(|_| Aligned::default());
        let mut group = Group {
            packed,
            graphs,
            x,
            normed: none(),
            moments: [0; 3].map(|_| Vec::new()),
            projected: none(),
            shares: Vec::new(),
            heard: none(),
            between: none(),
            feed_normed: none(),
            feed_moments: [0; 3].map(|_| Vec::new()),
            up: none(),
            active: none(),
            nodes,
        };
        NODES.into_iter().for_each(|node| group.project(node));
        group.listen();
        NODES.into_iter().for_each(|node| group.think(node));
        group
    }

    fn rows(&self, node: Node) -> usize {
        self.nodes[node as usize].len()
    }

    fn project(&mut self, node: Node) {
        let (packed, at, rows) = (self.packed, node as usize, self.rows(node));
        let (width, columns) = (packed.shape.width, packed.widths[at]);
        let place = &packed.places.nodes[at];
        self.normed[at] = Aligned::scratch(rows * width);
        self.moments[at] = vec![Moments::default(); rows];
        let (weight, bias) = (packed.part(&place.norm), packed.part(&place.norm_bias));
        norm::forward(
            packed.level,
            self.x[at],
            weight,
            Some(bias),
            &mut self.normed[at],
            &mut self.moments[at],
        );
        let bias = packed.part(&place.project_bias);
        let from = View::new(&self.normed[at], rows, width);
        self.projected[at] = linear(packed, from, &packed.nodes[at].project[0], columns, bias);
    }

    /// What weighs the edges of a relation among these graphs.
    fn messages(&self, relation: usize) -> Messages<'_> {
        let packed = self.packed;
        let kind = packed.shape.relations[relation];
        let (from, to) = (kind.from as usize, kind.to as usize);
        let place = &packed.places.relations[relation];
        Messages {
            edges: self.graphs.edges[relation],
            form: kind.form,
            columns: packed.columns[relation],
            heads: packed.shape.heads,
            width: packed.shape.width,
            targets: (self.nodes[to].start, self.nodes[to].end),
            first_source: self.nodes[from].start,
            from: (&self.projected[from], packed.widths[from]),
            to: (&self.projected[to], packed.widths[to]),
            lambda: packed.part(&place.lambda).first().copied().unwrap_or(0.0),
            table: packed.part(&place.table),
        }
    }

    /// All messages.
    fn listen(&mut self) {
        let PackedGraphLayer { level, shape, .. } = self.packed;
        let mut heard = NODES.map(|node| Aligned::zeros(self.rows(node) * shape.width));
        for (at, relation) in shape.relations.iter().enumerate() {
            let messages = self.messages(at);
            let mut shares = Aligned::scratch(buffer_len(messages.len(), shape.heads));
            simd::run(*level, Shares { messages, shares: &mut shares });
            let to = &mut heard[relation.to as usize];
            simd::run(*level, Sums { messages, shares: &shares, heard: to });
            self.shares.push(shares);
        }
        self.heard = heard;
    }

    /// What a node makes of its messages: the product, and the feed-forward part.
    fn think(&mut self, node: Node) {
        let (packed, at, rows) = (self.packed, node as usize, self.rows(node));
        let (level, width, feed) = (packed.level, packed.shape.width, packed.shape.feed);
        let place = &packed.places.nodes[at];
        let heard = View::new(&self.heard[at], rows, width);
        let bias = packed.part(&place.out_bias);
        let mut between = linear(packed, heard, &packed.nodes[at].out[0], width, bias);
        rows::add(level, &mut between[..rows * width], self.x[at]);
        self.feed_normed[at] = Aligned::scratch(rows * width);
        self.feed_moments[at] = vec![Moments::default(); rows];
        let (weight, bias) = (packed.part(&place.feed_norm), packed.part(&place.feed_norm_bias));
        let (to, moments) = (&mut self.feed_normed[at], &mut self.feed_moments[at]);
        norm::forward(level, &between[..rows * width], weight, Some(bias), to, moments);
        let normed = View::new(&self.feed_normed[at], rows, width);
        let up = linear(packed, normed, &packed.nodes[at].up[0], feed, packed.part(&place.up_bias));
        let mut active = Aligned::scratch(rows * feed);
        activation::forward(level, Activation::Relu, &up[..rows * feed], feed, &mut active);
        (self.between[at], self.up[at], self.active[at]) = (between, up, active);
    }

    /// The rows of a type after the layer.
    pub(super) fn result(&self, node: Node, to: &mut [f32]) {
        let (packed, at, rows) = (self.packed, node as usize, self.rows(node));
        let (width, feed) = (packed.shape.width, packed.shape.feed);
        let bias = packed.part(&packed.places.nodes[at].down_bias);
        let active = View::new(&self.active[at], rows, feed);
        let down = linear(packed, active, &packed.nodes[at].down[0], width, bias);
        to.copy_from_slice(&down[..rows * width]);
        rows::add(packed.level, to, &self.between[at][..rows * width]);
    }

    /// The shares of a relation's edges by head.
    pub(super) fn shares(&self, relation: usize) -> &[f32] {
        &self.shares[relation][..self.messages(relation).len() * self.packed.shape.heads]
    }

    /// From the gradients of the results, by type, to those of `x`; adds to the gradients of all parameters.
    pub(super) fn back(&self, gradient: [&[f32]; 3], to_x: [&mut [f32]; 3], sums: &mut [f32]) {
        let PackedGraphLayer { level, shape, places, .. } = self.packed;
        let mut to_between = [0; 3].map(|_| Aligned::default());
        let mut to_heard = [0; 3].map(|_| Aligned::default());
        for node in NODES {
            let at = node as usize;
            (to_between[at], to_heard[at]) = self.think_back(node, gradient[at], sums);
        }
        let mut to_projected =
            NODES.map(|node| Aligned::zeros(rounded(self.rows(node)) * self.packed.widths[node as usize]));
        for (at, relation) in shape.relations.iter().enumerate() {
            let messages = self.messages(at);
            let mut gradients = Aligned::scratch(buffer_len(messages.len(), shape.heads));
            let place = &places.relations[at];
            // Lambda and table lie side by side.
            let (to_lambda, to_table) =
                sums[place.lambda.start..place.table.end].split_at_mut(place.lambda.len());
            let task = Back {
                messages,
                nodes: (relation.from, relation.to),
                shares: &self.shares[at],
                gradient: &to_heard[relation.to as usize],
                to_projected: &mut to_projected,
                gradients: &mut gradients,
                to_lambda,
                to_table,
            };
            simd::run(*level, task);
        }
        for (node, to_x) in NODES.into_iter().zip(to_x) {
            to_x.copy_from_slice(&to_between[node as usize]);
            self.project_back(node, &to_projected[node as usize], to_x, sums);
        }
    }

    /// The gradients of what is between the two halves, and of what was heard.
    fn think_back(&self, node: Node, gradient: &[f32], sums: &mut [f32]) -> (Aligned, Aligned) {
        let (packed, at, rows) = (self.packed, node as usize, self.rows(node));
        let (level, width, feed) = (packed.level, packed.shape.width, packed.shape.feed);
        let (place, matrices) = (&packed.places.nodes[at], &packed.nodes[at]);
        let view = View::new(gradient, rows, width);
        learn(packed, View::new(&self.active[at], rows, feed), view, &mut sums[place.down.clone()]);
        rows::add_columns(level, view, &mut sums[place.down_bias.clone()]);
        let mut to_active = linear(packed, view, &matrices.down[1], feed, &[]);
        for (to, x) in to_active.iter_mut().zip(&self.up[at][..rows * feed]) {
            *to = if *x > 0.0 { *to } else { 0.0 };
        }
        let to_up = View::new(&to_active, rows, feed);
        learn(packed, View::new(&self.feed_normed[at], rows, width), to_up, &mut sums[place.up.clone()]);
        rows::add_columns(level, to_up, &mut sums[place.up_bias.clone()]);
        let to_normed = linear(packed, to_up, &matrices.up[1], width, &[]);
        let mut to_between = Aligned::scratch(rows * width);
        to_between.copy_from_slice(gradient);
        let norms = &mut sums[place.feed_norm.start..place.feed_norm_bias.end];
        let (to_weight, to_bias) = norms.split_at_mut(width);
        norm::backward(
            level,
            &self.between[at][..rows * width],
            &self.feed_moments[at],
            packed.part(&place.feed_norm),
            &to_normed[..rows * width],
            &mut to_between,
            to_weight,
            Some(to_bias),
        );
        let view = View::new(&to_between, rows, width);
        learn(packed, View::new(&self.heard[at], rows, width), view, &mut sums[place.out.clone()]);
        rows::add_columns(level, view, &mut sums[place.out_bias.clone()]);
        let to_heard = linear(packed, view, &matrices.out[1], width, &[]);
        (to_between, to_heard)
    }

    fn project_back(&self, node: Node, to_projected: &[f32], to_x: &mut [f32], sums: &mut [f32]) {
        let (packed, at, rows) = (self.packed, node as usize, self.rows(node));
        let (level, width, columns) = (packed.level, packed.shape.width, packed.widths[at]);
        let place = &packed.places.nodes[at];
        let view = View::new(to_projected, rows, columns);
        learn(packed, View::new(&self.normed[at], rows, width), view, &mut sums[place.project.clone()]);
        rows::add_columns(level, view, &mut sums[place.project_bias.clone()]);
        let to_normed = linear(packed, view, &packed.nodes[at].project[1], width, &[]);
        let (to_weight, to_bias) = sums[place.norm.start..place.norm_bias.end].split_at_mut(width);
        norm::backward(
            level,
            self.x[at],
            &self.moments[at],
            packed.part(&place.norm),
            &to_normed[..rows * width],
            to_x,
            to_weight,
            Some(to_bias),
        );
    }
}

/// `x * right + bias` for a packed matrix of `columns`, in whole grains of rows; an empty bias is none.
fn linear(packed: &PackedGraphLayer, x: View<'_>, right: &[f32], columns: usize, bias: &[f32]) -> Aligned {
    let level = packed.level;
    let mut out = Aligned::scratch(rounded(x.rows) * columns);
    let mut words = Aligned::default();
    if level.rounds() {
        words = Aligned::scratch(product::words(level, x.rows, x.columns));
    }
    let size = Size { m: x.rows, n: columns, k: x.columns };
    let into = if bias.is_empty() { Into::Replace } else { Into::Row(bias) };
    product_of(level, size, x, &mut words, right, Out { values: &mut out, stride: columns, into });
    out
}

/// Adds the gradient of the matrix between `x` and a result with this gradient.
fn learn(packed: &PackedGraphLayer, x: View<'_>, gradient: View<'_>, to: &mut [f32]) {
    let level = packed.level;
    let size = Size { m: x.columns, n: gradient.columns, k: x.rows };
    if size.k == 0 {
        return;
    }
    let mut right = Aligned::scratch(product::words(level, size.n, size.k));
    product::right(level, gradient, &mut right);
    let mut words = Aligned::default();
    if level.rounds() {
        words = Aligned::scratch(product::words(level, size.m, size.k));
    }
    let out = Out { values: to, stride: size.n, into: Into::Add };
    product_of_transposed(level, size, x, &mut words, &right, out);
}
