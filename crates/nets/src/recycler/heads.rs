//! A head: norm, product, GELU, product. RecycleEmbed is one, too.

use burn::{
    module::Module,
    nn::{LayerNorm, Linear},
    tensor::{Tensor, activation},
};

use crate::layers::Builder;

#[derive(Module, Debug)]
pub(crate) struct Head {
    pub(super) norm: LayerNorm,
    pub(super) inner: Linear,
    pub(super) outer: Linear,
}

impl Head {
    /// Its outputs are near zero to begin with, so that nothing is held for sure.
    pub(super) fn new(width: usize, outputs: usize, builder: &mut Builder<'_>) -> Head {
        Head {
            norm: builder.norm(width),
            inner: builder.linear(width, width, true),
            outer: builder.linear_spread(width, outputs, true, 0.02),
        }
    }

    /// [batch, tokens, width] to [batch, tokens, outputs].
    pub(super) fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.outer.forward(activation::gelu(self.inner.forward(self.norm.forward(x))))
    }
}
