//! Why a file of others cannot be used.

use std::{io, path::PathBuf};

use kernels::encoder::ShapeError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum OtherError {
    #[error("cannot read `{path}`: {error}")]
    Read { path: PathBuf, error: io::Error },
    #[error("`{path}` has {len} bytes, more than the {most} of the largest network that is read")]
    TooLarge { path: PathBuf, len: u64, most: u64 },
    #[error("it is not a whole {kind} file: {reason}")]
    Broken { kind: &'static str, reason: String },
    #[error("it is no network that is known here: {0}")]
    Unknown(String),
    #[error("its array `{name}` has the shape {found:?} where {expected:?} is needed")]
    Shape { name: String, found: Vec<usize>, expected: Vec<usize> },
    #[error("it has no array `{0}`")]
    Missing(String),
    #[error("its array `{0}` holds a number that is not finite")]
    NotFinite(String),
    #[error("it has {0} networks of Leela's, and one to 32 make a mind for all ratings")]
    Folder(usize),
    #[error("the name of `{0}` tells no rating, as `maia-1500.pb.gz` does")]
    NoRating(PathBuf),
    #[error("two of its networks are for players of {0}")]
    SameRating(u16),
    #[error("`{path}`: {error}")]
    InFile { path: PathBuf, error: Box<OtherError> },
    #[error("its layers do not fit each other: {0}")]
    Layers(#[from] ShapeError),
}
