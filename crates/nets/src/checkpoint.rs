//! Everything a run needs to go on as if it had never stopped, in one file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use data::SamplerState;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    Card, WeightError,
    optimiser::{Optimiser, SETS},
    weight_file::{full_precision, read_arrays, verify},
    weights::Weights,
};

/// The file in a run's folder.
pub const CHECKPOINT: &str = "checkpoint.safetensors";

const VERSION: u32 = 2;
const STATE: &str = "tabiya-run";

#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error("cannot read the checkpoint `{path}`: {error}")]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write the checkpoint `{path}`: {error}")]
    Write { path: PathBuf, error: io::Error },
    #[error("the checkpoint `{path}`: {error}")]
    Arrays { path: PathBuf, error: Box<WeightError> },
    #[error("the checkpoint `{0}` has no readable state of a run")]
    NoState(PathBuf),
}

/// Where a run stands, besides its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunState {
    pub(crate) version: u32,
    pub(crate) step: u64,
    pub(crate) samples: u64,
    /// Training time, without the pauses between sessions.
    pub(crate) seconds: f64,
    /// The figure that chooses weights where it was best, its sign changed if less is better.
    pub(crate) best: Option<f64>,
    pub(crate) curve: Vec<(u64, f64, f64)>,
    pub(crate) sampler: Option<SamplerState>,
    /// The configuration as TOML: a resumed run must have the same, but for its schedule.
    pub(crate) config: String,
}

impl RunState {
    /// Samples, time and curve go on from those of the weights that the run begins with.
    pub(crate) fn new(config: String, past: Option<&Card>) -> RunState {
        let step = 0;
        let (samples, seconds) = past.map_or((0, 0.0), |card| (card.samples, 3600.0 * card.hours));
        let curve = past.map_or_else(Vec::new, |card| card.curve.clone());
        RunState { version: VERSION, step, samples, seconds, best: None, curve, sampler: None, config }
    }
}

pub(crate) fn save(path: &Path, optimiser: &Optimiser, state: &RunState) -> Result<(), CheckpointError> {
    let mut all = Weights::default();
    for (set, weights) in SETS.into_iter().zip(optimiser.sets()) {
        all.0.extend(weights.0.iter().map(|(name, array)| (format!("{set}/{name}"), array.clone())));
    }
    let text = serde_json::to_string(state).expect("plain numbers and text");
    let arrays = |error| CheckpointError::Arrays { path: path.to_owned(), error: Box::new(error) };
    let bytes = full_precision(&all, STATE, text).map_err(arrays)?;
    data::durable::write(path, &bytes)
        .map_err(|error| CheckpointError::Write { path: path.to_owned(), error })
}

pub(crate) fn load(path: &Path) -> Result<(Optimiser, RunState), CheckpointError> {
    let bytes = fs::read(path).map_err(|error| CheckpointError::Read { path: path.to_owned(), error })?;
    let arrays = |error| CheckpointError::Arrays { path: path.to_owned(), error: Box::new(error) };
    verify(&bytes, STATE).map_err(arrays)?;
    let mut all = read_arrays(&bytes).map_err(arrays)?;
    let state = state(&bytes).ok_or_else(|| CheckpointError::NoState(path.to_owned()))?;
    let mut sets = SETS.map(|_| Weights::default());
    for (name, array) in std::mem::take(&mut all.0) {
        let found = SETS.iter().zip(&mut sets).find_map(|(set, weights)| {
            Some((name.strip_prefix(set)?.strip_prefix('/')?.to_owned(), weights))
        });
        let (name, weights) = found.ok_or_else(|| CheckpointError::NoState(path.to_owned()))?;
        weights.0.insert(name, array);
    }
    let [weights, mean, first, second] = sets;
    if let Some(misfit) = [&mean, &first, &second].into_iter().find_map(|set| set.misfit(&weights)) {
        return Err(arrays(WeightError::Misfit(misfit)));
    }
    Ok((Optimiser { weights, mean, first, second, step: state.step }, state))
}

fn state(bytes: &[u8]) -> Option<RunState> {
    let (_, header) = safetensors::SafeTensors::read_metadata(bytes).ok()?;
    let state: RunState = serde_json::from_str(header.metadata().as_ref()?.get(STATE)?).ok()?;
    (state.version == VERSION).then_some(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Array;

    #[test]
    fn a_damaged_or_cut_checkpoint_is_refused_in_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CHECKPOINT);
        let array = Array { shape: vec![4, 4], values: (0..16u8).map(f32::from).collect() };
        let one = || Weights([("a".to_owned(), array.clone())].into());
        let optimiser = Optimiser { weights: one(), mean: one(), first: one(), second: one(), step: 7 };
        let state = RunState { step: 7, ..RunState::new("family = \"x\"".to_owned(), None) };
        save(&path, &optimiser, &state).unwrap();
        assert_eq!(load(&path).unwrap().1, state);
        let whole = fs::read(&path).unwrap();
        // Four sets of sixteen numbers, at the end.
        for at in whole.len() - 4 * 16 * 4..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            fs::write(&path, &damaged).unwrap();
            assert!(load(&path).is_err(), "a flipped bit in byte {at} of {} passes", whole.len());
        }
        for length in [0, 7, 8, 100, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            let error = load(&path).err().unwrap().to_string();
            assert!(error.starts_with("the checkpoint `"), "{error}");
        }
    }
}
