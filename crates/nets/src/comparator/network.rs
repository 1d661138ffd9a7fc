//! The network: an encoder of positions (Pos2Vec), decoders for its pre-training, and the comparison of two embeddings.

use std::sync::Arc;

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{
        Tensor,
        activation::{relu, sigmoid},
    },
};
use chess::encoding::comparator;
use kernels::{Level, layer};

use super::ComparatorConfig;
use crate::{
    fused::{self, Flat, Lookups, Operation},
    layers::{Builder, dense, plain_sums},
};

/// The row of the first layer that every position looks up: its bias.
pub(super) const BIAS: i32 = comparator::LEN as i32;
/// Positions whose embeddings are kept with the weights, to put a number on others by comparing with them.
pub(super) const REFERENCES: usize = 16;
/// Bits of a position that are usually set, of all 773.
const USUALLY_SET: f32 = 30.0;

#[derive(Module, Debug)]
pub(crate) struct Comparator {
    /// The first layer: a row for each of the 773 bits, and the bias.
    places: Param<Tensor<2>>,
    /// The layers above it.
    encoder: Vec<Linear>,
    /// From the output of each layer back to its input.
    decoders: Vec<Linear>,
    /// Layers of the comparison; the first takes two embeddings side by side.
    compare: Vec<Linear>,
    verdict: Linear,
    /// Embeddings from lost to won, measured after training.
    pub(super) references: Param<Tensor<2>>,
    /// Log odds of a point for each of the comparison's log odds, measured after training.
    pub(super) odds: Param<Tensor<1>>,
}

impl Comparator {
    pub(super) fn new(config: &ComparatorConfig, builder: &mut Builder<'_>) -> Comparator {
        let first = config.encoder[0];
        let embedding = config.embedding();
        let rectified = |builder: &mut Builder<'_>, inputs: usize, outputs: usize| {
            builder.linear_spread(inputs, outputs, true, (2.0 / inputs as f32).sqrt())
        };
        let places = builder.normal([comparator::LEN + 1, first], (2.0 / USUALLY_SET).sqrt());
        let encoder = config.encoder.windows(2).map(|pair| rectified(builder, pair[0], pair[1])).collect();
        let inputs = [comparator::LEN].into_iter().chain(config.encoder.iter().copied());
        let decoders =
            inputs.zip(&config.encoder).map(|(input, &output)| builder.linear(output, input, true)).collect();
        let widths: Vec<usize> = [2 * embedding].into_iter().chain(config.compare.iter().copied()).collect();
        Comparator {
            places,
            encoder,
            decoders,
            compare: widths.windows(2).map(|pair| rectified(builder, pair[0], pair[1])).collect(),
            verdict: builder.linear(widths[widths.len() - 1], 2, true),
            references: builder.constant([REFERENCES, embedding], 0.0),
            odds: builder.constant([1], 1.0),
        }
    }

    /// What the first `layers` layers make of positions: [positions, width].
    pub(super) fn encode(&self, places: &Arc<Lookups>, layers: usize) -> Tensor<2> {
        let first = relu(sums(places, self.places.val()));
        self.encoder[..layers - 1].iter().fold(first, |x, linear| dense(linear, x, true))
    }

    /// All layers: [positions, embedding].
    pub(super) fn embed(&self, places: &Arc<Lookups>) -> Tensor<2> {
        self.encode(places, self.encoder.len() + 1)
    }

    /// What layer `at` (from 1) makes of `x`, the output of the layer before; the first looks its rows up.
    pub(super) fn encode_layer(&self, at: usize, places: &Arc<Lookups>) -> (Option<Tensor<2>>, Tensor<2>) {
        match at {
            1 => (None, self.encode(places, 1)),
            _ => {
                let x = self.encode(places, at - 1).detach();
                let code = dense(&self.encoder[at - 2], x.clone(), true);
                (Some(x), code)
            }
        }
    }

    /// The input of layer `at` (from 1) rebuilt from its output; of the first layer the log odds of its bits.
    pub(super) fn decode_layer(&self, at: usize, code: Tensor<2>) -> Tensor<2> {
        dense(&self.decoders[at - 1], code, at > 1)
    }

    /// The bits rebuilt from the output of layer `at`: [positions, 773], from 0 to 1.
    pub(super) fn decode(&self, at: usize, code: Tensor<2>) -> Tensor<2> {
        sigmoid((1..=at).rev().fold(code, |code, at| self.decode_layer(at, code)))
    }

    /// The part of the comparison that hangs on one position alone, as the first of a pair and as the second: [2 x positions, width].
    pub(super) fn halves(&self, embeddings: Tensor<2>) -> Tensor<2> {
        let [positions, embedding] = embeddings.dims();
        let weight = self.compare[0].weight.val();
        let [_, width] = weight.dims();
        let both = Tensor::cat(weight.split(embedding, 0), 1); // [embedding, 2 x width]
        let shape = layer::Shape { inputs: embedding, outputs: 2 * width, rectified: false };
        let halves = match (Operation::Layer { shape }).possible() {
            Some(operation) => {
                let nothing = Tensor::<1>::zeros([2 * width], &embeddings.device());
                let flat = Flat::new(&embeddings.device()).values(both).values(nothing).done();
                fused::apply(Level::best(), operation, embeddings, flat)
            }
            None => embeddings.matmul(both),
        };
        halves.reshape([2 * positions, width])
    }

    /// Log odds that the first is better, minus those that the second is, of pairs of halves and the bias behind them: [pairs].
    pub(super) fn compare(&self, halves: Tensor<2>, pairs: &Arc<Lookups>) -> Tensor<1> {
        let [_, width] = halves.dims();
        let bias = self.compare[0].bias.as_ref().expect("it has a bias").val().reshape([1, width]);
        let first = relu(sums(pairs, Tensor::cat(vec![halves, bias], 0)));
        let last = self.compare[1..].iter().fold(first, |x, linear| dense(linear, x, true));
        let verdict = dense(&self.verdict, last, false); // [pairs, 2]
        let pairs = verdict.dims()[0];
        let [better, worse] = [0, 1].map(|at| verdict.clone().narrow(1, at, 1).reshape([pairs]));
        better - worse
    }

    pub(super) fn parts(&self) -> Parts<'_> {
        let Comparator { places, encoder, compare, verdict, references, odds, .. } = self;
        Parts { places, encoder, compare, verdict, references, odds }
    }
}

/// What plays, for packing.
pub(super) struct Parts<'a> {
    pub(super) places: &'a Param<Tensor<2>>,
    pub(super) encoder: &'a [Linear],
    pub(super) compare: &'a [Linear],
    pub(super) verdict: &'a Linear,
    pub(super) references: &'a Param<Tensor<2>>,
    pub(super) odds: &'a Param<Tensor<1>>,
}

/// Sums of rows of a table: [bags, width].
fn sums(lookups: &Arc<Lookups>, table: Tensor<2>) -> Tensor<2> {
    let [rows, width] = table.dims();
    let operation = Operation::Sums { lookups: Arc::clone(lookups), width };
    match operation.possible() {
        Some(operation) => {
            let nothing = Tensor::<1>::zeros([1], &table.device());
            fused::apply(Level::best(), operation, nothing, table.reshape([rows * width]))
        }
        None => plain_sums(table, lookups),
    }
}
