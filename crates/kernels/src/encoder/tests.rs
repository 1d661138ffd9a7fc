//! Every combination beside plain f64 code, at every arithmetic of this CPU.

use super::*;
use crate::{
    Int8,
    norm::NormKind,
    testing::{Plain, random},
};

/// Parameters as they come from a file, and the block's sizes.
struct Case {
    shape: Shape,
    kind: NormKind,
    biases: bool,
    residual: f32,
    smolgen: Option<Board>,
    smolgen_activation: Option<Activation>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Board {
    Mean,
    Compress(usize),
}

const DENSE: usize = 32;
const EACH: usize = 16;
const EPSILON: f32 = 1e-4;

/// Deterministic parameters by name.
fn matrix(name: u64, inputs: usize, outputs: usize) -> Vec<f32> {
    let scale = 2.0 / (inputs as f32).sqrt();
    random(name, inputs * outputs).into_iter().map(|x| x * scale).collect()
}

fn small(name: u64, len: usize, around: f32) -> Vec<f32> {
    random(name, len).into_iter().map(|x| around + 0.3 * x).collect()
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&x| f64::from(x)).collect()
}

impl Case {
    fn norm(&self, name: u64, kind: NormKind, len: usize) -> Norm {
        let bias = (kind == NormKind::Layer).then(|| small(name + 1, len, 0.0));
        Norm { kind, epsilon: EPSILON, weight: small(name, len, 1.0), bias }
    }

    fn sizes(&self) -> [(u64, usize, usize); 6] {
        let Shape { width, hidden, activation, .. } = self.shape;
        let square = |name| (name, width, width);
        let raised = hidden * activation.inputs();
        [square(10), square(20), square(30), square(40), (50, width, raised), (60, hidden, width)]
    }

    fn flat(&self) -> usize {
        match self.smolgen {
            Some(Board::Compress(each)) => self.shape.tokens * each,
            _ => self.shape.width,
        }
    }

    /// Numbers that the second norm of smolgen sees: one head's, or with activations all heads'.
    fn split(&self) -> usize {
        if self.smolgen_activation.is_some() { self.shape.heads * EACH } else { EACH }
    }

    fn encoder(&self, arithmetic: Arithmetic) -> Encoder {
        let stored = self
            .sizes()
            .map(|(name, inputs, outputs)| (matrix(name, inputs, outputs), small(name + 1, outputs, 0.0)));
        let [query, key, value, output, up, down] = [0, 1, 2, 3, 4, 5].map(|i: usize| {
            let (_, inputs, outputs) = self.sizes()[i];
            Linear::new(&stored[i].0, inputs, outputs, self.biases.then_some(&stored[i].1[..]))
        });
        let norms = [100, 110].map(|name| self.norm(name, self.kind, self.shape.width));
        let smolgen = self.smolgen.map(|board| self.smolgen(arithmetic, board));
        let weights =
            Weights { query, key, value, output, up, down, norms, smolgen, residual: self.residual };
        Encoder::new(arithmetic, self.shape, weights).expect("a good shape")
    }

    fn smolgen(&self, arithmetic: Arithmetic, board: Board) -> Smolgen {
        let Shape { tokens, width, heads, .. } = self.shape;
        let compress = match board {
            Board::Mean => Vec::new(),
            Board::Compress(each) => matrix(70, width, each),
        };
        let [dense, split, spread] = [
            matrix(71, self.flat(), DENSE),
            matrix(72, DENSE, heads * EACH),
            matrix(73, EACH, tokens * tokens),
        ];
        let [dense_bias, split_bias, spread_bias] =
            [small(74, DENSE, 0.0), small(75, heads * EACH, 0.0), small(76, tokens * tokens, 0.0)];
        let spread = Linear::new(&spread, EACH, tokens * tokens, Some(&spread_bias));
        Smolgen::new(
            arithmetic,
            SmolgenWeights {
                board: match board {
                    Board::Mean => BoardVector::Mean,
                    Board::Compress(each) => BoardVector::Compress(Linear::new(&compress, width, each, None)),
                },
                dense: Linear::new(&dense, self.flat(), DENSE, Some(&dense_bias)),
                dense_norm: self.norm(80, NormKind::Layer, DENSE),
                heads: Linear::new(&split, DENSE, heads * EACH, Some(&split_bias)),
                heads_norm: self.norm(82, NormKind::Layer, self.split()),
                activation: self.smolgen_activation,
                spread: SmolgenSpread::new(arithmetic, spread),
            },
        )
    }

    /// Position by position in f64.
    fn plain(&self, x: &[f32], bias: Option<&[f32]>, present: Option<&[bool]>) -> Vec<f64> {
        let Shape { tokens, .. } = self.shape;
        let (len, each) = (self.shape.values(), self.shape.bias_len());
        let position = |(i, x): (usize, &[f32])| {
            let x = wide(x);
            let bias = match self.smolgen {
                Some(board) => Some(self.plain_smolgen(&x, board)),
                None => bias.map(|bias| wide(&bias[i * each..][..each])),
            };
            self.plain_block(&x, bias.as_deref(), present.map(|present| &present[i * tokens..][..tokens]))
        };
        x.chunks(len).enumerate().flat_map(position).collect()
    }

    fn plain_block(&self, x: &[f64], bias: Option<&[f64]>, present: Option<&[bool]>) -> Vec<f64> {
        let linear = |i: usize, x: &[f64]| {
            let (name, inputs, outputs) = self.sizes()[i];
            let bias = if self.biases { wide(&small(name + 1, outputs, 0.0)) } else { vec![0.0; outputs] };
            Plain::linear(x, &wide(&matrix(name, inputs, outputs)), &bias)
        };
        let norm =
            |which: u64, x: &[f64]| plain_norm(&self.norm(100 + 10 * which, self.kind, self.shape.width), x);
        let before =
            |which, x: &[f64]| if self.shape.order == Order::Pre { norm(which, x) } else { x.to_vec() };
        let after = |which, x: Vec<f64>| if self.shape.order == Order::Post { norm(which, &x) } else { x };
        let join = |x: &[f64], y: Vec<f64>| -> Vec<f64> {
            x.iter().zip(y).map(|(x, y)| x + f64::from(self.residual) * y).collect()
        };
        let normed = before(0, x);
        let [query, key, value] = [0, 1, 2].map(|i| linear(i, &normed));
        let mixed = self.plain_attention(&query, &key, &value, bias, present);
        let x = after(0, join(x, linear(3, &mixed)));
        let raised = linear(4, &before(1, &x));
        let active = Plain::activation(self.shape.activation, &raised, self.shape.hidden);
        after(1, join(&x, linear(5, &active)))
    }

    fn plain_attention(
        &self,
        query: &[f64],
        key: &[f64],
        value: &[f64],
        bias: Option<&[f64]>,
        present: Option<&[bool]>,
    ) -> Vec<f64> {
        let Shape { tokens, width, heads, .. } = self.shape;
        let head = width / heads;
        let mut mixed = vec![0.0; tokens * width];
        for (number, row) in (0..heads).flat_map(|number| (0..tokens).map(move |row| (number, row))) {
            let part = |of: &[f64], token: usize| of[token * width + number * head..][..head].to_vec();
            let q = part(query, row);
            let scores: Vec<f64> = (0..tokens)
                .map(|token| {
                    let dot: f64 = q.iter().zip(part(key, token)).map(|(q, k)| q * k).sum();
                    let bias = bias.map_or(0.0, |bias| bias[(number * tokens + row) * tokens + token]);
                    let hidden = present.is_some_and(|present| !present[token]);
                    dot / (head as f64).sqrt() + bias - if hidden { 1e30 } else { 0.0 }
                })
                .collect();
            for (token, weight) in Plain::softmax(&scores).into_iter().enumerate() {
                for (to, v) in mixed[row * width + number * head..][..head].iter_mut().zip(part(value, token))
                {
                    *to += weight * v;
                }
            }
        }
        mixed
    }

    fn plain_smolgen(&self, x: &[f64], board: Board) -> Vec<f64> {
        let Shape { tokens, width, heads, .. } = self.shape;
        let flat: Vec<f64> = match board {
            Board::Mean => (0..width)
                .map(|column| x.iter().skip(column).step_by(width).sum::<f64>() / tokens as f64)
                .collect(),
            Board::Compress(each) => Plain::linear(x, &wide(&matrix(70, width, each)), &vec![0.0; each]),
        };
        let layer = |x: &[f64], weights: Vec<f32>, bias: Vec<f32>, norm: Norm| {
            let y = Plain::linear(x, &wide(&weights), &wide(&bias));
            let y = match self.smolgen_activation {
                Some(activation) => Plain::activation(activation, &y, y.len()),
                None => y,
            };
            plain_norm(&norm, &y)
        };
        let dense_norm = self.norm(80, NormKind::Layer, DENSE);
        let dense = layer(&flat, matrix(71, self.flat(), DENSE), small(74, DENSE, 0.0), dense_norm);
        let split_norm = self.norm(82, NormKind::Layer, self.split());
        let split = layer(&dense, matrix(72, DENSE, heads * EACH), small(75, heads * EACH, 0.0), split_norm);
        let square = tokens * tokens;
        Plain::linear(&split, &wide(&matrix(73, EACH, square)), &wide(&small(76, square, 0.0)))
    }
}

fn plain_norm(norm: &Norm, x: &[f64]) -> Vec<f64> {
    let width = norm.weight.len() as f64;
    let row = |row: &[f64]| -> Vec<f64> {
        let mean = if norm.kind == NormKind::Layer { row.iter().sum::<f64>() / width } else { 0.0 };
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width;
        let scale = 1.0 / (variance + f64::from(norm.epsilon)).sqrt();
        let bias = |i: usize| norm.bias.as_ref().map_or(0.0, |bias| f64::from(bias[i]));
        row.iter()
            .enumerate()
            .map(|(i, x)| (x - mean) * scale * f64::from(norm.weight[i]) + bias(i))
            .collect()
    };
    x.chunks(norm.weight.len()).flat_map(row).collect()
}

/// Every order, norm, activation and kind of smolgen, with different sizes.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let activations = [
        Activation::Gelu,
        Activation::Mish,
        Activation::SquaredRelu,
        Activation::Swish,
        Activation::SwiGlu,
        Activation::GeluTanh,
        Activation::Relu,
    ];
    let boards = [None, Some(Board::Mean), Some(Board::Compress(4))];
    let sizes = [[64, 32, 2, 32], [64, 64, 2, 48], [72, 48, 1, 96], [96, 64, 4, 32], [65, 32, 1, 64]];
    for (i, order) in [Order::Pre, Order::Post].into_iter().cycle().take(24).enumerate() {
        let [tokens, width, heads, hidden] = sizes[i % sizes.len()];
        // Smolgen's last matrix has whole groups of columns where the tokens have, too.
        let smolgen = boards[i / 2 % 3].filter(|_| tokens % 4 == 0);
        cases.push(Case {
            shape: Shape { tokens, width, heads, hidden, activation: activations[i % 7], order },
            kind: if i / 2 % 2 == 0 { NormKind::Layer } else { NormKind::Rms },
            biases: i / 4 % 2 == 0,
            residual: if i % 3 == 0 { 0.6 } else { 1.0 },
            smolgen,
            smolgen_activation: [None, Some(Activation::Gelu), Some(Activation::Swish)][i / 6 % 3],
        });
    }
    cases
}

fn error(found: &[f32], expected: &[f64]) -> f64 {
    let square = found.iter().zip(expected).map(|(y, e)| (f64::from(*y) - e).powi(2)).sum::<f64>();
    (square / expected.iter().map(|e| e * e).sum::<f64>()).sqrt()
}

fn allowed(arithmetic: Arithmetic) -> f64 {
    match arithmetic.int8() {
        Some(_) => 0.03,
        None if arithmetic.level().rounds() => 0.012,
        None => 2e-6,
    }
}

#[test]
fn every_combination_is_close_to_plain_code() {
    for (i, case) in cases().iter().enumerate() {
        let x = random(i as u64, 2 * case.shape.values());
        let bias = case.smolgen.is_none().then(|| random(7, 2 * case.shape.bias_len()));
        let present: Option<Vec<bool>> =
            (i % 4 == 1).then(|| (0..2 * case.shape.tokens).map(|token| token % 5 != 0).collect());
        let extra = Extra { bias: bias.as_deref(), present: present.as_deref() };
        let expected = case.plain(&x, extra.bias, extra.present);
        for arithmetic in Arithmetic::all() {
            let mut y = vec![0.0; x.len()];
            case.encoder(arithmetic).forward(&x, extra, &mut y);
            let error = error(&y, &expected);
            assert!(error < allowed(arithmetic), "case {i} {arithmetic} {:?}: {error}", case.shape);
        }
    }
}

#[test]
fn a_position_has_the_same_bits_alone_and_among_others() {
    for case in cases().iter().take(8) {
        for arithmetic in Arithmetic::all() {
            let encoder = case.encoder(arithmetic);
            let len = case.shape.values();
            let x = random(3, 35 * len);
            let mut together = vec![0.0; x.len()];
            encoder.forward(&x, Extra::default(), &mut together);
            for i in [0, 1, 17, 34] {
                let mut alone = vec![0.0; len];
                encoder.forward(&x[i * len..][..len], Extra::default(), &mut alone);
                assert_eq!(alone, together[i * len..][..len], "{arithmetic} {:?} {i}", case.shape);
            }
        }
    }
}

#[test]
fn several_blocks_give_what_one_after_the_other_gives() {
    let case = &cases()[6];
    let [len, tokens] = [case.shape.values(), case.shape.tokens];
    let x = random(3, 19 * len);
    let present: Vec<bool> = (0..19 * tokens).map(|token| token % 7 != 0).collect();
    for (arithmetic, count) in
        Arithmetic::all().flat_map(|arithmetic| [0, 1, 2, 3].map(|count| (arithmetic, count)))
    {
        let encoder = case.encoder(arithmetic);
        let mut y = x.clone();
        let extra = Extra { bias: None, present: Some(&present) };
        for _ in 0..count {
            encoder.forward(&y.clone(), extra, &mut y);
        }
        let mut together = vec![0.0; x.len()];
        Encoder::forward_all(&vec![&encoder; count], &x, Some(&present), &mut together);
        assert_eq!(y, together, "{arithmetic} {count}");
    }
}

#[test]
fn every_kind_of_int8_gives_the_same_bits() {
    let case = &cases()[2];
    let x = random(3, 2 * case.shape.values());
    let outputs: Vec<Vec<f32>> = Int8::all()
        .map(|int8| {
            let mut y = vec![0.0; x.len()];
            let arithmetic = Arithmetic::of(crate::Level::best()).with_int8(int8);
            case.encoder(arithmetic).forward(&x, Extra::default(), &mut y);
            y
        })
        .collect();
    assert!(outputs.iter().all(|y| y == &outputs[0]));
}

#[test]
fn weights_of_the_wrong_size_are_refused_by_name() {
    let case = &cases()[0];
    let square = matrix(1, 32, 32);
    let linear = Linear::new(&square, 32, 32, None);
    let narrow = Linear::new(&square[..32 * 16], 32, 16, None);
    let norms = [100, 110].map(|name| case.norm(name, NormKind::Layer, 32));
    let weights = Weights {
        query: linear,
        key: linear,
        value: linear,
        output: linear,
        up: linear,
        down: narrow,
        norms,
        smolgen: None,
        residual: 1.0,
    };
    let error = Encoder::new(Arithmetic::best(), case.shape, weights).unwrap_err();
    assert!(error.to_string().contains("down"), "{error}");
}
