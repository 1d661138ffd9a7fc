//! Layers with their first weights from our own generator, so that a seed means the same network everywhere.

use burn::{
    module::Param,
    nn::{LayerNorm, LayerNormConfig, Linear},
    tensor::{Device, Int, Tensor, TensorData},
};
use data::Random;

/// Places to select.
pub(crate) fn indices(values: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let len = values.len();
    Tensor::from_data(TensorData::new(values, [len]), device)
}

/// Makes parameters one after another; the order of the calls decides which number goes where.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub(crate) device: &'a Device,
    random: Random,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(seed: u64, device: &'a Device) -> Builder<'a> {
        Builder { device, random: Random::keyed(seed, 0x1417) }
    }

    /// Numbers around zero with the given spread.
    pub(crate) fn normal<const D: usize>(&mut self, shape: [usize; D], spread: f32) -> Param<Tensor<D>> {
        let values = (0..shape.iter().product()).map(|_| spread * self.gaussian()).collect::<Vec<f32>>();
        self.param(values, shape)
    }

    pub(crate) fn constant<const D: usize>(&mut self, shape: [usize; D], value: f32) -> Param<Tensor<D>> {
        self.param(vec![value; shape.iter().product()], shape)
    }

    /// A product with a bias or without, at a spread that keeps the size of what goes through (He et al. 2015).
    pub(crate) fn linear(&mut self, input: usize, output: usize, bias: bool) -> Linear {
        self.linear_spread(input, output, bias, (2.0 / (input + output) as f32).sqrt())
    }

    pub(crate) fn linear_spread(&mut self, input: usize, output: usize, bias: bool, spread: f32) -> Linear {
        let weight = self.normal([input, output], spread);
        Linear { weight, bias: bias.then(|| self.constant([output], 0.0)) }
    }

    pub(crate) fn norm(&mut self, width: usize) -> LayerNorm {
        LayerNormConfig::new(width).init(self.device)
    }

    fn param<const D: usize>(&self, values: Vec<f32>, shape: [usize; D]) -> Param<Tensor<D>> {
        Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), self.device))
    }

    /// Box and Muller's way to a normal number, one at a time.
    fn gaussian(&mut self) -> f32 {
        let mut uniform = || ((self.random.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), std::f64::consts::TAU * uniform());
        (radius * angle.cos()) as f32
    }
}
