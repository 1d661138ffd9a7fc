//! How much effort a single move deserves: none, less than the others, or more.

use chess::{exchange::wins_exchange, shakmaty::Move};

use super::{
    node::Node,
    picker::is_noisy,
    quest::{Outlook, Quest, Window},
    value::{UNKNOWN, is_decisive},
    worker::{Shared, Worker},
};
use crate::Bound;

/// A move under consideration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) m: Move,
    /// Its place in the order, from 1.
    pub(crate) count: i32,
    pub(crate) quiet: bool,
    pub(crate) checks: bool,
    /// A capture that loses material.
    pub(crate) bad_capture: bool,
    /// Killer or counter move.
    pub(crate) refutation: bool,
    /// History value.
    pub(crate) experience: i32,
    /// Reduction by depth and place alone, in 1024ths of a ply.
    pub(crate) base: i32,
}

/// Why a move is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    This,
    /// And no quiet move after it either, but for checks.
    QuietsToCome,
}

/// Whether the move is pruned. Only asked once a move that does not lose is known.
pub(crate) fn skip(node: &Node, quest: Quest, outlook: &Outlook, candidate: &Candidate) -> Option<Skip> {
    let &Candidate { m, count, quiet, checks, bad_capture, experience, base, .. } = candidate;
    let Quest { depth, window, .. } = quest;
    if !quiet || checks {
        let limit = if checks { 190 } else { 95 } * depth;
        return (depth <= 7 && bad_capture && !wins_exchange(&node.chess, m, -limit)).then_some(Skip::This);
    }
    // Late moves: after so many, the rest will not do better.
    if count >= (4 + depth * depth) / (2 - i32::from(outlook.improving)) {
        return Some(Skip::QuietsToCome);
    }
    let left = (depth - base / 1024).max(0);
    let unpromising = depth <= 5 && experience < -4200 * depth;
    // Futility: a quiet move will not lift the evaluation this much.
    let hopeless = left <= 7
        && !node.in_check()
        && outlook.evaluation != UNKNOWN
        && outlook.evaluation + 110 + 95 * left <= window.alpha;
    let loses = || left <= 8 && !wins_exchange(&node.chess, m, -24 * left * left);
    (unpromising || hopeless || loses()).then_some(Skip::This)
}

/// By how much a move is extended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extension {
    By(i32),
    /// Several moves beat beta: the node is settled.
    Refuted(i32),
    Stopped,
}

impl Worker {
    /// By how many plies a late move is reduced.
    pub(crate) fn reduction<const PV: bool>(
        &mut self,
        quest: Quest,
        outlook: &Outlook,
        candidate: &Candidate,
    ) -> i32 {
        let cut_node = quest.cut_node;
        let experience = candidate.experience;
        let mut less = candidate.base;
        less += if candidate.quiet { -(experience / 9) } else { -512 - experience / 12 };
        less += 1024 * i32::from(cut_node) + 512 * i32::from(cut_node && outlook.remembered.is_none());
        less += 900 * i32::from(!outlook.improving);
        less -= 1000 * i32::from(PV) + 700 * i32::from(outlook.on_line);
        less -= 900 * i32::from(candidate.checks);
        less -= 1000 * i32::from(candidate.refutation);
        less += 800 * i32::from(outlook.remembered.is_some_and(is_noisy));
        less += 700 * i32::from(self.frame(quest.ply + 1).cutoffs > 3);
        less / 1024
    }

    /// By how many plies a move is extended.
    pub(crate) fn extension<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
        candidate: &Candidate,
    ) -> Extension {
        let singular = self.singular::<PV>(shared, node, quest, outlook, candidate.m);
        match singular {
            // A check that loses nothing is worth a ply.
            Extension::By(0)
                if candidate.checks
                    && quest.depth <= 8
                    && !self.plain
                    && wins_exchange(&node.chess, candidate.m, 0) =>
            {
                Extension::By(1)
            }
            other => other,
        }
    }

    /// Asks whether the remembered move is the only good one, by looking at all others to half the depth.
    fn singular<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
        m: Move,
    ) -> Extension {
        let Quest { window: Window { beta, .. }, depth, ply, cut_node } = quest;
        let Some(entry) = outlook.known else { return Extension::By(0) };
        let asked = Some(m) == outlook.remembered
            && depth >= 7
            && !self.plain
            && self.frame(ply).excluded.is_none()
            && (ply as i32) < 2 * (self.completed_depth + 1)
            && entry.depth >= depth - 3
            && entry.bound != Bound::Upper
            && entry.value != UNKNOWN
            && !is_decisive(entry.value);
        if !asked {
            return Extension::By(0);
        }
        let bar = entry.value - 2 * depth;
        let kept = (self.frame(ply).killers, self.frame(ply).cutoffs);
        self.frame(ply).excluded = Some(m);
        let others = quest.again(Window::zero(bar - 1), (depth - 1) / 2, cut_node);
        let value = self.search::<false>(shared, node, others);
        self.frame(ply).excluded = None;
        (self.frame(ply).killers, self.frame(ply).cutoffs) = kept;
        if self.stopped {
            return Extension::Stopped;
        }
        if value < bar {
            let alone = !PV && value < bar - 18;
            return Extension::By(1 + i32::from(alone));
        }
        if bar >= beta && !is_decisive(bar) {
            return Extension::Refuted(bar);
        }
        if entry.value >= beta {
            return Extension::By(-2);
        }
        Extension::By(-i32::from(cut_node))
    }
}
