//! A run as data: family, network, training. Unknown keys are errors; what is left out has a default.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{NetConfig, family::NetConfigError};

#[derive(Clone, Debug, PartialEq)]
pub struct RunConfig {
    pub net: NetConfig,
    pub train: TrainConfig,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrainConfig {
    pub seed: u64,
    /// Samples in a batch.
    pub batch: usize,
    /// Batches that make one step.
    pub accumulate: usize,
    pub steps: u64,
    /// Steps until the learning rate is at its peak.
    pub warmup: u64,
    /// Peak of the learning rate.
    pub rate: f64,
    /// Share of the peak that is left at the end.
    pub last_rate: f64,
    pub betas: [f64; 2],
    /// For matrices only.
    pub weight_decay: f64,
    /// Longest gradient that is taken as it is.
    pub clip: f64,
    /// How much of the running mean of the weights is kept at each step.
    pub mean: f64,
    pub validate_every: u64,
    pub validation_samples: usize,
    pub checkpoint_seconds: u64,
    /// Which positions are drawn: a name or a TOML file.
    pub policy: String,
    /// Which positions are validated on.
    pub validation_policy: String,
    /// A set of labels of `tabiya data label` in the dataset's folder; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub labels: String,
}

impl Default for TrainConfig {
    fn default() -> TrainConfig {
        TrainConfig {
            seed: 1,
            batch: 512,
            accumulate: 1,
            steps: 10_000,
            warmup: 200,
            rate: 5e-4,
            last_rate: 0.05,
            betas: [0.9, 0.95],
            weight_decay: 0.1,
            clip: 1.0,
            mean: 0.999,
            validate_every: 500,
            validation_samples: 8192,
            checkpoint_seconds: 120,
            policy: "hc3".to_owned(),
            validation_policy: "all".to_owned(),
            labels: String::new(),
        }
    }
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
        let train: TrainConfig = train
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::Train(error.message().to_owned()))?;
        train.check()?;
        Ok(RunConfig { net, train })
    }

    /// Whether a run that was begun with `begun` may go on with this: only the schedule and how often it is looked at may
    /// have changed.
    pub(crate) fn continues(&self, begun: &str) -> bool {
        let Ok(begun) = RunConfig::from_toml(begun, &[]) else { return false };
        let TrainConfig { steps, warmup, rate, last_rate, validate_every, checkpoint_seconds, .. } =
            self.train;
        let train =
            TrainConfig { steps, warmup, rate, last_rate, validate_every, checkpoint_seconds, ..begun.train };
        RunConfig { train, ..begun } == *self
    }

    pub fn to_toml(&self) -> String {
        let network = match &self.net {
            NetConfig::Human(config) => toml::Table::try_from(config),
            NetConfig::Ranker(config) => toml::Table::try_from(config),
        };
        let mut table = toml::Table::new();
        table.insert("family".to_owned(), self.net.family().into());
        table.insert("network".to_owned(), network.expect("plain configuration").into());
        let train = toml::Table::try_from(&self.train).expect("plain configuration");
        table.insert("train".to_owned(), train.into());
        table.to_string()
    }
}

impl TrainConfig {
    fn check(&self) -> Result<(), ConfigError> {
        let rules = [
            (self.batch > 0, "batch is 0"),
            (self.accumulate > 0, "accumulate is 0"),
            (self.validate_every > 0, "validate-every is 0"),
            (self.rate.is_finite() && self.rate > 0.0, "rate is not above 0"),
            (self.clip > 0.0, "clip is not above 0"),
            (self.betas.iter().all(|beta| (0.0..1.0).contains(beta)), "betas are not within 0 and 1"),
            ((0.0..1.0).contains(&self.mean), "mean is not within 0 and 1"),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, broken)) => Err(ConfigError::Train(broken.to_owned())),
            None => Ok(()),
        }
    }
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
    fn a_run_may_go_on_with_another_schedule_and_with_nothing_else() {
        let begun = RunConfig::family("human", &[]).unwrap().to_toml();
        for (set, may) in [
            ("train.steps=20", true),
            ("train.rate=1e-4", true),
            ("train.validate-every=7", true),
            ("train.batch=64", false),
            ("train.seed=9", false),
            ("train.policy=all", false),
            ("network.swift.blocks=5", false),
        ] {
            let config = RunConfig::family("human", &[set.to_owned()]).unwrap();
            assert_eq!(config.continues(&begun), may, "{set}");
        }
        assert!(!RunConfig::family("human", &[]).unwrap().continues("nonsense"));
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
        ] {
            let error = RunConfig::family("human", &[set.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(complaint), "{set}: {error}");
        }
        assert!(RunConfig::family("oracle", &[]).unwrap_err().to_string().contains("there are: human"));
    }
}
