//! Transformer blocks after the convolutions: what stands far apart sees each other. What they make of the squares is added to what
//! the convolutions made, and begins as nothing, so that a network may grow by them and say the same.

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Tensor, TensorData},
};
use kernels::layer;

use super::config::AttentionConfig;
use crate::{
    fused::{self, Flat, Operation, Ready},
    layers::{Builder, dense},
    transformer::{Block, BlockSizes, Head},
    weights::values,
};

const SQUARES: usize = 64;

#[derive(Module, Debug)]
pub(crate) struct Attention {
    enter: Linear,
    /// What is learned about each square by itself: [64, width].
    places: Param<Tensor<2>>,
    blocks: Vec<Block>,
    leave: Head,
}

/// The parts packed for the CPU.
#[derive(Debug)]
pub(crate) struct PackedAttention {
    enter: Ready,
    places: Vec<f32>,
    blocks: Vec<Ready>,
    leave: Ready,
}

impl Attention {
    /// Nothing where no layers are wanted.
    pub(crate) fn new(
        channels: usize,
        sizes: AttentionConfig,
        builder: &mut Builder<'_>,
    ) -> Option<Attention> {
        let AttentionConfig { layers, width, heads, hidden } = sizes;
        let blocks =
            BlockSizes { layers, tokens: SQUARES, width, heads, hidden, gated: true, geometry: true };
        (layers > 0).then(|| Attention {
            enter: builder.linear(channels, width, true),
            places: builder.normal([SQUARES, width], 0.1),
            blocks: (0..layers).map(|_| Block::new(blocks, builder)).collect(),
            leave: Head::silent(width, channels, builder),
        })
    }

    /// [batch, 64, channels] to the same.
    pub(crate) fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [batch, squares, channels] = x.dims();
        let [_, width] = self.places.val().dims();
        let tokens = dense(&self.enter, x.clone().reshape([batch * squares, channels]), false);
        let tokens = tokens.reshape([batch, squares, width]) + self.places.val().unsqueeze::<3>();
        x + self.leave.forward(self.blocks.iter().fold(tokens, |tokens, block| block.forward(tokens, None)))
    }

    /// The same with parts packed by [`Attention::packed`], outside of any graph.
    pub(crate) fn forward_packed(&self, packed: &PackedAttention, x: Tensor<3>) -> Tensor<3> {
        let (shape, device) = (x.dims(), x.device());
        let mut x = values(x);
        let (Some(enter), Some(leave)) = (self.entering(), self.leave.operation()) else {
            unreachable!("what was packed fits")
        };
        let mut tokens = fused::run(&enter, &packed.enter, &x, &[]);
        for board in tokens.chunks_exact_mut(packed.places.len()) {
            board.iter_mut().zip(&packed.places).for_each(|(token, place)| *token += place);
        }
        let operations = self.blocks.iter().filter_map(|block| block.operation(None));
        let tokens = operations
            .zip(&packed.blocks)
            .fold(tokens, |tokens, (block, ready)| fused::run(&block, ready, &tokens, &[]));
        let added = fused::run(&leave, &packed.leave, &tokens, &[]);
        x.iter_mut().zip(added).for_each(|(x, added)| *x += added);
        Tensor::from_data(TensorData::new(x, shape), &device)
    }

    /// The parts packed for the CPU; nothing where one of them does not fit.
    pub(crate) fn packed(&self) -> Option<PackedAttention> {
        let blocks = self.blocks.iter().map(|block| Some(block.operation(None)?.packed(block.flat())));
        let enter = Flat::new(&self.places.val().device()).linear(&self.enter).done();
        Some(PackedAttention {
            enter: self.entering()?.packed(enter),
            places: values(self.places.val()),
            blocks: blocks.collect::<Option<_>>()?,
            leave: self.leave.operation()?.packed(self.leave.flat()),
        })
    }

    fn entering(&self) -> Option<Operation> {
        let [inputs, outputs] = self.enter.weight.val().dims();
        Operation::Layer { shape: layer::Shape { inputs, outputs, rectified: false } }.possible()
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    const SIZES: AttentionConfig = AttentionConfig { layers: 2, width: 32, heads: 2, hidden: 32 };

    #[test]
    fn it_begins_as_nothing() {
        let device = Device::flex();
        let mut builder = Builder::new(3, &device);
        let attention = Attention::new(16, SIZES, &mut builder).expect("layers");
        let x = builder.normal([2, SQUARES, 16], 1.0).val();
        assert_eq!(values(attention.forward(x.clone())), values(x));
    }

    #[test]
    fn packed_it_gives_what_it_gives() {
        let device = Device::flex();
        let mut builder = Builder::new(3, &device);
        let mut attention = Attention::new(16, SIZES, &mut builder).expect("layers");
        attention.leave.outer = builder.linear(32, 16, true);
        let packed = attention.packed().expect("parts that fit");
        let x = builder.normal([3, SQUARES, 16], 1.0).val();
        let expected = values(attention.forward(x.clone()));
        let found = values(attention.forward_packed(&packed, x.clone()));
        let size = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>().sqrt();
        let added = size(&mut expected.iter().zip(values(x)).map(|(y, x)| y - x));
        assert!(added > 1.0, "the blocks add nothing");
        let apart = size(&mut found.iter().zip(&expected).map(|(a, b)| a - b)) / added;
        assert!(apart < 0.05, "{apart}");
    }
}
