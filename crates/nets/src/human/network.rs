//! The network of either architecture behind one interface.

use burn::{module::Module, tensor::Tensor};

use super::{
    batch::{Batch, Input},
    hc3::Hc3,
    swift::{self, Swift},
};
use crate::fused::Ready;

#[expect(clippy::large_enum_variant, reason = "there is one network at a time")]
#[derive(Module, Debug)]
pub(crate) enum Human {
    Hc3(Hc3),
    Swift(Swift),
}

/// A network's parts packed for the CPU.
#[derive(Debug)]
pub(super) enum Packed {
    Hc3(Vec<Ready>),
    Swift(swift::Packed),
}

/// What the network says about a batch, before any softmax.
pub(crate) struct Outputs {
    /// Scores of the legal moves in the order of the batch, one list after another.
    pub(crate) moves: Tensor<1>,
    /// Win, draw, loss for the side to move: [batch, 3].
    pub(crate) outcome: Tensor<2>,
    /// [batch, 8].
    pub(crate) think: Tensor<2>,
    /// [batch, 64].
    pub(crate) origin: Tensor<2>,
    /// [batch, 64].
    pub(crate) target: Tensor<2>,
    /// Every move by its word or by origin and target, for the objective of legal moves: [batch, words].
    pub(crate) all_moves: Option<Tensor<2>>,
}

impl Human {
    /// `packed` comes from [`Human::packed`] of the same network.
    pub(super) fn forward(&self, batch: &Batch, train: bool, packed: Option<&Packed>) -> Outputs {
        match (self, &batch.input, packed) {
            (Human::Hc3(network), Input::Hc3(input), None) => network.forward(batch, input, &[]),
            (Human::Hc3(network), Input::Hc3(input), Some(Packed::Hc3(blocks))) => {
                network.forward(batch, input, blocks)
            }
            (Human::Swift(network), Input::Swift(input), None) => network.forward(batch, input, train, None),
            (Human::Swift(network), Input::Swift(input), Some(Packed::Swift(packed))) => {
                network.forward(batch, input, train, Some(packed))
            }
            _ => unreachable!("batches and packings are made for their network"),
        }
    }

    /// What can be packed once and for all when the weights no longer change.
    pub(super) fn packed(&self) -> Option<Packed> {
        match self {
            Human::Hc3(network) => Some(Packed::Hc3(network.ready())),
            Human::Swift(network) => network.packed().map(Packed::Swift),
        }
    }
}
