//! How well tree and mind worked side by side.

use std::{fmt, time::Duration};

use crate::{evaluator::Evaluator, stopwatch::Stopwatch};

/// Counts of one search, or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    pub nodes: u64,
    pub batches: u64,
    /// Positions that the mind was asked about.
    pub asked: u64,
    /// Those of them that nobody had visited yet, and how many of these were visited later.
    pub foreseen: u64,
    pub foreseen_and_used: u64,
    pub batch_size: usize,
    /// How often the tree was full.
    pub thinned: u64,
    pub time: Duration,
    /// Share of the time in which evaluator threads had nothing to do.
    pub evaluator_idle: f64,
    /// Share of the time in which the tree waited for the evaluator.
    pub tree_idle: f64,
}

impl Stats {
    /// Mean share of a batch that was filled.
    pub fn fill(&self) -> f64 {
        self.asked as f64 / (self.batches * self.batch_size as u64).max(1) as f64
    }

    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-3)
    }

    /// With the time of the search, and what of it the mind and the tree had nothing to do.
    pub(crate) fn timed(self, stopwatch: &Stopwatch, evaluator: &Evaluator) -> Stats {
        let time = stopwatch.elapsed();
        let wall = time.as_secs_f64().max(1e-9);
        let busy = evaluator.busy.as_secs_f64() / (wall * evaluator.threads() as f64);
        let tree_idle = evaluator.waited.as_secs_f64() / wall;
        Stats { time, evaluator_idle: (1.0 - busy).max(0.0), tree_idle, ..self }
    }

    /// Both together, idle shares weighed by time.
    #[must_use]
    pub fn plus(&self, other: &Stats) -> Stats {
        let time = self.time + other.time;
        let mean = |a: f64, b: f64| {
            let sum = a * self.time.as_secs_f64() + b * other.time.as_secs_f64();
            sum / time.as_secs_f64().max(1e-9)
        };
        Stats {
            nodes: self.nodes + other.nodes,
            batches: self.batches + other.batches,
            asked: self.asked + other.asked,
            foreseen: self.foreseen + other.foreseen,
            foreseen_and_used: self.foreseen_and_used + other.foreseen_and_used,
            batch_size: self.batch_size.max(other.batch_size),
            thinned: self.thinned + other.thinned,
            time,
            evaluator_idle: mean(self.evaluator_idle, other.evaluator_idle),
            tree_idle: mean(self.tree_idle, other.tree_idle),
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {:.0} nps", self.nodes, self.nodes_per_second())?;
        if self.batches > 0 {
            write!(
                f,
                ", {} evaluations in {} batches of at most {}, {:.0} % full; evaluator waits {:.0} %, tree waits {:.0} %",
                self.asked,
                self.batches,
                self.batch_size,
                100.0 * self.fill(),
                100.0 * self.evaluator_idle,
                100.0 * self.tree_idle,
            )?;
        }
        if self.foreseen > 0 {
            let used = 100.0 * self.foreseen_and_used as f64 / self.foreseen as f64;
            write!(f, "; {} asked ahead of time, {used:.0} % of them used", self.foreseen)?;
        }
        if self.thinned > 0 {
            write!(f, "; tree full {} times", self.thinned)?;
        }
        Ok(())
    }
}
