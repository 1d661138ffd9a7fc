//! `dataset.json`: what a dataset was made from and what is in it. The card is the truth about a folder: a shard that
//! it does not list does not belong to the dataset.

use std::{collections::BTreeMap, io, path::Path};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::{DatasetError, Filters, Game, Reason, Shares, Speed, Tally, error::At, storage};

pub(crate) const FILE: &str = "dataset.json";
const VERSION: u32 = 1;
/// Readers set aside room by this count, so a damaged card must not make it up.
const MOST_GAMES_IN_SHARD: u64 = u32::MAX as u64;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    pub version: u32,
    pub split: Shares,
    pub games: u64,
    pub plies: u64,
    /// Sum of the hashes of all rows: equal content, equal fingerprint, in whatever order and shards it lies.
    pub fingerprint: Fingerprint,
    pub shards: Vec<Shard>,
    pub sources: Vec<SourceEntry>,
    pub histograms: Histograms,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    pub file: String,
    pub games: u64,
    pub fingerprint: Fingerprint,
}

/// One input and how far its import has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceEntry {
    /// The file's name without its folders; `-` for standard input.
    pub name: String,
    /// Length and a hash of its first bytes: tells one input from another of the same name.
    pub identity: String,
    pub filters: Filters,
    pub finished: bool,
    /// Where the next unread game begins in the unpacked text.
    pub offset: u64,
    /// Lines before that place.
    pub lines: u64,
    pub read: u64,
    pub kept: u64,
    pub dropped: BTreeMap<Reason, u64>,
}

/// 128 bits as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(pub u128);

/// Counts of games by what users ask first. Keys are lower bounds of bins where they are numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histograms {
    pub mean_rating: BTreeMap<u16, u64>,
    pub speed: BTreeMap<Speed, u64>,
    pub plies: BTreeMap<u16, u64>,
    pub result: BTreeMap<String, u64>,
    pub split: BTreeMap<String, u64>,
    pub with_clocks: u64,
    pub with_evals: u64,
}

impl Card {
    pub fn new(split: Shares) -> Card {
        Card {
            version: VERSION,
            split,
            games: 0,
            plies: 0,
            fingerprint: Fingerprint::default(),
            shards: Vec::new(),
            sources: Vec::new(),
            histograms: Histograms::default(),
        }
    }

    /// The card of a folder, or `None` where there is none.
    pub fn read(folder: &Path) -> Result<Option<Card>, DatasetError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let path = folder.join(FILE);
        let text = match storage::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(DatasetError::Io { path, error }),
        };
        let card = |error| DatasetError::Card { path: path.clone(), error };
        let Version { version } = serde_json::from_slice(&text).map_err(card)?;
        if version != VERSION {
            return Err(DatasetError::Version { path, found: version, known: VERSION });
        }
        let read: Card = serde_json::from_slice(&text).map_err(card)?;
        match read.shards.iter().find(|shard| shard.games > MOST_GAMES_IN_SHARD) {
            Some(shard) => {
                let told = format!("{} cannot hold {} games", shard.file, shard.games);
                Err(card(serde::de::Error::custom(told)))
            }
            None => Ok(Some(read)),
        }
    }

    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let path = folder.join(FILE);
        let text = serde_json::to_vec_pretty(self).expect("a card is plain data");
        storage::write(&path, &text).at(path)
    }

    /// Adds the shards and counts of another card.
    pub(crate) fn absorb(&mut self, other: Card) {
        self.games += other.games;
        self.plies += other.plies;
        self.fingerprint.add_all(other.fingerprint);
        self.shards.extend(other.shards);
        let (ours, theirs) = (&mut self.histograms, other.histograms);
        add_counts(&mut ours.mean_rating, theirs.mean_rating);
        add_counts(&mut ours.speed, theirs.speed);
        add_counts(&mut ours.plies, theirs.plies);
        add_counts(&mut ours.result, theirs.result);
        add_counts(&mut ours.split, theirs.split);
        ours.with_clocks += theirs.with_clocks;
        ours.with_evals += theirs.with_evals;
    }

    pub(crate) fn count(&mut self, game: &Game) {
        self.games += 1;
        self.plies += game.moves.len() as u64;
        let histograms = &mut self.histograms;
        if let (Some(white), Some(black)) = (game.white_elo, game.black_elo) {
            let mean = (u32::from(white) + u32::from(black)) / 200 * 100;
            *histograms.mean_rating.entry(mean as u16).or_default() += 1;
        }
        *histograms.speed.entry(Speed::of(game.control)).or_default() += 1;
        *histograms.plies.entry((game.moves.len() / 20 * 20) as u16).or_default() += 1;
        let by_name = |map: &mut BTreeMap<String, u64>, name: &str| match map.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(map.insert(name.to_owned(), 1)),
        };
        by_name(&mut histograms.result, game.result.name());
        by_name(&mut histograms.split, self.split.split(&game.id).name());
        histograms.with_clocks += u64::from(game.clocks_cs.is_some());
        histograms.with_evals += u64::from(game.evals.is_some());
    }
}

fn add_counts<K: Ord>(ours: &mut BTreeMap<K, u64>, theirs: BTreeMap<K, u64>) {
    theirs.into_iter().for_each(|(key, count)| *ours.entry(key).or_default() += count);
}

impl SourceEntry {
    /// An input of which nothing is known yet.
    pub(crate) fn unnamed() -> SourceEntry {
        SourceEntry {
            name: String::new(),
            identity: String::new(),
            filters: Filters::default(),
            finished: false,
            offset: 0,
            lines: 0,
            read: 0,
            kept: 0,
            dropped: BTreeMap::new(),
        }
    }

    /// An input that has been read to its end, with the games that were left out.
    pub fn read_whole(name: &str, identity: &str, left_out: &Tally) -> SourceEntry {
        let (name, identity) = (name.to_owned(), identity.to_owned());
        let mut entry = SourceEntry { name, identity, finished: true, ..SourceEntry::unnamed() };
        entry.add(left_out);
        entry
    }

    /// Adds what is known of the same input elsewhere.
    pub(crate) fn merge(&mut self, other: &SourceEntry) {
        if self.name.is_empty() {
            self.name.clone_from(&other.name);
            self.identity.clone_from(&other.identity);
        }
        self.finished |= other.finished;
        self.read += other.read;
        self.kept += other.kept;
        other.dropped.iter().for_each(|(&reason, count)| *self.dropped.entry(reason).or_default() += count);
    }

    pub(crate) fn add(&mut self, tally: &Tally) {
        self.read += tally.read;
        self.kept += tally.kept;
        for (reason, count) in tally.dropped() {
            *self.dropped.entry(reason).or_default() += count;
        }
    }
}

impl Fingerprint {
    /// That of a file's content.
    pub fn of(bytes: &[u8]) -> Fingerprint {
        Fingerprint(xxh3_128(bytes))
    }

    pub fn add(&mut self, row: u128) {
        self.0 = self.0.wrapping_add(row);
    }

    /// Adds all rows of another table at once.
    pub(crate) fn add_all(&mut self, rows: Fingerprint) {
        self.add(rows.0);
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.to_string()
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Fingerprint, String> {
        u128::from_str_radix(&text, 16).map(Fingerprint).map_err(|_| format!("`{text}` is not a fingerprint"))
    }
}
