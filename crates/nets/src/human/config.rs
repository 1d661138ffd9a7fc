//! Sizes and weights of the human network.

use serde::{Deserialize, Serialize};

use super::Person;
use crate::{
    balance::{self, Term},
    limits::{DEEPEST, MOST, objectives, within},
    temperature::{self, Temperature},
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HumanConfig {
    pub architecture: Architecture,
    pub weights: ObjectiveWeights,
    pub hc3: Hc3Config,
    pub swift: SwiftConfig,
    /// What the logarithms of chances are divided by, for players of a rating: points of a line, in order. Empty: by 1. Made
    /// by `tabiya train calibrate` when the training is done.
    pub temperatures: Vec<Temperature>,
    /// What ratings, clocks and having the move add to what it says about a board, made in the same way. Empty: it says what it sees in
    /// all of them together.
    pub balance: Vec<Term>,
    /// Whom it plays like, where it was made of one person's games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<Person>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// A transformer on 64 squares.
    Hc3,
    /// Lookups per move and a small convolutional trunk.
    #[default]
    Swift,
}

/// How much each objective counts; one with no weight is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObjectiveWeights {
    pub moves: f32,
    pub outcome: f32,
    pub think: f32,
    pub legal: f32,
    pub origin: f32,
    pub target: f32,
}

impl Default for ObjectiveWeights {
    fn default() -> ObjectiveWeights {
        ObjectiveWeights { moves: 1.0, outcome: 0.1, think: 0.1, legal: 0.0, origin: 0.05, target: 0.05 }
    }
}

/// The seed's network; the defaults are its sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hc3Config {
    pub layers: usize,
    pub heads: usize,
    pub width: usize,
    pub feed_forward: usize,
    /// Numbers per square and per board between attention and its bias; 0 for no smolgen.
    pub smolgen: [usize; 2],
    pub ratings: RatingForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatingForm {
    /// The seed's seven classes.
    Bins,
    /// The exact rating, as shares of the two nearest classes.
    Smooth,
}

impl Default for Hc3Config {
    fn default() -> Hc3Config {
        let ratings = RatingForm::Smooth;
        Hc3Config { layers: 8, heads: 8, width: 256, feed_forward: 256, smolgen: [16, 128], ratings }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SwiftConfig {
    /// Numbers per square in the trunk.
    pub channels: usize,
    /// Residual blocks of two 3x3 convolutions.
    pub blocks: usize,
    /// Numbers between the means of a block's channels and their gates; 0 for blocks without gates.
    pub squeeze: usize,
    /// Numbers that sum up the pieces.
    pub accumulator: usize,
    /// Numbers per legal move.
    pub hidden: usize,
    /// Transformer blocks after the convolutions; `layers = 0` for none.
    #[serde(skip_serializing_if = "AttentionConfig::is_none")]
    pub attention: AttentionConfig,
}

/// How squares that are far apart see each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AttentionConfig {
    pub layers: usize,
    pub width: usize,
    pub heads: usize,
    /// Width between the two products of a feed-forward layer.
    pub hidden: usize,
}

impl Default for AttentionConfig {
    fn default() -> AttentionConfig {
        AttentionConfig { layers: 0, width: 128, heads: 8, hidden: 256 }
    }
}

impl Default for SwiftConfig {
    fn default() -> SwiftConfig {
        let attention = AttentionConfig::default();
        SwiftConfig { channels: 64, blocks: 2, squeeze: 0, accumulator: 256, hidden: 64, attention }
    }
}

impl HumanConfig {
    /// The temperature for a player of this rating.
    pub(crate) fn temperature(&self, rating: Option<u16>) -> f32 {
        temperature::temperature(&self.temperatures, rating)
    }

    /// Why no network can be made of this or nothing learned, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        let ObjectiveWeights { moves, outcome, think, legal, origin, target } = self.weights;
        objectives(&[
            ("moves", moves),
            ("outcome", outcome),
            ("think", think),
            ("legal", legal),
            ("origin", origin),
            ("target", target),
        ])?;
        temperature::check(&self.temperatures)?;
        balance::check(&self.balance)?;
        self.person.as_ref().map_or(Ok(()), |person| person.habits.check())?;
        match self.architecture {
            Architecture::Hc3 => self.hc3.check(),
            Architecture::Swift => self.swift.check(),
        }
    }

    /// One small network of each architecture.
    pub(crate) fn all_tiny() -> Vec<HumanConfig> {
        let weights =
            ObjectiveWeights { moves: 1.0, outcome: 1.0, think: 1.0, legal: 0.5, origin: 0.5, target: 0.5 };
        let hc3 = Hc3Config {
            layers: 2,
            heads: 2,
            width: 16,
            feed_forward: 16,
            smolgen: [2, 8],
            ..Hc3Config::default()
        };
        let attention = AttentionConfig { layers: 1, width: 16, heads: 2, hidden: 16 };
        let swift =
            SwiftConfig { channels: 8, blocks: 1, squeeze: 4, accumulator: 16, hidden: 16, attention };
        let tiny = |architecture| HumanConfig {
            architecture,
            weights,
            hc3: hc3.clone(),
            swift: swift.clone(),
            temperatures: Vec::new(),
            balance: Vec::new(),
            person: None,
        };
        [Architecture::Hc3, Architecture::Swift].map(tiny).into()
    }
}

impl Hc3Config {
    fn check(&self) -> Result<(), String> {
        within("layers", self.layers, 1..=DEEPEST)?;
        within("width", self.width, 1..=MOST)?;
        within("heads", self.heads, 1..=self.width)?;
        within("feed-forward", self.feed_forward, 1..=MOST)?;
        let [square, board] = self.smolgen;
        within("smolgen", square.max(board), 0..=MOST)?;
        if (square == 0) != (board == 0) {
            return Err(format!("smolgen is [{square}, {board}], not both above 0 or both 0"));
        }
        match self.width.is_multiple_of(self.heads) {
            true => Ok(()),
            false => Err(format!("{} heads do not divide the width {}", self.heads, self.width)),
        }
    }
}

impl SwiftConfig {
    pub(crate) fn check(&self) -> Result<(), String> {
        within("channels", self.channels, 1..=MOST)?;
        within("blocks", self.blocks, 0..=DEEPEST)?;
        within("squeeze", self.squeeze, 0..=MOST)?;
        within("accumulator", self.accumulator, 1..=MOST)?;
        within("hidden", self.hidden, 1..=MOST)?;
        self.attention.check()
    }
}

impl AttentionConfig {
    pub(crate) fn is_none(&self) -> bool {
        self.layers == 0
    }

    fn check(&self) -> Result<(), String> {
        within("attention.layers", self.layers, 0..=DEEPEST)?;
        within("attention.width", self.width, 1..=MOST)?;
        within("attention.heads", self.heads, 1..=self.width)?;
        within("attention.hidden", self.hidden, 1..=MOST)?;
        match self.width.is_multiple_of(self.heads) {
            true => Ok(()),
            false => Err(format!("{} heads do not divide the width {} of attention", self.heads, self.width)),
        }
    }
}
