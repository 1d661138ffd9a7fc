//! A run as data: family, network, training. Unknown keys are errors; what is left out has a default.

use data::Dataset;
use thiserror::Error;

use crate::{NetConfig, NetConfigError, TrainConfig, TrainError, TrainOptions, train::Event};

#[derive(Clone, Debug, PartialEq)]
pub struct RunConfig {
    pub net: NetConfig,
    pub train: TrainConfig,
}

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{0}")]
    Toml(String),
    #[error("the configuration has no `family`")]
    NoFamily,
    #[error("the configuration has an unknown key `{0}`; it holds family, [network] and [train]")]
    UnknownKey(String),
    #[error("[network]: {0}")]
    Network(#[from] NetConfigError),
    #[error("[train]: {0}")]
    Train(String),
    #[error("`{0}` is not of the form key=value")]
    NotAssignment(String),
}

impl RunConfig {
    /// The defaults of a family.
    pub fn family(name: &str, sets: &[String]) -> Result<RunConfig, ConfigError> {
        RunConfig::from_toml(&format!("family = {name:?}"), sets)
    }

    /// Reads a configuration and then the changes `key=value`, such as `train.batch=256`.
    pub fn from_toml(text: &str, sets: &[String]) -> Result<RunConfig, ConfigError> {
        let mut table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| ConfigError::Toml(error.to_string()))?;
        sets.iter().try_for_each(|set| assign(&mut table, set))?;
        let family = table.remove("family").and_then(|value| value.as_str().map(str::to_owned));
        let family = family.ok_or(ConfigError::NoFamily)?;
        let mut part = |name: &str| table.remove(name).unwrap_or_else(|| toml::Table::new().into());
        let (network, train) = (part("network"), part("train"));
        if let Some(key) = table.keys().next() {
            return Err(ConfigError::UnknownKey(key.clone()));
        }
        let net = NetConfig::parse(&family, network)?;
        let toml::Value::Table(train) = train else {
            return Err(ConfigError::Train("it is no table".to_owned()));
        };
        let defaults = toml::Table::try_from(net.training()).expect("plain configuration");
        let train: TrainConfig = overlaid(defaults, train)
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::Train(error.message().to_owned()))?;
        train.check().map_err(ConfigError::Train)?;
        net.plan(&train).map_err(ConfigError::Train)?;
        Ok(RunConfig { net, train })
    }

    pub fn to_toml(&self) -> String {
        self.net.run_toml(&self.train)
    }

    /// Steps of all phases together.
    pub fn steps(&self) -> u64 {
        let plan = self.net.plan(&self.train);
        plan.ok().and_then(|plan| plan.last().map(|phase| phase.end)).unwrap_or(self.train.steps)
    }
}

/// Trains until the configured steps are done or the options' `stop` is raised. The last checkpoint and the best weights are then in
/// the run's folder.
pub fn train(
    config: &RunConfig,
    data: &Dataset,
    options: &TrainOptions<'_>,
    tell: &mut dyn FnMut(&Event),
) -> Result<(), TrainError> {
    kernels::memory::keep_freed();
    config.net.train(&config.train, data, options, tell)
}

/// A table with what another says in place of its own values, table by table.
fn overlaid(mut table: toml::Table, other: toml::Table) -> toml::Table {
    for (key, value) in other {
        let value = match (table.remove(&key), value) {
            (Some(toml::Value::Table(own)), toml::Value::Table(other)) => overlaid(own, other).into(),
            (_, value) => value,
        };
        table.insert(key, value);
    }
    table
}

/// Sets `key=value` where the key is a path with dots. A value that is no TOML is taken as text.
fn assign(table: &mut toml::Table, set: &str) -> Result<(), ConfigError> {
    let wrong = || ConfigError::NotAssignment(set.to_owned());
    let (path, value) = set.split_once('=').ok_or_else(wrong)?;
    let parsed = format!("value = {value}").parse::<toml::Table>().ok();
    let value = parsed.and_then(|mut table| table.remove("value")).unwrap_or_else(|| value.into());
    let mut keys: Vec<&str> = path.trim().split('.').collect();
    let last = keys.pop().filter(|key| !key.is_empty()).ok_or_else(wrong)?;
    let mut place = table;
    for key in keys {
        let next = place.entry(key).or_insert_with(|| toml::Table::new().into());
        place = next.as_table_mut().ok_or_else(wrong)?;
    }
    place.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_survives_its_toml() {
        for net in NetConfig::all_tiny() {
            let config = RunConfig { net, train: TrainConfig { rate: 3e-4, ..TrainConfig::default() } };
            assert_eq!(RunConfig::from_toml(&config.to_toml(), &[]).unwrap(), config);
        }
    }

    #[test]
    fn changes_reach_every_part_and_typos_are_told() {
        let sets = ["train.batch=64", "network.architecture=swift", "train.policy=all"].map(str::to_owned);
        let config = RunConfig::family("human", &sets).unwrap();
        assert_eq!((config.train.batch, config.train.policy.as_str()), (64, "all"));
        for (set, complaint) in [
            ("train.bath=64", "unknown field `bath`"),
            ("trian.batch=64", "unknown key `trian`"),
            ("network.layer=3", "unknown field `layer`"),
            ("train.batch", "not of the form"),
            ("train.batch=0", "batch is 0"),
            ("train.rate=-1", "rate is not above 0"),
            ("train.steps=0", "steps is 0"),
            ("train=3", "it is no table"),
            ("train.phases.first.steps=3", "no phase `first`"),
            ("network=7", "invalid type"),
        ] {
            let error = RunConfig::family("human", &[set.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(complaint), "{set}: {error}");
        }
        assert!(RunConfig::family("oracle", &[]).unwrap_err().to_string().contains("there are: human"));
    }

    #[test]
    fn every_family_draws_the_positions_it_learns_from() {
        for entry in crate::FAMILIES {
            let config = RunConfig::family(entry.name, &[]).unwrap();
            assert!(data::Policy::find(&config.train.policy).is_ok());
            assert!(data::Policy::find(&config.train.validation_policy).is_ok());
        }
        // Without an evaluation there is nothing to rank.
        let ranker = RunConfig::family("ranker", &[]).unwrap().train;
        assert_eq!((ranker.policy.as_str(), ranker.validation_policy.as_str()), ("ranker", "ranker"));
        let other = RunConfig::family("ranker", &["train.policy=all".to_owned()]).unwrap().train;
        assert_eq!((other.policy.as_str(), other.validation_policy.as_str()), ("all", "ranker"));
    }
}
