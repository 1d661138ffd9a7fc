//! How long the running turn has lasted, in a small file beside the journal of a game, so that a server that is killed gives no time
//! back. It is written over in place and never synced: what a crash of the machine loses of it is the time since the last mark.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

fn beside(journal: &Path) -> PathBuf {
    journal.with_extension("clock")
}

/// `length` of the journal says which turn is meant. The text is of one width, so that a half-written one cannot look whole.
pub(super) fn write(journal: &Path, length: u64, spent: Duration) {
    let text = format!("{length:>12} {:>12}\n", spent.as_millis());
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(beside(journal))?;
        file.write_all(text.as_bytes())
    };
    // Where it cannot be written, the next mark is tried; the game does not wait for it.
    drop(write());
}

/// What has passed of the turn that follows the first `length` bytes of the journal, if that is known.
pub(super) fn read(journal: &Path, length: u64) -> Option<Duration> {
    let text = fs::read_to_string(beside(journal)).ok()?;
    let mut words = text.split_whitespace();
    let meant: u64 = words.next()?.parse().ok()?;
    let spent_ms: u64 = words.next()?.parse().ok()?;
    (meant == length && text.ends_with('\n')).then_some(Duration::from_millis(spent_ms))
}
