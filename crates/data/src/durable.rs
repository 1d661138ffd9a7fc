//! Files that are either whole or absent: written under a temporary name, synced, renamed, and the folder synced too.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// What unfinished files are called. Readers never look at them; the next writer removes them.
pub(crate) const TEMPORARY: &str = "tmp";

pub(crate) fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(TEMPORARY);
    path.with_file_name(name)
}

/// Gives a finished temporary file its name.
pub(crate) fn publish(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(temporary(path), path)?;
    sync_folder(path)
}

/// Writes a file that is whole or absent.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = File::create(temporary(path)).and_then(|mut file| {
        file.write_all(bytes)?;
        publish(&file, path)
    });
    // What a full disk did not take whole would only take room.
    written.inspect_err(|_| drop(fs::remove_file(temporary(path))))
}

/// Removes what a killed writer left behind.
pub(crate) fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == TEMPORARY) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// A new name survives a power cut only once the folder itself is on disk. Not every system lets a folder be opened.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent().map(File::open) {
        Some(Ok(folder)) => folder.sync_all(),
        _ => Ok(()),
    }
}
