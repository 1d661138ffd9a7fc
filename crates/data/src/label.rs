//! What an engine says about positions: a set of labels beside the games, made once and joined to samples.

mod set;
pub(crate) mod table;

pub(crate) use self::set::part_name;
pub use self::table::schema as labels_schema;

use std::{collections::HashMap, path::Path};

use chess::{Evaluation, PackedMove};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{DatasetError, Fingerprint, Part, Policy, Split, error::At, storage};

/// How long the engine looks at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    Depth(u32),
    Nodes(u64),
    MovetimeMs(u64),
}

/// An engine's word on one position. Scores are from White's view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub score: Evaluation,
    pub depth: u16,
    /// The principal variation; empty where only a score is known.
    pub line: Vec<PackedMove>,
    /// The best moves with their scores, best first.
    pub best: Vec<(PackedMove, Evaluation)>,
}

/// `labels-NAME.json`: how a set of labels was made, and its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelCard {
    pub version: u32,
    pub recipe: Recipe,
    pub rows: u64,
    /// Positions that the engine analysed; the other rows repeat one of them or come from the PGN.
    pub analysed: u64,
    /// Rows made from `[%eval]` comments.
    pub from_evals: u64,
    pub fingerprint: Fingerprint,
    pub parts: Vec<String>,
    pub finished: bool,
}

/// All that the labels depend on. A run resumes only with the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The engine's own name, or `none`.
    pub engine: String,
    pub limit: Limit,
    pub multipv: u32,
    /// Whether the engine kept its memory from position to position: labels then depend a little on their order.
    #[serde(default)]
    pub keep_memory: bool,
    /// Whether evaluations in the PGN stand in for the engine's.
    pub evals: bool,
    pub policy: Policy,
    pub split: Option<Split>,
    pub seed: u64,
    /// Positions to label; 0: all that the policy picks.
    pub sample: u64,
    /// Which of them, where several machines share the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

impl LabelCard {
    pub(crate) const VERSION: u32 = 1;

    pub(crate) fn file(name: &str) -> String {
        format!("labels-{name}.json")
    }

    /// The card of the set `name`, if there is one: of its own, or of all its parts together.
    pub fn read(folder: &Path, name: &str) -> Result<Option<LabelCard>, DatasetError> {
        match LabelCard::read_one(folder, name)? {
            Some(card) => Ok(Some(card)),
            None => set::read(folder, name),
        }
    }

    /// The card in the one file that bears the name.
    pub(crate) fn read_one(folder: &Path, name: &str) -> Result<Option<LabelCard>, DatasetError> {
        let path = folder.join(LabelCard::file(name));
        let text = match storage::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(DatasetError::Io { path, error }),
        };
        let card: LabelCard = serde_json::from_slice(&text)
            .map_err(|error| DatasetError::Card { path: path.clone(), error })?;
        match card.version {
            LabelCard::VERSION => Ok(Some(card)),
            found => Err(DatasetError::Version { path, found, known: LabelCard::VERSION }),
        }
    }
}

/// A set of labels in memory, by game and ply: about 100 bytes a label and two a move.
#[derive(Clone, Debug, Default)]
pub struct Labels(HashMap<(u64, u16), Label>);

impl Labels {
    /// Reads the set `name` of a dataset's folder.
    pub fn read(folder: &Path, name: &str) -> Result<Labels, DatasetError> {
        let card = LabelCard::read(folder, name)?
            .ok_or_else(|| DatasetError::Missing(folder.join(LabelCard::file(name))))?;
        let mut labels = Labels::default();
        for part in &card.parts {
            let path = folder.join(part);
            table::read(&path, |row| {
                labels.0.insert((xxh3_64(row.game_id.as_bytes()), row.ply), row.label);
            })
            .at(&path)?;
        }
        Ok(labels)
    }

    pub fn get(&self, game_id: &str, ply: u16) -> Option<&Label> {
        self.0.get(&(xxh3_64(game_id.as_bytes()), ply))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
