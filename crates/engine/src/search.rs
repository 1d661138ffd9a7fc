//! The seam between searches and those who ask them for a move.

use std::{path::PathBuf, sync::Arc, time::Duration};

use chess::{Brain, Moment, Traits, Wants, shakmaty::Move};

use crate::{Device, HumanSettings, Info, Limits, Score, Signals, Stats};

/// One request for a move.
#[expect(missing_debug_implementations, reason = "holds a callback")]
pub struct Task<'a> {
    pub limits: Limits,
    pub signals: &'a Signals,
    /// Called with every line of thinking aloud.
    pub report: &'a mut dyn FnMut(&Info),
}

/// The answer to a [`Task`].
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// `None` only if there is no legal move.
    pub best: Option<Move>,
    /// The answer that is expected to `best`.
    pub ponder: Option<Move>,
    pub score: Option<Score>,
    pub nodes: u64,
    /// How long a person would have taken, counted from the start of her clock; only where this was asked for.
    pub think: Option<Duration>,
    /// The game is given up instead of playing `best`.
    pub resigns: bool,
    /// A draw is offered along with `best`.
    pub offers_draw: bool,
    /// How long this took on a simulated device; what it took here says nothing then.
    pub simulated: Option<Duration>,
    /// How well tree and mind worked side by side, from searches that ask in batches.
    pub stats: Option<Stats>,
}

/// A way to think. `choose` blocks until a limit or a signal ends it, and always answers with a legal move
/// if there is one.
pub trait Search: Send {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice;

    /// Takes over new settings, before the next `choose`.
    fn configure(&mut self, settings: &Settings);

    /// Forgets what was learned from the last game.
    fn new_game(&mut self);
}

/// A search in the list of all.
#[derive(Debug)]
pub struct SearchEntry {
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// What a mind must have; of these, policy and value count.
    pub needs: Wants,
    /// Whether it answers after one evaluation of the position, so that nobody has to limit it.
    pub at_once: bool,
    pub make: fn(Arc<dyn Brain>, Settings) -> Box<dyn Search>,
}

impl SearchEntry {
    /// What keeps a mind from being put under this search.
    pub fn lacks(&self, traits: &Traits) -> Option<&'static str> {
        if self.needs.value && !traits.value {
            Some("a value of positions")
        } else if self.needs.policy && traits.policy.is_none() {
            Some("an opinion on moves")
        } else {
            None
        }
    }
}

/// Settings that any search may heed or ignore.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash_mb: usize,
    /// Largest tree that a search keeps in memory besides its table, in MiB.
    pub tree_mb: usize,
    /// Most positions that a mind is asked about at once.
    pub batch: usize,
    /// How many best lines to report.
    pub multipv: usize,
    /// Time kept back for each move against delays between engine and GUI, in milliseconds.
    pub move_overhead_ms: u64,
    /// Folders with Syzygy tables; empty means none.
    pub syzygy: Vec<PathBuf>,
    pub human: HumanSettings,
    pub puct: PuctSettings,
    /// The device on which a network is imagined to run; `None` is this machine.
    pub device: Option<Device>,
}

/// What steers Monte-Carlo tree search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuctSettings {
    /// How much a prior counts against what visits found, where Q goes from -1 to 1.
    pub c_puct: f32,
    /// How far below its position's value an unvisited move is taken to be.
    pub fpu_reduction: f32,
    /// Above 1 priors are more alike, below 1 less.
    pub policy_temperature: f32,
}

impl Default for PuctSettings {
    fn default() -> PuctSettings {
        PuctSettings { c_puct: 2.0, fpu_reduction: 0.2, policy_temperature: 1.0 }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            threads: 1,
            hash_mb: 64,
            tree_mb: 256,
            batch: 256,
            multipv: 1,
            move_overhead_ms: crate::MOVE_OVERHEAD_MS,
            syzygy: Vec::new(),
            human: HumanSettings::default(),
            puct: PuctSettings::default(),
            device: None,
        }
    }
}
