//! Lookups per move and a small trunk: most of what a person sees is looked up, the rest two convolutions blend in.

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Tensor, TensorData, activation::relu},
};
use chess::encoding::swift;
use kernels::Level;

use super::{
    HumanConfig, Outputs, THINK_BINS,
    batch::{Batch, SwiftInput, indices},
};
use crate::{
    fused::{self, Flat, Operation, Ready},
    layers::Builder,
    weights::values,
};

/// Numbers per square by which origins and targets of legal moves are told apart.
const LEGAL_WIDTH: usize = 16;

#[derive(Module, Debug)]
pub(crate) struct Swift {
    places: Param<Tensor<2>>,
    tensions: Param<Tensor<2>>,
    marks: Param<Tensor<2>>,
    /// Has one row more, for places without a piece.
    parts: Param<Tensor<2>>,
    whole: Linear,
    board: Linear,
    blocks: Vec<Block>,
    from: Linear,
    to: Linear,
    around: Linear,
    kinds: Param<Tensor<2>>,
    paths: Param<Tensor<2>>,
    hidden: Linear,
    score: Linear,
    pool: Linear,
    outcome: Linear,
    think: Linear,
    origin: Linear,
    target: Linear,
    legal: Option<[Linear; 2]>,
}

/// Two 3x3 convolutions around a shortcut.
#[derive(Module, Debug)]
struct Block {
    first: Conv,
    second: Conv,
}

/// A 3x3 convolution on 8x8 squares. The weight is that of the product with each square's nine neighbours: [9 x in, out].
#[derive(Module, Debug)]
struct Conv {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

impl Swift {
    pub(super) fn new(config: &HumanConfig, builder: &mut Builder<'_>) -> Swift {
        let sizes = &config.swift;
        let (channels, hidden, accumulator) = (sizes.channels, sizes.hidden, sizes.accumulator);
        let context = accumulator + hidden;
        Swift {
            places: builder.normal([swift::PLACES, channels], 0.3),
            tensions: builder.normal([swift::TENSIONS, channels], 0.3),
            marks: builder.normal([swift::MARKS, channels], 0.3),
            parts: builder.normal([swift::PARTS + 1, accumulator], 0.1),
            whole: builder.linear(swift::WHOLE, hidden, true),
            board: builder.linear(context, channels, true),
            blocks: (0..sizes.blocks).map(|_| Block::new(channels, builder)).collect(),
            from: builder.linear(channels, hidden, false),
            to: builder.linear(channels, hidden, false),
            around: builder.linear(context, hidden, true),
            kinds: builder.normal([swift::KINDS, hidden], 0.1),
            paths: builder.normal([swift::PATHS, hidden], 0.1),
            hidden: builder.linear(hidden, hidden, true),
            score: builder.linear(hidden, 1, false),
            pool: builder.linear(channels + context, hidden, true),
            outcome: builder.linear(hidden, 3, true),
            think: builder.linear(hidden, THINK_BINS, true),
            origin: builder.linear(channels, 1, false),
            target: builder.linear(channels, 1, false),
            legal: (config.weights.legal > 0.0)
                .then(|| [(); 2].map(|()| builder.linear(channels, LEGAL_WIDTH, false))),
        }
    }

    /// `ready` holds the trunk packed for the CPU, or nothing.
    pub(super) fn forward(&self, batch: &Batch, input: &SwiftInput, train: bool, ready: &[Ready]) -> Outputs {
        let device = self.places.val().device();
        let rows =
            |table: &Param<Tensor<2>>, rows: &[i32]| table.val().select(0, indices(rows.to_vec(), &device));
        let [_, accumulator] = self.parts.val().dims();
        let parts = rows(&self.parts, &input.parts).reshape([batch.len, swift::MOST_PARTS, accumulator]);
        let parts = relu(parts.sum_dim(1).squeeze_dim::<2>(1)); // [batch, accumulator]
        let whole = TensorData::new(input.whole.clone(), [batch.len, swift::WHOLE]);
        let whole = relu(self.whole.forward(Tensor::<2>::from_data(whole, &device))); // [batch, hidden]
        let context = Tensor::cat(vec![parts, whole], 1); // [batch, context]

        let marks = TensorData::new(input.marks.clone(), [batch.len * 64, swift::MARKS]);
        let marks = Tensor::<2>::from_data(marks, &device).matmul(self.marks.val());
        let squares = rows(&self.places, &input.places) + rows(&self.tensions, &input.tensions) + marks;
        let [_, channels] = squares.dims();
        let board = self.board.forward(context.clone()).unsqueeze_dim::<3>(1); // [batch, 1, channels]
        let mut x = relu(squares.reshape([batch.len, 64, channels]) + board);
        if ready.is_empty() {
            for block in &self.blocks {
                x = block.forward(x);
            }
        } else {
            x = fused::apply_all(ready, x);
        }

        let flat = x.clone().reshape([batch.len * 64, channels]);
        let pick = |tensor: Tensor<2>, rows: &[i32]| tensor.select(0, indices(rows.to_vec(), &device));
        let moves = rows(&self.kinds, &input.kinds)
            + rows(&self.paths, &input.paths)
            + pick(self.from.forward(flat.clone()), &input.origins)
            + pick(self.to.forward(flat), &input.goals)
            + pick(self.around.forward(context.clone()), &input.owners); // [moves, hidden]
        let moves = self.score.forward(relu(self.hidden.forward(relu(moves)))); // [moves, 1]

        let pooled = Tensor::cat(vec![x.clone().mean_dim(1).squeeze_dim::<2>(1), context], 1);
        let pooled = relu(self.pool.forward(pooled)); // [batch, hidden]
        Outputs {
            moves: batch.rectangle(moves.squeeze_dim::<1>(1)),
            outcome: self.outcome.forward(pooled.clone()),
            think: self.think.forward(pooled),
            origin: self.origin.forward(x.clone()).squeeze_dim::<2>(2),
            target: self.target.forward(x.clone()).squeeze_dim::<2>(2),
            all_moves: self.legal.as_ref().filter(|_| train).map(|[from, to]| {
                let pairs = from.forward(x.clone()).matmul(to.forward(x).swap_dims(1, 2)); // [batch, 64, 64]
                pairs.reshape([batch.len, 64 * 64])
            }),
        }
    }
}

impl Swift {
    /// The trunk packed for the CPU; nothing where it does not fit.
    pub(super) fn ready(&self) -> Vec<Ready> {
        let ready =
            |block: &Block| Some(block.operation()?.ready(Level::best(), &values(block.flat()), false));
        self.blocks.iter().map(ready).collect::<Option<_>>().unwrap_or_default()
    }
}

impl Block {
    fn new(channels: usize, builder: &mut Builder<'_>) -> Block {
        let spread = (2.0 / (9 * channels) as f32).sqrt();
        // The second begins small, so that the block begins close to its shortcut.
        Block {
            first: Conv::new(channels, spread, builder),
            second: Conv::new(channels, 0.3 * spread, builder),
        }
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        match self.operation() {
            Some(operation) => fused::apply(Level::best(), operation, x, self.flat()),
            None => self.plain(x),
        }
    }

    /// This block as one operation, where that is possible.
    fn operation(&self) -> Option<Operation> {
        let [channels] = self.first.bias.val().dims();
        let operation = Operation::Residual { channels };
        (fused::reachable() && operation.fits()).then_some(operation)
    }

    fn flat(&self) -> Tensor<1> {
        let flat = Flat::new(&self.first.bias.val().device());
        let flat = flat.tensor(&self.first.weight).tensor(&self.first.bias);
        flat.tensor(&self.second.weight).tensor(&self.second.bias).done()
    }

    /// The same by burn's own operations.
    fn plain(&self, x: Tensor<3>) -> Tensor<3> {
        relu(x.clone() + self.second.forward(relu(self.first.forward(x))))
    }
}

impl Conv {
    fn new(channels: usize, spread: f32, builder: &mut Builder<'_>) -> Conv {
        Conv {
            weight: builder.normal([9 * channels, channels], spread),
            bias: builder.constant([channels], 0.0),
        }
    }

    /// [batch, 64, channels] to the same.
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [batch, squares, channels] = x.dims();
        let weight = self.weight.val().reshape([3, 3, channels, channels]).permute([3, 2, 0, 1]);
        let planes = x.swap_dims(1, 2).reshape([batch, channels, 8, 8]);
        let options = burn::tensor::ops::ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
        let planes = burn::tensor::module::conv2d(planes, weight, Some(self.bias.val()), options);
        planes.reshape([batch, channels, squares]).swap_dims(1, 2)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    #[test]
    fn a_fused_trunk_gives_what_plain_operations_give() {
        let device = Device::flex().autodiff();
        let mut builder = Builder::new(3, &device);
        let block = Block::new(32, &mut builder);
        let x = builder.normal([3, 64, 32], 1.0).val().require_grad();
        let weights = builder.normal([3, 64, 32], 1.0).val();
        let results = |y: Tensor<3>| {
            let gradients = (y.clone() * weights.clone()).sum().backward();
            let mut all = vec![values(y), values(x.grad(&gradients).expect("a gradient"))];
            let parameters = crate::weights::Weights::gradients(&block, &gradients);
            all.extend(parameters.0.into_values().map(|array| array.values));
            all
        };
        let expected = results(block.plain(x.clone()));
        for level in Level::all() {
            let operation = block.operation().expect("a block that fits");
            let found = results(fused::apply(level, operation, x.clone(), block.flat()));
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                // bf16 moves sums by a third of a percent of their spread, so one gate in a thousand opens or closes; a wrong
                // gate is wrong as a whole, and the root of a thousandth is 3 %.
                let size = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>().sqrt();
                let error = size(&mut found.iter().zip(expected).map(|(a, b)| a - b));
                let share = error / size(&mut expected.iter().copied());
                assert!(share < if level.rounds() { 0.06 } else { 1e-4 }, "{level} {at}: {share}");
            }
        }
    }
}
