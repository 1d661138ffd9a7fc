//! When the search has seen enough.

use std::time::Duration;

use super::{
    q::{is_decided, plies_to_mate},
    rounds::Rounds,
};

/// Share of the planned time before which no choice is clear: what was visited in earlier moves of the game leads for a while even where it
/// is wrong.
const SOONEST: f64 = 0.25;
/// How many times the planned time a choice may take, and one that is not settled: most are clear long before. What is saved must be
/// spent while the game is undecided, or it is left over when the game ends.
const SETTLED: f64 = 3.0;
const UNSETTLED: f64 = 4.2;
/// Share of the best move's visits with which another counts as a rival.
const RIVAL: f32 = 0.3;

impl Rounds<'_, '_> {
    pub(super) fn must_stop(&self) -> bool {
        let (limits, signals) = (&self.task.limits, self.task.signals);
        let root = self.tree.root();
        if signals.is_stopped() {
            return true;
        }
        // Before the mind has said anything there is nothing to play.
        if root.edges.is_empty() {
            return false;
        }
        if let (Some(wanted), Some(plies)) = (limits.mate, plies_to_mate(root.q))
            && root.q > 0.0
            && plies < 2 * wanted
        {
            return true;
        }
        if !self.has_nodes_left() {
            return true;
        }
        if signals.is_pondering() {
            return false;
        }
        let thought = self.thought();
        self.budget.hard.is_some_and(|hard| thought >= hard)
            || self.budget.soft.is_some_and(|soft| self.has_enough(thought.as_secs_f64(), soft.as_secs_f64()))
    }

    /// Whether the planned time, in seconds, is used, or the rest of it could not change the choice.
    fn has_enough(&self, thought: f64, soft: f64) -> bool {
        let root = self.tree.root();
        let Some(best) = self.best().filter(|_| root.edges.len() > 1 && !is_decided(root.q)) else {
            return true;
        };
        let rivals = || root.edges.iter().filter(|edge| edge.m != best.m);
        let rival = |visits: u32| visits > 0 && visits as f32 >= RIVAL * best.visits as f32;
        let settled = !rivals().any(|edge| edge.q > best.q && rival(edge.visits));
        let latest = soft * if settled { SETTLED } else { UNSETTLED };
        let visits_a_second = self.tree.made as f64 / thought.max(1e-3);
        let visits_left = (latest - thought).max(0.0) * visits_a_second;
        let second = rivals().map(|edge| edge.visits).max().unwrap_or(0);
        let ahead = f64::from(best.visits.saturating_sub(second));
        thought >= latest || (thought >= SOONEST * soft && ahead > visits_left)
    }

    /// Time spent on this move by our own clock.
    fn thought(&self) -> Duration {
        self.stopwatch.thought(self.task.signals)
    }
}
