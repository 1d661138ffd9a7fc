use super::*;
use crate::testing::{Plain, differences, random};

type Arrays = (Vec<u32>, Vec<u32>, Vec<u16>, Vec<f32>);

/// Two graphs with three and two pieces, with edges of every form.
struct Batch {
    pieces: Vec<usize>,
    lists: Vec<Arrays>,
}

fn relations() -> Vec<Relation> {
    let relation = |from, to, form, kinds| Relation { from, to, form, kinds };
    vec![
        relation(Node::Piece, Node::Piece, Form::Attention, 2),
        relation(Node::Piece, Node::Piece, Form::Gate, 3),
        relation(Node::Piece, Node::Square, Form::Sum, 0),
        relation(Node::Square, Node::Square, Form::Attention, 8),
        relation(Node::Square, Node::Piece, Form::Attention, 1),
        relation(Node::Piece, Node::Whole, Form::Attention, 1),
        relation(Node::Whole, Node::Piece, Form::Sum, 0),
    ]
}

impl Batch {
    fn new(graphs: usize) -> Batch {
        let pieces: Vec<usize> = (0..graphs).map(|graph| (0..=graph).map(|at| 3 - at % 2).sum()).collect();
        let mut lists = Vec::new();
        for (number, relation) in relations().iter().enumerate() {
            let mut list = (vec![0], Vec::new(), Vec::new(), Vec::new());
            let mut state = number;
            for graph in 0..graphs {
                let nodes = |node: Node| {
                    let first = if graph == 0 { 0 } else { pieces[graph - 1] };
                    [first..pieces[graph], 64 * graph..64 * graph + 64, graph..graph + 1][node as usize]
                        .clone()
                };
                for target in nodes(relation.to) {
                    // Some targets hear nothing.
                    for source in
                        nodes(relation.from).step_by(if relation.from == Node::Square { 13 } else { 1 })
                    {
                        state = (state * 31 + 7) % 101;
                        if state % 3 == 0 && relation.to != Node::Whole {
                            continue;
                        }
                        list.1.push(source as u32);
                        list.2.push(if relation.kinds == 0 { 0 } else { (state % relation.kinds) as u16 });
                        list.3.push(if target % 2 == 0 { (state % 7) as f32 / 7.0 } else { 0.0 });
                    }
                    list.0.push(list.1.len() as u32);
                }
            }
            lists.push(list);
        }
        Batch { pieces, lists }
    }

    fn graphs(&self) -> Graphs<'_> {
        let mut all = Vec::new();
        for (starts, sources, kinds, weights) in &self.lists {
            all.push(Edges { starts, sources, kinds, weights });
        }
        Graphs { pieces: &self.pieces, edges: all }
    }
}

fn shape() -> Shape {
    Shape { width: 32, heads: 2, feed: 16, relations: relations() }
}

fn parameters(shape: &Shape) -> Vec<f32> {
    let places = shape.places();
    let mut all: Vec<f32> = random(3, places.total).into_iter().map(|x| 0.3 * x).collect();
    for node in &places.nodes {
        [&node.norm, &node.feed_norm]
            .into_iter()
            .for_each(|place| all[place.clone()].iter_mut().for_each(|x| *x += 1.0));
    }
    all
}

/// The layer in f64, written as the formulas are.
fn plain(shape: &Shape, batch: &Batch, parameters: &[f64], x: &[f64]) -> Vec<f64> {
    let (places, (widths, columns)) = (shape.places(), shape.columns());
    let (graphs, d) = (batch.graphs(), shape.width);
    let nodes = graphs.nodes(0..graphs.len());
    let part = |place: &Range<usize>| &parameters[place.clone()];
    let rows = |node: Node| {
        let first = graphs.first_row(node);
        &x[first * d..(first + nodes[node as usize].len()) * d]
    };
    let projected = NODES.map(|node| {
        let place = &places.nodes[node as usize];
        let normed = Plain::norm(rows(node), part(&place.norm), part(&place.norm_bias));
        Plain::linear(&normed, part(&place.project), part(&place.project_bias))
    });
    let mut heard = NODES.map(|node| vec![0.0; rows(node).len()]);
    for (number, relation) in shape.relations.iter().enumerate() {
        let (edges, place, own) = (graphs.edges[number], &places.relations[number], columns[number]);
        let row = |node: Node, at: usize, column: usize, len: usize| {
            &projected[node as usize][at * widths[node as usize] + column..][..len]
        };
        let head = d / shape.heads;
        for target in nodes[relation.to as usize].clone() {
            for i in 0..shape.heads {
                let all = edges.of(target..target + 1);
                let logits: Vec<f64> = all
                    .clone()
                    .map(|edge| {
                        let (source, kind) = (edges.sources[edge] as usize, usize::from(edges.kinds[edge]));
                        let table = part(&place.table).get(kind * shape.heads + i).copied().unwrap_or(0.0);
                        match relation.form {
                            Form::Sum => 0.0,
                            Form::Gate => {
                                row(relation.from, source, own.gates, 16)[i]
                                    + row(relation.to, target, own.gates, 16)[8 + i]
                                    + table
                            }
                            Form::Attention => {
                                let key = &row(relation.from, source, own.key, d)[i * head..][..head];
                                let query = &row(relation.to, target, own.query, d)[i * head..][..head];
                                let dot: f64 = key.iter().zip(query).map(|(k, q)| k * q).sum();
                                let stake = 1.0 + part(&place.lambda)[0] * f64::from(edges.weights[edge]);
                                dot / (head as f64).sqrt() * stake + table
                            }
                        }
                    })
                    .collect();
                let shares = match relation.form {
                    Form::Sum => vec![1.0; logits.len()],
                    Form::Gate => logits.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect(),
                    Form::Attention => Plain::softmax(&logits),
                };
                for (edge, share) in all.zip(shares) {
                    let value =
                        &row(relation.from, edges.sources[edge] as usize, own.value, d)[i * head..][..head];
                    let to = &mut heard[relation.to as usize][target * d + i * head..][..head];
                    to.iter_mut().zip(value).for_each(|(to, value)| *to += share * value);
                }
            }
        }
    }
    let mut y = vec![0.0; x.len()];
    for node in NODES {
        let place = &places.nodes[node as usize];
        let mut between = Plain::linear(&heard[node as usize], part(&place.out), part(&place.out_bias));
        between.iter_mut().zip(rows(node)).for_each(|(to, x)| *to += x);
        let normed = Plain::norm(&between, part(&place.feed_norm), part(&place.feed_norm_bias));
        let up = Plain::linear(&normed, part(&place.up), part(&place.up_bias));
        let active: Vec<f64> = up.into_iter().map(|x| x.max(0.0)).collect();
        let down = Plain::linear(&active, part(&place.down), part(&place.down_bias));
        let first = graphs.first_row(node) * d;
        for (i, (down, between)) in down.iter().zip(&between).enumerate() {
            y[first + i] = down + between;
        }
    }
    y
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&x| f64::from(x)).collect()
}

#[test]
fn a_layer_and_its_gradients_match_plain_ones_at_every_level() {
    let (shape, batch) = (shape(), Batch::new(6));
    let graphs = batch.graphs();
    let parameters = parameters(&shape);
    let x = random(4, graphs.rows() * shape.width);
    let factors = random(5, x.len());
    let expected = plain(&shape, &batch, &wide(&parameters), &wide(&x));
    let sum = |y: &[f64]| y.iter().zip(&factors).map(|(y, f)| y * f64::from(*f)).sum::<f64>();
    // Some of every part; all of the small ones.
    let places = shape.places();
    let mut at: Vec<usize> = (0..places.total).step_by(997).collect();
    for relation in &places.relations {
        at.extend(relation.lambda.clone());
        at.extend(relation.table.clone().step_by(3));
    }
    let gradients = differences(&wide(&parameters), &at, |p| sum(&plain(&shape, &batch, p, &wide(&x))));
    let at_x: Vec<usize> = (0..x.len()).step_by(613).collect();
    let gradients_x = differences(&wide(&x), &at_x, |x| sum(&plain(&shape, &batch, &wide(&parameters), x)));
    let distance = |found: &[f32], expected: &[f64]| {
        let error: f64 = found.iter().zip(expected).map(|(a, b)| (f64::from(*a) - b).powi(2)).sum();
        (error / expected.iter().map(|x| x * x).sum::<f64>()).sqrt()
    };
    for level in Level::all() {
        let packed = PackedGraphLayer::new(level, &shape, &parameters, true);
        let mut y = vec![f32::NAN; x.len()];
        forward(&packed, &graphs, &x, &mut y);
        let mut to_x = vec![f32::NAN; x.len()];
        let to_parameters = backward(&packed, &graphs, &x, &factors, &mut to_x);
        let picked = |all: &[f32], at: &[usize]| at.iter().map(|&at| all[at]).collect::<Vec<_>>();
        let limit = if level.rounds() { 0.05 } else { 2e-5 };
        for (name, distance) in [
            ("results", distance(&y, &expected)),
            ("parameters", distance(&picked(&to_parameters, &at), &gradients)),
            ("inputs", distance(&picked(&to_x, &at_x), &gradients_x)),
        ] {
            assert!(distance < limit, "{level} {name}: {distance}");
        }
    }
}

#[test]
fn a_graph_says_the_same_alone_and_among_others() {
    let shape = shape();
    let packed = PackedGraphLayer::new(Level::best(), &shape, &parameters(&shape), false);
    let (one, many) = (Batch::new(1), Batch::new(9));
    let (alone, all) = (one.graphs(), many.graphs());
    let x = random(4, all.rows() * shape.width);
    let first = |x: &[f32]| {
        let nodes = alone.nodes(0..1);
        let rows = [Node::Square, Node::Whole, Node::Piece].map(|node| {
            let first = all.first_row(node) * shape.width;
            x[first..first + nodes[node as usize].len() * shape.width].to_vec()
        });
        rows.concat()
    };
    let (mut y, mut together) = (vec![0.0; alone.rows() * shape.width], vec![0.0; x.len()]);
    forward(&packed, &alone, &first(&x), &mut y);
    forward(&packed, &all, &x, &mut together);
    assert_eq!(y, first(&together));
}

#[test]
fn shares_of_attention_sum_to_one() {
    let (shape, batch) = (shape(), Batch::new(5));
    let packed = PackedGraphLayer::new(Level::best(), &shape, &parameters(&shape), false);
    let graphs = batch.graphs();
    let x = random(4, graphs.rows() * shape.width);
    let shares = attention(&packed, &graphs, &x, 0);
    let starts = graphs.edges[0].starts;
    assert_eq!(shares.len(), 2 * graphs.edges[0].sources.len());
    for target in starts.windows(2).filter(|target| target[0] < target[1]) {
        let own = &shares[2 * target[0] as usize..2 * target[1] as usize];
        let sum: f32 = own.iter().step_by(2).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }
}
