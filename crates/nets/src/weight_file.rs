//! Weights on disk: safetensors with the card in its metadata.

use std::{
    collections::{BTreeMap, HashMap},
    fs, io,
    path::{Path, PathBuf},
};

use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use thiserror::Error;

use crate::{
    card::{Card, VERSION},
    weights::{Array, Weights},
};

const CARD: &str = "tabiya";

#[derive(Debug, Error)]
pub enum WeightError {
    #[error("cannot read the weights `{path}`: {error}")]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write the weights `{path}`: {error}")]
    Write { path: PathBuf, error: io::Error },
    #[error("not a whole safetensors file: {0}")]
    Broken(String),
    #[error("the file has no card of this program, so its network is unknown")]
    NoCard,
    #[error("the card cannot be read: {0}")]
    Card(String),
    #[error("the card has version {0}, and this program knows version {VERSION} only")]
    Version(u32),
    #[error("there is no family `{0}`; there are: {names}", names = crate::FAMILIES.join(", "))]
    Family(String),
    #[error("the network in the card cannot be built: {0}")]
    Network(String),
    #[error("the weights do not fit the network of their card: {0}")]
    Misfit(String),
    #[error("`{0}` is of the type {1}, not f32 or f16")]
    Type(String, String),
    #[error("`{0}` holds a number that is not finite")]
    NotFinite(String),
}

#[derive(Clone, Debug)]
pub struct WeightFile {
    pub card: Card,
    pub weights: Weights,
}

impl WeightFile {
    pub fn read(path: &Path) -> Result<WeightFile, WeightError> {
        let bytes = fs::read(path).map_err(|error| WeightError::Read { path: path.to_owned(), error })?;
        WeightFile::from_bytes(&bytes)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<WeightFile, WeightError> {
        let card = Self::card(bytes)?;
        let weights = read_arrays(bytes)?;
        let bad = weights.0.iter().find(|(_, array)| array.values.iter().any(|value| !value.is_finite()));
        match bad {
            Some((name, _)) => Err(WeightError::NotFinite(name.clone())),
            None => Ok(WeightFile { card, weights }),
        }
    }

    /// The card alone, without touching the weights.
    pub fn card(bytes: &[u8]) -> Result<Card, WeightError> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let text = header.metadata().as_ref().and_then(|map| map.get(CARD)).ok_or(WeightError::NoCard)?;
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| WeightError::Card(error.to_string()))?;
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        match version.and_then(|version| u32::try_from(version).ok()) {
            Some(VERSION) => {
                serde_json::from_value(value).map_err(|error| WeightError::Card(error.to_string()))
            }
            Some(other) => Err(WeightError::Version(other)),
            None => Err(WeightError::Card("it has no version".to_owned())),
        }
    }

    /// Half-precision numbers: half the size, and no difference that a policy would notice.
    pub fn write(&self, path: &Path) -> Result<(), WeightError> {
        let card = serde_json::to_string(&self.card).map_err(|error| WeightError::Card(error.to_string()))?;
        let halves =
            |array: &Array| array.values.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect();
        let arrays =
            self.weights.0.iter().map(|(name, array)| (name.clone(), (array, Dtype::F16, halves(array))));
        let bytes = serialize(arrays.collect(), HashMap::from([(CARD.to_owned(), card)]))?;
        data::durable::write(path, &bytes)
            .map_err(|error| WeightError::Write { path: path.to_owned(), error })
    }
}

fn broken(error: safetensors::SafeTensorError) -> WeightError {
    WeightError::Broken(error.to_string())
}

/// Arrays with their type and bytes, by name.
type Arrays<'a> = BTreeMap<String, (&'a Array, Dtype, Vec<u8>)>;

fn serialize(arrays: Arrays<'_>, metadata: HashMap<String, String>) -> Result<Vec<u8>, WeightError> {
    let views: Result<Vec<_>, _> = arrays
        .iter()
        .map(|(name, (array, kind, bytes))| Ok((name, TensorView::new(*kind, array.shape.clone(), bytes)?)))
        .collect();
    safetensors::serialize(views.map_err(broken)?, Some(metadata)).map_err(broken)
}

/// Exact numbers and any metadata: for checkpoints.
pub(crate) fn full_precision(
    weights: &Weights,
    metadata: HashMap<String, String>,
) -> Result<Vec<u8>, WeightError> {
    let bytes = |array: &Array| array.values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let arrays = weights.0.iter().map(|(name, array)| (name.clone(), (array, Dtype::F32, bytes(array))));
    serialize(arrays.collect(), metadata)
}

pub(crate) fn read_arrays(bytes: &[u8]) -> Result<Weights, WeightError> {
    let file = SafeTensors::deserialize(bytes).map_err(broken)?;
    let mut weights = Weights::default();
    for (name, view) in file.tensors() {
        let values = match view.dtype() {
            Dtype::F32 => chunks(view.data(), f32::from_le_bytes),
            Dtype::F16 => chunks(view.data(), |bytes| f16::from_le_bytes(bytes).to_f32()),
            other => return Err(WeightError::Type(name, format!("{other:?}"))),
        };
        weights.0.insert(name, Array { shape: view.shape().to_vec(), values });
    }
    Ok(weights)
}

fn chunks<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| number(*chunk)).collect()
}
