//! What a finished node leaves behind: its table entry, histories, the correction of the evaluation.

use chess::{
    PackedMove,
    shakmaty::{Color, Move},
};

use super::{
    node::Node,
    picker::is_noisy,
    quest::{Outlook, Quest},
    table::Entry,
    value::is_decisive,
    worker::{Shared, Worker},
};
use crate::Bound;

impl Worker {
    /// Learns from a cutoff: what refuted, and what was tried before it in vain.
    pub(crate) fn learn(
        &mut self,
        side: Color,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
        quest: Quest,
    ) {
        let Quest { depth, ply, .. } = quest;
        let earlier = self.earlier(ply);
        let bonus = (160 * depth - 80).min(1800);
        let malus = -(150 * depth - 60).min(1500);
        if is_noisy(best) {
            self.history.learn_capture(side, best, bonus);
        } else {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.history.learn_counter(earlier[0], best);
            self.history.learn_quiet(side, best, earlier, bonus);
            for &m in quiets {
                self.history.learn_quiet(side, m, earlier, malus);
            }
        }
        for &m in captures {
            self.history.learn_capture(side, m, malus);
        }
    }

    /// Stores the result, and corrects the evaluation by it.
    pub(crate) fn remember(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
        best: i32,
        best_move: Option<Move>,
    ) {
        let bound = if best >= quest.window.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: best_move.map_or(PackedMove::NONE, PackedMove::from),
            value: best,
            evaluation: outlook.raw,
            depth: quest.depth,
            bound,
            on_line: outlook.on_line,
        };
        shared.table.put(node.key, quest.ply, entry);
        let tells = match bound {
            Bound::Lower => best > outlook.evaluation,
            Bound::Upper => best < outlook.evaluation,
            Bound::Exact => true,
        };
        if !node.in_check() && tells && !best_move.is_some_and(is_noisy) && !is_decisive(best) {
            self.correction.learn(node, best - outlook.raw, quest.depth);
        }
    }
}
