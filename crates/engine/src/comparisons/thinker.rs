//! What a search carries: its memory, its path from the root, its limits.

use std::time::Duration;

use chess::{
    Comparer, Moment,
    shakmaty::{Color, Move, Position},
};

use super::{
    answers::Table,
    judge::{Judge, Value},
};
use crate::{
    Limits, Signals,
    alpha_beta::{
        Node,
        history::{FOLLOWED, History, Step},
        picker::{Hints, is_noisy},
        value::MAX_PLY,
    },
    repetition::is_repetition,
    stopwatch::Stopwatch,
};

/// Nodes between two checks of the clock of a simulated device, which takes longer to read than ours.
const GLANCE: u64 = 64;

#[derive(Clone, Debug, Default)]
struct Frame {
    step: Option<Step>,
    killers: [Option<Move>; 2],
    pub(super) line: Vec<Move>,
}

pub(super) struct Thinker {
    pub(super) judge: Judge,
    pub(super) table: Table,
    pub(super) history: History,
    frames: Vec<Frame>,
    /// Keys of the game up to the root, and of the path behind it.
    past: Vec<u64>,
    path: Vec<u64>,
    pub(super) nodes: u64,
    pub(super) deepest: usize,
    pub(super) stopped: bool,
    /// Search every move to full depth and compare leaves, as plain minimax does.
    pub(super) plain: bool,
    limits: Stops,
}

/// What ends a search in the middle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stops {
    pub(super) nodes: Option<u64>,
    pub(super) time: Option<Duration>,
}

impl Thinker {
    pub(super) fn new(comparer: Box<dyn Comparer>, hash_mb: usize) -> Thinker {
        Thinker {
            judge: Judge::new(comparer),
            table: Table::new(hash_mb),
            history: History::default(),
            frames: vec![Frame::default(); MAX_PLY + 2],
            past: Vec::new(),
            path: Vec::new(),
            nodes: 0,
            deepest: 0,
            stopped: false,
            plain: false,
            limits: Stops::default(),
        }
    }

    pub(super) fn resize(&mut self, hash_mb: usize) {
        // The old table goes first: both together may not fit into memory.
        self.table = Table::new(1);
        self.table = Table::new(hash_mb);
    }

    pub(super) fn forget(&mut self) {
        self.table.clear();
        self.history.clear();
    }

    /// Makes ready for a search from `moment`. Answers are about bounds for one player.
    pub(super) fn begin(&mut self, moment: &Moment) {
        if self.judge.player != moment.turn() {
            self.table.clear();
        }
        self.judge.begin(moment.turn());
        self.past = moment.past.keys().to_vec();
        self.path.clear();
        self.frames.fill(Frame::default());
        (self.nodes, self.deepest, self.stopped) = (0, 0, false);
    }

    pub(super) fn limit(&mut self, limits: &Limits, hard: Option<Duration>) {
        self.limits = Stops { nodes: limits.nodes, time: hard };
    }

    pub(super) fn enter(&mut self, node: &Node, step: Option<Step>) {
        let ply = self.path.len();
        self.frames[ply].step = step;
        self.path.push(node.key);
        self.nodes += 1;
    }

    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// Draw by repetition, by fifty moves or for want of material.
    pub(super) fn is_drawn(&self, node: &Node) -> bool {
        let ply = self.path.len();
        if node.chess.halfmoves() >= 100 {
            return !node.in_check() || !node.chess.legal_moves().is_empty();
        }
        // The node itself is the last of the path; the root stands in both lists.
        let line = self.path.iter().rev().skip(1).chain(self.past.last()).copied();
        node.chess.is_insufficient_material() || is_repetition(node, ply, line, &self.past)
    }

    pub(super) fn must_stop(&mut self, signals: &Signals, stopwatch: &Stopwatch) -> bool {
        self.stopped |= self.limits.nodes.is_some_and(|most| self.nodes >= most);
        // At every node: a single one may cost a network many milliseconds.
        if !self.stopped && (stopwatch.device().is_none() || self.nodes.is_multiple_of(GLANCE)) {
            let late = |hard: Duration| !signals.is_pondering() && stopwatch.thought(signals) >= hard;
            self.stopped = signals.is_stopped() || self.limits.time.is_some_and(late);
        }
        self.stopped
    }

    pub(super) fn is_ours(&self, node: &Node) -> bool {
        node.turn() == self.judge.player
    }

    /// Mate or stalemate, for a node without a legal move.
    pub(super) fn end(&self, node: &Node, ply: usize) -> Value {
        match node.in_check() {
            true => Value::mated(node.turn(), self.judge.player, ply),
            false => Value::Drawn,
        }
    }

    pub(super) fn hints(&self, ply: usize, remembered: Option<Move>) -> Hints {
        let earlier = self.earlier(ply);
        let [one, other] = self.frames[ply].killers;
        Hints { remembered, refutations: [one, other, self.history.counter(earlier[0])], earlier }
    }

    /// Steps one, two and four plies before the node at `ply`.
    pub(super) fn earlier(&self, ply: usize) -> [Option<Step>; 3] {
        FOLLOWED.map(|back| ply.checked_sub(back).and_then(|at| self.frames[at].step))
    }

    /// Learns from a move that settled a question, and from those tried before it in vain.
    pub(super) fn learn(&mut self, side: Color, best: Move, tried: &[Move], depth: i32, ply: usize) {
        let earlier = self.earlier(ply);
        let (bonus, malus) = ((160 * depth - 80).clamp(20, 1800), -(150 * depth - 60).clamp(20, 1500));
        if is_noisy(best) {
            self.history.learn_capture(side, best, bonus);
        } else {
            let killers = &mut self.frames[ply].killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.history.learn_counter(earlier[0], best);
            self.history.learn_quiet(side, best, earlier, bonus);
        }
        for &m in tried {
            match is_noisy(m) {
                true => self.history.learn_capture(side, m, malus),
                false if !is_noisy(best) => self.history.learn_quiet(side, m, earlier, malus),
                false => {}
            }
        }
    }

    pub(super) fn clear_line(&mut self, ply: usize) {
        self.frames[ply].line.clear();
        self.deepest = self.deepest.max(ply);
    }

    /// The best line from `ply` on is `m` and the best line behind it.
    pub(super) fn extend_line(&mut self, ply: usize, m: Move) {
        let (before, behind) = self.frames.split_at_mut(ply + 1);
        let line = &mut before[ply].line;
        line.clear();
        line.push(m);
        line.extend_from_slice(&behind[0].line);
    }

    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.frames[ply].line
    }
}
