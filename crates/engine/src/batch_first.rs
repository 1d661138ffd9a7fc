//! Batch-first: the tree is walked best first and in batches, so that a network always has a full batch to evaluate
//! while the next one is gathered.
//!
//! A search is a row of questions "is the root worth at least this much?" ([`walker`]), each a goal between the bounds known so far
//! ([`deepen`]). Open nodes wait in priority bins ([`queue`]); values of leaves and scores of moves come from the evaluator, which works on
//! threads of its own.

mod deepen;
mod foresight;
mod line;
mod lines;
mod moves;
mod node;
mod opening;
mod order;
mod queue;
mod rules;
mod sample;
mod selection;
mod table;
mod tree;
mod value;
mod visit;
mod walker;

use std::sync::Arc;

use chess::{Brain, Moment, PackedMove, Wants, search_name};

use crate::{
    Choice, Search, SearchEntry, Settings, Stats, Task, TimeBudget, alpha_beta::Node as Board,
    evaluator::Evaluator, stopwatch::Stopwatch,
};

use deepen::Deepening;
use queue::Queue;
use rules::Rules;
use table::Table;
use tree::Tree;
use walker::Walker;

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
    queue: Queue,
    evaluator: Evaluator,
    stats: Stats,
}

impl BatchFirst {
    /// `brain` must give values; where it gives no move scores, moves are ordered by hand.
    pub fn new(brain: Arc<dyn Brain>, settings: Settings) -> BatchFirst {
        BatchFirst {
            rules: Rules::PLAY,
            table: Table::new(settings.hash_mb),
            tree: Tree::default(),
            queue: Queue::new(sample::bins(&*brain)),
            evaluator: Evaluator::start(&brain, settings.threads),
            stats: Stats::default(),
            brain,
            settings,
        }
    }

    /// How the last search went.
    pub fn stats(&self) -> Stats {
        self.stats
    }
}

impl Search for BatchFirst {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let stopwatch = Arc::new(Stopwatch::start(self.settings.device));
        if moment.legal_moves().is_empty() {
            return Choice::default();
        }
        self.evaluator.begin_search(Arc::clone(&stopwatch));
        let budget = TimeBudget::new(moment, &task.limits, self.settings.move_overhead_ms);
        let wanted: Vec<PackedMove> = task.limits.search_moves.iter().map(|&m| PackedMove::from(m)).collect();
        let board = Board::new(&moment.position);
        let (tree_mb, batch) = (self.settings.tree_mb, self.settings.batch.max(1));
        self.table.age();
        self.tree.reset(board, moment.past.keys(), tree_mb);
        let walker = Walker::new(
            &mut self.tree,
            &mut self.queue,
            &mut self.table,
            &mut self.evaluator,
            self.rules,
            batch,
            wanted,
        );
        let (choice, stats) = Deepening {
            walker,
            moment,
            task,
            budget,
            stopwatch,
            multipv: self.settings.multipv,
            nodes_before: 0,
        }
        .run();
        self.stats = stats;
        Choice { stats: Some(stats), ..choice }
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
    }

    fn new_game(&mut self) {
        self.table.clear();
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
