//! What a family of networks must offer to be trained, loaded and listed.

use std::{collections::BTreeMap, sync::Arc};

use burn::{module::Module, tensor::Tensor};
use chess::{Brain, Random};
use data::Sample;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    balance::Term, layers::Builder, limits::MOST_PARAMETERS, phase::Phase, temperature::Temperature,
    train_config::TrainConfig,
};

/// A kind of network: how it is built, what it learns from samples, and the mind that comes of it.
pub(crate) trait Family: Module + Sync + 'static {
    const NAME: &'static str;
    /// One sentence about it, for lists.
    const ABOUT: &'static str;
    /// The search under which its minds usually think.
    const SEARCH: &'static str;
    /// The figure by which weights are known, and of which the curve is kept.
    const DECIDES: &'static str;
    /// The figure that tells which weights are best, and whether less of it is better: the one that chance changes least.
    const CHOOSES: (&'static str, bool);
    /// Parameters, by the beginning of their names, that only training needs. Files of weights do not hold them.
    const TRAINING_ONLY: &'static [&'static str] = &[];
    /// What a run may begin with of other families' networks: how their names begin, and how the same numbers' names begin here.
    const INHERITS: &'static [(&'static str, &'static str)] = &[];
    type Config: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Samples made ready for the network, on the host.
    type Batch: Send + 'static;

    /// Whether a network can be made of this and can learn: every size within bounds, in a sentence if not.
    fn check(config: &Self::Config) -> Result<(), String>;
    /// One small network of every kind, for tests that loop over all.
    fn tiny() -> Vec<Self::Config>;
    /// How it is trained where a run says nothing else.
    fn training(config: &Self::Config) -> TrainConfig;
    /// The phases of a run in order; the last one, for most families the only one, is the training proper.
    fn phases(_: &Self::Config) -> Vec<Phase> {
        vec![Phase { name: "training", steps: 0 }]
    }

    fn init(config: &Self::Config, builder: &mut Builder<'_>) -> Self;
    /// Names of encodings, for the card.
    fn encoding(config: &Self::Config) -> &'static str;
    /// Samples made ready for a phase, by its name. Whatever is drawn by chance comes from `random`, which depends on the seed and on
    /// the number of the batch alone.
    fn prepare(config: &Self::Config, samples: &[Sample], phase: &str, random: &mut Random) -> Self::Batch;
    fn objective(&self, config: &Self::Config, batch: &Self::Batch) -> Objective;
    /// Sums of what validation measures over a batch, by name. `random` is the same at every validation.
    fn figures(&self, config: &Self::Config, batch: &Self::Batch, random: &mut Random) -> Figures;
    /// Measures what is not learned but belongs to the weights, on samples that were not learned from; nothing where all is learned.
    fn calibrate(self, _: &Self::Config, _: &[Self::Batch]) -> Option<Self> {
        None
    }
    /// The same network with temperatures of its policy by rating; nothing where a family has none.
    fn with_temperatures(_: &Self::Config, _: Vec<Temperature>) -> Option<Self::Config> {
        None
    }
    /// The same network with terms of what it expects of games; nothing where a family has none.
    fn with_balance(_: &Self::Config, _: Vec<Term>) -> Option<Self::Config> {
        None
    }
    fn brain(self, config: Self::Config) -> Arc<dyn Brain>;
    /// The same without objectives that cannot be learned to the end.
    #[cfg(test)]
    fn learnable(config: Self::Config) -> Self::Config {
        config
    }
}

/// What a step minimises, and its parts by name for the log.
pub(crate) struct Objective {
    pub(crate) total: Tensor<1>,
    pub(crate) parts: Vec<(&'static str, Tensor<1>)>,
}

/// Means by name: (sum, count).
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures(BTreeMap<String, (f64, f64)>);

impl Figures {
    pub(crate) fn add(&mut self, name: &str, sum: f64, count: f64) {
        let entry = self.0.entry(name.to_owned()).or_default();
        *entry = (entry.0 + sum, entry.1 + count);
    }

    /// One of them alone, by another name.
    pub(crate) fn renamed(&self, name: &str, to: &str) -> Figures {
        Figures(self.0.get(name).map(|&mean| (to.to_owned(), mean)).into_iter().collect())
    }

    pub(crate) fn merge(&mut self, other: &Figures) {
        other.0.iter().for_each(|(name, &(sum, count))| self.add(name, sum, count));
    }

    pub(crate) fn means(&self) -> BTreeMap<String, f64> {
        let known = self.0.iter().filter(|(_, (_, count))| *count > 0.0);
        known.map(|(name, (sum, count))| (name.clone(), sum / count)).collect()
    }
}

/// Whether parameters of this name are needed by training alone.
pub(crate) fn only_for_training<F: Family>(name: &str) -> bool {
    F::TRAINING_ONLY.iter().any(|begin| name.starts_with(begin))
}

/// A network with its first weights, or the sentence that it would be too large.
pub(crate) fn first<F: Family>(
    config: &F::Config,
    seed: u64,
    device: &burn::tensor::Device,
) -> Result<F, String> {
    let mut builder = Builder::new(seed, device).at_most(MOST_PARAMETERS);
    let network = F::init(config, &mut builder);
    match builder.is_over() {
        false => Ok(network),
        true => Err(format!("the network has more than {MOST_PARAMETERS} parameters")),
    }
}
