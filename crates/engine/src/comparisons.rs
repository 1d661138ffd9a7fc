//! Alpha-beta on comparisons: its bounds are positions, and the mind is asked which of two is better. No position has a number.
//!
//! The principal variation is searched with both bounds; every other move answers one question: is what it leads to better than the best
//! so far (Pearl's SCOUT)? Which comparisons are made is up to the mind ([`chess::Comparer`]); a mind with values compares those.

mod answers;
mod driver;
mod judge;
#[cfg(test)]
mod minimax;
mod principal;
mod scout;
#[cfg(test)]
mod tests;
mod thinker;

use std::{fmt, sync::Arc};

use chess::{Brain, ByValue, Moment, Wants, search_name};

use self::{driver::RootMove, thinker::Thinker};
use crate::{Choice, Search, SearchEntry, Settings, Task, TimeBudget, stopwatch::Stopwatch};

pub(crate) const ENTRY: SearchEntry = SearchEntry {
    name: search_name::COMPARISONS,
    about: "Alpha-beta whose bounds are positions: it asks the mind which of two is better.",
    needs: Wants::VALUE,
    at_once: false,
    make: |brain, settings| Box::new(Comparisons::new(brain, settings)),
};

/// Thinks on one thread.
pub struct Comparisons {
    settings: Settings,
    thinker: Thinker,
}

impl fmt::Debug for Comparisons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Comparisons with {:?}", self.settings)
    }
}

impl Comparisons {
    pub fn new(brain: Arc<dyn Brain>, settings: Settings) -> Comparisons {
        let comparer = brain.comparer().unwrap_or_else(|| Box::new(ByValue(brain)));
        Comparisons { thinker: Thinker::new(comparer, settings.hash_mb), settings }
    }
}

impl Search for Comparisons {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let wanted = &task.limits.search_moves;
        let legal = moment.legal_moves().into_iter().filter(|m| wanted.is_empty() || wanted.contains(m));
        let mut moves: Vec<RootMove> = legal.map(RootMove::new).collect();
        if moves.is_empty() {
            return Choice::default();
        }
        let budget = TimeBudget::new(moment, &task.limits, self.settings.move_overhead_ms);
        let stopwatch = Stopwatch::start(self.settings.device);
        self.thinker.begin(moment);
        self.thinker.deepen(moment, &mut moves, self.settings.multipv, task, budget, &stopwatch);
        let best = moves.swap_remove(0);
        Choice {
            best: Some(best.m),
            ponder: best.line.get(1).copied(),
            score: best.value.as_ref().map(|value| self.thinker.judge.score(value)),
            nodes: self.thinker.nodes,
            simulated: stopwatch.simulated(),
            ..Choice::default()
        }
    }

    fn configure(&mut self, settings: &Settings) {
        if settings.hash_mb != self.settings.hash_mb {
            self.thinker.resize(settings.hash_mb);
        }
        self.settings = settings.clone();
    }

    fn new_game(&mut self) {
        self.thinker.forget();
    }
}
