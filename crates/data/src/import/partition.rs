//! One of several shares of a dataset, written by a process that knows nothing of the others: shards under names of their own, and a report
//! that says what they hold. Names come from the first game, so that a share written twice is the same files. The reports become the
//! dataset's card.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    Card, DatasetError, Filters, Fingerprint, Game, ROW_GROUP, Reason, Shares, Tally,
    card::{Shard, SourceEntry},
    error::At,
    seen::Seen,
    storage::{self, Draft},
    table::TableWriter,
};

/// What a share holds.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    card: Card,
    /// What of each input came here, by the input's number.
    sources: BTreeMap<u32, SourceEntry>,
}

/// Writes one share. Games must come ordered by their ids; of several with the same id the first is kept.
pub struct PartitionWriter {
    folder: PathBuf,
    /// Begins the names of the files; known with the first row.
    name: Option<String>,
    shard_games: u64,
    report: Report,
    open: Option<OpenShard>,
    rows: Vec<Game>,
    last_id: Option<String>,
    scratch: Vec<u8>,
}

struct OpenShard {
    file: String,
    writer: TableWriter<Draft>,
    games: u64,
    fingerprint: Fingerprint,
}

impl PartitionWriter {
    pub fn new(folder: &Path, shares: Shares, shard_games: u64) -> PartitionWriter {
        let report = Report { card: Card::new(shares), sources: BTreeMap::new() };
        PartitionWriter {
            folder: folder.to_owned(),
            name: None,
            shard_games: shard_games.max(1),
            report,
            open: None,
            rows: Vec::new(),
            last_id: None,
            scratch: Vec::new(),
        }
    }

    /// Takes a game of the input with this number.
    pub fn push(&mut self, source: u32, game: Game) -> Result<(), DatasetError> {
        self.name_by(&game.id);
        let mut tally = Tally::default();
        let repeats = self.last_id.as_deref() == Some(game.id.as_str());
        match repeats {
            true => tally.drop(Reason::Duplicate),
            false => tally.keep(),
        }
        self.report.sources.entry(source).or_insert_with(SourceEntry::unnamed).add(&tally);
        if repeats {
            return Ok(());
        }
        self.last_id = Some(game.id.clone());
        if self.open.is_none() {
            self.open = Some(self.begin()?);
        }
        let fingerprint = game.fingerprint(&mut self.scratch);
        let shard = self.open.as_mut().expect("begun above");
        shard.games += 1;
        shard.fingerprint.add(fingerprint);
        let full = shard.games >= self.shard_games;
        self.report.card.count(&game);
        self.report.card.fingerprint.add(fingerprint);
        self.rows.push(game);
        if self.rows.len() == ROW_GROUP {
            self.write_rows()?;
        }
        if full { self.end_shard() } else { Ok(()) }
    }

    fn name_by(&mut self, id: &str) {
        self.name.get_or_insert_with(|| format!("{:016x}", Seen::hash(id)));
    }

    /// Takes what is known of an input as a whole; the row that brings it has an id as games do.
    pub fn note(&mut self, source: u32, id: &str, entry: &SourceEntry) {
        self.name_by(id);
        let own = self.report.sources.entry(source).or_insert_with(SourceEntry::unnamed);
        own.merge(entry);
    }

    fn begin(&self) -> Result<OpenShard, DatasetError> {
        let name = self.name.as_deref().expect("named by its first row");
        let file = format!("games-{name}-{:05}.parquet", self.report.card.shards.len());
        let path = self.folder.join(&file);
        let writer = TableWriter::new(Draft::create(&path).at(&path)?, self.report.card.split).at(&path)?;
        Ok(OpenShard { file, writer, games: 0, fingerprint: Fingerprint::default() })
    }

    fn write_rows(&mut self) -> Result<(), DatasetError> {
        if let Some(shard) = &mut self.open
            && !self.rows.is_empty()
        {
            shard.writer.write(&self.rows).at(self.folder.join(&shard.file))?;
        }
        self.rows.clear();
        Ok(())
    }

    fn end_shard(&mut self) -> Result<(), DatasetError> {
        self.write_rows()?;
        if let Some(OpenShard { file, writer, games, fingerprint }) = self.open.take() {
            let path = self.folder.join(&file);
            writer.finish().at(&path)?.publish().at(&path)?;
            self.report.card.shards.push(Shard { file, games, fingerprint });
        }
        Ok(())
    }

    /// Ends the share and returns how many games it holds.
    pub fn finish(mut self) -> Result<u64, DatasetError> {
        self.end_shard()?;
        // A share without any row is none.
        let Some(name) = &self.name else { return Ok(0) };
        let path = self.folder.join(format!("share-{name}.json"));
        let text = serde_json::to_vec(&self.report).expect("plain counts and names");
        storage::write(&path, &text).at(path)?;
        Ok(self.report.card.games)
    }
}

impl std::fmt::Debug for PartitionWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a share of {}, {} games", self.folder.display(), self.report.card.games)
    }
}

fn is_report(name: &str) -> bool {
    name.starts_with("share-") && name.ends_with(".json")
}

/// Makes a folder ready for shares: what an attempt that was broken off left there is taken away.
pub fn prepare_partitions(folder: &Path) -> Result<(), DatasetError> {
    storage::create_folder(folder).at(folder)?;
    let ours = |name: &String| (name.starts_with("games-") && name.ends_with(".parquet")) || is_report(name);
    for name in storage::names(folder).at(folder)?.iter().filter(|name| ours(name)) {
        storage::remove(&folder.join(name)).at(folder.join(name))?;
    }
    Ok(())
}

/// Makes one dataset of all shares.
pub fn join_partitions(
    folder: &Path,
    shares: Shares,
    filters: &Filters,
) -> Result<(Tally, Card), DatasetError> {
    let mut card = Card::new(shares);
    let mut sources: BTreeMap<u32, SourceEntry> = BTreeMap::new();
    let reports: Vec<PathBuf> = storage::names(folder)
        .at(folder)?
        .iter()
        .filter(|name| is_report(name))
        .map(|name| folder.join(name))
        .collect();
    for path in &reports {
        let text = storage::read(path).at(path)?;
        let report: Report = serde_json::from_slice(&text)
            .map_err(|error| DatasetError::Card { path: path.clone(), error })?;
        card.absorb(report.card);
        for (number, entry) in report.sources {
            sources.entry(number).or_insert_with(SourceEntry::unnamed).merge(&entry);
        }
    }
    let mut total = Tally::default();
    for entry in sources.into_values() {
        total.add_counts(entry.read, entry.kept, &entry.dropped);
        card.sources.push(SourceEntry { filters: filters.clone(), finished: true, ..entry });
    }
    card.write(folder)?;
    for path in reports {
        storage::remove(&path).at(path)?;
    }
    Ok((total, card))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Dataset, testing::any_game};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn shares_make_the_dataset_that_one_writer_makes(
            mut games in prop::collection::vec(any_game(), 1..40),
            partitions in 1..4usize,
        ) {
            games.sort_by(|a, b| a.id.cmp(&b.id));
            let folder = tempfile::tempdir().unwrap();
            prepare_partitions(folder.path()).unwrap();
            // The second time is that of a process that took over from a killed one.
            for _ in 0..2 {
                let shares = Shares::default();
                let mut writers: Vec<_> =
                    (0..partitions).map(|_| PartitionWriter::new(folder.path(), shares, 5)).collect();
                for game in &games {
                    let home = usize::from(game.id.as_bytes()[0]) % partitions;
                    writers[home].push(0, game.clone()).unwrap();
                }
                for writer in writers {
                    writer.finish().unwrap();
                }
            }
            let (tally, card) =
                join_partitions(folder.path(), Shares::default(), &Filters::default()).unwrap();
            let mut unique = games.clone();
            unique.dedup_by(|a, b| a.id == b.id);
            let (mut expected, mut scratch) = (Fingerprint::default(), Vec::new());
            unique.iter().for_each(|game| expected.add(game.fingerprint(&mut scratch)));
            prop_assert_eq!(card.fingerprint, expected);
            prop_assert_eq!((tally.read, tally.kept), (games.len() as u64, unique.len() as u64));
            let mut found = Vec::new();
            let dataset = Dataset::open(folder.path()).unwrap();
            dataset.for_each_group(|games| -> Result<(), DatasetError> {
                found.extend(games);
                Ok(())
            }).unwrap();
            found.sort_by(|a, b| a.id.cmp(&b.id));
            prop_assert_eq!(found, unique);
        }
    }
}
