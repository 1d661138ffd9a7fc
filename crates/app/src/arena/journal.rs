//! The journal of a match: one line of JSON with its settings, then one for every finished game.
//!
//! A line is on the disk before the next game counts, so a killed match loses no finished game. A last line
//! that was cut off by the end is dropped.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::jsonl::{Jsonl, whole};

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

/// A journal as it lies on disk, without a last line that was cut off.
struct Kept {
    header: Header,
    records: Vec<Record>,
    /// Bytes of whole lines.
    length: u64,
}

#[derive(Debug)]
pub(crate) struct Journal {
    lines: Jsonl,
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
        let lines =
            Jsonl::create(path).with_context(|| format!("cannot write the journal {}", path.display()))?;
        let mut journal = Journal { lines, pgn_start };
        journal.write(&Header { tabiya_arena: VERSION, settings: settings.clone(), pgn_start })?;
        Ok(journal)
    }

    /// Opens a journal to go on with its match, and gives the games that are finished.
    pub(crate) fn resume(path: &Path, settings: &MatchSettings) -> anyhow::Result<(Journal, Vec<Record>)> {
        let kept = Journal::kept(path)
            .with_context(|| format!("cannot resume from the journal {}", path.display()))?;
        let Kept { header, records, length } = kept;
        Journal::same_match(&header.settings, settings, path)?;
        let lines = Jsonl::open(path, length)?;
        Ok((Journal { lines, pgn_start: header.pgn_start }, records))
    }

    /// What a journal tells of its match, and the games that are finished.
    pub(crate) fn read(path: &Path) -> anyhow::Result<(MatchSettings, Vec<Record>)> {
        let Kept { header, records, .. } = Journal::kept(path)?;
        Ok((header.settings, records))
    }

    fn kept(path: &Path) -> anyhow::Result<Kept> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read the journal {}", path.display()))?;
        let whole = whole(&bytes);
        let mut lines = whole.split_inclusive(|&byte| byte == b'\n');
        let first = lines.next().with_context(|| format!("the journal {} is empty", path.display()))?;
        let header: Header = serde_json::from_slice(first)
            .with_context(|| format!("{} is not the journal of a match", path.display()))?;
        ensure!(
            header.tabiya_arena == VERSION,
            "the journal {} has version {}, this program knows {VERSION}",
            path.display(),
            header.tabiya_arena
        );
        let records: Result<Vec<Record>, _> = lines.map(serde_json::from_slice).collect();
        let records = records.with_context(|| format!("the journal {} is damaged", path.display()))?;
        Ok(Kept { header, records, length: whole.len() as u64 })
    }

    pub(crate) fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        self.write(record)
    }

    /// Two runs are of one match if all their settings are the same.
    pub(crate) fn same_match(
        journal: &MatchSettings,
        now: &MatchSettings,
        path: &Path,
    ) -> anyhow::Result<()> {
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

    fn write(&mut self, line: &impl Serialize) -> anyhow::Result<()> {
        self.lines.append(&[line]).context("cannot write the journal")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::{End, Outcome, Played};

    fn record(game: usize) -> Record {
        Record {
            game,
            round: "1.1".to_owned(),
            date: "2024.05.06".to_owned(),
            white: "Ann".to_owned(),
            black: "Bob".to_owned(),
            pace: ["8+0.08".to_owned(), "nodes 5".to_owned()],
            chess960: false,
            start_fen: None,
            outcome: Outcome::Draw,
            end: End::Repetition,
            note: Some("a \"note\"".to_owned()),
            moves: vec![
                Played::book("e2e4"),
                Played { cp: Some(-3), clock_ms: Some(70), think_ms: Some(1), ..Played::book("e7e5") },
            ],
        }
    }

    fn settings(tc: &str) -> MatchSettings {
        [("tc".to_owned(), tc.to_owned())].into()
    }

    /// A journal of three games in a folder of its own.
    fn journal(test: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("tabiya-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("journal");
        let mut journal = Journal::create(&path, &settings("8+0.08"), 7).unwrap();
        (0..3).for_each(|game| journal.add(&record(game)).unwrap());
        path
    }

    #[test]
    fn a_journal_cut_anywhere_keeps_all_whole_games() {
        let path = journal("cut");
        let whole = std::fs::read(&path).unwrap();
        let header = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for length in (header..whole.len()).step_by(17).chain([whole.len() - 1, whole.len()]) {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, records) = Journal::resume(&path, &settings("8+0.08")).unwrap();
            let lines = whole[header..length].iter().filter(|&&byte| byte == b'\n').count();
            assert!(records.iter().eq(&(0..lines).map(record).collect::<Vec<_>>()), "{length}");
            assert_eq!(journal.pgn_start, 7);
            journal.add(&record(lines)).unwrap();
            assert_eq!(Journal::resume(&path, &settings("8+0.08")).unwrap().1.len(), lines + 1);
        }
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn another_match_is_refused_in_a_sentence() {
        let path = journal("refused");
        let refusal = |settings| format!("{:#}", Journal::resume(&path, &settings).unwrap_err());
        assert!(
            refusal(settings("1+1")).ends_with("belongs to another match: its tc is `8+0.08`, not `1+1`")
        );
        assert!(refusal(MatchSettings::new()).ends_with("its tc is `8+0.08`, not none"));
        let header = r#"{"tabiya_arena":99,"settings":{},"pgn_start":0}"#;
        for (text, words) in
            [("hello\n", "is not the journal of a match"), ("", "is empty"), (header, "is empty")]
        {
            std::fs::write(&path, text).unwrap();
            assert!(refusal(settings("8+0.08")).contains(words), "{text}");
        }
        std::fs::write(&path, format!("{header}\n")).unwrap();
        assert!(refusal(settings("8+0.08")).contains("has version 99"));
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn an_old_journal_is_kept_beside_the_new() {
        let path = journal("kept");
        Journal::create(&path, &settings("1+1"), 0).unwrap();
        let old = path.with_extension("old");
        assert_eq!(Journal::resume(&old, &settings("8+0.08")).unwrap().1.len(), 3);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
