//! Ways to judge a whole node without looking at its moves one by one.

use chess::{PackedMove, exchange::wins_exchange};

use super::{
    history::Step,
    node::Node,
    picker::{Picker, is_noisy},
    quest::{Outlook, Quest, Window},
    quiescence::cutoff,
    table::Entry,
    value::{MAX_PLY, UNKNOWN, is_decisive},
    worker::{Shared, Worker},
};
use crate::Bound;

impl Worker {
    /// For nodes with a closed window, not in check.
    pub(crate) fn prune_node(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
    ) -> Option<i32> {
        let Quest { window: Window { alpha, beta }, depth, ply, .. } = quest;
        let &Outlook { guess, evaluation, improving, .. } = outlook;

        // Razoring: so far below alpha that only a capture could help.
        if depth <= 5 && guess + 250 + 190 * depth * depth < alpha && !is_decisive(alpha) {
            let value = self.quiesce::<false>(shared, node, alpha, alpha + 1, ply, true);
            if value <= alpha {
                return Some(value);
            }
        }
        // Reverse futility: so far above beta that a quiet opponent cannot bring it down.
        let margin = 90 * depth - 80 * i32::from(improving);
        if depth <= 8 && !is_decisive(guess) && !is_decisive(beta) && guess - margin >= beta {
            return Some((guess + beta) / 2);
        }
        if let Some(value) = self.try_passing(shared, node, quest, outlook) {
            return Some(value);
        }
        // Probcut: a capture that beats beta by a margin at low depth will beat it at full depth too.
        let bar = beta + 180 - 50 * i32::from(improving);
        let refuted = outlook
            .known
            .is_some_and(|entry| entry.value != UNKNOWN && entry.depth >= depth - 3 && entry.value < bar);
        if depth >= 5 && !is_decisive(beta) && !refuted {
            return self.try_captures(shared, node, quest, outlook, bar, bar - evaluation);
        }
        None
    }

    /// Null move: if even passing keeps us above beta, a move will.
    fn try_passing(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
    ) -> Option<i32> {
        let Quest { window: Window { beta, .. }, depth, ply, cut_node } = quest;
        let &Outlook { guess, evaluation, improving, .. } = outlook;
        let allowed = depth >= 3
            && guess >= beta
            && evaluation >= beta - 18 * depth + 120 - 40 * i32::from(improving)
            && !is_decisive(beta)
            && ply >= self.no_pass_until
            && self.earlier(ply)[0].is_some()
            && node.has_pieces();
        if !allowed {
            return None;
        }
        let child = node.pass()?;
        let reduced = depth - (4 + depth / 4 + ((guess - beta) / 180).min(3));
        self.enter(shared, ply, None, &child);
        let value =
            -self.search::<false>(shared, &child, quest.below(Window::zero(-beta), reduced, !cut_node));
        self.leave();
        if self.stopped {
            return Some(0);
        }
        if value < beta {
            return None;
        }
        let value = if is_decisive(value) { beta } else { value };
        if depth < 14 || self.no_pass_until > 0 {
            return Some(value);
        }
        // Zugzwang is rare, but a deep search can afford to ask.
        self.no_pass_until = ply + (3 * reduced.max(0) / 4) as usize + 1;
        let verified =
            self.search::<false>(shared, node, quest.again(Window::zero(beta - 1), reduced, false));
        self.no_pass_until = 0;
        (verified >= beta).then_some(value)
    }

    /// Looks for a capture that gains at least `gain` and lifts the value above `bar`.
    fn try_captures(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
        bar: i32,
        gain: i32,
    ) -> Option<i32> {
        let Quest { depth, ply, cut_node, .. } = quest;
        let remembered = outlook.remembered.filter(|&m| is_noisy(m) && wins_exchange(&node.chess, m, gain));
        let mut picker = Picker::captures(remembered, gain);
        while let Some(m) = picker.next(node, &self.history) {
            let child = node.play(m);
            self.enter(shared, ply, Some(Step::new(node.turn(), m)), &child);
            let mut value = -self.quiesce::<false>(shared, &child, -bar, 1 - bar, ply + 1, true);
            if value >= bar {
                let below = quest.below(Window::zero(-bar), depth - 4, !cut_node);
                value = -self.search::<false>(shared, &child, below);
            }
            self.leave();
            if self.stopped {
                return Some(0);
            }
            if value >= bar {
                let entry = Entry {
                    best: m.into(),
                    value,
                    evaluation: outlook.raw,
                    depth: depth - 3,
                    bound: Bound::Lower,
                    on_line: outlook.on_line,
                };
                shared.table.put(node.key, ply, entry);
                return Some(value);
            }
        }
        None
    }

    /// What the endgame tables say, where they can be asked.
    pub(crate) fn ask_tablebase(&mut self, shared: &Shared<'_>, node: &Node, quest: Quest) -> Option<i32> {
        let Quest { window: Window { alpha, beta }, depth, ply, .. } = quest;
        let value = shared.syzygy.value(&node.chess, ply)?;
        self.tablebase_hits += 1;
        let bound = match value {
            0 => Bound::Exact,
            _ if value > 0 => Bound::Lower,
            _ => Bound::Upper,
        };
        let entry = Entry {
            best: PackedMove::NONE,
            value,
            evaluation: UNKNOWN,
            depth: (depth + 6).min(MAX_PLY as i32 - 1),
            bound,
            on_line: false,
        };
        let value = cutoff(entry, alpha, beta)?;
        shared.table.put(node.key, ply, entry);
        Some(value)
    }
}
