//! Questions to the tree: does a node lead to more than a bound? Each leaf costs one comparison.

use chess::{
    LOG_ODDS_PER_CENTIPAWN, PackedMove,
    exchange::exchange_value,
    shakmaty::{Move, Position},
};

use super::{
    driver::Watch,
    judge::{Question, Value},
    thinker::Thinker,
};
use crate::alpha_beta::{
    Node,
    history::Step,
    picker::{Hints, Picker, is_noisy},
    reductions::reduction,
    value::MAX_PLY,
};

/// Log odds that a ply of depth is trusted to turn round at most.
const TURNED_A_PLY: f32 = 90.0 * LOG_ODDS_PER_CENTIPAWN;
/// Depth up to which that is trusted.
const SHALLOW: i32 = 6;
/// Centipawns that a capture may bring beyond what it takes.
const CAPTURE_MARGIN: i32 = 200;

impl Thinker {
    /// The answer for a node `depth` plies above the horizon. `passed` if the last move was none.
    pub(super) fn ask(
        &mut self,
        watch: &Watch<'_>,
        node: &Node,
        depth: i32,
        ply: usize,
        question: Question<'_>,
        passed: bool,
    ) -> bool {
        if depth <= 0 && !self.plain {
            return self.ask_quietly(watch, node, ply, question);
        }
        if self.must_stop(watch.signals, watch.stopwatch) {
            return false;
        }
        if self.is_drawn(node) {
            return question.answer(&mut self.judge, &Value::Drawn);
        }
        if depth <= 0 || ply >= MAX_PLY - 1 {
            return self.ask_leaf(node, ply, question);
        }
        let mut remembered = None;
        if !self.plain
            && let Some(known) = self.table.get(node.key).cloned()
        {
            remembered = node.recall(known.best);
            if known.depth >= depth
                && node.chess.halfmoves() < 90
                && let Some(answer) = known.answer(&mut self.judge, question)
            {
                return answer;
            }
        }
        let ours = self.is_ours(node);
        let mut lead = 0.0;
        if !self.plain && !node.in_check() {
            let stand = self.judge.position(node);
            lead = self.judge.lead(&stand, question.bound);
            let lead = if ours { lead } else { -lead };
            if depth <= SHALLOW && lead > TURNED_A_PLY * depth as f32 {
                return ours;
            }
            if lead > 0.0
                && depth >= 3
                && !passed
                && node.has_pieces()
                && let Some(answer) = self.ask_after_passing(watch, node, depth, ply, question)
            {
                return answer;
            }
        }
        self.ask_moves(watch, node, depth, ply, question, (remembered, if ours { lead } else { -lead }))
    }

    /// If not even passing lets the opponent turn the answer round, it stands.
    fn ask_after_passing(
        &mut self,
        watch: &Watch<'_>,
        node: &Node,
        depth: i32,
        ply: usize,
        question: Question<'_>,
    ) -> Option<bool> {
        let ours = self.is_ours(node);
        let child = node.pass()?;
        self.enter(&child, None);
        let answer = self.ask(watch, &child, depth - 3 - depth / 4, ply + 1, question, true);
        self.leave();
        (!self.stopped && answer == ours).then_some(ours)
    }

    /// `lead` is what the side to move has over the bound by the static comparison of the node, in log odds.
    fn ask_moves(
        &mut self,
        watch: &Watch<'_>,
        node: &Node,
        depth: i32,
        ply: usize,
        question: Question<'_>,
        (remembered, lead): (Option<Move>, f32),
    ) -> bool {
        let (ours, side) = (self.is_ours(node), node.turn());
        let mut picker = Picker::new(self.hints(ply, remembered));
        let mut tried: Vec<Move> = Vec::new();
        let mut skipped = false;
        while let Some(m) = picker.next(node, &self.history) {
            let quiet = !is_noisy(m);
            let count = tried.len() as i32 + 1;
            let child = node.play(m);
            if !self.plain && !node.in_check() && !child.in_check() && count > 1 {
                let hopeless = quiet && depth <= 4 && lead < -TURNED_A_PLY * (depth as f32 + 1.0);
                let late = quiet && depth <= 4 && count > 4 + 2 * depth * depth;
                if hopeless || late {
                    skipped = true;
                    continue;
                }
            }
            let full = depth - 1 + i32::from(child.in_check() && !self.plain);
            let mut less = 0;
            if !self.plain && depth >= 3 && count > 2 && quiet && !child.in_check() {
                let experience = self.history.quiet(side, m, self.earlier(ply)) / 16;
                less = ((reduction(depth, count) - experience) / 1024).clamp(0, full - 1);
            }
            self.enter(&child, Some(Step::new(side, m)));
            // The move settles the question if the answer behind it is what the side to move wants.
            let mut settles = self.ask(watch, &child, full - less, ply + 1, question, false) == ours;
            if settles && less > 0 && !self.stopped {
                settles = self.ask(watch, &child, full, ply + 1, question, false) == ours;
            }
            self.leave();
            if self.stopped {
                return false;
            }
            if settles {
                if !self.plain {
                    self.learn(side, m, &tried, depth, ply);
                    self.table.put(node.key, depth, m.into(), Some((question, ours)));
                }
                return ours;
            }
            tried.push(m);
        }
        if tried.is_empty() && !skipped {
            let end = self.end(node, ply);
            return question.answer(&mut self.judge, &end);
        }
        if !self.plain {
            self.table.put(node.key, depth, PackedMove::NONE, Some((question, !ours)));
        }
        !ours
    }

    fn ask_leaf(&mut self, node: &Node, ply: usize, question: Question<'_>) -> bool {
        let value = match node.chess.legal_moves().is_empty() {
            true => self.end(node, ply),
            false => self.judge.position(node),
        };
        question.answer(&mut self.judge, &value)
    }

    /// The answer when only forcing moves count.
    fn ask_quietly(&mut self, watch: &Watch<'_>, node: &Node, ply: usize, question: Question<'_>) -> bool {
        if self.must_stop(watch.signals, watch.stopwatch) {
            return false;
        }
        if self.is_drawn(node) {
            return question.answer(&mut self.judge, &Value::Drawn);
        }
        if ply >= MAX_PLY - 1 {
            return self.ask_leaf(node, ply, question);
        }
        let ours = self.is_ours(node);
        let mut lead = 0.0;
        let mut picker = match node.in_check() {
            true => Picker::new(Hints { earlier: self.earlier(ply), ..Hints::default() }),
            false => {
                let stand = self.judge.position(node);
                if question.answer(&mut self.judge, &stand) == ours {
                    return ours;
                }
                lead = self.judge.lead(&stand, question.bound);
                Picker::captures(None, 0)
            }
        };
        let mut tried = 0;
        while let Some(m) = picker.next(node, &self.history) {
            tried += 1;
            if !node.in_check() && m.promotion().is_none() {
                let gain = m.capture().map_or(0, exchange_value) + CAPTURE_MARGIN;
                let lead = if ours { lead } else { -lead };
                if lead + LOG_ODDS_PER_CENTIPAWN * (gain as f32) < 0.0 {
                    continue;
                }
            }
            let child = node.play(m);
            self.enter(&child, Some(Step::new(node.turn(), m)));
            let answer = self.ask_quietly(watch, &child, ply + 1, question);
            self.leave();
            if self.stopped {
                return false;
            }
            if answer == ours {
                return ours;
            }
        }
        if node.in_check() && tried == 0 {
            let end = self.end(node, ply);
            return question.answer(&mut self.judge, &end);
        }
        !ours
    }
}
