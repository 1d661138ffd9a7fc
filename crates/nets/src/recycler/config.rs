//! Sizes and weights of the recycler.

use serde::{Deserialize, Serialize};

use crate::limits::{DEEPEST, MOST, objectives, within};

/// Passes beyond this say nothing new.
pub(super) const MOST_PASSES: usize = 64;

/// The defaults are the seed's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RecyclerConfig {
    pub layers: usize,
    pub width: usize,
    pub heads: usize,
    /// Width between the two products of the feed-forward layer.
    pub hidden: usize,
    pub feed: Feed,
    /// Share of what a half of a block adds that training sets to zero.
    pub dropout: f32,
    /// Whether each head learns how much each square looks at each other one, whatever stands there. It begins with the ways pieces move.
    pub geometry: bool,
    /// How often the network thinks at play.
    pub passes: usize,
    /// Whether it stops earlier at play, as soon as two passes in a row prefer the same move.
    pub until_settled: bool,
    /// How often it thinks in training: drawn from these for every batch.
    pub train_passes: Vec<usize>,
    pub eval: EvalForm,
    pub weights: RecyclerWeights,
    /// Share of the boards of a batch that have squares hidden, and the share of their squares.
    pub masked: [f32; 2],
    /// Share of the boards of a batch of which the position after the move is told from another one.
    pub next: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feed {
    #[serde(rename = "swiglu")]
    SwiGlu,
    Gelu,
}

/// How the result of the game is foreseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvalForm {
    /// A chance of winning in which a draw is half a win, by mean squared error.
    WinProbability,
    /// Win, draw and loss, by cross-entropy.
    WinDrawLoss,
}

/// How much each objective counts; one with no weight is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RecyclerWeights {
    pub eval: f32,
    #[serde(rename = "move")]
    pub moves: f32,
    pub threat: f32,
    pub check: f32,
    /// What stands on hidden squares.
    pub masked: f32,
    /// Which position comes next.
    pub next: f32,
}

impl Default for RecyclerWeights {
    fn default() -> RecyclerWeights {
        RecyclerWeights { eval: 1.0, moves: 1.0, threat: 0.2, check: 0.1, masked: 0.0, next: 0.0 }
    }
}

impl Default for RecyclerConfig {
    fn default() -> RecyclerConfig {
        RecyclerConfig {
            layers: 12,
            width: 128,
            heads: 8,
            hidden: 512,
            feed: Feed::SwiGlu,
            dropout: 0.1,
            geometry: false,
            passes: 4,
            until_settled: false,
            train_passes: vec![1, 2, 3, 4],
            eval: EvalForm::WinDrawLoss,
            weights: RecyclerWeights::default(),
            masked: [0.25, 0.15],
            next: 0.25,
        }
    }
}

impl RecyclerConfig {
    /// Why no network can be made of this or nothing learned, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        let RecyclerWeights { eval, moves, threat, check, masked, next } = self.weights;
        objectives(&[
            ("eval", eval),
            ("move", moves),
            ("threat", threat),
            ("check", check),
            ("masked", masked),
            ("next", next),
        ])?;
        within("layers", self.layers, 1..=DEEPEST)?;
        within("width", self.width, 1..=MOST)?;
        within("heads", self.heads, 1..=self.width)?;
        within("hidden", self.hidden, 1..=MOST)?;
        within("dropout", self.dropout, 0.0..=0.9)?;
        within("passes", self.passes, 1..=MOST_PASSES)?;
        within("the number of train-passes", self.train_passes.len(), 1..=MOST_PASSES)?;
        self.train_passes.iter().try_for_each(|&passes| within("train-passes", passes, 1..=MOST_PASSES))?;
        self.masked.iter().try_for_each(|&share| within("masked", share, 0.0..=1.0))?;
        within("next", self.next, 0.0..=1.0)?;
        match self.width.is_multiple_of(self.heads) {
            true => Ok(()),
            false => Err(format!("{} heads do not divide the width {}", self.heads, self.width)),
        }
    }

    /// One small network with everything, and one without what is not needed.
    pub(super) fn all_tiny() -> Vec<RecyclerConfig> {
        let weights =
            RecyclerWeights { eval: 1.0, moves: 1.0, threat: 0.2, check: 0.1, masked: 0.5, next: 0.5 };
        let rich = RecyclerConfig {
            layers: 2,
            width: 32,
            heads: 2,
            hidden: 32,
            feed: Feed::SwiGlu,
            dropout: 0.1,
            geometry: true,
            passes: 2,
            train_passes: vec![1, 2],
            weights,
            ..RecyclerConfig::default()
        };
        let weights = RecyclerWeights { eval: 4.0, threat: 0.0, check: 0.0, ..RecyclerWeights::default() };
        let plain = RecyclerConfig {
            feed: Feed::Gelu,
            dropout: 0.0,
            geometry: false,
            eval: EvalForm::WinProbability,
            weights,
            ..rich.clone()
        };
        vec![rich, plain]
    }
}
