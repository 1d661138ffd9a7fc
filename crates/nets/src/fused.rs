//! Parts of networks that the crate `kernels` computes in one go on the CPU, joined to burn's graph of gradients.
//!
//! A family stays an ordinary module: it asks whether its operation fits and takes burn's own operations where the answer is no, as on GPUs.
//! An operation has three inputs: what goes through, what is added at its side (where it takes that), and all parameters in
//! one flat tensor, so that burn itself shares out their gradients.

mod extension;
mod fallback;
mod flat;
mod graphs;
mod lookups;
mod operation;
mod stem;

use std::sync::Arc;

use burn::{
    backend::Dispatch,
    tensor::{Tensor, TensorData},
};
use kernels::{Arithmetic, Level};

use self::extension::Fused;
pub(crate) use self::{
    fallback::tell as tell_fallback,
    flat::Flat,
    graphs::{EdgeList, GraphLists},
    lookups::{ChoiceTargets, Choices, Lookups, Meetings, MoveLookups},
    operation::Operation,
    stem::{Ones, ready_stem, stem},
};
use crate::weights::values;

/// An operation whose parameters were packed once and for all.
pub(crate) type Ready = operation::Ready<Arc<[f32]>>;

/// Whether tensors of this build live where `kernels` can reach them.
pub(crate) fn reachable() -> bool {
    !cfg!(any(feature = "cuda", feature = "wgpu", feature = "metal"))
}

impl Operation {
    /// This operation, where it can be computed in one go. That it cannot on a CPU is told once: burn's own operations are slower.
    pub(crate) fn possible(self) -> Option<Operation> {
        if !reachable() {
            return None;
        }
        if !self.fits() {
            fallback::tell(&self.describe());
            return None;
        }
        Some(self)
    }

    /// Packs the parameters for inference.
    pub(crate) fn packed(&self, parameters: Tensor<1>) -> Ready {
        self.ready_for_inference(Arithmetic::best(), Arc::from(values(parameters)))
    }
}

/// Runs an operation inside burn's graph.
pub(crate) fn apply<const D: usize, const O: usize>(
    level: Level,
    operation: Operation,
    x: Tensor<D>,
    parameters: Tensor<1>,
) -> Tensor<O> {
    let nothing = Tensor::<1>::zeros([1], &x.device());
    apply_with(level, operation, x, nothing, parameters)
}

/// The same for an operation that takes something at its side.
pub(crate) fn apply_with<const D: usize, const S: usize, const O: usize>(
    level: Level,
    operation: Operation,
    x: Tensor<D>,
    side: Tensor<S>,
    parameters: Tensor<1>,
) -> Tensor<O> {
    let (x, side, parameters) = (x.into_dispatch(), side.into_dispatch(), parameters.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused(x, side, parameters, operation, level))
}

/// Mean or weighted sum of the cross-entropy of choices among lists of scores, inside burn's graph.
pub(crate) fn choice(level: Level, choices: Choices, scores: Tensor<1>) -> Tensor<1> {
    let nothing = Tensor::zeros([1], &scores.device());
    apply(level, Operation::Choice { choices: Arc::new(choices) }, scores, nothing)
}

/// Chances of what lists of scores are about, each summing to 1.
pub(crate) fn chances(ends: &[usize], mut scores: Vec<f32>) -> Vec<f32> {
    kernels::choice::chances(Level::best(), ends, &mut scores);
    scores
}

/// Runs operations one after another whose parameters were packed before, outside of any graph.
pub(crate) fn apply_all<'a, const D: usize>(
    all: impl IntoIterator<Item = (Operation, &'a Ready)>,
    x: Tensor<D>,
) -> Tensor<D> {
    let (shape, device) = (x.dims(), x.device());
    let y = all.into_iter().fold(values(x), |x, (operation, ready)| run(&operation, ready, &x, &[]));
    Tensor::from_data(TensorData::new(y, shape), &device)
}

/// One such operation on plain numbers.
pub(crate) fn run(operation: &Operation, ready: &Ready, x: &[f32], side: &[f32]) -> Vec<f32> {
    operation.forward(Level::best(), ready, (x, side), false).0
}
