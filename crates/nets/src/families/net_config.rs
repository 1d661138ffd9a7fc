//! The configuration of a network of any family: checked, with every setting that was left out.

use std::{path::Path, sync::Arc};

use chess::Brain;
use data::Dataset;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::{Entry, FAMILIES};
use crate::{
    BalanceFit, Card, Temperature, TrainConfig, TrainError, TrainOptions, WeightError, WeightFile,
    phase::{Planned, plan},
    train::Event,
    train_config::run_toml,
    weights::Weights,
};

#[derive(Clone, Debug)]
pub struct NetConfig {
    pub(super) entry: &'static Entry,
    pub(super) config: Value,
}

#[derive(Debug, Error)]
pub enum NetConfigError {
    #[error("there is no family `{0}`; there are: {names}", names = names())]
    NoFamily(String),
    #[error("{0}")]
    Wrong(String),
}

fn names() -> String {
    FAMILIES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

impl PartialEq for NetConfig {
    fn eq(&self, other: &NetConfig) -> bool {
        (self.entry.name, &self.config) == (other.entry.name, &other.config)
    }
}

impl NetConfig {
    /// The configuration of the family `name`, from what a TOML file or a card says.
    pub fn parse(name: &str, source: impl serde::Serialize) -> Result<NetConfig, NetConfigError> {
        let entry = FAMILIES.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| NetConfigError::NoFamily(name.to_owned()))?;
        let source =
            serde_json::to_value(source).map_err(|error| NetConfigError::Wrong(error.to_string()))?;
        let config = (entry.parse)(source).map_err(NetConfigError::Wrong)?;
        Ok(NetConfig { entry, config })
    }

    /// The network that a card describes.
    pub(super) fn of_card(card: &Card) -> Result<NetConfig, WeightError> {
        NetConfig::parse(&card.family, &card.network).map_err(|error| match error {
            NetConfigError::NoFamily(_) => WeightError::Family(error.to_string()),
            NetConfigError::Wrong(reason) => WeightError::Network(reason),
        })
    }

    /// The same with other settings, where the family knows them.
    pub(super) fn with(mut self, settings: &[(&str, Value)]) -> Result<NetConfig, WeightError> {
        for (name, value) in settings {
            if let Some(own) = self.config.get_mut(*name) {
                *own = value.clone();
            }
        }
        let config = (self.entry.parse)(self.config).map_err(WeightError::Network)?;
        Ok(NetConfig { config, ..self })
    }

    pub fn family(&self) -> &'static str {
        self.entry.name
    }

    /// The configuration in the family's own type, if that is it.
    pub fn typed<C: DeserializeOwned>(&self) -> Option<C> {
        serde::Deserialize::deserialize(&self.config).ok()
    }

    /// One small network of every kind, for tests that loop over all.
    pub fn all_tiny() -> Vec<NetConfig> {
        let tiny =
            |entry: &'static Entry| (entry.tiny)().into_iter().map(move |config| NetConfig { entry, config });
        FAMILIES.iter().flat_map(tiny).collect()
    }

    /// How the network is trained where a run says nothing else.
    pub fn training(&self) -> TrainConfig {
        (self.entry.training)(&self.config)
    }

    pub(crate) fn plan(&self, train: &TrainConfig) -> Result<Vec<Planned>, String> {
        plan(&(self.entry.phases)(&self.config), train)
    }

    /// A whole run of it as TOML.
    pub(crate) fn run_toml(&self, train: &TrainConfig) -> String {
        run_toml(self.entry.name, &self.config, train)
    }

    pub(crate) fn train(
        &self,
        train: &TrainConfig,
        data: &Dataset,
        options: &TrainOptions<'_>,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<(), TrainError> {
        (self.entry.train)(&self.config, train, data, options, tell)
    }

    pub(super) fn mind(&self, weights: &Weights) -> Result<Arc<dyn Brain>, WeightError> {
        (self.entry.mind)(&self.config, weights)
    }

    pub(super) fn calibrate(
        &self,
        file: WeightFile,
        path: &Path,
        data: &Dataset,
        samples: usize,
    ) -> Result<(), TrainError> {
        (self.entry.calibrate)(&self.config, file, path, data, samples)
    }

    pub(super) fn fit_temperatures(
        &self,
        file: &mut WeightFile,
        data: &Dataset,
        positions: usize,
    ) -> Result<Vec<(Temperature, usize)>, TrainError> {
        (self.entry.fit_temperatures)(&self.config, file, data, positions)
    }

    pub(super) fn fit_balance(
        &self,
        file: &mut WeightFile,
        data: &Dataset,
        positions: usize,
    ) -> Result<BalanceFit, TrainError> {
        (self.entry.fit_balance)(&self.config, file, data, positions)
    }
}
