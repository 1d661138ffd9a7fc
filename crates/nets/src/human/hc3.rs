//! The seed's transformer: 64 squares as tokens, attention with a bias that the position itself makes (smolgen).

use burn::{
    module::{Module, Param},
    nn::{LayerNorm, Linear},
    tensor::{Int, Tensor, TensorData, activation},
};
use chess::{encoding::hc3, vocabulary::geometric};
use kernels::{Activation, Level, block, smolgen};

use super::{
    Hc3Config, Outputs, THINK_BINS,
    batch::{Batch, Hc3Input},
};
use crate::{
    fused::{self, Flat, Operation, Ready},
    layers::{Builder, indices},
};

/// Spread of the first weights, as in the seed.
const SPREAD: f32 = 0.02;

#[derive(Module, Debug)]
pub(crate) struct Hc3 {
    embed: Linear,
    /// What is learned about each square by itself: [64, width].
    squares: Param<Tensor<2>>,
    blocks: Vec<Block>,
    /// From the numbers of a head to its bias; shared by all blocks.
    bias: Option<Linear>,
    norm: LayerNorm,
    /// How much each square counts for each head, before softmax: [heads, 64].
    shares: Param<Tensor<2>>,
    moves: Linear,
    outcome: Linear,
    think: Linear,
    legal: Linear,
    origin: Linear,
    target: Linear,
}

#[derive(Module, Debug)]
struct Block {
    attention_norm: LayerNorm,
    /// Queries, keys and values in one product.
    attention: Linear,
    mix: Linear,
    feed_norm: LayerNorm,
    feed_in: Linear,
    feed_out: Linear,
    smolgen: Option<Smolgen>,
    heads: usize,
}

#[derive(Module, Debug)]
struct Smolgen {
    per_square: Linear,
    board: Linear,
    board_norm: LayerNorm,
    heads: Linear,
    heads_norm: LayerNorm,
}

impl Hc3 {
    pub(super) fn new(config: &Hc3Config, builder: &mut Builder<'_>) -> Hc3 {
        let width = config.width;
        let mut linear = |input, output| builder.linear_spread(input, output, false, SPREAD);
        let (embed, moves, outcome) =
            (linear(hc3::CHANNELS, width), linear(width, geometric::PADDED), linear(width, 3));
        let (think, legal) = (linear(width, THINK_BINS), linear(width, geometric::PADDED));
        let (origin, target) = (linear(width, 64), linear(width, 64));
        let generated = config.smolgen[1];
        Hc3 {
            embed,
            squares: builder.normal([64, width], SPREAD),
            blocks: (0..config.layers).map(|_| Block::new(config, builder)).collect(),
            bias: (generated > 0).then(|| builder.linear_spread(generated, 64 * 64, true, SPREAD)),
            norm: builder.norm(width),
            shares: builder.constant([6, 64], 1.0),
            moves,
            outcome,
            think,
            legal,
            origin,
            target,
        }
    }

    /// `ready` holds the blocks packed for the CPU, or nothing.
    pub(super) fn forward(&self, batch: &Batch, input: &Hc3Input, ready: &[Ready]) -> Outputs {
        let device = self.squares.val().device();
        let shape = [batch.len, 64, hc3::CHANNELS];
        let planes: Tensor<3> = Tensor::from_data(TensorData::new(input.planes.clone(), shape), &device);
        let mut x = self.embed.forward(planes) + self.squares.val().unsqueeze(); // [batch, 64, width]
        if ready.is_empty() {
            for block in &self.blocks {
                x = block.forward(x, self.bias.as_ref());
            }
        } else {
            let operations = self.blocks.iter().filter_map(|block| block.operation(self.bias.as_ref()));
            x = fused::apply_all(operations.zip(ready), x);
        }
        let x = self.norm.forward(x);
        let shares = activation::softmax(self.shares.val(), 1).unsqueeze::<3>(); // [1, 6, 64]
        let pooled = shares.repeat_dim(0, batch.len).matmul(x); // [batch, 6, width]
        let head =
            |at: usize, layer: &Linear| layer.forward(pooled.clone().narrow(1, at, 1).squeeze_dim::<2>(1));
        Outputs {
            moves: legal_only(head(0, &self.moves), batch, input),
            outcome: head(1, &self.outcome),
            think: head(2, &self.think),
            all_moves: Some(head(3, &self.legal)),
            origin: head(4, &self.origin),
            target: head(5, &self.target),
        }
    }
}

impl Hc3 {
    /// The blocks packed for the CPU; nothing where they do not fit.
    pub(super) fn ready(&self) -> Vec<Ready> {
        let bias = self.bias.as_ref();
        let ready = |block: &Block| Some(block.operation(bias)?.packed(block.flat(bias)));
        self.blocks.iter().map(ready).collect::<Option<_>>().unwrap_or_default()
    }
}

/// Scores of the legal moves out of scores of all words.
fn legal_only(words: Tensor<2>, batch: &Batch, input: &Hc3Input) -> Tensor<1> {
    let device = words.device();
    let [len, width] = words.dims();
    let rows = batch.counts.iter().enumerate().flat_map(|(row, &count)| std::iter::repeat_n(row, count));
    let places = rows.zip(&input.words).map(|(row, &word)| (row * width) as i32 + word).collect();
    let places: Tensor<1, Int> = indices(places, &device);
    words.reshape([len * width]).select(0, places)
}

impl Block {
    fn new(config: &Hc3Config, builder: &mut Builder<'_>) -> Block {
        let width = config.width;
        Block {
            attention_norm: builder.norm(width),
            attention: builder.linear_spread(width, 3 * width, false, SPREAD),
            mix: builder.linear_spread(width, width, false, SPREAD),
            feed_norm: builder.norm(width),
            feed_in: builder.linear_spread(width, config.feed_forward, false, SPREAD),
            feed_out: builder.linear_spread(config.feed_forward, width, false, SPREAD),
            smolgen: (config.smolgen[1] > 0).then(|| Smolgen::new(config, builder)),
            heads: config.heads,
        }
    }

    fn forward(&self, x: Tensor<3>, bias: Option<&Linear>) -> Tensor<3> {
        match self.operation(bias) {
            Some(operation) => fused::apply(Level::best(), operation, x, self.flat(bias)),
            None => self.plain(x, bias),
        }
    }

    /// The same by burn's own operations.
    fn plain(&self, x: Tensor<3>, bias: Option<&Linear>) -> Tensor<3> {
        let bias = self
            .smolgen
            .as_ref()
            .zip(bias)
            .map(|(smolgen, bias)| smolgen.forward(x.clone(), self.heads, bias));
        let x = x.clone() + self.attend(self.attention_norm.forward(x), bias);
        let fed = activation::gelu(self.feed_in.forward(self.feed_norm.forward(x.clone())));
        x + self.feed_out.forward(fed)
    }

    /// This block as one operation, where that is possible.
    fn operation(&self, bias: Option<&Linear>) -> Option<Operation> {
        let [width, hidden] = self.feed_in.weight.val().dims();
        let heads = self.heads;
        let shape =
            block::Shape { tokens: 64, width, heads, hidden, activation: Activation::Gelu, biases: false };
        let smolgen = self.smolgen.as_ref().zip(bias).map(|(smolgen, _)| {
            let [_, compressed] = smolgen.per_square.weight.val().dims();
            let [_, hidden] = smolgen.board.weight.val().dims();
            smolgen::Shape { tokens: 64, width, heads, compressed, hidden, per_head: hidden }
        });
        Operation::Block { shape, smolgen }.possible()
    }

    /// All parameters in the order of the operation.
    fn flat(&self, bias: Option<&Linear>) -> Tensor<1> {
        let flat = Flat::new(&self.feed_in.weight.val().device())
            .norm(&self.attention_norm)
            .linear(&self.attention)
            .linear(&self.mix)
            .norm(&self.feed_norm)
            .linear(&self.feed_in)
            .linear(&self.feed_out);
        let flat = match self.smolgen.as_ref().zip(bias) {
            None => flat,
            Some((smolgen, bias)) => flat
                .tensor(&smolgen.per_square.weight)
                .linear(&smolgen.board)
                .norm(&smolgen.board_norm)
                .linear(&smolgen.heads)
                .norm(&smolgen.heads_norm)
                .linear(bias),
        };
        flat.done()
    }

    fn attend(&self, x: Tensor<3>, bias: Option<Tensor<4>>) -> Tensor<3> {
        let [batch, tokens, width] = x.dims();
        let size = width / self.heads;
        let all = self.attention.forward(x).reshape([batch, tokens, 3, self.heads, size]);
        let all = all.permute([2, 0, 3, 1, 4]); // [3, batch, heads, tokens, size]
        let part = |at: usize| all.clone().narrow(0, at, 1).squeeze_dim::<4>(0);
        let (query, key, value) = (part(0), part(1), part(2));
        let mut scores = query.matmul(key.swap_dims(2, 3)) / (size as f32).sqrt(); // [batch, heads, tokens, tokens]
        if let Some(bias) = bias {
            scores = scores + bias;
        }
        let mixed = activation::softmax(scores, 3).matmul(value); // [batch, heads, tokens, size]
        self.mix.forward(mixed.swap_dims(1, 2).reshape([batch, tokens, width]))
    }
}

impl Smolgen {
    fn new(config: &Hc3Config, builder: &mut Builder<'_>) -> Smolgen {
        let [square, board] = config.smolgen;
        Smolgen {
            per_square: builder.linear_spread(config.width, square, false, SPREAD),
            board: builder.linear_spread(64 * square, board, true, SPREAD),
            board_norm: builder.norm(board),
            heads: builder.linear_spread(board, config.heads * board, true, SPREAD),
            heads_norm: builder.norm(board),
        }
    }

    /// [batch, heads, 64, 64].
    fn forward(&self, x: Tensor<3>, heads: usize, bias: &Linear) -> Tensor<4> {
        let [batch, ..] = x.dims();
        let squares = self.per_square.forward(x).flatten::<2>(1, 2); // [batch, 64 x square]
        let board = self.board_norm.forward(self.board.forward(squares)); // [batch, board]
        let [_, width] = board.dims();
        let heads_of = self.heads.forward(board).reshape([batch, heads, width]);
        bias.forward(self.heads_norm.forward(heads_of)).reshape([batch, heads, 64, 64])
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::values;

    fn numbers<const D: usize>(shape: [usize; D], seed: u64, device: &Device) -> Tensor<D> {
        Builder::new(seed, device).normal(shape, 1.0).val()
    }

    /// Outputs, gradient of the input, gradients of all parameters.
    fn results(block: &Block, bias: Option<&Linear>, x: Tensor<3>, level: Option<Level>) -> Vec<Vec<f32>> {
        let x = x.require_grad();
        let y = match level {
            Some(level) => {
                let operation = block.operation(bias).expect("a block that fits");
                fused::apply(level, operation, x.clone(), block.flat(bias))
            }
            None => block.plain(x.clone(), bias),
        };
        let weights = numbers(y.dims(), 9, &y.device());
        let gradients = (y.clone() * weights).sum().backward();
        let mut all = vec![values(y), values(x.grad(&gradients).expect("a gradient"))];
        let parameters = crate::weights::Weights::gradients(block, &gradients);
        all.extend(parameters.0.into_values().map(|array| array.values));
        if let Some(bias) = bias {
            all.push(values(bias.weight.val().grad(&gradients).expect("a gradient")));
        }
        all
    }

    #[test]
    fn a_fused_block_gives_what_plain_operations_give() {
        let device = Device::flex().autodiff();
        for smolgen in [[4, 16], [0, 0]] {
            let config = Hc3Config {
                layers: 1,
                heads: 2,
                width: 32,
                feed_forward: 48,
                smolgen,
                ..Hc3Config::default()
            };
            let mut builder = Builder::new(3, &device);
            let block = Block::new(&config, &mut builder);
            let bias = (smolgen[1] > 0).then(|| builder.linear_spread(smolgen[1], 64 * 64, true, 0.2));
            let x = numbers([3, 64, 32], 5, &device);
            let expected = results(&block, bias.as_ref(), x.clone(), None);
            for level in Level::all() {
                let found = results(&block, bias.as_ref(), x.clone(), Some(level));
                assert_eq!(found.len(), expected.len());
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let largest = expected.iter().fold(1e-3f32, |a, b| a.max(b.abs()));
                    let worst = found.iter().zip(expected).fold(0f32, |w, (a, b)| w.max((a - b).abs()));
                    let tolerance = if level.rounds() { 0.03 } else { 1e-4 };
                    assert!(worst <= tolerance * largest, "{level} {smolgen:?} {at}: {worst} of {largest}");
                }
            }
        }
    }
}
