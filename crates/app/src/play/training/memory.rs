//! What a player remembers: for each puzzle and each position of a repertoire the last state that the page's scheduler gave it.
//! Every answer is a line; the last line of a key counts.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    jsonl::{Jsonl, whole},
    play::game::journal::Journals,
};

const LONGEST_KEY: usize = 200;
const LONGEST_STATE: usize = 1000;
/// Answers of one player; years of training.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What is remembered of a puzzle or a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Memory {
    #[schema(max_length = 200)]
    pub(crate) key: String,
    /// As the scheduler has it; the server only keeps it.
    #[schema(value_type = Object)]
    pub(crate) state: Value,
}

/// The memories of all players, one answer at a time.
#[derive(Debug)]
pub(crate) struct Memories {
    journals: Journals,
    writing: Mutex<()>,
}

impl Memories {
    pub(crate) fn new(journals: Journals) -> Memories {
        Memories { journals, writing: Mutex::default() }
    }

    fn path(&self, client: &str) -> PathBuf {
        self.journals.folder(client).join("memory.jsonl")
    }

    pub(crate) fn all(&self, client: &str) -> io::Result<HashMap<String, Value>> {
        let bytes = match fs::read(self.path(client)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
            bytes => bytes?,
        };
        let lines = whole(&bytes).split(|&byte| byte == b'\n');
        let memories = lines.filter_map(|line| serde_json::from_slice::<Memory>(line).ok());
        Ok(memories.map(|memory| (memory.key, memory.state)).collect())
    }

    /// Returns once it is on disk.
    pub(crate) fn keep(&self, client: &str, memory: &Memory) -> io::Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.path(client);
        fs::create_dir_all(self.journals.folder(client))?;
        open(&path)?.append(std::slice::from_ref(memory))
    }
}

impl Memory {
    pub(crate) fn is_sane(&self) -> bool {
        self.key.len() <= LONGEST_KEY
            && self.state.is_object()
            && self.state.to_string().len() <= LONGEST_STATE
    }
}

fn open(path: &Path) -> io::Result<Jsonl> {
    match fs::read(path) {
        Ok(bytes) if bytes.len() as u64 > MOST_BYTES => Err(io::ErrorKind::QuotaExceeded.into()),
        Ok(bytes) => Jsonl::open(path, whole(&bytes).len() as u64),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Jsonl::create(path),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_answer_counts_and_a_torn_line_is_nobodys_loss() {
        let folder = tempfile::tempdir().unwrap();
        let memories = Memories::new(Journals::new(folder.path().to_owned()));
        let keep = |key: &str, due: u64| {
            memories.keep("c1", &Memory { key: key.to_owned(), state: json!({ "due": due }) }).unwrap();
        };
        keep("a", 1);
        keep("b", 2);
        keep("a", 3);
        let path = memories.path("c1");
        let mut text = fs::read(&path).unwrap();
        text.extend(b"{\"key\":\"b\",");
        fs::write(&path, text).unwrap();
        keep("c", 4);
        let all = memories.all("c1").unwrap();
        let due = |key: &str| all[key]["due"].as_u64().unwrap();
        assert_eq!((due("a"), due("b"), due("c"), all.len()), (3, 2, 4, 3));
        assert!(memories.all("c2").unwrap().is_empty());
    }
}
