//! Sizes and objectives of the graph network.

use chess::REMEMBERED;
use serde::{Deserialize, Serialize};

use crate::limits::{DEEPEST, MOST, objectives, within};

/// The phase with short windows, before the training proper.
pub(super) const QUIET: &str = "quiet";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GraphConfig {
    /// Numbers per node.
    pub width: usize,
    pub heads: usize,
    pub layers: usize,
    /// Numbers inside the feed-forward part of a layer.
    pub feed: usize,
    /// Numbers per legal move, and between the nodes and the value.
    pub hidden: usize,
    /// Edges along lines.
    pub rays: bool,
    /// Edges between pieces and the squares that they control.
    pub control: bool,
    /// Edges between neighbouring squares.
    pub grid: bool,
    /// Weights of attacks by what is at stake.
    pub weights: bool,
    /// Betweenness of pieces among attacks and defences as a feature.
    pub centrality: bool,
    /// What is remembered of the positions before.
    pub memory: MemoryForm,
    /// Positions in a row that are remembered, the present one included.
    pub window: usize,
    /// The same in the first phase of training, `quiet`.
    pub quiet_window: usize,
    /// What attacks a square, and what a move threatens, protects and gives up, as looked-up features beside the edges.
    pub tactics: bool,
    pub objective: GraphObjective,
}

/// Over what the recurrent unit runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryForm {
    /// The present position alone is seen.
    #[default]
    None,
    /// Means over the pieces and squares of each graph.
    Pooled,
    /// Each square with what stands on it, by itself.
    Nodes,
}

/// How much each objective counts, and what its targets are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GraphObjective {
    /// The best move, by cross-entropy.
    pub moves: f32,
    /// Win, draw and loss.
    pub value: f32,
    /// The order of an engine's best moves, by ListMLE.
    pub order: f32,
    /// How much a played move counts where no engine has named the best one.
    pub played: f32,
    /// The share of the game's result in the target of the value; the rest is the engine's score, where there is one.
    pub result: f32,
}

impl Default for GraphConfig {
    fn default() -> GraphConfig {
        GraphConfig {
            width: 64,
            heads: 4,
            layers: 4,
            feed: 128,
            hidden: 64,
            rays: true,
            control: true,
            grid: true,
            weights: true,
            centrality: false,
            memory: MemoryForm::None,
            window: 8,
            quiet_window: 2,
            tactics: true,
            objective: GraphObjective::default(),
        }
    }
}

impl Default for GraphObjective {
    fn default() -> GraphObjective {
        GraphObjective { moves: 1.0, value: 0.5, order: 0.25, played: 0.3, result: 0.2 }
    }
}

impl GraphConfig {
    /// Why no network can be made of this or nothing learned, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        within("width", self.width, 1..=MOST)?;
        within("heads", self.heads, 1..=kernels::graph::MOST_HEADS)?;
        within("layers", self.layers, 1..=DEEPEST)?;
        within("feed", self.feed, 1..=MOST)?;
        within("hidden", self.hidden, 1..=MOST)?;
        within("window", self.window, 1..=REMEMBERED + 1)?;
        within("quiet-window", self.quiet_window, 1..=self.window)?;
        if !self.width.is_multiple_of(self.heads) {
            return Err(format!("{} heads do not divide the width {}", self.heads, self.width));
        }
        let GraphObjective { moves, value, order, played, result } = self.objective;
        objectives(&[("moves", moves), ("value", value), ("order", order)])?;
        within("played", played, 0.0..=1.0)?;
        within("result", result, 0.0..=1.0)
    }

    /// Windows of which positions see what came before, in a phase of training.
    pub(super) fn window_in(&self, phase: &str) -> usize {
        if phase == QUIET { self.quiet_window } else { self.window }
    }

    /// A network by fused operations, and one that has to do without.
    pub(crate) fn all_tiny() -> Vec<GraphConfig> {
        let tiny = |width, memory, tactics| GraphConfig {
            width,
            heads: 2,
            layers: 2,
            feed: 32,
            hidden: 16,
            centrality: true,
            memory,
            window: 3,
            tactics,
            ..GraphConfig::default()
        };
        vec![tiny(32, MemoryForm::Pooled, true), tiny(12, MemoryForm::Nodes, false)]
    }
}
