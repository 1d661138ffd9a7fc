//! Reviews that a player has asked for: each has an address of its own and stays. What was found is kept once it is complete; a review
//! that was left in the middle is made again, with the same result.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use data::{date, durable};
use serde::{Deserialize, Serialize};

use crate::play::{game::journal::Journals, ids};

const VERSION: u32 = 1;
/// Of one player; the list that she sees ends earlier.
pub(crate) const MOST: usize = 5000;
const MOST_LISTED: usize = 200;

/// What is to be reviewed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    tabiya_review: u32,
    pub(crate) id: String,
    pub(crate) created_s: u64,
    /// White, Black, the result, and whatever else the file tells.
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) pgn: String,
    /// The rating of its reader, for players whose own is not known.
    pub(crate) rating: Option<u16>,
}

/// The reviews of all players: a folder each, a file for each review.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    journals: Journals,
}

impl Kept {
    pub(crate) fn new(id: String, pgn: String, tags: Vec<(String, String)>, rating: Option<u16>) -> Kept {
        Kept { tabiya_review: VERSION, id, created_s: date::now_s(), tags, pgn, rating }
    }
}

impl Shelf {
    pub(crate) fn new(journals: Journals) -> Shelf {
        Shelf { journals }
    }

    fn folder(&self, client: &str) -> PathBuf {
        self.journals.folder(client).join("reviews")
    }

    fn path(&self, client: &str, id: &str) -> PathBuf {
        self.folder(client).join(format!("{id}.jsonl"))
    }

    /// How many there are.
    pub(crate) fn count(&self, client: &str) -> usize {
        fs::read_dir(self.folder(client)).map_or(0, |entries| entries.count())
    }

    /// Returns once it is on disk, with the lines that have been found.
    pub(crate) fn put(&self, client: &str, kept: &Kept, lines: &str) -> io::Result<()> {
        let path = self.path(client, &kept.id);
        fs::create_dir_all(self.folder(client))?;
        let mut text = serde_json::to_vec(kept)?;
        text.push(b'\n');
        text.extend(lines.as_bytes());
        durable::write(&path, &text)
    }

    /// A review and its lines: none, or all of them.
    pub(crate) fn get(&self, client: &str, id: &str) -> Option<(Kept, String)> {
        if !ids::is_game(id) {
            return None;
        }
        read(&self.path(client, id))
    }

    /// Whether there was one.
    pub(crate) fn remove(&self, client: &str, id: &str) -> bool {
        ids::is_game(id) && fs::remove_file(self.path(client, id)).is_ok()
    }

    /// The newest.
    pub(crate) fn list(&self, client: &str) -> Vec<Kept> {
        let mut kept: Vec<Kept> = fs::read_dir(self.folder(client))
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| header(&fs::read_to_string(entry.path()).ok()?))
            .collect();
        kept.sort_by_key(|kept| std::cmp::Reverse(kept.created_s));
        kept.truncate(MOST_LISTED);
        kept
    }
}

fn header(text: &str) -> Option<Kept> {
    let kept: Kept = serde_json::from_str(text.lines().next()?).ok()?;
    (kept.tabiya_review == VERSION).then_some(kept)
}

fn read(path: &Path) -> Option<(Kept, String)> {
    let text = fs::read_to_string(path).ok()?;
    let (first, lines) = text.split_once('\n')?;
    Some((header(first)?, lines.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_stays_and_belongs_to_its_player() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(Journals::new(folder.path().to_owned()));
        let tags = vec![("White".to_owned(), "Ann".to_owned())];
        let kept = Kept::new(ids::game(), "1. e4 *".to_owned(), tags, Some(1500));
        shelf.put("c1", &kept, "").unwrap();
        assert_eq!(shelf.get("c1", &kept.id), Some((kept.clone(), String::new())));
        let lines = "{\"type\":\"game\"}\n{\"type\":\"done\"}\n";
        shelf.put("c1", &kept, lines).unwrap();
        assert_eq!(shelf.get("c1", &kept.id), Some((kept.clone(), lines.to_owned())));
        assert_eq!((shelf.list("c1"), shelf.count("c1")), (vec![kept.clone()], 1));
        assert!(shelf.get("c2", &kept.id).is_none() && shelf.list("c2").is_empty());
        assert!(shelf.get("c1", "../games/x").is_none());
        assert!(shelf.remove("c1", &kept.id) && !shelf.remove("c1", &kept.id));
    }
}
