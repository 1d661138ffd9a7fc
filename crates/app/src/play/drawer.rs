//! What players keep, one kind in a drawer: files `KIND/ID.ENDING` in each player's folder, written whole.

use std::{fs, io, path::PathBuf};

use data::durable;
use serde::{Serialize, de::DeserializeOwned};

use super::{game::journal::Journals, ids};

/// What every thing has that is told of in a file `ID.json`.
pub(crate) trait Kept: Serialize + DeserializeOwned {
    fn id(&self) -> &str;
    fn created_s(&self) -> u64;
}

#[derive(Debug)]
pub(crate) struct Drawer {
    journals: Journals,
    kind: &'static str,
}

impl Drawer {
    pub(crate) fn new(journals: Journals, kind: &'static str) -> Drawer {
        Drawer { journals, kind }
    }

    pub(crate) fn clients(&self) -> Vec<String> {
        self.journals.clients()
    }

    pub(crate) fn folder(&self, client: &str) -> PathBuf {
        self.journals.folder(client).join(self.kind)
    }

    pub(crate) fn path(&self, client: &str, id: &str, ending: &str) -> PathBuf {
        self.folder(client).join(format!("{id}.{ending}"))
    }

    /// It is on disk when this returns.
    pub(crate) fn write(
        &self,
        client: &str,
        id: &str,
        ending: &str,
        what: &impl Serialize,
    ) -> io::Result<()> {
        durable::write(&self.path(client, id, ending), &serde_json::to_vec(what)?)
    }

    /// Nothing where there is no such file, or none that can be read.
    pub(crate) fn read<T: DeserializeOwned>(&self, client: &str, id: &str, ending: &str) -> Option<T> {
        let bytes = ids::is_game(id).then(|| fs::read(self.path(client, id, ending)))?;
        serde_json::from_slice(&bytes.ok()?).ok()
    }

    /// Begins with the file that a player brought; the thing is there once `tell` has been called as well.
    pub(crate) fn bring(&self, client: &str, id: &str, pgn: &str) -> io::Result<()> {
        fs::create_dir_all(self.folder(client))?;
        durable::write(&self.path(client, id, "pgn"), pgn.as_bytes())
    }

    pub(crate) fn tell(&self, client: &str, kept: &impl Kept) -> io::Result<()> {
        self.write(client, kept.id(), "json", kept)
    }

    /// The newest first.
    pub(crate) fn list<T: Kept>(&self, client: &str) -> Vec<T> {
        let files = fs::read_dir(self.folder(client)).into_iter().flatten().flatten();
        let id = |name: std::ffi::OsString| Some(name.to_str()?.strip_suffix(".json")?.to_owned());
        let ids = files.filter_map(|file| id(file.file_name()));
        let mut all: Vec<T> = ids.filter_map(|id| self.read(client, &id, "json")).collect();
        all.sort_by(|a, b| b.created_s().cmp(&a.created_s()).then_with(|| a.id().cmp(b.id())));
        all
    }

    /// Whether there was such a thing; its other files go with it.
    pub(crate) fn remove(&self, client: &str, id: &str, endings: &[&str]) -> bool {
        let removed = ids::is_game(id) && fs::remove_file(self.path(client, id, "json")).is_ok();
        for ending in endings.iter().filter(|_| removed) {
            drop(fs::remove_file(self.path(client, id, ending)));
        }
        removed
    }

    /// Whether it is still there: what a player removed in the meantime is not to be written again.
    pub(crate) fn has(&self, client: &str, id: &str) -> bool {
        self.path(client, id, "json").exists()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Thing {
        id: String,
        created_s: u64,
    }

    impl Kept for Thing {
        fn id(&self) -> &str {
            &self.id
        }

        fn created_s(&self) -> u64 {
            self.created_s
        }
    }

    #[test]
    fn things_are_listed_the_newest_first_and_go_with_all_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let drawer = Drawer::new(Journals::new(folder.path().to_owned()), "things");
        for (id, created_s) in [("00000000000000aa", 5), ("00000000000000bb", 9), ("00000000000000cc", 5)] {
            drawer.bring("c1", id, "1. e4").unwrap();
            drawer.tell("c1", &Thing { id: id.to_owned(), created_s }).unwrap();
        }
        let ids = |drawer: &Drawer| {
            drawer.list::<Thing>("c1").into_iter().map(|thing| thing.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(&drawer), ["00000000000000bb", "00000000000000aa", "00000000000000cc"]);
        assert!(drawer.remove("c1", "00000000000000bb", &["pgn"]) && !drawer.has("c1", "00000000000000bb"));
        assert!(!drawer.path("c1", "00000000000000bb", "pgn").exists());
        assert!(
            !drawer.remove("c1", "00000000000000bb", &["pgn"]) && !drawer.remove("c1", "../aa", &["pgn"])
        );
        assert_eq!(drawer.read::<Thing>("c1", "../things/00000000000000aa", "json"), None);
        assert!(drawer.list::<Thing>("c2").is_empty());
    }
}
