//! Everything that belongs to a player as one text, to be kept elsewhere and taken over on another machine.

use std::{collections::BTreeMap, fs, io, path::Path};

use data::durable;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use utoipa::ToSchema;

use super::ids;

const VERSION: u32 = 1;
/// Lists in one file, whose entries have an `id`.
const LISTS: [&str; 2] = ["tabiyas.json", "repertoires.json"];
const MEMORY: &str = "memory.jsonl";
/// Folders of files that are named by an id, and how such files end.
const FOLDERS: [(&str, &[&str]); 4] = [
    ("games", &["jsonl"]),
    ("reviews", &["jsonl"]),
    ("imports", &["json", "pgn", "cards", "profile"]),
    ("people", &["json", "pgn", "person", "book"]),
];

/// Everything of a player.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Archive {
    /// The version.
    tabiya_archive: u32,
    /// Texts by their paths in the player's folder.
    files: BTreeMap<String, String>,
}

#[derive(Debug, Error)]
pub(super) enum ArchiveError {
    #[error("this archive was written by version {0}, and this program knows version {VERSION}")]
    Version(u32),
    #[error("`{0}` is no file of an archive")]
    Foreign(String),
    #[error("`{0}` in the archive is damaged")]
    Damaged(String),
    #[error(transparent)]
    File(#[from] io::Error),
}

impl Archive {
    pub(super) fn of(folder: &Path) -> io::Result<Archive> {
        let mut files = BTreeMap::new();
        for name in LISTS.iter().chain([&MEMORY]) {
            if let Some(text) = read(&folder.join(name))? {
                files.insert((*name).to_owned(), text);
            }
        }
        for (inner, _) in FOLDERS {
            for entry in fs::read_dir(folder.join(inner)).into_iter().flatten().flatten() {
                let path = format!("{inner}/{}", entry.file_name().to_string_lossy());
                if is_ours(&path)
                    && let Some(text) = read(&entry.path())?
                {
                    files.insert(path, text);
                }
            }
        }
        Ok(Archive { tabiya_archive: VERSION, files })
    }

    /// Adds what is missing in `folder` and says how many files and entries came in. What is there already stays as it is.
    pub(super) fn unpack(&self, folder: &Path) -> Result<usize, ArchiveError> {
        if self.tabiya_archive != VERSION {
            return Err(ArchiveError::Version(self.tabiya_archive));
        }
        // All or nothing, as far as the archive is to blame.
        if let Some(path) = self.files.keys().find(|path| !is_ours(path)) {
            return Err(ArchiveError::Foreign(path.clone()));
        }
        fs::create_dir_all(folder)?;
        let mut came = 0;
        for (path, text) in &self.files {
            let to = folder.join(path);
            came += match path.as_str() {
                MEMORY => add_lines(&to, text)?,
                list if LISTS.contains(&list) => add_entries(&to, text)?,
                _ if to.exists() => 0,
                _ => {
                    to.parent().map_or(Ok(()), fs::create_dir_all)?;
                    durable::write(&to, text.as_bytes())?;
                    1
                }
            };
        }
        Ok(came)
    }
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Nothing else is ever written, whatever an archive names.
fn is_ours(path: &str) -> bool {
    let named_by_id = |(folder, endings): &(&str, &[&str])| {
        let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        let parts = name.and_then(|name| name.split_once('.'));
        parts.is_some_and(|(id, ending)| ids::is_game(id) && endings.contains(&ending))
    };
    path == MEMORY || LISTS.contains(&path) || FOLDERS.iter().any(named_by_id)
}

/// Entries whose id is not there yet.
fn add_entries(path: &Path, text: &str) -> Result<usize, ArchiveError> {
    let damaged =
        |_| ArchiveError::Damaged(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let more: Vec<Value> = serde_json::from_str(text).map_err(damaged)?;
    let mut all: Vec<Value> =
        read(path)?.map_or(Ok(Vec::new()), |own| serde_json::from_str(&own)).map_err(damaged)?;
    let before = all.len();
    for entry in more {
        if !all.iter().any(|own| own["id"] == entry["id"]) {
            all.push(entry);
        }
    }
    if all.len() > before {
        durable::write(path, &serde_json::to_vec(&all).map_err(io::Error::other)?)?;
    }
    Ok(all.len() - before)
}

/// What was answered elsewhere comes before what was answered here: the last line of a key counts.
fn add_lines(path: &Path, text: &str) -> io::Result<usize> {
    let own = read(path)?.unwrap_or_default();
    let more: Vec<&str> =
        text.lines().filter(|line| !line.is_empty() && !own.lines().any(|known| known == *line)).collect();
    if !more.is_empty() {
        let joined = more.iter().map(|line| format!("{line}\n")).collect::<String>() + &own;
        durable::write(path, joined.as_bytes())?;
    }
    Ok(more.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_along_once_and_nothing_is_overwritten() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |folder: &Path, path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let game = "games/0123456789abcdef.jsonl";
        write(from.path(), game, "{}\n");
        write(from.path(), "games/0123456789abcdef.clock", "1 2\n");
        write(from.path(), "tabiyas.json", r#"[{"id":"a"},{"id":"b"}]"#);
        write(from.path(), "memory.jsonl", "{\"key\":\"x\"}\n");
        write(to.path(), "tabiyas.json", r#"[{"id":"b","own":true}]"#);
        let archive = Archive::of(from.path()).unwrap();
        assert_eq!(archive.files.len(), 3, "a clock belongs to a running server");
        assert_eq!(archive.unpack(to.path()).unwrap(), 3);
        assert_eq!(archive.unpack(to.path()).unwrap(), 0, "twice is once");
        assert_eq!(fs::read_to_string(to.path().join(game)).unwrap(), "{}\n");
        assert_eq!(
            fs::read_to_string(to.path().join("tabiyas.json")).unwrap(),
            r#"[{"id":"b","own":true},{"id":"a"}]"#
        );
    }

    #[test]
    fn an_archive_names_no_foreign_files() {
        let folder = tempfile::tempdir().unwrap();
        for path in
            ["../x", "games/../../x.jsonl", "/etc/passwd", "games/0123456789abcdef.clock", "games/x.jsonl"]
        {
            let archive = Archive { tabiya_archive: 1, files: [(path.to_owned(), String::new())].into() };
            assert!(matches!(archive.unpack(folder.path()), Err(ArchiveError::Foreign(_))), "{path}");
        }
        let newer = Archive { tabiya_archive: 2, files: BTreeMap::new() };
        assert!(matches!(newer.unpack(folder.path()), Err(ArchiveError::Version(2))));
    }
}
