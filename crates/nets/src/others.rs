//! Networks of others, from files of the user's: read as their makers publish them, computed by the crate `kernels`.

mod brain;
mod error;
mod leela;
mod maia3;
mod onnx;
mod pytorch;
pub mod samples;
mod squares;
mod tensors;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File},
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

/// Kinds of networks of others.
pub const NAMES: [&str; 2] = [leela::NAME, maia3::NAME];

/// Whether a file, by the end of its name, or a folder, by what is in it, holds a network of others.
pub fn is_other(path: &Path) -> bool {
    is_leela(path) || ends(path, &[".onnx", ".pt", ".pth"]) || is_folder(path)
}

fn is_leela(path: &Path) -> bool {
    ends(path, &[".pb.gz", ".pb"])
}

/// Whether it is a folder with networks of Leela's in it.
fn is_folder(path: &Path) -> bool {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    path.is_dir() && entries.into_iter().any(|entry| is_leela(&entry.path()))
}

fn ends(path: &Path, ends: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ends.iter().any(|end| name.ends_with(end))
}

/// The kind of network that a file or a folder holds, by its name alone.
pub fn kind(path: &Path) -> Option<&'static str> {
    match () {
        () if is_leela(path) || is_folder(path) => Some(leela::NAME),
        () if is_other(path) => Some(maia3::NAME),
        () => None,
    }
}

/// The lowest and the highest rating of the people whose moves a network was made to play; a network of Leela's tells its rating in its
/// file's name.
pub fn ratings(path: &Path) -> Option<(u16, u16)> {
    if is_folder(path) {
        let paths =
            fs::read_dir(path).ok()?.flatten().map(|entry| entry.path()).filter(|path| is_leela(path));
        let ratings: Vec<u16> = paths.map(|path| leela::levels::rating(&path)).collect::<Option<_>>()?;
        return Some((*ratings.iter().min()?, *ratings.iter().max()?));
    }
    match kind(path)? {
        leela::NAME => leela::levels::rating(path).map(|rating| (rating, rating)),
        _ => Some(maia3::RATINGS),
    }
}

/// Bytes of a file with what lies beside it, or of the networks in a folder.
pub fn size(path: &Path) -> u64 {
    let len = |path: &Path| fs::metadata(path).map_or(0, |data| data.len());
    match path.is_dir() {
        true => fs::read_dir(path).into_iter().flatten().flatten().map(|entry| len(&entry.path())).sum(),
        false => {
            let mut beside = path.as_os_str().to_owned();
            beside.push(".data");
            len(path) + len(Path::new(&beside))
        }
    }
}

/// The network in a file of others, or in a folder of them.
pub fn load(path: &Path) -> Result<Other, OtherError> {
    load_at(path, Arithmetic::best())
}

/// The same, computed in a certain way.
pub fn load_at(path: &Path, arithmetic: Arithmetic) -> Result<Other, OtherError> {
    if path.is_dir() {
        return Ok((leela::NAME, Arc::new(leela::levels::Levels::read(arithmetic, path)?)));
    }
    if is_leela(path) {
        return Ok((leela::NAME, Arc::new(leela::Leela::read(arithmetic, path)?)));
    }
    let tensors = match ends(path, &[".onnx"]) {
        true => onnx::maia3(path)?,
        false => pytorch::maia3(path)?,
    };
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
