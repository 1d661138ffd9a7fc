//! One transformer block over the squares of a board and what stands beside them.

use burn::{
    module::{Module, Param},
    nn::{LayerNorm, Linear},
    tensor::{Distribution, Tensor, activation},
};
use kernels::{Activation, Level, block};

use super::geometry;
use crate::{
    fused::{self, Flat, Operation},
    layers::Builder,
};

/// Sizes of the blocks of a network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSizes {
    /// Blocks one after another.
    pub(crate) layers: usize,
    /// The 64 squares, and tokens before them that belong to none.
    pub(crate) tokens: usize,
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// Width between the two products of the feed-forward layer.
    pub(crate) hidden: usize,
    /// SwiGLU instead of GELU.
    pub(crate) gated: bool,
    /// Whether heads learn how much squares look at each other whatever stands there.
    pub(crate) geometry: bool,
}

#[derive(Module, Debug)]
pub(crate) struct Block {
    attention_norm: LayerNorm,
    /// Queries, keys and values in one product.
    attention: Linear,
    mix: Linear,
    feed_norm: LayerNorm,
    /// For SwiGLU gates, then values.
    feed_in: Linear,
    feed_out: Linear,
    /// Added to the scores of attention: heads x tokens x tokens.
    geometry: Option<Param<Tensor<1>>>,
    tokens: usize,
    heads: usize,
    gated: bool,
}

/// What training drops: the share, and the seed of this block and step.
pub(crate) type Drop = Option<block::Dropout>;

impl Block {
    pub(crate) fn new(sizes: BlockSizes, builder: &mut Builder<'_>) -> Block {
        let BlockSizes { layers, tokens, width, heads, hidden, gated, geometry } = sizes;
        let raised = if gated { 2 * hidden } else { hidden };
        // What all blocks add up to is as large as what one block alone would add.
        let shrink = 1.0 / (2.0 * layers as f32).sqrt();
        let end = |inputs: usize| shrink * (2.0 / (inputs + width) as f32).sqrt();
        Block {
            attention_norm: builder.norm(width),
            attention: builder.linear(width, 3 * width, true),
            mix: builder.linear_spread(width, width, true, end(width)),
            feed_norm: builder.norm(width),
            feed_in: builder.linear(width, raised, true),
            feed_out: builder.linear_spread(hidden, width, true, end(hidden)),
            geometry: geometry.then(|| builder.given(geometry::biases(heads, tokens))),
            tokens,
            heads,
            gated,
        }
    }

    /// [batch, tokens, width] to the same.
    pub(crate) fn forward(&self, x: Tensor<3>, drop: Drop) -> Tensor<3> {
        match self.operation(drop) {
            Some(operation) => fused::apply(Level::best(), operation, x, self.flat()),
            None => self.plain(x, drop),
        }
    }

    pub(crate) fn shape(&self) -> block::Shape {
        let [hidden, width] = self.feed_out.weight.val().dims();
        let activation = if self.gated { Activation::SwiGlu } else { Activation::Gelu };
        block::Shape { tokens: self.tokens, width, heads: self.heads, hidden, activation, biases: true }
    }

    /// This block as one operation, where that is possible.
    pub(crate) fn operation(&self, dropout: Drop) -> Option<Operation> {
        Operation::Tokens { shape: self.shape(), biased: self.geometry.is_some(), dropout }.possible()
    }

    /// All parameters in the order of the operation.
    pub(crate) fn flat(&self) -> Tensor<1> {
        let flat = Flat::new(&self.feed_in.weight.val().device())
            .norm(&self.attention_norm)
            .linear(&self.attention)
            .linear(&self.mix)
            .norm(&self.feed_norm)
            .linear(&self.feed_in)
            .linear(&self.feed_out);
        match &self.geometry {
            Some(geometry) => flat.tensor(geometry).done(),
            None => flat.done(),
        }
    }

    /// The same by burn's own operations.
    fn plain(&self, x: Tensor<3>, drop: Drop) -> Tensor<3> {
        let x = x.clone() + dropped(self.attend(self.attention_norm.forward(x)), drop);
        let raised = self.feed_in.forward(self.feed_norm.forward(x.clone()));
        let active = if self.gated {
            let halves = raised.chunk(2, 2);
            activation::silu(halves[0].clone()) * halves[1].clone()
        } else {
            activation::gelu(raised)
        };
        x + dropped(self.feed_out.forward(active), drop)
    }

    fn attend(&self, x: Tensor<3>) -> Tensor<3> {
        let [batch, tokens, width] = x.dims();
        let size = width / self.heads;
        let all = self.attention.forward(x).reshape([batch, tokens, 3, self.heads, size]);
        let all = all.permute([2, 0, 3, 1, 4]); // [3, batch, heads, tokens, size]
        let part = |at: usize| all.clone().narrow(0, at, 1).squeeze_dim::<4>(0);
        let (query, key, value) = (part(0), part(1), part(2));
        let mut scores = query.matmul(key.swap_dims(2, 3)) / (size as f32).sqrt(); // [batch, heads, tokens, tokens]
        if let Some(geometry) = &self.geometry {
            scores = scores + geometry.val().reshape([1, self.heads, tokens, tokens]);
        }
        let mixed = activation::softmax(scores, 3).matmul(value); // [batch, heads, tokens, size]
        self.mix.forward(mixed.swap_dims(1, 2).reshape([batch, tokens, width]))
    }
}

/// Chance comes from the device here, which the training loop seeds for every step.
fn dropped(x: Tensor<3>, drop: Drop) -> Tensor<3> {
    let Some(drop) = drop else { return x };
    let keep = 1.0 - drop.rate;
    let kept = Tensor::random(x.dims(), Distribution::Bernoulli(keep.into()), &x.device());
    x * kept / keep
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::{Weights, values};

    fn all_tiny() -> [BlockSizes; 3] {
        let rich = BlockSizes {
            layers: 2,
            tokens: 65,
            width: 32,
            heads: 2,
            hidden: 32,
            gated: true,
            geometry: true,
        };
        [rich, BlockSizes { tokens: 64, ..rich }, BlockSizes { gated: false, geometry: false, ..rich }]
    }

    #[test]
    fn a_fused_block_gives_what_plain_operations_give() {
        let device = Device::flex().autodiff();
        for sizes in all_tiny() {
            let mut builder = Builder::new(3, &device);
            let block = Block::new(sizes, &mut builder);
            let x = builder.normal([3, sizes.tokens, sizes.width], 1.0).val();
            let factors = builder.normal([3, sizes.tokens, sizes.width], 1.0).val();
            let results = |level: Option<Level>| {
                let x = x.clone().detach().require_grad();
                let y = match level {
                    Some(level) => {
                        let operation = block.operation(None).expect("a block that fits");
                        fused::apply(level, operation, x.clone(), block.flat())
                    }
                    None => block.plain(x.clone(), None),
                };
                let gradients = (y.clone() * factors.clone()).sum().backward();
                let mut all = vec![values(y), values(x.grad(&gradients).expect("a gradient"))];
                all.extend(Weights::gradients(&block, &gradients).0.into_values().map(|array| array.values));
                all
            };
            let expected = results(None);
            assert_eq!(expected.len(), 2 + if sizes.geometry { 13 } else { 12 });
            for level in Level::all() {
                let found = results(Some(level));
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let largest = expected.iter().fold(1e-3f32, |a, b| a.max(b.abs()));
                    let worst = found.iter().zip(expected).fold(0f32, |w, (a, b)| w.max((a - b).abs()));
                    let tolerance = if level.rounds() { 0.03 } else { 1e-4 };
                    assert!(worst <= tolerance * largest, "{level} {at}: {worst} of {largest}");
                }
            }
        }
    }

    #[test]
    fn dropout_disturbs_a_block_the_same_way_for_the_same_seed() {
        let device = Device::flex();
        let [sizes, ..] = all_tiny();
        let mut builder = Builder::new(3, &device);
        let block = Block::new(sizes, &mut builder);
        let x = builder.normal([2, sizes.tokens, sizes.width], 1.0).val();
        let run = |drop| values(block.forward(x.clone(), drop));
        let with = |seed| Some(block::Dropout { rate: 0.3, seed });
        assert_eq!(run(with(1)), run(with(1)));
        assert_ne!(run(with(1)), run(with(2)));
        assert_ne!(run(with(1)), run(None));
    }
}
