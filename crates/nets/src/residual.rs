//! Residual blocks of two 3x3 convolutions on the 64 squares of a board, channels last, with or without a gate per channel.

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{
        Tensor,
        activation::{relu, sigmoid},
    },
};
use kernels::Level;

use crate::{
    fused::{self, Flat, Operation, Ready},
    layers::Builder,
};

/// Two 3x3 convolutions around a shortcut.
#[derive(Module, Debug)]
pub(crate) struct Residual {
    first: Conv,
    second: Conv,
    squeeze: Option<Squeeze>,
}

/// Squeeze and excitation: a gate for each channel of a board, which sees the means of all of them.
#[derive(Module, Debug)]
struct Squeeze {
    reduce: Linear,
    gate: Linear,
}

/// A 3x3 convolution on 8x8 squares. The weight is that of the product with each square's nine neighbours: [9 x in, out].
#[derive(Module, Debug)]
struct Conv {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

impl Residual {
    /// `reduced` numbers lie between the means of the channels and their gates; 0 for no gates.
    pub(crate) fn new(channels: usize, reduced: usize, builder: &mut Builder<'_>) -> Residual {
        let spread = (2.0 / (9 * channels) as f32).sqrt();
        // The second begins at zero, so that the block begins as its shortcut: a network may grow by blocks and say the same.
        Residual {
            first: Conv::new(channels, spread, builder),
            second: Conv::new(channels, 0.0, builder),
            squeeze: (reduced > 0).then(|| Squeeze::new(channels, reduced, builder)),
        }
    }

    /// [batch, 64, channels] to the same.
    pub(crate) fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        match self.operation() {
            Some(operation) => fused::apply(Level::best(), operation, x, self.flat()),
            None => self.plain(x),
        }
    }

    /// The block packed for the CPU; nothing where it does not fit.
    pub(crate) fn packed(&self) -> Option<Ready> {
        Some(self.operation()?.packed(self.flat()))
    }

    /// This block as one operation, where that is possible.
    pub(crate) fn operation(&self) -> Option<Operation> {
        let [channels] = self.first.bias.val().dims();
        let reduced = self.squeeze.as_ref().map_or(0, |squeeze| squeeze.reduce.weight.val().dims()[1]);
        Operation::Residual { channels, reduced }.possible()
    }

    fn flat(&self) -> Tensor<1> {
        let flat = Flat::new(&self.first.bias.val().device());
        let flat = flat.tensor(&self.first.weight).tensor(&self.first.bias);
        let flat = flat.tensor(&self.second.weight).tensor(&self.second.bias);
        match &self.squeeze {
            Some(squeeze) => flat.linear(&squeeze.reduce).linear(&squeeze.gate).done(),
            None => flat.done(),
        }
    }

    /// The same by burn's own operations.
    fn plain(&self, x: Tensor<3>) -> Tensor<3> {
        let added = self.second.forward(relu(self.first.forward(x.clone())));
        relu(x + self.squeeze.iter().fold(added, |added, squeeze| squeeze.forward(added)))
    }
}

impl Squeeze {
    fn new(channels: usize, reduced: usize, builder: &mut Builder<'_>) -> Squeeze {
        // Gates begin mostly open, so that blocks can be given gates later.
        const OPEN: f32 = 2.0;
        let gate = builder.linear(reduced, channels, false);
        Squeeze {
            reduce: builder.linear(channels, reduced, true),
            gate: Linear { bias: Some(builder.constant([channels], OPEN)), ..gate },
        }
    }

    /// [batch, 64, channels] to the same.
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let reduced = relu(self.reduce.forward(x.clone().mean_dim(1))); // [batch, 1, reduced]
        x * sigmoid(self.gate.forward(reduced))
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
    use crate::weights::values;

    #[test]
    fn a_fused_trunk_gives_what_plain_operations_give() {
        for reduced in [0, 16] {
            compare(reduced);
        }
    }

    fn compare(reduced: usize) {
        let device = Device::flex().autodiff();
        let mut builder = Builder::new(3, &device);
        let second = Conv::new(32, 0.03, &mut builder);
        let block = Residual { second, ..Residual::new(32, reduced, &mut builder) };
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
                // An estimate, not a count: bf16 opens or closes about one gate in a thousand; a wrong gate is wrong as a
                // whole, and the root of a thousandth is 3 %.
                let size = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>().sqrt();
                let error = size(&mut found.iter().zip(expected).map(|(a, b)| a - b));
                let share = error / size(&mut expected.iter().copied());
                assert!(share < if level.rounds() { 0.06 } else { 1e-4 }, "{level} {at}: {share}");
            }
        }
    }
}
