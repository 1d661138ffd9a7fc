//! The human mind: what a person of a given rating with a given clock plays, and how long she takes.
//!
//! Two architectures share inputs, objectives and interface: the transformer on squares of the seed (`hc3`), and lookups per
//! move with a small convolutional trunk (`swift`), which learns much faster on a CPU.

mod attention;
mod batch;
mod brain;
pub mod clone;
mod config;
mod hc3;
mod network;
mod objective;
mod person;
mod swift;

use std::sync::Arc;

use chess::{Brain, Random, search_name};
use data::Sample;

use self::{
    batch::Batch,
    brain::HumanBrain,
    hc3::Hc3,
    network::{Outputs, Packed},
};
pub(crate) use self::{
    batch::SwiftInput,
    network::Human,
    swift::{Packed as PackedSwift, Seen, Swift},
};
pub use self::{
    config::{
        Architecture, AttentionConfig, Hc3Config, HumanConfig, ObjectiveWeights, RatingForm, SwiftConfig,
    },
    person::{Choices, Habits, Person, PersonBrain},
};
use crate::{
    Term, TrainConfig,
    family::{Family, Figures, Objective},
    layers::Builder,
    temperature::Temperature,
};

/// Edges between classes of thinking time, in seconds.
pub const THINK_EDGES: [f32; 7] = [0.5, 1.5, 2.5, 4.5, 9.5, 19.5, 59.5];
pub(crate) const THINK_BINS: usize = THINK_EDGES.len() + 1;

impl Family for Human {
    const NAME: &'static str = "human";
    const ABOUT: &'static str = "plays and takes its time as people of a rating do";
    const SEARCH: &'static str = search_name::INSTANT;
    const DECIDES: &'static str = "top-1, Maia's positions";
    const CHOOSES: (&'static str, bool) = ("move loss", true);
    type Config = HumanConfig;
    type Batch = Batch;

    fn check(config: &HumanConfig) -> Result<(), String> {
        config.check()
    }

    fn tiny() -> Vec<HumanConfig> {
        HumanConfig::all_tiny()
    }

    fn training(config: &HumanConfig) -> TrainConfig {
        let policy = match config.architecture {
            Architecture::Hc3 => "hc3",
            Architecture::Swift => "human",
        };
        TrainConfig { policy: policy.to_owned(), ..TrainConfig::default() }
    }

    fn init(config: &HumanConfig, builder: &mut Builder<'_>) -> Human {
        match config.architecture {
            Architecture::Hc3 => Human::Hc3(Hc3::new(&config.hc3, builder)),
            Architecture::Swift => {
                Human::Swift(Swift::new(&config.swift, config.weights.legal > 0.0, builder))
            }
        }
    }

    fn encoding(config: &HumanConfig) -> &'static str {
        match config.architecture {
            Architecture::Hc3 => "hc3",
            Architecture::Swift => "swift",
        }
    }

    fn prepare(config: &HumanConfig, samples: &[Sample], _: &str, _: &mut Random) -> Batch {
        Batch::from_samples(config, samples)
    }

    fn objective(&self, config: &HumanConfig, batch: &Batch) -> Objective {
        objective::objective(&config.weights, &self.forward(batch, true, None), batch)
    }

    fn figures(&self, _: &HumanConfig, batch: &Batch, _: &mut Random) -> Figures {
        objective::figures(self.forward(batch, false, None), batch)
    }

    fn with_temperatures(config: &HumanConfig, temperatures: Vec<Temperature>) -> Option<HumanConfig> {
        Some(HumanConfig { temperatures, ..config.clone() })
    }

    fn with_balance(config: &HumanConfig, balance: Vec<Term>) -> Option<HumanConfig> {
        Some(HumanConfig { balance, ..config.clone() })
    }

    fn brain(self, config: HumanConfig) -> Arc<dyn Brain> {
        let person = config.person.clone();
        let brain = Arc::new(HumanBrain::new(self, config));
        match person {
            Some(person) => Arc::new(PersonBrain::new(brain, &person)),
            None => brain,
        }
    }

    #[cfg(test)]
    fn learnable(mut config: HumanConfig) -> HumanConfig {
        // That all legal moves are equally likely cannot be learned away.
        config.weights.legal = 0.0;
        config
    }
}
