//! The journal of a match: one line of JSON with its settings, then one for every finished game.
//!
//! A line is on the disk before the next game counts, so a killed match loses no finished game. A last line
//! that was cut off by the end is dropped.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::Path,
};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::record::Record;

const VERSION: u32 = 1;

/// All that must be the same for two runs to be one match; values are for people to read.
pub(crate) type MatchSettings = BTreeMap<String, String>;

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    tabiya_arena: u32,
    settings: MatchSettings,
    /// Bytes that the PGN file had before the match began.
    pgn_start: u64,
}

#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    pub(crate) pgn_start: u64,
}

impl Journal {
    /// Begins a new journal. One that is in the way is kept beside it, as `.old`.
    pub(crate) fn create(path: &Path, settings: &MatchSettings, pgn_start: u64) -> anyhow::Result<Journal> {
        if path.exists() {
            let mut old = path.as_os_str().to_owned();
            old.push(".old");
            std::fs::rename(path, &old)
                .with_context(|| format!("cannot move the journal {} aside", path.display()))?;
        }
        let file =
            File::create(path).with_context(|| format!("cannot write the journal {}", path.display()))?;
        let mut journal = Journal { file, pgn_start };
        journal.write(&Header { tabiya_arena: VERSION, settings: settings.clone(), pgn_start })?;
        Ok(journal)
    }

    /// Opens a journal to go on with its match, and gives the games that are finished.
    pub(crate) fn resume(path: &Path, settings: &MatchSettings) -> anyhow::Result<(Journal, Vec<Record>)> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot resume from the journal {}", path.display()))?;
        // What follows the last line break was being written when the match was killed.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        let first = lines.next().with_context(|| format!("the journal {} is empty", path.display()))?;
        let header: Header = serde_json::from_str(first)
            .with_context(|| format!("{} is not the journal of a match", path.display()))?;
        ensure!(
            header.tabiya_arena == VERSION,
            "the journal {} has version {}, this program knows {VERSION}",
            path.display(),
            header.tabiya_arena
        );
        same_settings(&header.settings, settings, path)?;
        let records: Result<Vec<Record>, _> = lines.map(serde_json::from_str).collect();
        let records = records.with_context(|| format!("the journal {} is damaged", path.display()))?;
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        Ok((Journal { file, pgn_start: header.pgn_start }, records))
    }

    pub(crate) fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        self.write(record)
    }

    fn write(&mut self, line: &impl Serialize) -> anyhow::Result<()> {
        let mut line = serde_json::to_string(line)?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.context("cannot write the journal")
    }
}

fn same_settings(journal: &MatchSettings, now: &MatchSettings, path: &Path) -> anyhow::Result<()> {
    let keys = journal.keys().chain(now.keys());
    for key in keys {
        let (before, now) = (journal.get(key), now.get(key));
        if before != now {
            let shown =
                |value: Option<&String>| value.map_or("none".to_owned(), |value| format!("`{value}`"));
            bail!(
                "the journal {} belongs to another match: its {key} is {}, not {}",
                path.display(),
                shown(before),
                shown(now)
            );
        }
    }
    Ok(())
}
