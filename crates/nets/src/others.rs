//! Networks of others, from files of the user's: read as their makers publish them, computed by the crate `kernels`.

mod brain;
mod error;
mod leela;
mod maia3;
mod onnx;
mod squares;
mod tensors;

use std::{
    fs::File,
    io::{Read, Take},
    path::Path,
    sync::Arc,
};

use chess::Brain;
use kernels::Arithmetic;

pub use self::error::OtherError;

/// A network of others, and the name of its kind.
pub type Other = (&'static str, Arc<dyn Brain>);

/// Files larger than this are not read: the largest published network that is understood has 320 MB.
const MOST_BYTES: u64 = 2 << 30;

/// Whether the name of a file says that it holds a network of others.
pub fn is_other(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    [".onnx", ".pb.gz", ".pb"].iter().any(|end| name.ends_with(end))
}

/// The network in a file of others.
pub fn load(path: &Path) -> Result<Other, OtherError> {
    load_at(path, Arithmetic::best())
}

/// The same, computed in a certain way.
pub fn load_at(path: &Path, arithmetic: Arithmetic) -> Result<Other, OtherError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if name.ends_with(".pb.gz") || name.ends_with(".pb") {
        return Ok((leela::NAME, Arc::new(leela::Leela::read(arithmetic, path)?)));
    }
    let tensors = onnx::maia3(path)?;
    Ok((maia3::NAME, Arc::new(maia3::Maia3::new(arithmetic, &tensors)?)))
}

/// Opens a file, if it is not larger than any network.
fn open(path: &Path) -> Result<Take<File>, OtherError> {
    let wrong = |error| OtherError::Read { path: path.to_owned(), error };
    let file = File::open(path).map_err(wrong)?;
    let len = file.metadata().map_err(wrong)?.len();
    if len > MOST_BYTES {
        return Err(OtherError::TooLarge { path: path.to_owned(), len, most: MOST_BYTES });
    }
    Ok(file.take(MOST_BYTES))
}

/// All bytes of a file, if it is not larger than any network.
fn read(path: &Path) -> Result<Vec<u8>, OtherError> {
    let mut bytes = Vec::new();
    let wrong = |error| OtherError::Read { path: path.to_owned(), error };
    open(path)?.read_to_end(&mut bytes).map_err(wrong)?;
    Ok(bytes)
}
