//! A family as the rest of the program sees it: functions that take its configuration as plain JSON.

use std::{path::Path, sync::Arc};

use chess::Brain;
use data::Dataset;
use serde::Serialize;
use serde_json::Value;

use crate::{
    BalanceFit, Temperature, TrainConfig, TrainError, TrainOptions, WeightError, WeightFile,
    family::Family,
    loading,
    phase::Phase,
    train::{self, Event},
    weights::Weights,
};

/// A family in the list. The functions take configurations that `parse` has checked and completed.
pub struct Entry {
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// The search under which its minds usually think.
    pub search: &'static str,
    pub(super) parse: fn(Value) -> Result<Value, String>,
    pub(super) training: fn(&Value) -> TrainConfig,
    pub(super) phases: fn(&Value) -> Vec<Phase>,
    pub(super) train: Train,
    pub(super) mind: MakeMind,
    pub(super) calibrate: fn(&Value, WeightFile, &Path, &Dataset, usize) -> Result<(), TrainError>,
    pub(super) fit_temperatures: FitTemperatures,
    pub(super) fit_balance: FitBalance,
    pub(super) tiny: fn() -> Vec<Value>,
    #[cfg(test)]
    pub(super) trial: super::tests::Trial,
}

type Train =
    fn(&Value, &TrainConfig, &Dataset, &TrainOptions<'_>, &mut dyn FnMut(&Event)) -> Result<(), TrainError>;
type MakeMind = fn(&Value, &Weights) -> Result<Arc<dyn Brain>, WeightError>;
type FitTemperatures =
    fn(&Value, &mut WeightFile, &Dataset, usize) -> Result<Vec<(Temperature, usize)>, TrainError>;

type FitBalance = fn(&Value, &mut WeightFile, &Dataset, usize) -> Result<BalanceFit, TrainError>;

impl Entry {
    pub(super) const fn of<F: Family>() -> Entry {
        Entry {
            name: F::NAME,
            about: F::ABOUT,
            search: F::SEARCH,
            parse: |value| {
                let config: F::Config = serde_json::from_value(value).map_err(|error| error.to_string())?;
                F::check(&config).map(|()| json(config))
            },
            training: |config| F::training(&typed::<F>(config)),
            phases: |config| F::phases(&typed::<F>(config)),
            train: |config, settings, data, options, tell| {
                train::train::<F>(&typed::<F>(config), settings, data, options, tell)
            },
            mind: |config, weights| loading::mind::<F>(typed::<F>(config), weights),
            calibrate: |config, file, path, data, samples| {
                train::calibrate::<F>(&typed::<F>(config), file, path, data, samples)
            },
            fit_temperatures: |config, file, data, positions| {
                train::fit_temperatures::<F>(&typed::<F>(config), file, data, positions)
            },
            fit_balance: |config, file, data, positions| {
                train::fit_balance::<F>(&typed::<F>(config), file, data, positions)
            },
            tiny: || F::tiny().into_iter().map(json).collect(),
            #[cfg(test)]
            trial: super::tests::Trial::of::<F>(),
        }
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Entry({})", self.name)
    }
}

/// Without what is not set, for which TOML has no word.
fn json(config: impl Serialize) -> Value {
    without_nulls(serde_json::to_value(config).expect("plain configuration"))
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let known = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(known.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        other => other,
    }
}

pub(super) fn typed<F: Family>(config: &Value) -> F::Config {
    serde::Deserialize::deserialize(config).expect("a configuration that was parsed before")
}
