//! Trunks of whole networks: blocks one after another.

use std::time::Duration;

use rayon::prelude::*;

use super::{Line, Work, numbers, time};
use crate::{
    Activation, Aligned, Arithmetic, Int8, Level, adamw, block, conv, encoder::Encoder, rows, smolgen,
};

/// A network by its trunk.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    pub name: &'static str,
    layers: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Transformer { width: usize, heads: usize },
    Residual { channels: usize },
}

/// The human network in HC3's size and a small one, and the trunk of `swift`.
pub const NETWORKS: &[Network] = &[
    Network { name: "human-hc3", layers: 8, kind: Kind::Transformer { width: 256, heads: 8 } },
    Network { name: "human-small", layers: 4, kind: Kind::Transformer { width: 128, heads: 8 } },
    Network { name: "residual-64x2", layers: 2, kind: Kind::Residual { channels: 64 } },
];

pub(super) const STEP: adamw::Step = adamw::Step {
    beta1: 0.9,
    beta2: 0.95,
    rate: 1e-5,
    root: 1.0,
    shrink: 1.0,
    decay: 1e-5,
    keep: 0.999,
    epsilon: 1e-8,
};

/// Numbers that one task takes of passes over everything.
const PIECE: usize = 64 * 1024;

enum TrunkLayer {
    Transformer(Box<block::PackedBlock>),
    Residual(Box<conv::PackedResidual>),
    ResidualInt8(Box<conv::int8::PackedResidualInt8>),
    Encoder(Box<Encoder>),
}

impl Network {
    pub fn named(name: &str) -> Option<&'static Network> {
        NETWORKS.iter().find(|network| network.name == name)
    }

    /// Whether this network can be measured so on this CPU.
    pub fn has(&self, work: Work) -> bool {
        work != Work::InferInt8 || Arithmetic::best().int8().is_some()
    }

    fn shapes(width: usize, heads: usize) -> (block::Shape, smolgen::Shape) {
        let activation = Activation::Gelu;
        let block = block::Shape { tokens: 64, width, heads, hidden: width, activation, biases: false };
        (block, smolgen::Shape { tokens: 64, width, heads, compressed: 16, hidden: 128, per_head: 128 })
    }

    /// Numbers per position.
    fn values(&self) -> usize {
        match self.kind {
            Kind::Transformer { width, .. } => 64 * width,
            Kind::Residual { channels } => 64 * channels,
        }
    }

    fn parameters(&self) -> Vec<f32> {
        let len = match self.kind {
            Kind::Transformer { width, heads } => {
                let (block, smolgen) = Network::shapes(width, heads);
                block::Layout::of(&block).total() + smolgen::Layout::of(&smolgen).total()
            }
            Kind::Residual { channels } => conv::parameters(channels),
        };
        numbers(len).into_iter().map(|x| 0.05 * x).collect()
    }

    /// Numbers at the end of a layer's parameters that all layers share: the last matrix of smolgen with its bias.
    fn shared(&self) -> usize {
        match self.kind {
            Kind::Transformer { width, heads } => {
                let layout = smolgen::Layout::of(&Network::shapes(width, heads).1);
                layout.total() - layout.range(smolgen::Part::Spread).start
            }
            Kind::Residual { .. } => 0,
        }
    }

    /// Operations of one layer on one position, in the forward pass.
    fn operations(&self) -> f64 {
        let products = match self.kind {
            Kind::Transformer { width, heads } => {
                let attention = 64 * (4 * width * width + 2 * 64 * width);
                let smolgen = 64 * 16 * (width + 128) + 128 * heads * 128 + heads * 128 * 4096;
                attention + 64 * 2 * width * width + smolgen
            }
            // Products with squares beyond the edge are none: 484 of 576 pairs of neighbours are on the board.
            Kind::Residual { channels } => 2 * 484 * channels * channels,
        };
        2.0 * products as f64
    }

    fn packed(&self, level: Level, parameters: &[f32], work: Work) -> TrunkLayer {
        let train = work == Work::Train;
        match self.kind {
            Kind::Residual { channels } if work == Work::InferInt8 => TrunkLayer::ResidualInt8(Box::new(
                conv::int8::PackedResidualInt8::new(level, channels, 0, parameters),
            )),
            Kind::Transformer { width, heads } if !train => {
                let (shape, own) = Network::shapes(width, heads);
                let mut arithmetic = Arithmetic::of(level);
                if let Some(int8) = Int8::best().filter(|_| work == Work::InferInt8) {
                    arithmetic = arithmetic.with_int8(int8);
                }
                let encoder = Encoder::of_block(arithmetic, &shape, Some(&own), parameters);
                TrunkLayer::Encoder(Box::new(encoder.expect("sizes in whole grains")))
            }
            Kind::Transformer { width, heads } => {
                let (shape, own) = Network::shapes(width, heads);
                let (first, rest) = parameters.split_at(block::Layout::of(&shape).total());
                let smolgen = smolgen::PackedSmolgen::new(level, own, rest, train);
                let packed = block::PackedBlock::new(level, shape, first, train).with_smolgen(smolgen);
                TrunkLayer::Transformer(Box::new(packed))
            }
            Kind::Residual { channels } => {
                TrunkLayer::Residual(Box::new(conv::PackedResidual::new(level, channels, parameters, train)))
            }
        }
    }

    /// Time for one block, there and back, on one thread with eight positions.
    pub(super) fn single_block(&self, level: Level, budget: Duration) -> Vec<Line> {
        let one = Network { layers: 1, ..*self };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let mut lines = pool.install(|| {
            [one.measure(level, Work::Infer, 8, budget), one.measure(level, Work::Train, 8, budget)]
        });
        lines[0].name = format!("{} block", self.name);
        lines[1].name = format!("{} block, trained", self.name);
        lines.into()
    }

    /// Median time of the trunk on a batch, on the threads of the current pool.
    pub fn measure(&self, level: Level, work: Work, batch: usize, budget: Duration) -> Line {
        let x = numbers(batch * self.values());
        let mut layers = vec![self.parameters(); self.layers];
        let ([seconds, cpu_seconds], passes) = match work {
            Work::Infer | Work::InferInt8 => {
                let packed: Vec<TrunkLayer> =
                    layers.iter().map(|layer| self.packed(level, layer, work)).collect();
                let mut activations = [x.clone(), x.clone()];
                let encoders: Vec<&Encoder> = packed
                    .iter()
                    .filter_map(|packed| match packed {
                        TrunkLayer::Encoder(encoder) => Some(&**encoder),
                        _ => None,
                    })
                    .collect();
                let seconds = time(budget, || {
                    if !encoders.is_empty() {
                        return Encoder::forward_all(&encoders, &x, None, &mut activations[0]);
                    }
                    activations[0].copy_from_slice(&x);
                    for packed in &packed {
                        let [from, to] = &mut activations;
                        match packed {
                            TrunkLayer::Transformer(packed) => block::forward(packed, from, None, to, None),
                            TrunkLayer::Residual(packed) => conv::forward(packed, from, to),
                            TrunkLayer::ResidualInt8(packed) => conv::int8::forward(packed, from, to),
                            TrunkLayer::Encoder(_) => unreachable!("done above"),
                        }
                        activations.swap(0, 1);
                    }
                });
                (seconds, 1.0)
            }
            Work::Train => {
                let (shared, own) = (self.shared(), layers[0].len() - self.shared());
                let zeros = |len: usize| [(); 3].map(|()| vec![0.0; len]);
                let mut moments: Vec<_> = layers.iter().map(|_| zeros(own)).chain([zeros(shared)]).collect();
                let mut activations = vec![x.clone(); self.layers + 1];
                let mut saved: Vec<Aligned> =
                    layers.iter().map(|_| Aligned::zeros(batch * self.saved(level))).collect();
                (
                    time(budget, || {
                        self.train(level, &mut layers, &mut moments, &mut activations, &mut saved);
                    }),
                    3.0,
                )
            }
        };
        let operations = passes * self.layers as f64 * batch as f64 * self.operations();
        Line { name: self.name.to_owned(), level, seconds, cpu_seconds, operations, positions: batch }
    }

    /// Numbers per position that a layer keeps for the backward pass.
    fn saved(&self, level: Level) -> usize {
        match self.kind {
            Kind::Transformer { width, heads } => Network::shapes(width, heads).0.saved(level),
            Kind::Residual { .. } => 0,
        }
    }

    /// One step. Buffers hold the input, then the output of each layer; the last moments are those of what layers share.
    fn train(
        &self,
        level: Level,
        layers: &mut [Vec<f32>],
        moments: &mut [[Vec<f32>; 3]],
        activations: &mut [Vec<f32>],
        saved: &mut [Aligned],
    ) {
        let packed: Vec<TrunkLayer> =
            layers.par_iter().map(|layer| self.packed(level, layer, Work::Train)).collect();
        let mut between: Vec<Option<conv::Between>> = vec![None; packed.len()];
        for (i, packed) in packed.iter().enumerate() {
            let [x, y] = activations.get_disjoint_mut([i, i + 1]).expect("two layers");
            match packed {
                TrunkLayer::Transformer(packed) => block::forward(packed, x, None, y, Some(&mut saved[i])),
                TrunkLayer::Residual(packed) => between[i] = Some(conv::forward_keeping(packed, x, y)),
                TrunkLayer::ResidualInt8(_) | TrunkLayer::Encoder(_) => unreachable!("packed to learn"),
            }
        }
        // The gradient of half the mean square.
        let last = activations.last().expect("a layer");
        let [mut gradient, mut to_x] = [(); 2].map(|()| Aligned::scratch(last.len()));
        let scale = 1.0 / last.len() as f32;
        gradient.par_chunks_mut(PIECE).zip(last.par_chunks(PIECE)).for_each(|(to, from)| {
            to.iter_mut().zip(from).for_each(|(to, y)| *to = scale * y);
        });
        let own = layers[0].len() - self.shared();
        let mut to_shared = vec![0.0; self.shared()];
        let update = |weights: &mut [f32], [mean, first, second]: &mut [Vec<f32>; 3], gradients: &[f32]| {
            adamw::update(level, STEP, adamw::Slices { weights, mean, first, second }, gradients);
        };
        for (i, packed) in packed.iter().enumerate().rev() {
            let (x, saved, y) = (&activations[i], &saved[i], &activations[i + 1]);
            let gradients = match packed {
                TrunkLayer::Transformer(packed) => {
                    block::backward(packed, block::Kept { x, saved, bias: None }, &gradient, &mut to_x, None)
                }
                TrunkLayer::Residual(packed) => {
                    let kept = conv::Kept { x, y, between: between[i].as_ref() };
                    conv::backward(packed, kept, &gradient, &mut to_x)
                }
                TrunkLayer::ResidualInt8(_) | TrunkLayer::Encoder(_) => unreachable!("packed to learn"),
            };
            std::mem::swap(&mut gradient, &mut to_x);
            let pieces = to_shared.par_chunks_mut(PIECE).zip(gradients[own..].par_chunks(PIECE));
            pieces.for_each(|(to, from)| rows::add(level, to, from));
            update(&mut layers[i][..own], &mut moments[i], &gradients[..own]);
        }
        let (first, others) = layers.split_first_mut().expect("a layer");
        update(&mut first[own..], moments.last_mut().expect("those of what is shared"), &to_shared);
        others.par_iter_mut().for_each(|layer| layer[own..].copy_from_slice(&first[own..]));
    }
}

/// Smolgen by itself, there and back, on one thread with eight positions.
pub(super) fn smolgen(level: Level, budget: Duration) -> [Line; 2] {
    const POSITIONS: usize = 8;
    let (_, shape) = Network::shapes(256, 8);
    let parameters = numbers(smolgen::Layout::of(&shape).total());
    let packed = smolgen::PackedSmolgen::new(level, shape, &parameters, true);
    let x = numbers(POSITIONS * shape.tokens * shape.width);
    let mut biases = numbers(POSITIONS * shape.heads * shape.tokens * shape.tokens);
    let there = time(budget, || packed.forward(&x, &mut biases));
    let (mut to_x, mut gradients) = (vec![0.0; x.len()], vec![0.0; parameters.len()]);
    let back = time(budget, || packed.backward(&x, &biases, &mut to_x, &mut gradients));
    let smolgen::Shape { tokens, width, heads, compressed, hidden, per_head } = shape;
    let products = tokens * compressed * (width + hidden)
        + hidden * heads * per_head
        + heads * per_head * tokens * tokens;
    let operations = 2.0 * (POSITIONS * products) as f64;
    // The backward pass goes there once more, without its last product.
    [("smolgen", there, 1.0), ("smolgen, back", back, 2.0)].map(|(name, [seconds, cpu_seconds], passes)| {
        Line {
            name: name.to_owned(),
            level,
            seconds,
            cpu_seconds,
            operations: passes * operations,
            positions: POSITIONS,
        }
    })
}
