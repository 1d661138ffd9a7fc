//! The principal variation: alpha-beta with positions for bounds.

use chess::{PackedMove, shakmaty::Position};

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

/// Values between which the answer matters, for the player at the root.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) alpha: Value,
    pub(super) beta: Value,
}

impl Window {
    pub(super) fn open() -> Window {
        Window { alpha: Value::Lost(0), beta: Value::Won(0) }
    }

    /// Brings the bound of whoever moves nearer, if `value` is better for him. Whether it was.
    pub(super) fn narrow(&mut self, thinker: &mut Thinker, ours: bool, value: &Value) -> bool {
        let better = match ours {
            true => thinker.judge.better(value, &self.alpha),
            false => thinker.judge.better(&self.beta, value),
        };
        if better {
            *(if ours { &mut self.alpha } else { &mut self.beta }) = value.clone();
        }
        better
    }

    /// Whether nothing lies between the bounds.
    pub(super) fn is_shut(&self, thinker: &mut Thinker) -> bool {
        !thinker.judge.better(&self.beta, &self.alpha)
    }

    /// Whether a move of the side to move may be better than the best so far.
    pub(super) fn question(&self, ours: bool) -> Question<'_> {
        if ours { Question::more_than(&self.alpha) } else { Question::at_least(&self.beta) }
    }
}

impl Thinker {
    /// What the node leads to, if that lies within the window.
    pub(super) fn search(
        &mut self,
        watch: &Watch<'_>,
        node: &Node,
        depth: i32,
        ply: usize,
        mut window: Window,
    ) -> Value {
        self.clear_line(ply);
        if depth <= 0 && !self.plain {
            return self.quiesce(watch, node, ply, window);
        }
        if self.must_stop(watch.signals, watch.stopwatch) || self.is_drawn(node) {
            return Value::Drawn;
        }
        if depth <= 0 || ply >= MAX_PLY - 1 {
            return match node.chess.legal_moves().is_empty() {
                true => self.end(node, ply),
                false => self.judge.position(node),
            };
        }
        let (ours, side) = (self.is_ours(node), node.turn());
        let remembered = match self.plain {
            true => None,
            false => self.table.get(node.key).and_then(|known| node.recall(known.best)),
        };
        let mut picker = Picker::new(self.hints(ply, remembered));
        let mut best: Option<Value> = None;
        let mut best_move = PackedMove::NONE;
        let mut tried = Vec::new();
        while let Some(m) = picker.next(node, &self.history) {
            let child = node.play(m);
            let count = tried.len() as i32 + 1;
            let full = depth - 1 + i32::from(child.in_check() && !self.plain);
            self.enter(&child, Some(Step::new(side, m)));
            let mut promising = true;
            if best.is_some() {
                let late = !self.plain && depth >= 3 && count > 3 && !is_noisy(m) && !child.in_check();
                let less = if late { (reduction(depth, count) / 1024 - 1).clamp(0, full - 1) } else { 0 };
                let question = window.question(ours);
                promising = self.ask(watch, &child, full - less, ply + 1, question, false) == ours;
                if promising && less > 0 && !self.stopped {
                    promising = self.ask(watch, &child, full, ply + 1, question, false) == ours;
                }
            }
            let found = match promising && !self.stopped {
                true => Some(self.search(watch, &child, full, ply + 1, window.clone())),
                false => None,
            };
            self.leave();
            if self.stopped {
                return Value::Drawn;
            }
            tried.push(m);
            let Some(found) = found else { continue };
            if window.narrow(self, ours, &found) {
                self.extend_line(ply, m);
                best_move = m.into();
                best = Some(found);
                if window.is_shut(self) {
                    tried.pop();
                    self.learn(side, m, &tried, depth, ply);
                    break;
                }
            } else if best.is_none() {
                best = Some(found);
            }
        }
        let Some(best) = best else { return self.end(node, ply) };
        if !self.plain {
            self.table.put(node.key, depth, best_move, None);
        }
        best
    }

    /// What the node leads to when only forcing moves count.
    fn quiesce(&mut self, watch: &Watch<'_>, node: &Node, ply: usize, mut window: Window) -> Value {
        self.clear_line(ply);
        if self.must_stop(watch.signals, watch.stopwatch) || self.is_drawn(node) {
            return Value::Drawn;
        }
        if ply >= MAX_PLY - 1 {
            return self.judge.position(node);
        }
        let ours = self.is_ours(node);
        let mut best = None;
        let mut picker = match node.in_check() {
            true => Picker::new(Hints { earlier: self.earlier(ply), ..Hints::default() }),
            false => {
                let stand = self.judge.position(node);
                window.narrow(self, ours, &stand);
                best = Some(stand);
                Picker::captures(None, 0)
            }
        };
        while !window.is_shut(self)
            && let Some(m) = picker.next(node, &self.history)
        {
            let child = node.play(m);
            self.enter(&child, Some(Step::new(node.turn(), m)));
            let found = self.quiesce(watch, &child, ply + 1, window.clone());
            self.leave();
            if self.stopped {
                return Value::Drawn;
            }
            if window.narrow(self, ours, &found) {
                self.extend_line(ply, m);
                best = Some(found);
            } else if best.is_none() {
                best = Some(found);
            }
        }
        best.unwrap_or_else(|| self.end(node, ply))
    }
}
