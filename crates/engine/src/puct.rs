//! PUCT: Monte-Carlo tree search with priors, whole batches of leaves at a time.
//!
//! A round ([`rounds`]) gathers a batch by descents from the root ([`descent`]), asks the mind about all of its leaves at once, and backs the
//! answers up. The tree ([`tree`]) stays from move to move of a game. Priors come from the policy, or from scores of moves that are values.

mod descent;
mod probe;
mod q;
mod report;
mod rounds;
mod simul;
mod stop;
#[cfg(test)]
mod tests;
mod tree;

use std::{fmt, sync::Arc};

use chess::{Brain, Moment, MoveScores, PackedMove, Wants, search_name};

use crate::{
    Choice, Search, SearchEntry, Settings, Task, TimeBudget,
    alpha_beta::{AlphaBeta, Node as Board, Syzygy},
    evaluator::Evaluator,
    heuristic::known_ending,
    stats::Stats,
    stopwatch::Stopwatch,
};

use descent::Guide;
use rounds::Rounds;
use tree::Tree;

pub use self::simul::{GameTree, Seat, Simul, SimulSettings, Visited};

/// Table of the search that plays endings against a bare king.
const ENDINGS_MB: usize = 8;

pub(crate) const ENTRY: SearchEntry = SearchEntry {
    name: search_name::PUCT,
    about: "Monte-Carlo tree search with priors, in batches, for minds with a policy and a value.",
    needs: Wants::POLICY_AND_VALUE,
    at_once: false,
    make: |brain, settings| Box::new(Puct::new(brain, settings)),
};

pub struct Puct {
    brain: Arc<dyn Brain>,
    settings: Settings,
    tree: Tree,
    evaluator: Evaluator,
    syzygy: Syzygy,
    /// Plays endings against a bare king, once there is one.
    endings: Option<Box<AlphaBeta>>,
    stats: Stats,
}

impl Puct {
    /// `brain` must have a policy and a value.
    pub fn new(brain: Arc<dyn Brain>, settings: Settings) -> Puct {
        Puct {
            tree: Tree::default(),
            evaluator: Evaluator::start(&brain, settings.threads),
            syzygy: Syzygy::open(&settings.syzygy),
            endings: None,
            stats: Stats::default(),
            brain,
            settings,
        }
    }

    /// How the last search went.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Mates that are far away but known to anybody: no mind sees progress towards them, and means of visits even less. Counting steps of
    /// kings, many plies deep, does.
    fn play_known_ending(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let settings = Settings { hash_mb: ENDINGS_MB, threads: 1, multipv: 1, ..self.settings.clone() };
        let endings = self.endings.get_or_insert_with(|| Box::new(AlphaBeta::new(settings)));
        let choice = endings.choose(moment, task);
        self.stats = Stats { nodes: choice.nodes, ..Stats::default() };
        choice
    }

    /// The root's moves that count; empty means all. Of several lines all are wanted, whatever tablebases say.
    fn wanted(&self, moment: &Moment, task: &Task<'_>) -> Vec<PackedMove> {
        let wanted = &task.limits.search_moves;
        let kept = self.syzygy.root_moves(&moment.position).filter(|_| self.settings.multipv == 1);
        let both =
            |kept: Vec<_>| kept.into_iter().filter(|m| wanted.is_empty() || wanted.contains(m)).collect();
        let both: Vec<_> = kept.map_or(Vec::new(), both);
        let moves = if both.is_empty() { wanted } else { &both };
        moves.iter().map(|&m| PackedMove::from(m)).collect()
    }
}

impl Search for Puct {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let stopwatch = Arc::new(Stopwatch::start(self.settings.device));
        if moment.legal_moves().is_empty() {
            return Choice::default();
        }
        if known_ending(&moment.position).is_some() && self.settings.multipv == 1 {
            return self.play_known_ending(moment, task);
        }
        self.evaluator.begin_search(Arc::clone(&stopwatch));
        let budget = TimeBudget::new(moment, &task.limits, self.settings.move_overhead_ms);
        let wanted = self.wanted(moment, &task);
        let some_moves = !wanted.is_empty();
        if some_moves {
            self.tree.clear();
        }
        self.tree.root_in(Board::new(&moment.position), moment.past.keys(), self.settings.tree_mb);
        let traits = self.brain.traits();
        let seen = traits.context.then(|| self.settings.human.seat(moment, moment.turn()));
        let rounds = Rounds {
            tree: &mut self.tree,
            evaluator: &mut self.evaluator,
            guide: Guide {
                settings: self.settings.puct,
                scores: traits.policy.unwrap_or(MoveScores::Chances),
                syzygy: &self.syzygy,
                moment: seen.as_ref(),
            },
            moment,
            task,
            budget,
            stopwatch,
            batch_size: self.settings.batch.max(1),
            multipv: self.settings.multipv.max(1),
            wanted,
            stats: Stats::default(),
        };
        let (choice, stats) = rounds.run();
        self.stats = stats;
        if some_moves {
            self.tree.clear();
        }
        Choice { stats: Some(stats), ..choice }
    }

    fn configure(&mut self, settings: &Settings) {
        if settings.threads != self.settings.threads {
            self.evaluator = Evaluator::start(&self.brain, settings.threads);
        }
        if settings.syzygy != self.syzygy.folders() {
            self.syzygy = Syzygy::open(&settings.syzygy);
        }
        // What another person would play, and other priors, are another tree.
        if settings.human != self.settings.human || settings.puct != self.settings.puct {
            self.tree.clear();
        }
        self.settings = settings.clone();
        self.endings = None;
    }

    fn new_game(&mut self) {
        self.tree.clear();
        self.endings = None;
    }
}

impl fmt::Debug for Puct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Puct with {:?}", self.settings)
    }
}
