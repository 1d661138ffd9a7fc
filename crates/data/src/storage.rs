//! Files by path or by address (`s3://`, `gs://`, `az://`, `https://`): one set of verbs for both. Whatever is written is whole or absent
//! under its name: locally by a temporary name, elsewhere because an upload shows nothing before it is complete.

mod claim;
mod draft;
#[cfg(feature = "stores")]
mod remote;
mod stored;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

pub use self::draft::Draft;
#[cfg(feature = "stores")]
pub use self::remote::store;
pub(crate) use self::{claim::Claim, stored::Stored};
use crate::durable;

/// What a store or the way to it refused: nothing that the data is to blame for.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct StoreError(pub(crate) String);

/// Why an address cannot be used.
#[cfg(not(feature = "stores"))]
const LOCAL_ONLY: &str =
    "this build reads and writes local files alone; one built with `--features stores` takes addresses";

/// Whether a path is an address, such as `s3://bucket/folder`.
pub fn is_address(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|text| Some(text.split_once("://")?.0));
    scheme.is_some_and(|scheme| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// The store behind an address, if the path is one.
#[cfg(feature = "stores")]
pub(crate) fn remote(path: &Path) -> io::Result<Option<remote::Object>> {
    is_address(path).then(|| remote::Object::find(path)).transpose()
}

/// What stands in for a store in a build without any.
#[cfg(not(feature = "stores"))]
pub(crate) fn remote(path: &Path) -> io::Result<Option<std::convert::Infallible>> {
    match is_address(path) {
        true => Err(io::Error::new(io::ErrorKind::Unsupported, StoreError(LOCAL_ONLY.to_owned()))),
        false => Ok(None),
    }
}

/// The whole of a small file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    match remote(path)? {
        None => fs::read(path),
        #[cfg(feature = "stores")]
        Some(object) => object.read(),
        #[cfg(not(feature = "stores"))]
        Some(never) => match never {},
    }
}

/// The same as text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Writes a file that is whole or absent.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match remote(path)? {
        None => durable::write(path, bytes),
        #[cfg(feature = "stores")]
        Some(object) => object.write(bytes.to_vec()),
        #[cfg(not(feature = "stores"))]
        Some(never) => match never {},
    }
}

/// Takes a file away.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match remote(path)? {
        None => fs::remove_file(path),
        #[cfg(feature = "stores")]
        Some(object) => {
            object.delete();
            Ok(())
        }
        #[cfg(not(feature = "stores"))]
        Some(never) => match never {},
    }
}

/// Makes a folder. Stores have none: their names only look like it.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    match remote(folder)? {
        None => fs::create_dir_all(folder),
        Some(_) => Ok(()),
    }
}

/// Names of the files right in a folder, in order.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = match remote(folder)? {
        None => {
            let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
            entries.filter_map(Result::transpose).collect::<io::Result<Vec<String>>>()?
        }
        #[cfg(feature = "stores")]
        Some(object) => object.names()?,
        #[cfg(not(feature = "stores"))]
        Some(never) => match never {},
    };
    names.sort();
    Ok(names)
}

/// The files that a path with `*` in its last part means, in order of their names; any other path means itself.
pub fn matching(pattern: &Path) -> io::Result<Vec<PathBuf>> {
    let last = pattern.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !last.contains('*') || pattern.exists() {
        return Ok(vec![pattern.to_owned()]);
    }
    let folder = pattern.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let found = names(folder)?.into_iter().filter(|name| fits(name, last)).map(|name| folder.join(name));
    let found: Vec<PathBuf> = found.collect();
    match found.is_empty() {
        true => Err(io::Error::new(io::ErrorKind::NotFound, "no file has such a name")),
        false => Ok(found),
    }
}

/// Whether a name is that of the pattern, with any text for each `*`.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|tail| {
            (0..=tail.len()).any(|at| tail.get(at..).is_some_and(|tail| fits(tail, rest)))
        }),
    }
}

/// Where files without a name may lie that belong to work in `folder`.
pub(crate) fn scratch(folder: &Path) -> PathBuf {
    if is_address(folder) { std::env::temp_dir() } else { folder.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for (path, address) in [
            ("s3://bucket/a", true),
            ("https://example.org/a.pgn.zst", true),
            ("a/b", false),
            ("-", false),
            ("://x", false),
            ("a b://c", false),
        ] {
            assert_eq!(is_address(Path::new(path)), address, "{path}");
        }
    }

    #[test]
    fn patterns_find_files_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.pgn", "a.pgn", "a.txt"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let found = |pattern: &str| -> Vec<String> {
            let paths = matching(&folder.path().join(pattern)).unwrap();
            paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(found("*.pgn"), ["a.pgn", "b.pgn"]);
        assert_eq!(found("a.*"), ["a.pgn", "a.txt"]);
        assert_eq!(found("c.pgn"), ["c.pgn"]);
        assert!(matching(&folder.path().join("c*")).is_err());
    }

    #[cfg(not(feature = "stores"))]
    #[test]
    fn a_build_without_stores_says_so() {
        let error = read(Path::new("s3://bucket/a")).unwrap_err().to_string();
        assert!(error.contains("--features stores"), "{error}");
    }
}
