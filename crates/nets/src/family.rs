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
    WeightError, WeightFile, device,
    human::{Human, HumanConfig},
    weights::Weights,
};

#[cfg(test)]
mod tests;

/// Every family by name.
pub const FAMILIES: &[&str] = &[Human::NAME];

/// A configuration of any family.
#[derive(Clone, Debug, PartialEq)]
pub enum NetConfig {
    Human(HumanConfig),
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
            _ => Err(NetConfigError::NoFamily(name.to_owned())),
        }
    }

    pub fn family(&self) -> &'static str {
        match self {
            NetConfig::Human(_) => Human::NAME,
        }
    }

    /// One small network of every kind, for tests that loop over all.
    pub fn all_tiny() -> Vec<NetConfig> {
        HumanConfig::all_tiny().into_iter().map(NetConfig::Human).collect()
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
    /// The figure that tells which weights are best; higher is better.
    const DECIDES: &'static str;
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
    let config = NetConfig::parse(&file.card.family, &file.card.network).map_err(|error| match error {
        NetConfigError::NoFamily(name) => WeightError::Family(name),
        NetConfigError::Wrong(reason) => WeightError::Network(reason),
    })?;
    match config {
        NetConfig::Human(config) => brain::<Human>(config, &file.weights),
    }
}

fn brain<F: Family>(config: F::Config, weights: &Weights) -> Result<Arc<dyn Brain>, WeightError> {
    let empty = F::init(&config, 0, &device());
    if let Some(misfit) = weights.misfit(&Weights::of(&empty)) {
        return Err(WeightError::Misfit(misfit));
    }
    Ok(weights.install(empty).brain(config))
}
