//! Sizes of the comparator, and which pairs of positions it learns from.

use serde::{Deserialize, Serialize};

use super::Teacher;
use crate::limits::{MOST, within};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComparatorConfig {
    /// Widths of the encoder's layers (Pos2Vec); the last is the width of embeddings.
    pub encoder: Vec<usize>,
    /// Widths of the layers on top of two embeddings.
    pub compare: Vec<usize>,
    /// Steps of pre-training for each layer of the encoder; 0 for a random start.
    pub pretrain: usize,
    pub pairs: PairConfig,
    /// Show half of the positions in which nobody may castle with their files mirrored.
    pub mirror: bool,
    /// Weights of another comparator, whose verdicts are learned in place of results and scores; empty for none.
    #[serde(skip_serializing_if = "Teacher::is_none")]
    pub teacher: Teacher,
}

/// How the positions of a batch are paired.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PairConfig {
    /// Pairs that a position takes part in, on average.
    pub per_position: usize,
    /// Share of pairs that are put in order by their engine scores; the others are by the results of their games.
    pub scores: f32,
}

impl Default for ComparatorConfig {
    fn default() -> ComparatorConfig {
        ComparatorConfig {
            encoder: vec![600, 400, 200, 100],
            compare: vec![400, 200, 100],
            pretrain: 1500,
            pairs: PairConfig::default(),
            mirror: true,
            teacher: Teacher::default(),
        }
    }
}

impl Default for PairConfig {
    fn default() -> PairConfig {
        PairConfig { per_position: 4, scores: 0.5 }
    }
}

/// The phases of pre-training, one for each layer of the encoder.
pub(super) const PRETRAINING: [&str; 8] = [
    "pretrain-1",
    "pretrain-2",
    "pretrain-3",
    "pretrain-4",
    "pretrain-5",
    "pretrain-6",
    "pretrain-7",
    "pretrain-8",
];

impl ComparatorConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        within("the number of layers of the encoder", self.encoder.len(), 1..=PRETRAINING.len())?;
        within("the number of layers of the comparison", self.compare.len(), 1..=PRETRAINING.len())?;
        self.encoder.iter().try_for_each(|&width| within("a layer of the encoder", width, 1..=MOST))?;
        self.compare.iter().try_for_each(|&width| within("a layer of the comparison", width, 1..=MOST))?;
        within("pretrain", self.pretrain, 0..=1 << 16)?;
        within("pairs.per-position", self.pairs.per_position, 1..=256)?;
        within("pairs.scores", self.pairs.scores, 0.0..=1.0)
    }

    pub(super) fn embedding(&self) -> usize {
        self.encoder[self.encoder.len() - 1]
    }

    pub(crate) fn all_tiny() -> Vec<ComparatorConfig> {
        let tiny = |encoder: &[usize], compare: &[usize]| ComparatorConfig {
            encoder: encoder.to_vec(),
            compare: compare.to_vec(),
            pretrain: 0,
            ..ComparatorConfig::default()
        };
        vec![tiny(&[32, 12], &[16, 8]), tiny(&[20], &[16])]
    }
}
