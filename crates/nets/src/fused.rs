//! Parts of networks that the crate `kernels` computes in one go on the CPU, joined to burn's graph of gradients.
//!
//! A family stays an ordinary module: it asks whether its operation fits and takes burn's own operations where the answer is no, as on GPUs.
//! An operation has two inputs: what goes through, and all parameters in one flat tensor, so that burn itself shares out
//! their gradients.

mod extension;
mod flat;
mod operation;

use burn::{
    backend::Dispatch,
    tensor::{Tensor, TensorData},
};
use kernels::Level;

use self::extension::Fused;
pub(crate) use self::{
    flat::Flat,
    operation::{Operation, Ready},
};
use crate::weights::values;

/// Whether tensors of this build live where `kernels` can reach them.
pub(crate) fn reachable() -> bool {
    !cfg!(any(feature = "cuda", feature = "wgpu", feature = "metal"))
}

/// Runs an operation inside burn's graph. The result has the shape of `x`.
pub(crate) fn apply<const D: usize>(
    level: Level,
    operation: Operation,
    x: Tensor<D>,
    parameters: Tensor<1>,
) -> Tensor<D> {
    let (x, parameters) = (x.into_dispatch(), parameters.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused(x, parameters, operation, level))
}

/// Runs operations one after another whose parameters were packed before, outside of any graph.
pub(crate) fn apply_all<const D: usize>(all: &[Ready], x: Tensor<D>) -> Tensor<D> {
    let (shape, device) = (x.dims(), x.device());
    let y = all.iter().fold(values(x), |x, ready| ready.forward(&x));
    Tensor::from_data(TensorData::new(y, shape), &device)
}
