//! Alpha-beta: iterative deepening principal-variation search over the hand-made evaluation.
//!
//! Every file below holds one part of it: the values, the node, the table, exchanges, histories, the order of
//! moves, quiescence, the tree, the root. Threads search the same tree and meet in the table (Lazy SMP).

mod checks;
mod effort;
pub(crate) mod history;
mod learning;
#[cfg(test)]
mod minimax;
mod node;
pub(crate) mod picker;
mod prefetch;
mod quest;
mod quiescence;
pub(crate) mod reductions;
mod root;
mod shortcuts;
mod syzygy;
mod table;
mod tree;
pub(crate) mod value;
mod worker;
mod zeroed;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use chess::{Brain, Moment, Wants, search_name, shakmaty::Position};

use crate::{Choice, Search, SearchEntry, Settings, Task, TimeBudget, stopwatch::Stopwatch};

pub(crate) use node::Node;
use root::RootMove;
pub(crate) use syzygy::Syzygy;
use table::Table;
use worker::{Judge, Shared, Worker};

pub(crate) const ENTRY: SearchEntry = SearchEntry {
    name: search_name::ALPHA_BETA,
    about: "Iterative deepening principal-variation search, one position at a time.",
    needs: Wants::VALUE,
    at_once: false,
    make: |brain, settings| Box::new(AlphaBeta::judged_by(brain, settings)),
};

/// The classical way to think.
pub struct AlphaBeta {
    settings: Settings,
    table: Table,
    syzygy: Syzygy,
    workers: Vec<Worker>,
    judge: Judge,
}

impl fmt::Debug for AlphaBeta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlphaBeta with {:?}", self.settings)
    }
}

impl Default for AlphaBeta {
    fn default() -> AlphaBeta {
        AlphaBeta::new(Settings::default())
    }
}

impl AlphaBeta {
    pub fn new(settings: Settings) -> AlphaBeta {
        AlphaBeta::with(Judge::Hand, settings)
    }

    /// Takes a mind's values, one position at a time; the hand-made evaluation is computed here, which is faster.
    pub fn judged_by(brain: Arc<dyn Brain>, settings: Settings) -> AlphaBeta {
        let judge = if brain.traits().hand_made { Judge::Hand } else { Judge::Network(brain) };
        AlphaBeta::with(judge, settings)
    }

    /// Counts pieces and knows nothing else: sees who wins material, and no plans.
    pub(crate) fn counting_pieces(settings: Settings) -> AlphaBeta {
        AlphaBeta::with(Judge::Count, settings)
    }

    fn with(judge: Judge, settings: Settings) -> AlphaBeta {
        AlphaBeta {
            table: Table::new(settings.hash_mb),
            syzygy: Syzygy::open(&settings.syzygy),
            workers: workers(settings.threads, &judge),
            settings,
            judge,
        }
    }

    /// The moves that the task allows and the tables approve of.
    fn root_moves(&self, moment: &Moment, task: &Task<'_>) -> Vec<RootMove> {
        let legal = moment.legal_moves();
        let wanted = &task.limits.search_moves;
        let mut moves: Vec<_> =
            legal.iter().copied().filter(|m| wanted.is_empty() || wanted.contains(m)).collect();
        if let Some(kept) = self.syzygy.root_moves(&moment.position)
            && moves.iter().any(|m| kept.contains(m))
            && self.settings.multipv == 1
        {
            moves.retain(|m| kept.contains(m));
        }
        moves.into_iter().map(RootMove::new).collect()
    }
}

fn workers(threads: usize, judge: &Judge) -> Vec<Worker> {
    (0..threads.max(1)).map(|_| Worker { judge: judge.clone(), ..Worker::default() }).collect()
}

impl Search for AlphaBeta {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let moves = self.root_moves(moment, &task);
        if moves.is_empty() {
            return Choice::default();
        }
        self.table.age();
        let shared = Shared {
            table: &self.table,
            signals: task.signals,
            limits: &task.limits,
            budget: TimeBudget::new(moment, &task.limits, self.settings.move_overhead_ms),
            syzygy: &self.syzygy,
            multipv: self.settings.multipv,
            stopwatch: Stopwatch::start(self.settings.device),
            done: AtomicBool::new(false),
            helper_nodes: AtomicU64::new(0),
        };
        let root = Node::new(&moment.position);
        let (main, helpers) = self.workers.split_first_mut().expect("at least one thread");
        let mut best_of_main = moves.clone();
        let results = thread::scope(|scope| {
            let running: Vec<_> = helpers
                .iter_mut()
                .map(|worker| {
                    let (mut moves, root, shared) = (moves.clone(), &root, &shared);
                    worker.prepare(moment, false);
                    scope.spawn(move || {
                        worker.deepen(shared, root, &mut moves, &mut |_| {});
                        (worker.completed_depth, moves.swap_remove(0))
                    })
                })
                .collect();
            main.prepare(moment, true);
            main.deepen(&shared, &root, &mut best_of_main, task.report);
            shared.done.store(true, Ordering::Relaxed);
            running.into_iter().map(|helper| helper.join().expect("helper thread ends")).collect::<Vec<_>>()
        });

        let mut best = (main.completed_depth, best_of_main.swap_remove(0));
        // A helper that got deeper knows better. Fixed-depth and several-line answers are the main thread's.
        if task.limits.depth.is_none() && self.settings.multipv == 1 {
            for result in results {
                if result.0 > best.0 && result.1.value > best.1.value {
                    best = result;
                }
            }
        }
        let (_, best) = best;
        let value = best.last_value();
        let known = value.abs() < value::INFINITE;
        Choice {
            best: Some(best.m),
            ponder: best.line.get(1).copied().or_else(|| guess_answer(&root, &best, &self.table)),
            score: known.then(|| value::score(value)),
            nodes: main.nodes + shared.helper_nodes.into_inner(),
            simulated: shared.stopwatch.simulated(),
            ..Choice::default()
        }
    }

    fn configure(&mut self, settings: &Settings) {
        if settings.hash_mb != self.settings.hash_mb {
            // The old table goes first: both together may not fit into memory.
            self.table = Table::new(1);
            self.table = Table::new(settings.hash_mb);
        }
        if settings.threads != self.settings.threads {
            self.workers = workers(settings.threads, &self.judge);
        }
        if settings.syzygy != self.syzygy.folders() {
            self.syzygy = Syzygy::open(&settings.syzygy);
        }
        self.settings = settings.clone();
    }

    fn new_game(&mut self) {
        self.table.clear();
        // In place: guards do this for every move, on whichever thread they are, and each thread would keep the memory it freed.
        self.workers.iter_mut().for_each(Worker::forget);
    }
}

/// Whether nothing is going on: no check, and no capture that would win material at once. The evaluation is
/// meant for such positions.
pub fn is_quiet(position: &chess::shakmaty::Chess) -> bool {
    let forcing =
        |m: chess::shakmaty::Move| picker::is_noisy(m) && chess::exchange::wins_exchange(position, m, 1);
    !position.is_check() && !position.legal_moves().into_iter().any(forcing)
}

/// The answer that the table remembers, when the line ends with our own move.
fn guess_answer(root: &Node, best: &RootMove, table: &Table) -> Option<chess::shakmaty::Move> {
    let child = root.play(best.m);
    let remembered = table.get(child.key, 1)?.best;
    child.recall(remembered).filter(|&m| child.chess.is_legal(m))
}

#[cfg(test)]
mod tests;
