//! The human mind: what a person of a given rating with a given clock plays, and how long she takes.
//!
//! Two architectures share inputs, objectives and interface: the transformer on squares of the seed (`hc3`), and lookups per
//! move with a small convolutional trunk (`swift`), which learns much faster on a CPU.

mod batch;
mod brain;
mod config;
mod hc3;
mod objective;
mod swift;

use std::sync::Arc;

use burn::{
    module::Module,
    tensor::{Device, Tensor},
};
use chess::Brain;
use data::Sample;

pub use self::config::{
    Architecture, Hc3Config, HumanConfig, ObjectiveWeights, RatingForm, SwiftConfig, Temperature,
};
use self::{
    batch::{Batch, Input},
    brain::HumanBrain,
    hc3::Hc3,
    swift::Swift,
};
use crate::{
    family::{Family, Figures, Objective},
    fused::Ready,
    layers::Builder,
};

/// Edges between classes of thinking time, in seconds.
pub const THINK_EDGES: [f32; 7] = [0.5, 1.5, 2.5, 4.5, 9.5, 19.5, 59.5];
pub(crate) const THINK_BINS: usize = THINK_EDGES.len() + 1;

#[expect(clippy::large_enum_variant, reason = "there is one network at a time")]
#[derive(Module, Debug)]
pub(crate) enum Human {
    Hc3(Hc3),
    Swift(Swift),
}

/// A network's parts packed for the CPU.
#[derive(Debug)]
enum Packed {
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
    fn forward(&self, batch: &Batch, train: bool, packed: Option<&Packed>) -> Outputs {
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
    fn packed(&self) -> Option<Packed> {
        match self {
            Human::Hc3(network) => Some(Packed::Hc3(network.ready())),
            Human::Swift(network) => network.packed().map(Packed::Swift),
        }
    }
}

impl Family for Human {
    const NAME: &'static str = "human";
    const DECIDES: &'static str = "top-1, Maia's positions";
    const CHOOSES: (&'static str, bool) = ("move loss", true);
    type Config = HumanConfig;
    type Batch = Batch;

    fn init(config: &HumanConfig, seed: u64, device: &Device) -> Human {
        let mut builder = Builder::new(seed, device);
        match config.architecture {
            Architecture::Hc3 => Human::Hc3(Hc3::new(&config.hc3, &mut builder)),
            Architecture::Swift => Human::Swift(Swift::new(config, &mut builder)),
        }
    }

    fn encoding(config: &HumanConfig) -> &'static str {
        match config.architecture {
            Architecture::Hc3 => "hc3",
            Architecture::Swift => "swift",
        }
    }

    fn prepare(config: &HumanConfig, samples: &[Sample]) -> Batch {
        Batch::from_samples(config, samples)
    }

    fn objective(&self, config: &HumanConfig, batch: &Batch) -> Objective {
        objective::objective(&config.weights, &self.forward(batch, true, None), batch)
    }

    fn figures(&self, _: &HumanConfig, batch: &Batch) -> Figures {
        objective::figures(self.forward(batch, false, None), batch)
    }

    fn brain(self, config: HumanConfig) -> Arc<dyn Brain> {
        Arc::new(HumanBrain::new(self, config))
    }
}
