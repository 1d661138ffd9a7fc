//! A layer of weighted heterogeneous graph attention: for each type of node query, key and value, for each relation its matrices.

use std::sync::Arc;

use burn::{
    module::{Module, Param},
    nn::{LayerNorm, Linear},
    tensor::{
        IndexingUpdateOp, Tensor, TensorData,
        activation::{relu, sigmoid, softmax},
    },
};
use kernels::{
    Level,
    graph::{Form, GATES, MOST_HEADS, NODES, Node, Relation, Shape},
};

use super::{GraphConfig, links::Link};
use crate::{
    fused::{self, EdgeList, Flat, GraphLists, Operation, Ready},
    layers::{Builder, indices},
    weights,
};

/// What each edge counts, relation by relation.
pub(super) type Shares = Vec<Vec<f32>>;

#[derive(Module, Debug)]
pub(super) struct Layer {
    nodes: Vec<NodeLayer>,
    relations: Vec<RelationLayer>,
}

/// What the nodes of a type have of their own.
#[derive(Module, Debug)]
struct NodeLayer {
    norm: LayerNorm,
    /// Nothing where no relation asks for it.
    query: Option<Linear>,
    key: Option<Linear>,
    value: Linear,
    out: Linear,
    feed_norm: LayerNorm,
    up: Linear,
    down: Linear,
}

#[derive(Module, Debug)]
struct RelationLayer {
    /// From a source's key and value to those of the relation: [heads, head, head].
    attention: Option<Param<Tensor<3>>>,
    message: Param<Tensor<3>>,
    /// What nodes say to gates, as sources and as targets: [width, GATES].
    gates: Option<Param<Tensor<2>>>,
    /// How much the weight of an edge counts.
    lambda: Option<Param<Tensor<1>>>,
    /// A bias for each kind of edge: [kinds, heads].
    kinds: Option<Param<Tensor<2>>>,
}

/// The shape of a network's layers.
pub(super) fn shape(config: &GraphConfig) -> Shape {
    let relations = Link::all(config).into_iter().map(Link::relation).collect();
    Shape { width: config.width, heads: config.heads, feed: config.feed, relations }
}

impl Layer {
    pub(super) fn new(shape: &Shape, builder: &mut Builder<'_>) -> Layer {
        let (width, heads, feed) = (shape.width, shape.heads, shape.feed);
        let head = width / heads;
        let attends = |end: fn(&Relation) -> Node, node: Node| {
            let own = |relation: &&Relation| relation.form == Form::Attention && end(relation) == node;
            shape.relations.iter().any(|relation| own(&relation))
        };
        let nodes = NODES.into_iter().map(|node| NodeLayer {
            norm: builder.norm(width),
            query: attends(|relation| relation.to, node).then(|| builder.linear(width, width, true)),
            key: attends(|relation| relation.from, node).then(|| builder.linear(width, width, false)),
            value: builder.linear(width, width, true),
            // Beginning near its shortcut, a deep network learns from the first step on.
            out: builder.linear_spread(width, width, true, 0.5 / (width as f32).sqrt()),
            feed_norm: builder.norm(width),
            up: builder.linear(width, feed, true),
            down: builder.linear_spread(feed, width, true, 0.5 / (feed as f32).sqrt()),
        });
        let nodes = nodes.collect();
        let spread = 1.0 / (head as f32).sqrt();
        let relations = shape.relations.iter().map(|relation| {
            let (attention, gate) = (relation.form == Form::Attention, relation.form == Form::Gate);
            RelationLayer {
                attention: attention.then(|| builder.normal([heads, head, head], spread)),
                message: builder.normal([heads, head, head], spread),
                gates: gate.then(|| builder.normal([width, GATES], 0.5 / (width as f32).sqrt())),
                lambda: attention.then(|| builder.constant([1], 1.0)),
                kinds: (relation.kinds > 0).then(|| builder.constant([relation.kinds, heads], 0.0)),
            }
        });
        let relations = relations.collect();
        Layer { nodes, relations }
    }

    /// All nodes of a batch: [rows, width].
    pub(super) fn forward(&self, shape: &Shape, graphs: &Arc<GraphLists>, x: Tensor<2>) -> Tensor<2> {
        let operation = Operation::Graph { graphs: Arc::clone(graphs), shape: shape.clone() };
        match operation.possible() {
            Some(operation) => fused::apply(Level::best(), operation, x, self.flat(shape)),
            None => self.plain(shape, graphs, x, None),
        }
    }

    /// The same, and how much each edge of each relation counts: its share of what its target hears, or how open its gate is, as a mean
    /// over the heads.
    pub(super) fn watched(&self, shape: &Shape, graphs: &GraphLists, x: Tensor<2>) -> (Tensor<2>, Shares) {
        let mut shares = Shares::new();
        let x = self.plain(shape, graphs, x, Some(&mut shares));
        (x, shares)
    }

    /// Packed for the CPU; nothing where it does not fit.
    pub(super) fn packed(&self, shape: &Shape) -> Option<Ready> {
        let operation = Operation::Graph { graphs: Arc::default(), shape: shape.clone() }.possible()?;
        Some(operation.packed(self.flat(shape)))
    }

    /// Matrix and bias by which the nodes of a type become queries, keys, values and gates, with the matrices of relations in them.
    fn projection(&self, shape: &Shape, node: Node) -> (Tensor<2>, Tensor<1>) {
        let (own, heads) = (&self.nodes[node as usize], shape.heads);
        let device = own.value.weight.val().device();
        let (mut weights, mut biases) = (Vec::new(), Vec::new());
        if let Some(query) = &own.query {
            weights.push(query.weight.val());
            biases.push(bias(query));
        }
        for (relation, parts) in shape.relations.iter().zip(&self.relations) {
            if relation.from != node {
                continue;
            }
            if let (Some(key), Some(matrix)) = (&own.key, &parts.attention) {
                weights.push(by_head(key.weight.val(), matrix.val(), heads));
                biases.push(Tensor::zeros([shape.width], &device));
            }
            weights.push(by_head(own.value.weight.val(), parts.message.val(), heads));
            let value = bias(&own.value).unsqueeze_dim::<2>(0);
            biases.push(by_head(value, parts.message.val(), heads).squeeze_dim::<1>(0));
            if let Some(gates) = &parts.gates {
                weights.push(gates.val());
                biases.push(Tensor::zeros([GATES], &device));
            }
        }
        (Tensor::cat(weights, 1), Tensor::cat(biases, 0))
    }

    fn flat(&self, shape: &Shape) -> Tensor<1> {
        let mut flat = Flat::new(&self.nodes[0].value.weight.val().device());
        for (node, own) in NODES.into_iter().zip(&self.nodes) {
            let (weight, bias) = self.projection(shape, node);
            flat = flat.norm(&own.norm).values(weight).values(bias).linear(&own.out);
            flat = flat.norm(&own.feed_norm).linear(&own.up).linear(&own.down);
        }
        for relation in &self.relations {
            flat = relation.lambda.iter().fold(flat, Flat::tensor);
            flat = relation.kinds.iter().fold(flat, Flat::tensor);
        }
        flat.done()
    }

    /// The same by burn's own operations.
    fn plain(
        &self,
        shape: &Shape,
        graphs: &GraphLists,
        x: Tensor<2>,
        mut watch: Option<&mut Shares>,
    ) -> Tensor<2> {
        let device = x.device();
        let (count, pieces) = (graphs.pieces.len(), graphs.pieces.last().copied().unwrap_or(0));
        let rows = |node: Node, x: &Tensor<2>| match node {
            Node::Square => x.clone().narrow(0, 0, 64 * count),
            Node::Whole => x.clone().narrow(0, 64 * count, count),
            Node::Piece => x.clone().narrow(0, 65 * count, pieces),
        };
        let projected = NODES.map(|node| {
            let (weight, bias) = self.projection(shape, node);
            let normed = self.nodes[node as usize].norm.forward(rows(node, &x));
            normed.matmul(weight) + bias.unsqueeze_dim::<2>(0)
        });
        let mut heard = NODES.map(|node| Tensor::zeros([rows(node, &x).dims()[0], shape.width], &device));
        let (_, columns) = shape.columns();
        for (at, relation) in shape.relations.iter().enumerate() {
            let (parts, own) = (&self.relations[at], columns[at]);
            let (from, to) = (&projected[relation.from as usize], &projected[relation.to as usize]);
            let wide = Wide::new(&graphs.edges[at]);
            if wide.longest == 0 {
                watch.iter_mut().for_each(|watch| watch.push(Vec::new()));
                continue;
            }
            let heads = shape.heads;
            let part = |all: &Tensor<2>, column: usize, len: usize| all.clone().narrow(1, column, len);
            let pick = |all: Tensor<2>| {
                let [_, len] = all.dims();
                let picked = all.select(0, indices(wide.sources.clone(), &device));
                picked.reshape([wide.targets, wide.longest, heads, len / heads])
            };
            let values = pick(part(from, own.value, shape.width)); // [targets, longest, heads, head]
            let there = wide.numbers(&wide.there, &device);
            let kinds = parts.kinds.as_ref().map(|kinds| {
                let picked = kinds.val().select(0, indices(wide.kinds.clone(), &device));
                picked.reshape([wide.targets, wide.longest, heads])
            });
            let shares: Tensor<3> = match relation.form {
                Form::Sum => there.repeat_dim(2, heads),
                Form::Gate => {
                    let sources = pick(part(from, own.gates, heads)).squeeze_dim::<3>(3);
                    let targets = part(to, own.gates + MOST_HEADS, heads).unsqueeze_dim::<3>(1);
                    sigmoid(sources + targets + kinds.expect("gates have kinds")) * there
                }
                Form::Attention => {
                    let keys = pick(part(from, own.key, shape.width));
                    let head = shape.width / heads;
                    let queries = part(to, own.query, shape.width).reshape([wide.targets, 1, heads, head]);
                    let scores = (keys * queries).sum_dim(3).squeeze_dim::<3>(3) / (head as f32).sqrt();
                    let lambda = parts.lambda.as_ref().expect("attention has one").val().reshape([1, 1, 1]);
                    let stakes = wide.numbers(&wide.weights, &device) * lambda + 1.0;
                    let absent = (there.clone() - 1.0) * 1e9;
                    let scores = scores * stakes + kinds.expect("attention has kinds") + absent;
                    softmax(scores, 1) * there
                }
            };
            if let Some(watch) = &mut watch {
                watch.push(wide.edges(&weights::values(shares.clone().mean_dim(2))));
            }
            let sum = (values * shares.unsqueeze_dim::<4>(3)).sum_dim(1); // [targets, 1, heads, head]
            let sum = sum.reshape([wide.targets, shape.width]);
            heard[relation.to as usize] = heard[relation.to as usize].clone() + sum;
        }
        let [pieces, squares, wholes] = NODES.map(|node| {
            let own = &self.nodes[node as usize];
            let x = rows(node, &x) + own.out.forward(heard[node as usize].clone());
            x.clone() + own.down.forward(relu(own.up.forward(own.feed_norm.forward(x))))
        });
        Tensor::cat(vec![squares, wholes, pieces], 0)
    }
}

fn bias(layer: &Linear) -> Tensor<1> {
    layer.bias.as_ref().expect("made with a bias").val()
}

/// A matrix times another for each head: [rows, heads x head] by [heads, head, head].
fn by_head(matrix: Tensor<2>, by: Tensor<3>, heads: usize) -> Tensor<2> {
    let [rows, width] = matrix.dims();
    let parts = matrix.reshape([rows, heads, width / heads]).swap_dims(0, 1); // [heads, rows, head]
    parts.matmul(by).swap_dims(0, 1).reshape([rows, width])
}

/// The edges of a relation in a rectangle: as many places for each target as the one with the most edges needs.
struct Wide {
    targets: usize,
    longest: usize,
    sources: Vec<i32>,
    kinds: Vec<i32>,
    weights: Vec<f32>,
    /// 1 where there is an edge.
    there: Vec<f32>,
}

impl Wide {
    fn new(list: &EdgeList) -> Wide {
        let targets = list.starts.len().saturating_sub(1);
        let longest = list.starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0);
        let places = targets * longest;
        let (sources, kinds) = (vec![0; places], vec![0; places]);
        let (weights, there) = (vec![0.0; places], vec![0.0; places]);
        let mut wide = Wide { targets, longest, sources, kinds, weights, there };
        for (target, pair) in list.starts.windows(2).enumerate() {
            for (place, edge) in (pair[0] as usize..pair[1] as usize).enumerate() {
                let place = target * longest + place;
                wide.sources[place] = list.sources[edge] as i32;
                wide.kinds[place] = i32::from(list.kinds[edge]);
                (wide.weights[place], wide.there[place]) = (list.weights[edge], 1.0);
            }
        }
        wide
    }

    /// What belongs to edges that exist, in the order of their list.
    fn edges(&self, all: &[f32]) -> Vec<f32> {
        all.iter().zip(&self.there).filter(|(_, there)| **there == 1.0).map(|(value, _)| *value).collect()
    }

    /// [targets, longest, 1].
    fn numbers(&self, values: &[f32], device: &burn::tensor::Device) -> Tensor<3> {
        Tensor::from_data(TensorData::new(values.to_vec(), [self.targets, self.longest, 1]), device)
    }
}

/// The mean of the pieces of each graph: [graphs, width].
pub(super) fn piece_means(x: Tensor<2>, owners: &[i32], graphs: usize) -> Tensor<2> {
    let device = x.device();
    let [_, width] = x.dims();
    let mut counts = vec![0.0f32; graphs];
    owners.iter().for_each(|&owner| counts[owner as usize] += 1.0);
    let shares: Vec<f32> = counts.iter().map(|count| 1.0 / count.max(1.0)).collect();
    let shares = Tensor::<2>::from_data(TensorData::new(shares, [graphs, 1]), &device);
    let sums = Tensor::zeros([graphs, width], &device);
    let sums = sums.select_assign(0, indices(owners.to_vec(), &device), x, IndexingUpdateOp::Add);
    sums * shares
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use chess::Moment;

    use super::*;
    use crate::{
        graph::batch::GraphBatch,
        weights::{Weights, values},
    };

    #[test]
    fn the_fused_layer_gives_what_plain_operations_give() {
        let device = Device::flex().autodiff();
        let config = GraphConfig { width: 32, heads: 2, feed: 16, ..GraphConfig::default() };
        let shape = shape(&config);
        let layer = Layer::new(&shape, &mut Builder::new(5, &device));
        let moments = ["e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4 d5c4", "", "e2e4 c7c5 g1f3 d7d6 f1b5", "g2g4"]
            .map(|moves| Moment::default().after_uci(moves.split_whitespace()).expect("legal moves"));
        let batch = GraphBatch::from_moments(&config, &moments.iter().collect::<Vec<_>>(), true);
        let rows = batch.graphs.view().rows();
        let x = Builder::new(6, &device).normal([rows, 32], 1.0).val();
        let factors = Builder::new(7, &device).normal([rows, 32], 1.0).val();
        let results = |y: Tensor<2>| {
            let gradients = Weights::gradients(&layer, &(y.clone() * factors.clone()).sum().backward());
            let mut named = vec![("results".to_owned(), values(y))];
            named.extend(gradients.0.into_iter().map(|(name, array)| (name, array.values)));
            named
        };
        let expected = results(layer.plain(&shape, &batch.graphs, x.clone(), None));
        let found = results(layer.forward(&shape, &batch.graphs, x));
        assert_eq!(found.len(), expected.len());
        let size = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>().sqrt();
        for ((name, found), (_, expected)) in found.iter().zip(&expected) {
            let error = size(&mut found.iter().zip(expected).map(|(a, b)| a - b));
            let share = error / size(&mut expected.iter().copied()).max(1e-3);
            // In bf16 a gate of the feed-forward part now and then opens that should be closed, and is wrong as a whole.
            assert!(share < if Level::best().rounds() { 0.12 } else { 1e-3 }, "{name}: {share}");
        }
    }
}
