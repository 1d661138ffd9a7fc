//! Games on disk: a folder per player, a file per game, a line of JSON per event.
//!
//! A line is written before the page hears of the move, so a killed server loses nothing that was seen. A last line that
//! was cut off is dropped when the game is read again.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::time::Instant;

use super::{
    setup::{Setup, SetupError},
    state::{Event, Game},
};

const VERSION: u32 = 1;
/// The list of past games ends somewhere.
const MOST_LISTED: usize = 200;

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    tabiya_game: u32,
    id: String,
    created_s: u64,
    setup: Setup,
}

#[derive(Debug, Error)]
pub(crate) enum JournalError {
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    #[error("{0}: not a game: {1}")]
    Line(PathBuf, String),
    #[error("{0}: written by version {1}, and this program knows version {VERSION}")]
    Version(PathBuf, u32),
    #[error("{0}: {1}")]
    Setup(PathBuf, SetupError),
}

/// Where the games of all players are.
#[derive(Clone, Debug)]
pub(crate) struct Journals {
    root: PathBuf,
}

/// The open file of one game.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journals {
    pub(crate) fn new(root: PathBuf) -> Journals {
        Journals { root }
    }

    /// The folder of one player. `client` was made by us and holds nothing but hexadecimal digits.
    pub(crate) fn folder(&self, client: &str) -> PathBuf {
        self.root.join("players").join(client)
    }

    fn path(&self, client: &str, id: &str) -> PathBuf {
        self.folder(client).join("games").join(format!("{id}.jsonl"))
    }

    pub(crate) fn create(&self, client: &str, game: &Game) -> Result<Journal, JournalError> {
        let path = self.path(client, &game.id);
        let file = path
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| OpenOptions::new().append(true).create_new(true).open(&path))
            .map_err(|error| JournalError::File(path.clone(), error))?;
        let mut journal = Journal { path, file };
        let header = Header {
            tabiya_game: VERSION,
            id: game.id.clone(),
            created_s: game.created_s,
            setup: game.setup.clone(),
        };
        journal.line(&header)?;
        Ok(journal)
    }

    /// A game of `client`, if there is one, and its file to go on with.
    pub(crate) fn open(
        &self,
        client: &str,
        id: &str,
        now: Instant,
    ) -> Result<Option<(Game, Journal)>, JournalError> {
        let path = self.path(client, id);
        let Some(text) = read(&path)? else { return Ok(None) };
        let game = replay(&path, &text, now)?;
        let file = OpenOptions::new().append(true).open(&path);
        let mut journal = file
            .map(|file| Journal { path: path.clone(), file })
            .map_err(|error| JournalError::File(path.clone(), error))?;
        journal.forget_cut_line(&text)?;
        Ok(Some((game, journal)))
    }

    /// The newest games of `client`; files that cannot be read are told on stderr and left alone.
    pub(crate) fn list(&self, client: &str, now: Instant) -> Vec<Game> {
        let entries = fs::read_dir(self.folder(client).join("games"));
        let mut files: Vec<_> = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "jsonl"))
            .map(|entry| (entry.metadata().and_then(|data| data.modified()).ok(), entry.path()))
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        files.truncate(MOST_LISTED);
        let game = |path: &PathBuf| read(path)?.map(|text| replay(path, &text, now)).transpose();
        files
            .iter()
            .filter_map(|(_, path)| {
                game(path).inspect_err(|error| eprintln!("tabiya: {error}")).ok().flatten()
            })
            .collect()
    }
}

impl Journal {
    pub(crate) fn append(&mut self, events: &[Event]) -> Result<(), JournalError> {
        events.iter().try_for_each(|event| self.line(event))?;
        if events.iter().any(|event| matches!(event, Event::End { .. })) {
            self.file.sync_data().map_err(|error| JournalError::File(self.path.clone(), error))?;
        }
        Ok(())
    }

    /// One write for the whole line: it is there or it is not.
    fn line(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let mut line = serde_json::to_string(value).expect("events are plain data");
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(|error| JournalError::File(self.path.clone(), error))
    }

    fn forget_cut_line(&mut self, text: &str) -> Result<(), JournalError> {
        match whole(text).len() {
            length if length < text.len() => {
                self.file.set_len(length as u64).map_err(|error| JournalError::File(self.path.clone(), error))
            }
            _ => Ok(()),
        }
    }
}

fn read(path: &Path) -> Result<Option<String>, JournalError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(JournalError::File(path.to_owned(), error)),
    }
}

/// What follows the last line break was being written when the server ended.
fn whole(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

fn replay(path: &Path, text: &str, now: Instant) -> Result<Game, JournalError> {
    let bad = |error: String| JournalError::Line(path.to_owned(), error);
    let mut lines = whole(text).lines();
    let first = lines.next().ok_or_else(|| bad("the file is empty".to_owned()))?;
    let header: Header = serde_json::from_str(first).map_err(|error| bad(error.to_string()))?;
    if header.tabiya_game != VERSION {
        return Err(JournalError::Version(path.to_owned(), header.tabiya_game));
    }
    let mut game = Game::new(header.id, header.setup, header.created_s, now)
        .map_err(|error| JournalError::Setup(path.to_owned(), error))?;
    for line in lines {
        let event: Event = serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
        game.record(&event, now).map_err(|error| bad(error.to_string()))?;
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::game::{setup::tests::casual, state::Action};

    /// A game with a move, an answer and a takeback, on disk.
    fn played(journals: &Journals) -> Game {
        let now = Instant::now();
        let mut game = Game::new("game1".to_owned(), casual(), 7, now).unwrap();
        let mut journal = journals.create("c1", &game).unwrap();
        for uci in ["e2e4", "e7e5", "g1f3"] {
            let m = game.now.parse_uci(uci).unwrap();
            journal.append(&game.play(m, now)).unwrap();
        }
        journal.append(&game.act(&Action::Takeback {}, now).unwrap()).unwrap();
        game
    }

    fn journals() -> (tempfile::TempDir, Journals) {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::new(folder.path().to_owned());
        (folder, journals)
    }

    #[test]
    fn a_game_comes_back_as_it_was() {
        let (_folder, journals) = journals();
        let game = played(&journals);
        let (back, _) = journals.open("c1", "game1", Instant::now()).unwrap().unwrap();
        assert_eq!((back.plies, back.now.fen(), back.created_s), (game.plies, game.now.fen(), 7));
        assert_eq!(back.setup, game.setup);
    }

    #[test]
    fn a_cut_line_is_dropped_and_the_game_goes_on() {
        let (_folder, journals) = journals();
        let game = played(&journals);
        let path = journals.path("c1", "game1");
        let text = fs::read_to_string(&path).unwrap();
        // Wherever the last event, the takeback, is cut, the game is read as if it had not happened.
        let last = text.trim_end().rfind('\n').unwrap() + 1;
        for cut in last + 1..text.len() {
            fs::write(&path, &text[..cut]).unwrap();
            let (mut back, mut journal) = journals.open("c1", "game1", Instant::now()).unwrap().unwrap();
            assert_eq!(back.plies.len(), game.plies.len() + 1, "cut at {cut}");
            journal.append(&back.act(&Action::Resign {}, Instant::now()).unwrap()).unwrap();
            let (again, _) = journals.open("c1", "game1", Instant::now()).unwrap().unwrap();
            assert!(again.is_over());
        }
    }

    #[test]
    fn others_see_nothing_and_bad_files_are_left_alone() {
        let (_folder, journals) = journals();
        played(&journals);
        assert!(journals.open("c2", "game1", Instant::now()).unwrap().is_none());
        assert!(journals.list("c2", Instant::now()).is_empty());
        fs::write(journals.path("c1", "broken"), "{\"tabiya_game\":9,").unwrap();
        assert_eq!(journals.list("c1", Instant::now()).len(), 1);
        assert!(journals.path("c1", "broken").exists());
    }
}
