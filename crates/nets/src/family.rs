//! The families in one visible list, and what each of them must offer to be trained and loaded.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use burn::{
    module::Module,
    tensor::{Device, Tensor},
};
use chess::Brain;
use data::Sample;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Card, WeightError, WeightFile, device,
    human::{Human, HumanConfig},
    ranker::{Ranker, RankerConfig},
    weights::Weights,
};

#[cfg(all(test, any(feature = "cuda", feature = "wgpu", feature = "metal")))]
mod gpu_tests;
#[cfg(test)]
mod tests;

/// Every family by name.
pub const FAMILIES: &[&str] = &[Human::NAME, Ranker::NAME];

/// A configuration of any family.
#[derive(Clone, Debug, PartialEq)]
pub enum NetConfig {
    Human(HumanConfig),
    Ranker(RankerConfig),
}

impl NetConfig {
    /// The configuration of the family `name`, from what a TOML file or a card says.
    pub fn parse<'de, D: serde::Deserializer<'de>>(
        name: &str,
        source: D,
    ) -> Result<NetConfig, NetConfigError> {
        let wrong = |error: D::Error| NetConfigError::Wrong(error.to_string());
        match name {
            Human::NAME => Ok(NetConfig::Human(serde::Deserialize::deserialize(source).map_err(wrong)?)),
            Ranker::NAME => {
                let config: RankerConfig = serde::Deserialize::deserialize(source).map_err(wrong)?;
                match config.fault() {
                    Some(fault) => Err(NetConfigError::Wrong(fault.to_owned())),
                    None => Ok(NetConfig::Ranker(config)),
                }
            }
            _ => Err(NetConfigError::NoFamily(name.to_owned())),
        }
    }

    pub fn family(&self) -> &'static str {
        match self {
            NetConfig::Human(_) => Human::NAME,
            NetConfig::Ranker(_) => Ranker::NAME,
        }
    }

    /// One small network of every kind, for tests that loop over all.
    pub fn all_tiny() -> Vec<NetConfig> {
        let humans = HumanConfig::all_tiny().into_iter().map(NetConfig::Human);
        humans.chain(RankerConfig::all_tiny().into_iter().map(NetConfig::Ranker)).collect()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum NetConfigError {
    #[error("there is no family `{0}`; there are: {names}", names = FAMILIES.join(", "))]
    NoFamily(String),
    #[error("{0}")]
    Wrong(String),
}

/// A kind of network: how it is built, what it learns from samples, and the mind that comes of it.
pub(crate) trait Family: Module + Sync + 'static {
    const NAME: &'static str;
    /// The figure by which weights are known, and of which the curve is kept.
    const DECIDES: &'static str;
    /// The figure that tells which weights are best, and whether less of it is better: the one that chance changes least.
    const CHOOSES: (&'static str, bool);
    type Config: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Samples made ready for the network, on the host.
    type Batch: Send + 'static;

    fn init(config: &Self::Config, seed: u64, device: &Device) -> Self;
    /// Names of encodings, for the card.
    fn encoding(config: &Self::Config) -> &'static str;
    fn prepare(config: &Self::Config, samples: &[Sample]) -> Self::Batch;
    fn objective(&self, config: &Self::Config, batch: &Self::Batch) -> Objective;
    /// Sums of what validation measures over a batch, by name.
    fn figures(&self, config: &Self::Config, batch: &Self::Batch) -> Figures;
    /// Measures what is not learned but belongs to the weights, on samples that were not learned from; nothing where all is learned.
    fn settle(self, _: &Self::Config, _: &[Self::Batch]) -> Option<Self> {
        None
    }
    fn brain(self, config: Self::Config) -> Arc<dyn Brain>;
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

    pub(crate) fn merge(&mut self, other: &Figures) {
        other.0.iter().for_each(|(name, &(sum, count))| self.add(name, sum, count));
    }

    pub(crate) fn means(&self) -> BTreeMap<String, f64> {
        let known = self.0.iter().filter(|(_, (_, count))| *count > 0.0);
        known.map(|(name, (sum, count))| (name.clone(), sum / count)).collect()
    }
}

/// The mind in a weight file.
pub fn load(path: &Path) -> Result<Arc<dyn Brain>, WeightError> {
    build(WeightFile::read(path)?)
}

/// The mind in the bytes of a weight file, such as one inside the binary.
pub fn load_bytes(bytes: &[u8]) -> Result<Arc<dyn Brain>, WeightError> {
    build(WeightFile::from_bytes(bytes)?)
}

pub(crate) fn build(file: WeightFile) -> Result<Arc<dyn Brain>, WeightError> {
    match network_config(&file.card)? {
        NetConfig::Human(config) => brain::<Human>(config, &file.weights),
        NetConfig::Ranker(config) => brain::<Ranker>(config, &file.weights),
    }
}

/// The network that a card describes.
pub(crate) fn network_config(card: &Card) -> Result<NetConfig, WeightError> {
    NetConfig::parse(&card.family, &card.network).map_err(|error| match error {
        NetConfigError::NoFamily(name) => WeightError::Family(name),
        NetConfigError::Wrong(reason) => WeightError::Network(reason),
    })
}

/// The network of these weights, if they fit.
pub(crate) fn network<F: Family>(config: &F::Config, weights: &Weights) -> Result<F, WeightError> {
    let empty = F::init(config, 0, &device());
    match weights.misfit(&Weights::of(&empty)) {
        Some(misfit) => Err(WeightError::Misfit(misfit)),
        None => Ok(weights.install(empty)),
    }
}

fn brain<F: Family>(config: F::Config, weights: &Weights) -> Result<Arc<dyn Brain>, WeightError> {
    Ok(network::<F>(&config, weights)?.brain(config))
}
