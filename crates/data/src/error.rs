//! What can be wrong with a dataset on disk.

use std::{io, path::PathBuf};

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use thiserror::Error;

use crate::Part;

/// Why one Parquet file cannot be used.
#[derive(Debug, Error)]
pub enum TableError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not readable as Parquet: {0}")]
    Parquet(ParquetError),
    #[error("not readable as Arrow: {0}")]
    Arrow(ArrowError),
    #[error("damaged: the Parquet reader gave up on it")]
    Damaged,
    #[error("written by another version: format {0}, this program reads format 1")]
    Version(String),
    #[error("no table of ours: the format's mark is missing")]
    NotGames,
    #[error("column `{0}` is missing or has another type")]
    Column(String),
    #[error("column `{column}` holds `{value}`")]
    Value { column: &'static str, value: String },
}

/// What the disk refused is not the format's fault.
impl From<ParquetError> for TableError {
    fn from(error: ParquetError) -> TableError {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => TableError::Io(*error),
                Err(inner) => TableError::Parquet(ParquetError::External(inner)),
            },
            other => TableError::Parquet(other),
        }
    }
}

impl From<ArrowError> for TableError {
    fn from(error: ArrowError) -> TableError {
        match error {
            ArrowError::IoError(_, error) => TableError::Io(error),
            ArrowError::ExternalError(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => TableError::Io(*error),
                Err(inner) => TableError::Arrow(ArrowError::ExternalError(inner)),
            },
            other => TableError::Arrow(other),
        }
    }
}

/// The Parquet reader asserts what damaged files break: its panic becomes an error like any other.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, TableError>) -> Result<T, TableError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).unwrap_or(Err(TableError::Damaged))
}

/// Why a dataset's folder cannot be used.
#[derive(Debug, Error)]
pub enum DatasetError {
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{path}: {error}")]
    Table { path: PathBuf, error: TableError },
    #[error("{path} is not a dataset's card: {error}")]
    Card { path: PathBuf, error: serde_json::Error },
    #[error("{path} has card version {found}; this program reads version {known}")]
    Version { path: PathBuf, found: u32, known: u32 },
    #[error("{0} holds fewer games than the dataset's card says")]
    MissingRows(PathBuf),
    #[error("{0} holds no dataset: dataset.json is missing")]
    Missing(PathBuf),
    #[error(
        "part {part} of the labels `{name}` is missing or not finished; `tabiya data label --part {part}` makes it"
    )]
    UnfinishedPart { name: String, part: Part },
    #[error("the parts of the labels `{0}` were made in different ways")]
    MixedParts(String),
}

pub(crate) trait At<T> {
    /// Names the file in the error.
    fn at(self, path: impl Into<PathBuf>) -> Result<T, DatasetError>;
}

impl<T> At<T> for Result<T, io::Error> {
    fn at(self, path: impl Into<PathBuf>) -> Result<T, DatasetError> {
        self.map_err(|error| DatasetError::Io { path: path.into(), error })
    }
}

impl<T> At<T> for Result<T, TableError> {
    fn at(self, path: impl Into<PathBuf>) -> Result<T, DatasetError> {
        self.map_err(|error| DatasetError::Table { path: path.into(), error })
    }
}
