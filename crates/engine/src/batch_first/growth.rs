//! The way to think for minds whose scores of moves are values: the tree grows where good play is likely to go, a whole batch of
//! leaves at a time.
//!
//! Every leaf of a batch is found by a descent from the root ([`descend`]) that counts itself as a look on its way, so that the next one
//! goes elsewhere. The tree ([`plant`]) stays from move to move of a game.

mod descend;
mod end;
mod plant;
mod report;
mod scout;
mod worth;

use std::time::{Duration, Instant};

use chess::{Moment, PackedMove};

use super::{
    evaluator::{Answers, Batch, Evaluator},
    node::ROOT,
    stats::Stats,
};
use crate::{Choice, Task, TimeBudget};

use descend::Leaf;
use plant::{Fork, Twig};
use worth::{is_lost, is_won, score};

pub(super) use plant::Plant;

/// A batch holds one leaf for so many looks at the tree: in a small tree there are not many leaves worth a look at once.
const LOOKS_PER_LEAF: usize = 16;
/// Looks beyond which there are twice as many: a leaf more or less matters little there.
const LARGE: usize = 1024;
/// Leaves that may be known already, and cost nothing, for each leaf of a batch that is not.
const KNOWN_PER_LEAF: usize = 4;
/// Batches are not made smaller than this where there is more to open: as many boards go side by side through a network.
const LEAST_BATCH: usize = 8;
/// Batches that must fit into the time for a move, so that none oversteps it by much.
const BATCHES: u32 = 16;
/// Rounds without a new leaf after which there is nothing left to find out.
const ROUNDS_IN_VAIN: u32 = 100;

pub(super) struct Growth<'a, 'b> {
    pub(super) plant: &'a mut Plant,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) moment: &'a Moment,
    pub(super) task: Task<'b>,
    pub(super) budget: TimeBudget,
    pub(super) started: Instant,
    pub(super) batch_size: usize,
    /// The root's moves that count; empty means all.
    pub(super) wanted: Vec<PackedMove>,
    pub(super) stats: Stats,
}

impl Growth<'_, '_> {
    pub(super) fn run(mut self) -> (Choice, Stats) {
        self.grow();
        self.report();
        let best = self.best().and_then(|twig| self.plant.root().board.recall(twig.m));
        let legal = self.moment.legal_moves();
        let any = legal.into_iter().find(|&m| self.wanted.is_empty() || self.wanted.contains(&m.into()));
        let choice = Choice {
            best: best.or(any),
            ponder: self.line().get(1).copied(),
            score: self.best().map(|twig| score(twig.worth)),
            nodes: self.plant.made,
            ..Choice::default()
        };
        (choice, self.stats())
    }

    fn grow(&mut self) {
        let most_under_way = self.evaluator.most_under_way(self.batch_size);
        let (mut told, mut in_vain) = ((None, 0), 0);
        while !self.must_stop() && in_vain < ROUNDS_IN_VAIN {
            while let Some(answers) = self.evaluator.poll() {
                self.take_in(answers);
            }
            if self.plant.is_full() {
                self.make_room();
            }
            if self.evaluator.under_way() < most_under_way {
                let batch = self.gather(self.next_batch());
                if batch.len() > 0 {
                    self.stats.batches += 1;
                    self.stats.asked += batch.len() as u64;
                    self.evaluator.ask(batch);
                    if self.evaluator.under_way() < most_under_way && self.plant.root().effort > 1 {
                        continue;
                    }
                }
            }
            in_vain = match self.evaluator.wait_beside() {
                Some(answers) => {
                    self.take_in(answers);
                    0
                }
                None => in_vain + 1,
            };
            let now = (self.best().map(|twig| twig.m), self.plant.root().effort);
            if now.0 != told.0 || now.1 >= 2 * told.1 {
                told = now;
                self.report();
            }
        }
    }

    /// Leaves that the next batch may hold.
    fn next_batch(&self) -> usize {
        let plausible = plausible_leaves(self.plant.root().effort as usize);
        let patience = self.budget.soft.or(self.budget.hard).map(|time| time / BATCHES);
        let in_time =
            patience.map_or(usize::MAX, |time: Duration| self.evaluator.pace.reach(time).max(LEAST_BATCH));
        plausible.min(in_time).min(self.batch_size)
    }

    fn has_nodes_left(&self) -> bool {
        self.task.limits.nodes.is_none_or(|most| self.plant.made < most)
    }

    fn gather(&mut self, most: usize) -> Batch {
        let mut batch = Batch::default();
        let mut taken = Vec::new();
        let mut known = 0;
        // Known leaves do not end a batch: where positions are reached in many ways they are more than half of all.
        let goes_on = |known: usize, taken: usize| {
            known < KNOWN_PER_LEAF * most + LEAST_BATCH && taken < most + LEAST_BATCH
        };
        while batch.len() < most && goes_on(known, taken.len()) && self.has_nodes_left() {
            match self.plant.descend() {
                Leaf::New(id) => batch.push(id, &self.plant.fork(id).board.chess),
                Leaf::Known => known += 1,
                Leaf::Taken(ROOT) => break,
                Leaf::Taken(id) => {
                    // Makes the next descent go elsewhere, and the more so the more often it did not help.
                    let looks = 1 + taken.len() as i32 / 8;
                    self.plant.count(id, looks);
                    taken.push((id, looks));
                }
            }
        }
        taken.into_iter().for_each(|(id, looks)| self.plant.count(id, -looks));
        batch
    }

    fn take_in(&mut self, (ids, judgements): Answers) {
        for (id, mut judgement) in ids.into_iter().zip(judgements) {
            if id == ROOT && !self.wanted.is_empty() {
                judgement.moves.retain(|(m, _)| self.wanted.contains(m));
            }
            self.plant.take_in(id, &judgement);
        }
    }

    fn make_room(&mut self) {
        while let Some(answers) = self.evaluator.wait() {
            self.take_in(answers);
        }
        self.plant.cut_back();
        self.stats.thinned += 1;
    }

    /// The root's move that would be played now.
    fn best(&self) -> Option<&Twig> {
        self.plant.root().best()
    }
}

/// Leaves of a tree with so many looks that are worth a look at once.
fn plausible_leaves(looks: usize) -> usize {
    let (small, further) = (looks.min(LARGE), looks.saturating_sub(LARGE));
    (small / LOOKS_PER_LEAF + 2 * further / LOOKS_PER_LEAF).max(LEAST_BATCH)
}

impl Fork {
    /// The move that most looks went to: what is worth most may be so by a single error. Proven mates go before it.
    fn best(&self) -> Option<&Twig> {
        let rank = |twig: &Twig| match twig.worth {
            worth if is_won(worth) => (2, worth, 0),
            worth if is_lost(worth) => (0, worth, 0),
            _ => (1, 0.0, twig.effort),
        };
        let tried = self.twigs.iter().filter(|twig| twig.effort > 0);
        tried.max_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("worths are numbers")).or(self.twigs.first())
    }
}

#[cfg(test)]
mod tests;
