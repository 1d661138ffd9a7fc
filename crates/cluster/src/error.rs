//! What can go wrong with a query or a cluster.

use data::DatasetError;
use datafusion::error::DataFusionError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ClusterError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("{}", .0.strip_backtrace())]
    Query(Box<DataFusionError>),
    #[error("{0}")]
    Process(String),
    #[error("`{0}` holds a dataset already; a cluster imports into a folder of its own")]
    Exists(std::path::PathBuf),
    #[error("{path}: {error}")]
    Io { path: std::path::PathBuf, error: std::io::Error },
}

impl From<DataFusionError> for ClusterError {
    fn from(error: DataFusionError) -> ClusterError {
        ClusterError::Query(Box::new(error))
    }
}

/// Any error of ours, as the engine carries it.
pub(crate) fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
