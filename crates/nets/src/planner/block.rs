//! Blocks of the denoisers: tokens look at the encoded squares, if these were encoded apart, then at each other, then each is fed forward.

use burn::{
    module::Module,
    nn::{LayerNorm, Linear},
    tensor::{Tensor, activation},
};
use kernels::{Activation, Level, block, cross};

use super::SplitConfig;
use crate::{
    fused::{self, Flat, Operation, Ready},
    layers::Builder,
};

/// A block over few tokens that looks at encoded squares.
#[derive(Module, Debug)]
pub(crate) struct Block {
    look_norm: LayerNorm,
    query: Linear,
    /// Keys and values of the squares in one product.
    squares: Linear,
    look_mix: Linear,
    among: TokenBlock,
    heads: usize,
}

/// A pre-norm transformer block.
#[derive(Module, Debug)]
pub(crate) struct TokenBlock {
    attention_norm: LayerNorm,
    /// Queries, keys and values in one product.
    attention: Linear,
    mix: Linear,
    feed_norm: LayerNorm,
    feed_in: Linear,
    feed_out: Linear,
    heads: usize,
}

/// The squares as one block looks at them.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a handful a decode, and handles of tensors are not moved about"
)]
pub(super) enum Board {
    /// As they were encoded: the operation makes keys and values of them itself. [batch, 64, channels].
    Squares(Tensor<3>),
    /// For all steps of a decode: [batch, heads, 64, width / heads].
    Ready { keys: Tensor<4>, values: Tensor<4> },
}

impl Block {
    pub(super) fn new(config: &SplitConfig, builder: &mut Builder<'_>) -> Block {
        let SplitConfig { width, feed, heads, layers, ref trunk, .. } = *config;
        Block {
            look_norm: builder.norm(width),
            query: builder.linear(width, width, true),
            squares: builder.linear(trunk.channels, 2 * width, true),
            look_mix: builder.linear_spread(width, width, true, end(layers, width, width)),
            among: TokenBlock::new([layers, width, heads, feed], builder),
            heads,
        }
    }

    /// What the tokens will look at, from the encoded squares: [batch, 64, channels]. `again` if they will do so in many steps.
    pub(super) fn board(&self, squares: &Tensor<3>, again: bool) -> Board {
        if !again && self.looking(1).possible().is_some() {
            return Board::Squares(squares.clone());
        }
        let both = self.squares.forward(squares.clone()); // [batch, 64, 2 x width]
        let [batch, _, twice] = both.dims();
        let both = both.reshape([batch, 64, 2, self.heads, twice / 2 / self.heads]).permute([2, 0, 3, 1, 4]);
        let part = |at: usize| both.clone().narrow(0, at, 1).squeeze_dim::<4>(0);
        Board::Ready { keys: part(0), values: part(1) }
    }

    /// [batch x futures, tokens, width] to the same.
    pub(super) fn forward(&self, x: Tensor<3>, board: &Board, packed: Option<&Ready>) -> Tensor<3> {
        let x = match board {
            Board::Squares(squares) => self.look_at(x, squares),
            Board::Ready { keys, values } => x.clone() + self.look(self.look_norm.forward(x), keys, values),
        };
        self.among.forward(x, packed)
    }

    /// The part among the tokens packed for the CPU; nothing where it does not fit.
    pub(super) fn packed(&self, tokens: usize) -> Option<Ready> {
        self.among.packed(tokens)
    }

    /// Looking at squares as one operation, for so many tokens of each board.
    fn looking(&self, tokens: usize) -> Operation {
        let [channels, twice] = self.squares.weight.val().dims();
        Operation::Cross { shape: cross::Shape { tokens, width: twice / 2, heads: self.heads, channels } }
    }

    fn look_at(&self, x: Tensor<3>, squares: &Tensor<3>) -> Tensor<3> {
        let ([futures, tokens, width], [batch, ..]) = (x.dims(), squares.dims());
        let operation = self.looking(futures / batch * tokens);
        let flat = Flat::new(&x.device())
            .norm(&self.look_norm)
            .linear(&self.query)
            .linear(&self.squares)
            .linear(&self.look_mix)
            .done();
        let y: Tensor<2> = fused::apply_with(Level::best(), operation, squares.clone(), x, flat);
        y.reshape([futures, tokens, width])
    }

    fn look(&self, x: Tensor<3>, keys: &Tensor<4>, values: &Tensor<4>) -> Tensor<3> {
        let [futures, tokens, width] = x.dims();
        let [batch, heads, _, size] = keys.dims();
        let query =
            self.query.forward(x).reshape([batch, futures / batch * tokens, heads, size]).swap_dims(1, 2);
        let scores = query.matmul(keys.clone().swap_dims(2, 3)) / (size as f32).sqrt(); // [batch, heads, all tokens, 64]
        let mixed = activation::softmax(scores, 3).matmul(values.clone()); // [batch, heads, all tokens, size]
        self.look_mix.forward(mixed.swap_dims(1, 2).reshape([futures, tokens, width]))
    }
}

/// Spread of the last product of a part: what all parts add up to is as large as what one alone would add.
fn end(layers: usize, inputs: usize, width: usize) -> f32 {
    (2.0 / (inputs + width) as f32 / (3.0 * layers as f32)).sqrt()
}

impl TokenBlock {
    pub(super) fn new([layers, width, heads, feed]: [usize; 4], builder: &mut Builder<'_>) -> TokenBlock {
        TokenBlock {
            attention_norm: builder.norm(width),
            attention: builder.linear(width, 3 * width, true),
            mix: builder.linear_spread(width, width, true, end(layers, width, width)),
            feed_norm: builder.norm(width),
            feed_in: builder.linear(width, feed, true),
            feed_out: builder.linear_spread(feed, width, true, end(layers, feed, width)),
            heads,
        }
    }

    /// [sequences, tokens, width] to the same.
    pub(super) fn forward(&self, x: Tensor<3>, packed: Option<&Ready>) -> Tensor<3> {
        let [_, tokens, _] = x.dims();
        match (self.operation(tokens), packed) {
            (Some(operation), Some(ready)) => fused::apply_all([(operation, ready)], x),
            (Some(operation), None) => fused::apply(Level::best(), operation, x, self.flat()),
            (None, _) => self.plain(x),
        }
    }

    /// Packed for the CPU; nothing where it does not fit.
    pub(super) fn packed(&self, tokens: usize) -> Option<Ready> {
        Some(self.operation(tokens)?.packed(self.flat()))
    }

    fn operation(&self, tokens: usize) -> Option<Operation> {
        let [hidden, width] = self.feed_out.weight.val().dims();
        let (heads, activation) = (self.heads, Activation::Gelu);
        let shape = block::Shape { tokens, width, heads, hidden, activation, biases: true };
        Operation::Tokens { shape, biased: false, dropout: None }.possible()
    }

    fn flat(&self) -> Tensor<1> {
        Flat::new(&self.feed_in.weight.val().device())
            .norm(&self.attention_norm)
            .linear(&self.attention)
            .linear(&self.mix)
            .norm(&self.feed_norm)
            .linear(&self.feed_in)
            .linear(&self.feed_out)
            .done()
    }

    /// The same by burn's own operations.
    fn plain(&self, x: Tensor<3>) -> Tensor<3> {
        let x = x.clone() + self.attend(self.attention_norm.forward(x));
        let raised = self.feed_in.forward(self.feed_norm.forward(x.clone()));
        x + self.feed_out.forward(activation::gelu(raised))
    }

    fn attend(&self, x: Tensor<3>) -> Tensor<3> {
        let [batch, tokens, width] = x.dims();
        let size = width / self.heads;
        let all = self.attention.forward(x).reshape([batch, tokens, 3, self.heads, size]);
        let all = all.permute([2, 0, 3, 1, 4]); // [3, batch, heads, tokens, size]
        let part = |at: usize| all.clone().narrow(0, at, 1).squeeze_dim::<4>(0);
        let scores = part(0).matmul(part(1).swap_dims(2, 3)) / (size as f32).sqrt();
        let mixed = activation::softmax(scores, 3).matmul(part(2)); // [batch, heads, tokens, size]
        self.mix.forward(mixed.swap_dims(1, 2).reshape([batch, tokens, width]))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::{Weights, values};

    #[test]
    fn tokens_see_the_same_whether_keys_and_values_were_made_before_or_not() {
        let device = Device::flex().autodiff();
        let mut config = SplitConfig { width: 32, heads: 2, layers: 1, feed: 32, ..SplitConfig::default() };
        config.trunk.channels = 16;
        let mut builder = Builder::new(3, &device);
        let block = Block::new(&config, &mut builder);
        let (tokens, squares) =
            (builder.normal([6, 5, 32], 1.0).val(), builder.normal([3, 64, 16], 1.0).val());
        let results = |again: bool| {
            let (tokens, squares) =
                (tokens.clone().detach().require_grad(), squares.clone().detach().require_grad());
            let y = block.forward(tokens.clone(), &block.board(&squares, again), None);
            let gradients = (y.clone() * y.clone()).sum().backward();
            let mut all = vec![values(y)];
            all.extend([values(tokens.grad(&gradients).unwrap()), values(squares.grad(&gradients).unwrap())]);
            all.extend(Weights::gradients(&block, &gradients).0.into_values().map(|array| array.values));
            all
        };
        let (found, expected) = (results(false), results(true));
        assert_eq!(found.len(), expected.len());
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let largest = expected.iter().fold(1e-3f32, |a, b| a.max(b.abs()));
            let worst = found.iter().zip(expected).fold(0f32, |w, (a, b)| w.max((a - b).abs()));
            let tolerance = if Level::best().rounds() { 0.03 } else { 1e-4 };
            assert!(worst <= tolerance * largest, "{at}: {worst} of {largest}");
        }
    }
}
