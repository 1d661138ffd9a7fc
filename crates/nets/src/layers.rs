//! Layers with their first weights from our own generator, so that a seed means the same network everywhere.

use burn::{
    module::Param,
    nn::{LayerNorm, LayerNormConfig, Linear},
    tensor::{Device, IndexingUpdateOp, Int, Tensor, TensorData, activation::relu},
};
use chess::Random;
use kernels::{Level, layer};

use crate::fused::{self, Flat, Lookups, Operation};

/// Places to select.
pub(crate) fn indices(values: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let len = values.len();
    Tensor::from_data(TensorData::new(values, [len]), device)
}

/// The sum of each bag of rows by burn's own operations: [bags, width].
pub(crate) fn plain_sums(table: Tensor<2>, lookups: &Lookups) -> Tensor<2> {
    let device = table.device();
    let [_, width] = table.dims();
    let rows = table.select(0, indices(lookups.rows.clone(), &device));
    let owners = indices(lookups.owners(), &device);
    Tensor::zeros([lookups.len(), width], &device).select_assign(0, owners, rows, IndexingUpdateOp::Add)
}

/// Rows through a layer, rectified or as they are.
pub(crate) fn dense(layer: &Linear, x: Tensor<2>, rectified: bool) -> Tensor<2> {
    let [inputs, outputs] = layer.weight.val().dims();
    match (Operation::Layer { shape: layer::Shape { inputs, outputs, rectified } }).possible() {
        Some(operation) => {
            let flat = Flat::new(&x.device()).linear(layer).done();
            fused::apply(Level::best(), operation, x, flat)
        }
        None if rectified => relu(layer.forward(x)),
        None => layer.forward(x),
    }
}

/// Makes parameters one after another; the order of the calls decides which number goes where.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub(crate) device: &'a Device,
    /// Nothing where all is to be zero, since the numbers come from elsewhere.
    random: Option<Random>,
    parameters: usize,
    most: usize,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(seed: u64, device: &'a Device) -> Builder<'a> {
        let random = Some(Random::keyed(seed, 0x1417));
        Builder { device, random, parameters: 0, most: usize::MAX }
    }

    /// Makes parameters whose numbers come from elsewhere.
    pub(crate) fn zeros(device: &'a Device) -> Builder<'a> {
        Builder { device, random: None, parameters: 0, most: usize::MAX }
    }

    /// Sets a bound: parameters beyond it are made with one number each, and the network is of no use.
    pub(crate) fn at_most(self, most: usize) -> Builder<'a> {
        Builder { most, ..self }
    }

    /// Whether there were more parameters than the bound allows.
    pub(crate) fn is_over(&self) -> bool {
        self.parameters > self.most
    }

    /// Numbers around zero with the given spread.
    pub(crate) fn normal<const D: usize>(&mut self, shape: [usize; D], spread: f32) -> Param<Tensor<D>> {
        let shape = self.counted(shape);
        let values = (0..shape.iter().product()).map(|_| spread * self.gaussian()).collect::<Vec<f32>>();
        self.param(values, shape)
    }

    pub(crate) fn constant<const D: usize>(&mut self, shape: [usize; D], value: f32) -> Param<Tensor<D>> {
        let shape = self.counted(shape);
        self.param(vec![value; shape.iter().product()], shape)
    }

    /// These very numbers.
    pub(crate) fn given(&mut self, mut values: Vec<f32>) -> Param<Tensor<1>> {
        let [len] = self.counted([values.len()]);
        values.truncate(len);
        self.param(values, [len])
    }

    /// The shape, or that of a single number beyond the bound.
    fn counted<const D: usize>(&mut self, shape: [usize; D]) -> [usize; D] {
        let len = shape.iter().fold(1usize, |product, &size| product.saturating_mul(size));
        self.parameters = self.parameters.saturating_add(len);
        if self.is_over() { [1; D] } else { shape }
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
        let [width] = self.counted([width]);
        LayerNormConfig::new(width).init(self.device)
    }

    fn param<const D: usize>(&self, values: Vec<f32>, shape: [usize; D]) -> Param<Tensor<D>> {
        Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), self.device))
    }

    /// A normal number by Box and Muller's method.
    fn gaussian(&mut self) -> f32 {
        let Some(random) = &mut self.random else { return 0.0 };
        let mut uniform = || ((random.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), std::f64::consts::TAU * uniform());
        (radius * angle.cos()) as f32
    }
}
