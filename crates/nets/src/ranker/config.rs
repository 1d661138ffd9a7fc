//! Sizes and objectives of the ranker.

use serde::{Deserialize, Serialize};

use crate::limits::{DEEPEST, MOST, objectives, within};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RankerConfig {
    /// Channels of the nine convolutions: a queen's lines at distances 1 to 7, then the two shapes of a knight's jumps.
    pub branches: [usize; 9],
    /// Numbers per square after each of the products behind them; the last is the width of the trunk.
    pub mixers: Vec<usize>,
    /// Residual blocks of two 3x3 convolutions.
    pub blocks: usize,
    /// Numbers between the means of a block's channels and their gates; 0 for blocks without gates.
    pub squeeze: usize,
    /// Numbers that sum up a board, before its value.
    pub hidden: usize,
    pub weights: RankerWeights,
    /// Show half of the positions in which nobody may castle with their files mirrored.
    pub mirror: bool,
}

/// How much each objective counts; one with no weight is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RankerWeights {
    /// Order of positions by their value.
    pub value: f32,
    /// Order of played moves by the value of what they lead to, over all positions.
    pub moves: f32,
    /// A good move before the others of its position.
    pub choice: f32,
}

impl Default for RankerConfig {
    fn default() -> RankerConfig {
        RankerConfig {
            branches: [32, 16, 16, 16, 16, 16, 16, 16, 16],
            mixers: vec![32],
            blocks: 2,
            squeeze: 0,
            hidden: 32,
            weights: RankerWeights::default(),
            mirror: true,
        }
    }
}

impl Default for RankerWeights {
    fn default() -> RankerWeights {
        RankerWeights { value: 1.0, moves: 0.5, choice: 0.25 }
    }
}

impl RankerConfig {
    /// Why no network can be made of this or nothing learned, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        let RankerWeights { value, moves, choice } = self.weights;
        objectives(&[("value", value), ("moves", moves), ("choice", choice)])?;
        within("the number of mixers", self.mixers.len(), 1..=DEEPEST)?;
        self.branches.iter().try_for_each(|&channels| within("a branch", channels, 1..=MOST))?;
        self.mixers.iter().try_for_each(|&width| within("a mixer", width, 1..=MOST))?;
        within("blocks", self.blocks, 0..=DEEPEST)?;
        within("squeeze", self.squeeze, 0..=MOST)?;
        within("hidden", self.hidden, 1..=MOST)
    }

    /// A network by fused operations, and one that has to do without.
    pub(crate) fn all_tiny() -> Vec<RankerConfig> {
        let weights = RankerWeights { value: 1.0, moves: 1.0, choice: 0.0 };
        let tiny = |mixers: &[usize]| RankerConfig {
            branches: [4, 2, 2, 2, 2, 2, 2, 2, 2],
            mixers: mixers.to_vec(),
            blocks: 1,
            squeeze: 0,
            hidden: 16,
            weights,
            mirror: true,
        };
        vec![tiny(&[32]), tiny(&[12, 8])]
    }
}
