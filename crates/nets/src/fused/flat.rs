//! The parameters of an operation in one flat tensor, in the order that `kernels` wants.

use burn::{
    module::Param,
    nn::{LayerNorm, Linear},
    tensor::{Device, Tensor},
};

#[derive(Debug)]
pub(crate) struct Flat {
    parts: Vec<Tensor<1>>,
    device: Device,
}

impl Flat {
    pub(crate) fn new(device: &Device) -> Flat {
        Flat { parts: Vec::new(), device: device.clone() }
    }

    pub(crate) fn tensor<const D: usize>(mut self, parameter: &Param<Tensor<D>>) -> Flat {
        let tensor = parameter.val();
        let len = tensor.dims().iter().product::<usize>();
        self.parts.push(tensor.reshape([len]));
        self
    }

    /// Weight and bias; zeros where there is no bias.
    pub(crate) fn linear(self, layer: &Linear) -> Flat {
        let [_, outputs] = layer.weight.val().dims();
        self.tensor(&layer.weight).or_zeros(layer.bias.as_ref(), outputs)
    }

    pub(crate) fn norm(self, layer: &LayerNorm) -> Flat {
        let [width] = layer.gamma.val().dims();
        self.tensor(&layer.gamma).or_zeros(layer.beta.as_ref(), width)
    }

    fn or_zeros(mut self, bias: Option<&Param<Tensor<1>>>, len: usize) -> Flat {
        match bias {
            Some(bias) => self.tensor(bias),
            None => {
                self.parts.push(Tensor::zeros([len], &self.device));
                self
            }
        }
    }

    /// Numbers that come of parameters.
    pub(crate) fn values<const D: usize>(mut self, values: Tensor<D>) -> Flat {
        let len = values.dims().iter().product::<usize>();
        self.parts.push(values.reshape([len]));
        self
    }

    pub(crate) fn done(self) -> Tensor<1> {
        Tensor::cat(self.parts, 0)
    }
}
