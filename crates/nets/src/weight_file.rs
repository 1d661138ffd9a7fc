//! Weights on disk: safetensors with the card in its metadata.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use crate::{
    card::{Card, VERSION},
    weights::{Array, Weights},
};

const CARD: &str = "tabiya";
/// Of the card and all arrays, so that damage does not pass unseen.
const CHECKSUM: &str = "tabiya-xxh3";

/// The longest header that is read, and the most arrays: cards have some thousand letters, networks some hundred arrays.
const LONGEST_HEADER: u64 = 8 << 20;
const MOST_ARRAYS: usize = 10_000;

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
    #[error("{0}")]
    Family(String),
    #[error("the network in the card cannot be built: {0}")]
    Network(String),
    #[error("the weights do not fit the network of their card: {0}")]
    Misfit(String),
    #[error("`{0}` is of the type {1}, not f32 or f16")]
    Type(String, String),
    #[error("`{0}` holds a number that is not finite")]
    NotFinite(String),
    #[error("its header has {0} bytes, more than {LONGEST_HEADER}")]
    Header(u64),
    #[error("it has {0} arrays, more than {MOST_ARRAYS}")]
    Arrays(usize),
    #[error("it is damaged: its numbers are not those of its checksum")]
    Checksum,
    #[error(transparent)]
    Other(#[from] crate::others::OtherError),
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
        verify(bytes, CARD)?;
        let weights = read_arrays(bytes)?;
        let bad = weights.0.iter().find(|(_, array)| array.values.iter().any(|value| !value.is_finite()));
        match bad {
            Some((name, _)) => Err(WeightError::NotFinite(name.clone())),
            None => Ok(WeightFile { card, weights }),
        }
    }

    /// What is to be said of a file that can be used.
    pub fn remark(bytes: &[u8]) -> Option<&'static str> {
        match metadata(bytes, CHECKSUM) {
            Ok(None) => Some("made before files had a checksum: damage to its numbers would not be seen"),
            _ => None,
        }
    }

    /// The card of a file, of which only the head is read.
    pub fn card_of(path: &Path) -> Result<Card, WeightError> {
        let wrong = |error| WeightError::Read { path: path.to_owned(), error };
        let mut file = fs::File::open(path).map_err(wrong)?;
        let mut head = [0; 8];
        file.read_exact(&mut head).map_err(wrong)?;
        let len = u64::from_le_bytes(head);
        if len > LONGEST_HEADER {
            return Err(WeightError::Header(len));
        }
        let mut header = Vec::new();
        file.take(len).read_to_end(&mut header).map_err(wrong)?;
        let header: serde_json::Value =
            serde_json::from_slice(&header).map_err(|error| WeightError::Broken(error.to_string()))?;
        WeightFile::card_in(header["__metadata__"][CARD].as_str().ok_or(WeightError::NoCard)?)
    }

    /// The card alone, without touching the weights.
    pub fn card(bytes: &[u8]) -> Result<Card, WeightError> {
        WeightFile::card_in(&metadata(bytes, CARD)?.ok_or(WeightError::NoCard)?)
    }

    fn card_in(text: &str) -> Result<Card, WeightError> {
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
        let arrays: Arrays<'_> = arrays.collect();
        let parts =
            arrays.iter().map(|(name, (array, _, bytes))| (name.as_str(), &array.shape[..], &bytes[..]));
        let sum = checksum(&card, parts);
        let metadata = HashMap::from([(CARD.to_owned(), card), (CHECKSUM.to_owned(), sum)]);
        let bytes = serialize(arrays, metadata)?;
        data::durable::write(path, &bytes)
            .map_err(|error| WeightError::Write { path: path.to_owned(), error })
    }
}

fn broken(error: safetensors::SafeTensorError) -> WeightError {
    WeightError::Broken(error.to_string())
}

/// Refuses headers that would take more memory to read than any network needs.
fn check_header(bytes: &[u8]) -> Result<(), WeightError> {
    let len = bytes.first_chunk().map(|len| u64::from_le_bytes(*len));
    match len.filter(|&len| len > LONGEST_HEADER && len <= bytes.len() as u64) {
        Some(len) => Err(WeightError::Header(len)),
        None => Ok(()),
    }
}

/// What the header says under a key.
fn metadata(bytes: &[u8], key: &str) -> Result<Option<String>, WeightError> {
    check_header(bytes)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    Ok(header.metadata().as_ref().and_then(|map| map.get(key)).cloned())
}

/// Compares the numbers, and the text under `key`, with the checksum, where there is one.
pub(crate) fn verify(bytes: &[u8], key: &str) -> Result<(), WeightError> {
    let Some(expected) = metadata(bytes, CHECKSUM)? else { return Ok(()) };
    let text = metadata(bytes, key)?.ok_or(WeightError::NoCard)?;
    let file = SafeTensors::deserialize(bytes).map_err(broken)?;
    let mut arrays = file.tensors();
    arrays.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let parts = arrays.iter().map(|(name, view)| (name.as_str(), view.shape(), view.data()));
    match checksum(&text, parts) == expected {
        true => Ok(()),
        false => Err(WeightError::Checksum),
    }
}

/// Of a card and of arrays in the order of their names.
fn checksum<'a>(card: &str, arrays: impl Iterator<Item = (&'a str, &'a [usize], &'a [u8])>) -> String {
    let mut hasher = Xxh3::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(card.as_bytes());
    for (name, shape, bytes) in arrays {
        part(name.as_bytes());
        shape.iter().for_each(|&size| part(&(size as u64).to_le_bytes()));
        part(bytes);
    }
    format!("{:016x}", hasher.digest())
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

/// Exact numbers, with a text under `key` and the checksum of both: for checkpoints.
pub(crate) fn full_precision(weights: &Weights, key: &str, text: String) -> Result<Vec<u8>, WeightError> {
    let bytes = |array: &Array| array.values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let arrays = weights.0.iter().map(|(name, array)| (name.clone(), (array, Dtype::F32, bytes(array))));
    let arrays: Arrays<'_> = arrays.collect();
    let parts = arrays.iter().map(|(name, (array, _, bytes))| (name.as_str(), &array.shape[..], &bytes[..]));
    let sum = checksum(&text, parts);
    serialize(arrays, HashMap::from([(key.to_owned(), text), (CHECKSUM.to_owned(), sum)]))
}

pub(crate) fn read_arrays(bytes: &[u8]) -> Result<Weights, WeightError> {
    check_header(bytes)?;
    let file = SafeTensors::deserialize(bytes).map_err(broken)?;
    if file.len() > MOST_ARRAYS {
        return Err(WeightError::Arrays(file.len()));
    }
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
