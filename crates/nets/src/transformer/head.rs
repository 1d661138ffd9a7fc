//! A head: norm, product, GELU, product. RecycleEmbed is one, too.

use burn::{
    module::Module,
    nn::{LayerNorm, Linear},
    tensor::{Tensor, activation},
};
use kernels::{Level, perceptron};

use crate::{
    fused::{self, Flat, Operation},
    layers::Builder,
};

#[derive(Module, Debug)]
pub(crate) struct Head {
    pub(crate) norm: LayerNorm,
    pub(crate) inner: Linear,
    pub(crate) outer: Linear,
}

impl Head {
    /// Its outputs are near zero to begin with, so that nothing is held for sure.
    pub(crate) fn new(width: usize, outputs: usize, builder: &mut Builder<'_>) -> Head {
        Head::with_spread(width, outputs, 0.02, builder)
    }

    /// Outputs that begin at zero: what they are added to begins as it was.
    pub(crate) fn silent(width: usize, outputs: usize, builder: &mut Builder<'_>) -> Head {
        Head::with_spread(width, outputs, 0.0, builder)
    }

    fn with_spread(width: usize, outputs: usize, spread: f32, builder: &mut Builder<'_>) -> Head {
        Head {
            norm: builder.norm(width),
            inner: builder.linear(width, width, true),
            outer: builder.linear_spread(width, outputs, true, spread),
        }
    }

    /// [batch, tokens, width] to [batch, tokens, outputs].
    pub(crate) fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [_, outputs] = self.outer.weight.val().dims();
        let [batch, tokens, _] = x.dims();
        match self.operation() {
            Some(operation) => {
                let y: Tensor<2> = fused::apply(Level::best(), operation, x, self.flat());
                y.reshape([batch, tokens, outputs])
            }
            None => self.plain(x),
        }
    }

    /// This head as one operation, where that is possible.
    pub(crate) fn operation(&self) -> Option<Operation> {
        let [inputs, hidden] = self.inner.weight.val().dims();
        let [_, outputs] = self.outer.weight.val().dims();
        Operation::Perceptron { shape: perceptron::Shape { inputs, hidden, outputs } }.possible()
    }

    /// All parameters in the order of the operation.
    pub(crate) fn flat(&self) -> Tensor<1> {
        Flat::new(&self.inner.weight.val().device())
            .norm(&self.norm)
            .linear(&self.inner)
            .linear(&self.outer)
            .done()
    }

    /// The same by burn's own operations.
    fn plain(&self, x: Tensor<3>) -> Tensor<3> {
        self.outer.forward(activation::gelu(self.inner.forward(self.norm.forward(x))))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::{Weights, values};

    #[test]
    fn a_fused_head_gives_what_plain_operations_give() {
        let device = Device::flex().autodiff();
        let mut builder = Builder::new(4, &device);
        let head = Head::new(32, 7, &mut builder);
        let x = builder.normal([3, 5, 32], 1.0).val();
        let factors = builder.normal([3, 5, 7], 1.0).val();
        let results = |plain: bool| {
            let x = x.clone().detach().require_grad();
            let y = if plain { head.plain(x.clone()) } else { head.forward(x.clone()) };
            let gradients = (y.clone() * factors.clone()).sum().backward();
            let mut all = vec![values(y), values(x.grad(&gradients).expect("a gradient"))];
            all.extend(Weights::gradients(&head, &gradients).0.into_values().map(|array| array.values));
            all
        };
        let (found, expected) = (results(false), results(true));
        assert_eq!((found.len(), expected.len()), (8, 8));
        for (found, expected) in found.iter().zip(&expected) {
            let largest = expected.iter().fold(1e-3f32, |a, b| a.max(b.abs()));
            let worst = found.iter().zip(expected).fold(0f32, |w, (a, b)| w.max((a - b).abs()));
            let tolerance = if Level::best().rounds() { 0.03 } else { 1e-4 };
            assert!(worst <= tolerance * largest, "{worst} of {largest}");
        }
    }
}
