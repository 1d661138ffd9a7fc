//! Games on disk: a folder per player, a file per game, a line of JSON per event.
//!
//! Lines are on disk before anybody hears of what they tell. What could not be written whole is cut off again, as is a last line
//! that was being written when the server was killed. A damaged file is read up to its last good line and says so.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use data::durable;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::time::Instant;
use tracing::error;

use super::{
    setup::{Setup, SetupError},
    state::{Event, Game},
    turn_mark,
};
use crate::{
    jsonl::{Jsonl, whole},
    play::ids,
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

impl JournalError {
    /// The thread that wrote did not come to an end.
    pub(crate) fn broken(error: &impl ToString) -> JournalError {
        JournalError::File(PathBuf::new(), io::Error::other(error.to_string()))
    }

    pub(crate) fn is_disk_full(&self) -> bool {
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
        matches!(self, JournalError::File(_, error) if kinds.contains(&error.kind()))
    }

    /// What a player is told. The rest is for the one who runs the server.
    pub(crate) fn for_player(&self) -> &'static str {
        match self {
            _ if self.is_disk_full() => "not saved: the disk is full",
            JournalError::File(..) => "not saved: the file of the game cannot be read or written",
            JournalError::Line(..) | JournalError::Setup(..) => {
                "the file of this game is damaged from its first line on"
            }
            JournalError::Version(..) => "this game was written by another version of the program",
        }
    }
}

/// Where the games of all players are.
#[derive(Clone, Debug)]
pub(crate) struct Journals {
    root: PathBuf,
    /// While it is set, files take half of what is written and no more.
    #[cfg(test)]
    pub(crate) disk_full: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// The open file of one game.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    lines: Jsonl,
    /// Whether lines that cannot be read follow; they are kept beside the file once the game goes on.
    damaged: bool,
}

/// A file in a player's folder.
#[derive(Debug)]
pub(crate) enum Listed {
    Game(Box<Game>),
    /// Not even its first line can be read.
    Unreadable {
        id: String,
        created_s: u64,
        remark: &'static str,
    },
}

impl Journals {
    pub(crate) fn new(root: PathBuf) -> Journals {
        Journals {
            root,
            #[cfg(test)]
            disk_full: Default::default(),
        }
    }

    /// The folder of one player. `client` was made by us and holds nothing but hexadecimal digits.
    pub(crate) fn folder(&self, client: &str) -> PathBuf {
        self.root.join("players").join(client)
    }

    /// All players who have a folder.
    pub(crate) fn clients(&self) -> Vec<String> {
        let folders = fs::read_dir(self.root.join("players")).into_iter().flatten().flatten();
        let names = folders.filter_map(|folder| folder.file_name().into_string().ok());
        names.filter(|name| ids::is_client(name)).collect()
    }

    fn path(&self, client: &str, id: &str) -> PathBuf {
        self.folder(client).join("games").join(format!("{id}.jsonl"))
    }

    fn journal(&self, path: &Path, lines: Jsonl, damaged: bool) -> Journal {
        #[cfg(test)]
        let lines = lines.full_with(&self.disk_full);
        Journal { path: path.to_owned(), lines, damaged }
    }

    /// A file for a new game. If it cannot be written, there is none.
    pub(crate) fn create(&self, client: &str, game: &Game) -> Result<Journal, JournalError> {
        let path = self.path(client, &game.id);
        let failed = |error| JournalError::File(path.clone(), error);
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
        let mut journal = self.journal(&path, Jsonl::create(&path).map_err(failed)?, false);
        let header = Header {
            tabiya_game: VERSION,
            id: game.id.clone(),
            created_s: game.created_s,
            setup: game.setup.clone(),
        };
        let written = journal.append(&[header]).and_then(|()| durable::sync_folder(&path).map_err(failed));
        // The error of the disk says more than one of removing what it did not take.
        written.inspect_err(|_| drop(fs::remove_file(&path)))?;
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
        let Some(bytes) = read(&path)? else { return Ok(None) };
        let (mut game, good) = replay(&path, &bytes, now)?;
        let marked = game.running().and_then(|_| turn_mark::read(&path, good as u64));
        game.clock.resume(marked.unwrap_or_default(), now);
        // A line that was cut off is nobody's loss. Looking at a game changes nothing; the next event does.
        let lines =
            Jsonl::open(&path, good as u64).map_err(|error| JournalError::File(path.clone(), error))?;
        let journal = self.journal(&path, lines, game.remark.is_some());
        Ok(Some((game, journal)))
    }

    /// The newest games of `client`. Files that cannot be read are told on stderr, listed with a remark, and left alone.
    pub(crate) fn list(&self, client: &str, now: Instant) -> Vec<Listed> {
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
        let game = |path: &Path| read(path)?.map(|bytes| replay(path, &bytes, now)).transpose();
        files
            .iter()
            .filter_map(|(changed, path)| match game(path) {
                Ok(game) => game.map(|(game, _)| Listed::Game(Box::new(game))),
                Err(error) => {
                    error!("{error}");
                    let id = path.file_stem()?.to_str()?.to_owned();
                    let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
                    let created_s = changed.map_or(0, |since| since.as_secs());
                    Some(Listed::Unreadable { id, created_s, remark: error.for_player() })
                }
            })
            .collect()
    }
}

impl Journal {
    /// Returns once the events are on disk. If it fails, none of them is, or will be found there later.
    pub(crate) fn append(&mut self, events: &[impl Serialize]) -> Result<(), JournalError> {
        let failed = |error| JournalError::File(self.path.clone(), error);
        if self.damaged {
            keep_copy(&self.path).map_err(failed)?;
            self.damaged = false;
        }
        self.lines.append(events).map_err(failed)
    }

    /// Notes that `spent` of the turn that follows the last event has passed.
    pub(crate) fn mark(&self, spent: Duration) {
        turn_mark::write(&self.path, self.lines.length(), spent);
    }
}

/// What was read is not changed until a copy is there.
fn keep_copy(path: &Path) -> io::Result<()> {
    let copies = (1..).map(|number| path.with_extension(format!("damaged-{number}")));
    let free = copies.into_iter().find(|copy| !copy.exists()).expect("numbers do not end");
    fs::copy(path, &free).inspect_err(|_| drop(fs::remove_file(&free)))?;
    Ok(())
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, JournalError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(JournalError::File(path.to_owned(), error)),
    }
}

/// The game up to its last good line, and where that ends.
fn replay(path: &Path, bytes: &[u8], now: Instant) -> Result<(Game, usize), JournalError> {
    let bad = |error: String| JournalError::Line(path.to_owned(), error);
    let mut lines = whole(bytes).split_inclusive(|&byte| byte == b'\n');
    let first = lines.next().ok_or_else(|| bad("the file is empty".to_owned()))?;
    let header: Header = serde_json::from_slice(first).map_err(|error| bad(error.to_string()))?;
    if header.tabiya_game != VERSION {
        return Err(JournalError::Version(path.to_owned(), header.tabiya_game));
    }
    let mut game = Game::new(header.id, header.setup, header.created_s, now)
        .map_err(|error| JournalError::Setup(path.to_owned(), error))?;
    let mut good = first.len();
    for (index, line) in lines.enumerate() {
        let event = serde_json::from_slice::<Event>(line).map_err(|error| error.to_string());
        let recorded = event.and_then(|event| game.record(&event, now).map_err(|error| error.to_string()));
        if let Err(error) = recorded {
            error!("{}: line {}: {error}", path.display(), index + 2);
            let remark = "the file of this game is damaged; it is shown up to the last line that can be read";
            game.remark = Some(remark.to_owned());
            return Ok((game, good));
        }
        good += line.len();
    }
    Ok((game, good))
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
    fn the_time_of_a_turn_is_not_given_back_and_belongs_to_that_turn_alone() {
        let (_folder, journals) = journals();
        let start = Instant::now() + Duration::from_secs(60);
        let mut game = Game::new("game1".to_owned(), casual(), 7, start).unwrap();
        let mut journal = journals.create("c1", &game).unwrap();
        for uci in ["e2e4", "e7e5"] {
            let m = game.now.parse_uci(uci).unwrap();
            journal.append(&game.play(m, start)).unwrap();
        }
        journal.mark(Duration::from_millis(1500));
        let left = |at| {
            let (back, _) = journals.open("c1", "game1", at).unwrap().unwrap();
            back.clock.left_ms(back.turn(), back.running(), at)
        };
        assert_eq!(left(start), 298_500);
        journal.append(&game.act(&Action::Takeback {}, start).unwrap()).unwrap();
        assert_eq!(left(start), 300_000, "a mark of another turn counts for nothing");
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
    fn others_see_nothing_and_bad_files_are_listed_and_left_alone() {
        let (_folder, journals) = journals();
        played(&journals);
        assert!(journals.open("c2", "game1", Instant::now()).unwrap().is_none());
        assert!(journals.list("c2", Instant::now()).is_empty());
        for (name, text) in [("broken", "{\"tabiya_game\":9,"), ("empty", "")] {
            fs::write(journals.path("c1", name), text).unwrap();
        }
        let listed = journals.list("c1", Instant::now());
        let remarked = |name: &str| {
            listed.iter().any(|file| matches!(file, Listed::Unreadable { id, .. } if id == name))
        };
        assert!(remarked("broken") && remarked("empty"));
        assert!(listed.iter().any(|file| matches!(file, Listed::Game(game) if game.id == "game1")));
        assert_eq!(fs::read_to_string(journals.path("c1", "broken")).unwrap(), "{\"tabiya_game\":9,");
    }

    #[test]
    fn a_line_that_did_not_fit_leaves_no_trace() {
        let (_folder, journals) = journals();
        let mut game = played(&journals);
        let path = journals.path("c1", "game1");
        let (_, mut journal) = journals.open("c1", "game1", Instant::now()).unwrap().unwrap();
        let before = fs::read(&path).unwrap();
        let events = game.act(&Action::Resign {}, Instant::now()).unwrap();
        journals.disk_full.store(true, std::sync::atomic::Ordering::Relaxed);
        for _ in 0..2 {
            let error = journal.append(&events).unwrap_err();
            assert!(error.is_disk_full(), "{error}");
            assert_eq!(fs::read(&path).unwrap(), before);
        }
        journals.disk_full.store(false, std::sync::atomic::Ordering::Relaxed);
        journal.append(&events).unwrap();
        let (again, _) = journals.open("c1", "game1", Instant::now()).unwrap().unwrap();
        assert!(again.is_over() && again.remark.is_none());
    }

    #[test]
    fn a_game_that_finds_no_room_leaves_no_file() {
        let (_folder, journals) = journals();
        let game = Game::new("game2".to_owned(), casual(), 7, Instant::now()).unwrap();
        journals.disk_full.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(journals.create("c1", &game).unwrap_err().is_disk_full());
        assert!(!journals.path("c1", "game2").exists());
    }

    #[test]
    fn a_damaged_game_is_shown_up_to_its_last_good_line_and_goes_on_from_there() {
        let (_folder, journals) = journals();
        played(&journals);
        let path = journals.path("c1", "game1");
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // Half of the third line, and the next one behind it, as a full disk left them once.
        let damaged = [lines[0], lines[1], &lines[2][..9], lines[3], lines[4]].concat().into_bytes();
        let damaged = [damaged, vec![0xff, 0xfe, b'\n']].concat();
        fs::write(&path, &damaged).unwrap();
        assert!(
            matches!(&journals.list("c1", Instant::now())[..], [Listed::Game(game)] if game.remark.is_some())
        );
        let (mut back, mut journal) = journals.open("c1", "game1", Instant::now()).unwrap().unwrap();
        assert_eq!((back.plies.len(), back.remark.is_some()), (1, true));
        assert_eq!(fs::read(&path).unwrap(), damaged, "looking at it changes nothing");
        journal.append(&back.act(&Action::Resign {}, Instant::now()).unwrap()).unwrap();
        assert_eq!(fs::read(path.with_extension("damaged-1")).unwrap(), damaged);
        let (again, _) = journals.open("c1", "game1", Instant::now()).unwrap().unwrap();
        assert_eq!((again.plies.len(), again.is_over(), again.remark), (1, true, None));
    }
}
