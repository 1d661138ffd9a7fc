//! Batch-first: the tree is walked best first and in batches, so that a network always has a full batch to evaluate
//! while the next one is gathered.
//!
//! Minds whose scores of moves are values think by a tree that grows where good play is likely to go ([`growth`]). For all others, and to a
//! fixed depth, a search is a row of questions "is the root worth at least this much?" ([`walker`]), each a goal between the
//! bounds known so far ([`deepen`]). Open nodes wait in priority bins ([`queue`]); values of leaves and scores of
//! moves come from threads of their own ([`evaluator`]).

mod deepen;
mod evaluator;
mod foresight;
mod growth;
mod line;
mod moves;
mod node;
mod opening;
mod order;
mod pace;
mod queue;
mod repetition;
mod rules;
mod sample;
mod selection;
mod stats;
mod table;
mod tree;
mod value;
mod visit;
mod walker;

use std::{sync::Arc, time::Instant};

use chess::{Brain, Moment, PackedMove, Wants, search_name};

use crate::{
    Choice, Search, SearchEntry, Settings, Task, TimeBudget,
    alpha_beta::{AlphaBeta, Node as Board},
    heuristic::known_ending,
};

use deepen::Deepening;
use evaluator::Evaluator;
use growth::{Growth, Plant};
use queue::Queue;
use rules::Rules;
use table::Table;
use tree::Tree;
use walker::Walker;

pub use stats::Stats;

/// Table of the search that plays endings against a bare king.
const ENDINGS_MB: usize = 8;

pub(crate) const ENTRY: SearchEntry = SearchEntry {
    name: search_name::BATCH_FIRST,
    about: "Best first in batches: zero windows proven by the most urgent nodes of the whole tree.",
    needs: Wants::VALUE,
    at_once: false,
    make: |brain, settings| Box::new(BatchFirst::new(brain, settings)),
};

/// The way to think that suits networks.
pub struct BatchFirst {
    brain: Arc<dyn Brain>,
    settings: Settings,
    rules: Rules,
    table: Table,
    tree: Tree,
    plant: Plant,
    queue: Queue,
    evaluator: Evaluator,
    /// Plays endings against a bare king, once there is one.
    endings: Option<Box<AlphaBeta>>,
    stats: Stats,
}

impl BatchFirst {
    /// `brain` must give values; where it gives no move scores, moves are ordered by hand.
    pub fn new(brain: Arc<dyn Brain>, settings: Settings) -> BatchFirst {
        BatchFirst {
            rules: Rules::PLAY,
            table: Table::new(settings.hash_mb),
            tree: Tree::default(),
            plant: Plant::default(),
            queue: Queue::new(sample::bins(&*brain)),
            evaluator: Evaluator::start(&brain, settings.threads),
            endings: None,
            stats: Stats::default(),
            brain,
            settings,
        }
    }

    /// Whether a tree grows instead of being walked: where scores of moves are values, and no exact depth is asked for.
    fn grows(&self, task: &Task<'_>) -> bool {
        self.evaluator.scores_are_values && self.rules.selective && task.limits.depth.is_none()
    }

    /// Mates that are far away but known to anybody: no mind that puts positions in order sees progress towards them, and means of looks
    /// even less. Counting steps of kings, many plies deep, does.
    fn play_known_ending(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let settings = Settings { hash_mb: ENDINGS_MB, threads: 1, multipv: 1, ..self.settings.clone() };
        let endings = self.endings.get_or_insert_with(|| Box::new(AlphaBeta::new(settings)));
        let choice = endings.choose(moment, task);
        self.stats = Stats { nodes: choice.nodes, ..Stats::default() };
        choice
    }

    /// How the last search went.
    pub fn stats(&self) -> Stats {
        self.stats
    }
}

impl Search for BatchFirst {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let started = Instant::now();
        if moment.legal_moves().is_empty() {
            return Choice::default();
        }
        if self.grows(&task) && known_ending(&moment.position).is_some() {
            return self.play_known_ending(moment, task);
        }
        self.evaluator.begin_search();
        let budget = TimeBudget::new(moment, &task.limits, self.settings.move_overhead_ms);
        let wanted: Vec<PackedMove> = task.limits.search_moves.iter().map(|&m| PackedMove::from(m)).collect();
        let board = Board::new(&moment.position);
        let (tree_mb, batch) = (self.settings.tree_mb, self.settings.batch.max(1));
        if self.grows(&task) {
            let some_moves = !wanted.is_empty();
            if some_moves {
                self.plant.clear();
            }
            self.plant.root_in(board, moment.past.keys(), tree_mb);
            let (plant, evaluator) = (&mut self.plant, &mut self.evaluator);
            let stats = Stats::default();
            let growth =
                Growth { plant, evaluator, moment, task, budget, started, batch_size: batch, wanted, stats };
            let (choice, stats) = growth.run();
            self.stats = stats;
            if some_moves {
                self.plant.clear();
            }
            return choice;
        }
        self.table.age();
        self.tree.plant(board, moment.past.keys(), tree_mb);
        let walker = Walker::new(
            &mut self.tree,
            &mut self.queue,
            &mut self.table,
            &mut self.evaluator,
            self.rules,
            batch,
            wanted,
        );
        let (choice, stats) = Deepening { walker, moment, task, budget, started }.run();
        self.stats = stats;
        choice
    }

    fn configure(&mut self, settings: &Settings) {
        if settings.hash_mb != self.settings.hash_mb {
            // The old table goes first: both together may not fit into memory.
            self.table = Table::new(1);
            self.table = Table::new(settings.hash_mb);
        }
        if settings.threads != self.settings.threads {
            self.evaluator = Evaluator::start(&self.brain, settings.threads);
        }
        if settings.tree_mb != self.settings.tree_mb {
            self.tree = Tree::default();
        }
        self.settings = settings.clone();
        self.endings = None;
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.plant.clear();
        self.endings = None;
    }
}

impl std::fmt::Debug for BatchFirst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BatchFirst with {:?}", self.settings)
    }
}

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
