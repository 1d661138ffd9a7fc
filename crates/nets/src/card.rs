//! What a weight file says of itself: enough to use it, to repeat it and to judge it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of cards that this code writes and reads.
pub(crate) const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    pub version: u32,
    pub family: String,
    /// The family's whole configuration.
    pub network: serde_json::Value,
    /// The training's whole configuration.
    pub training: serde_json::Value,
    pub encoding: String,
    pub parameters: u64,
    pub step: u64,
    pub samples: u64,
    pub hours: f64,
    pub data: DataCard,
    /// What the last validation measured, by name.
    pub figures: BTreeMap<String, f64>,
    /// Samples seen, hours, and the figure that decides, at every validation.
    pub curve: Vec<(u64, f64, f64)>,
}

/// Where the samples came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataCard {
    pub fingerprint: String,
    pub games: u64,
    pub policy: String,
    /// Who was asked about positions, where it was not the games alone that taught.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teachers: Vec<TeacherCard>,
}

/// A network that weights learned from, by a set of its opinions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeacherCard {
    /// Name of its file.
    pub network: String,
    /// Hash of its content.
    pub fingerprint: String,
    pub positions: u64,
}
