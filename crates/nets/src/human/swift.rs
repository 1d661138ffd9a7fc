//! Lookups per move and a small trunk: most of what a person sees is looked up, the rest two convolutions blend in.

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Tensor, TensorData, activation::relu},
};
use chess::encoding::swift;

use super::{
    HumanConfig, Outputs, THINK_BINS,
    batch::{Batch, SwiftInput, indices},
};
use crate::layers::Builder;

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

    pub(super) fn forward(&self, batch: &Batch, input: &SwiftInput, train: bool) -> Outputs {
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
        for block in &self.blocks {
            x = block.forward(x);
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
