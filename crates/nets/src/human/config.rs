//! Sizes and weights of the human network.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HumanConfig {
    pub architecture: Architecture,
    pub weights: ObjectiveWeights,
    pub hc3: Hc3Config,
    pub swift: SwiftConfig,
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
    /// Numbers that sum up the pieces.
    pub accumulator: usize,
    /// Numbers per legal move.
    pub hidden: usize,
}

impl Default for SwiftConfig {
    fn default() -> SwiftConfig {
        SwiftConfig { channels: 64, blocks: 2, accumulator: 256, hidden: 64 }
    }
}

impl HumanConfig {
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
        let swift = SwiftConfig { channels: 8, blocks: 1, accumulator: 16, hidden: 16 };
        let tiny =
            |architecture| HumanConfig { architecture, weights, hc3: hc3.clone(), swift: swift.clone() };
        [Architecture::Hc3, Architecture::Swift].map(tiny).into()
    }
}
