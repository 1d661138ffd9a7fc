//! What one thread of the search carries: its memory, its path from the root, its counters.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use arrayvec::ArrayVec;
use chess::{
    Brain, Moment, Wants,
    exchange::balance,
    shakmaty::{Chess, Move},
};

use super::{
    history::{Correction, FOLLOWED, History, Step},
    node::Node,
    syzygy::Syzygy,
    table::Table,
    value::{MAX_PLY, SURE_WIN},
};
use crate::{
    Limits, Signals, TimeBudget,
    heuristic::{PawnTable, evaluate_with},
    stopwatch::Stopwatch,
};

/// What all threads of one search share.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) table: &'a Table,
    pub(crate) signals: &'a Signals,
    pub(crate) limits: &'a Limits,
    pub(crate) budget: TimeBudget,
    pub(crate) syzygy: &'a Syzygy,
    pub(crate) multipv: usize,
    pub(crate) stopwatch: Stopwatch,
    /// Raised when the main thread has made up its mind.
    pub(crate) done: AtomicBool,
    /// Nodes of the helper threads, added now and then.
    pub(crate) helper_nodes: AtomicU64,
}

/// One ply of the path from the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) step: Option<Step>,
    pub(crate) evaluation: i32,
    pub(crate) killers: [Option<Move>; 2],
    /// Left out while asking whether it is the only good move.
    pub(crate) excluded: Option<Move>,
    /// Beta cutoffs among the children.
    pub(crate) cutoffs: u32,
    /// Best line from here on.
    pub(crate) line: ArrayVec<Move, MAX_PLY>,
}

/// Empty frames before the root, so that looking back needs no test.
pub(crate) const BEFORE_ROOT: usize = 4;

/// A thread's own memory. It lasts from search to search.
pub(crate) struct Worker {
    pub(crate) history: History,
    pub(crate) correction: Correction,
    pub(crate) pawn_table: PawnTable,
    pub(crate) frames: Vec<Frame>,
    /// Keys of the game since the last irreversible move and of the path, the present node's last.
    pub(crate) keys: Vec<u64>,
    pub(crate) nodes: u64,
    pub(crate) tablebase_hits: u64,
    pub(crate) deepest: usize,
    pub(crate) stopped: bool,
    /// Ply until which passing is not allowed, while a null move is verified.
    pub(crate) no_pass_until: usize,
    /// Set for the thread that watches limits and clock.
    pub(crate) is_main: bool,
    /// Whole iterations so far.
    pub(crate) completed_depth: i32,
    /// Search every move to full depth and take the evaluation at the leaves, as plain minimax does.
    pub(crate) plain: bool,
    pub(crate) judge: Judge,
}

/// Who evaluates positions.
#[derive(Clone, Default)]
pub(crate) enum Judge {
    /// The hand-made evaluation.
    #[default]
    Hand,
    /// Nobody: pieces are counted.
    Count,
    /// A network, one position at a time.
    Network(Arc<dyn Brain>),
}

impl Default for Worker {
    fn default() -> Worker {
        Worker {
            history: History::default(),
            correction: Correction::default(),
            pawn_table: PawnTable::default(),
            frames: vec![Frame::default(); MAX_PLY + BEFORE_ROOT + 2],
            keys: Vec::with_capacity(1024),
            nodes: 0,
            tablebase_hits: 0,
            deepest: 0,
            stopped: false,
            no_pass_until: 0,
            is_main: true,
            completed_depth: 0,
            plain: false,
            judge: Judge::default(),
        }
    }
}

impl Worker {
    /// Forgets what it learned. What it knows about pawns is true of any game.
    pub(crate) fn forget(&mut self) {
        self.history.clear();
        self.correction.clear();
    }

    /// Makes ready for a search from `moment`, keeping what was learned.
    pub(crate) fn prepare(&mut self, moment: &Moment, is_main: bool) {
        self.keys.clear();
        self.keys.extend_from_slice(moment.past.keys());
        self.frames.fill(Frame::default());
        self.nodes = 0;
        self.tablebase_hits = 0;
        self.deepest = 0;
        self.stopped = false;
        self.no_pass_until = 0;
        self.is_main = is_main;
        self.completed_depth = 0;
    }

    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// Steps one, two and four plies before the node at `ply`.
    pub(crate) fn earlier(&self, ply: usize) -> [Option<Step>; 3] {
        FOLLOWED.map(|back| self.frames[ply + BEFORE_ROOT - back].step)
    }

    /// Enters `child` by `m` from the node at `ply`.
    pub(crate) fn enter(&mut self, shared: &Shared<'_>, ply: usize, step: Option<Step>, child: &Node) {
        shared.table.expect(child.key);
        self.frame(ply).step = step;
        self.keys.push(child.key);
        self.nodes += 1;
    }

    pub(crate) fn leave(&mut self) {
        self.keys.pop();
    }

    pub(crate) fn evaluate(&mut self, shared: &Shared<'_>, node: &Node) -> i32 {
        match self.judge {
            Judge::Network(_) => shared.stopwatch.on_device(1, || self.static_value(node)),
            _ => self.static_value(node),
        }
    }

    pub(crate) fn static_value(&mut self, node: &Node) -> i32 {
        let value = match &self.judge {
            Judge::Hand => evaluate_with(&node.chess, node.pieces, &mut self.pawn_table),
            Judge::Count => balance(&node.chess),
            Judge::Network(brain) => judged_by(&**brain, &node.chess),
        };
        value.clamp(1 - SURE_WIN, SURE_WIN - 1)
    }

    /// Draw by repetition or by fifty moves. One repetition inside the tree is enough: what was avoided once
    /// can be avoided again; of the game's own positions it takes two.
    pub(crate) fn is_drawn(&self, node: &Node, ply: usize) -> bool {
        use chess::shakmaty::Position;
        let halfmoves = node.chess.halfmoves() as usize;
        if halfmoves >= 100 {
            return !node.in_check() || !node.chess.legal_moves().is_empty();
        }
        if node.chess.is_insufficient_material() {
            return true;
        }
        let last = self.keys.len() - 1;
        let mut seen = 0;
        for back in (4..=halfmoves.min(last)).step_by(2) {
            if self.keys[last - back] == node.key {
                seen += 1;
                if back < ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Checks limits and signals; true when the thread must unwind. Limits hold from the first node on: where both sides
    /// have a dozen queens, quiescence behind a single move never ends.
    #[inline]
    pub(crate) fn must_stop(&mut self, shared: &Shared<'_>) -> bool {
        if self.stopped {
            return true;
        }
        if self.is_main {
            if let Some(limit) = shared.limits.nodes
                && self.nodes >= limit
            {
                self.stopped = true;
            }
            if self.nodes.is_multiple_of(self.glance(1024)) {
                self.stopped |= shared.signals.is_stopped() || self.is_out_of_time(shared);
            }
        } else if let every = self.glance(256)
            && self.nodes.is_multiple_of(every)
        {
            shared.helper_nodes.fetch_add(every, Ordering::Relaxed);
            self.stopped = shared.done.load(Ordering::Relaxed);
        }
        self.stopped
    }

    /// Nodes between two checks of what may end the search. A network takes as long for a position as the hand-made evaluation for a thousand
    /// or more.
    fn glance(&self, by_hand: u64) -> u64 {
        if matches!(self.judge, Judge::Network(_)) { 1 } else { by_hand }
    }

    fn is_out_of_time(&self, shared: &Shared<'_>) -> bool {
        if shared.signals.is_pondering() {
            return false;
        }
        shared.budget.hard.is_some_and(|hard| shared.thought() >= hard)
    }
}

/// A network's value in whole centipawns.
fn judged_by(brain: &dyn Brain, position: &Chess) -> i32 {
    let found = brain.evaluate(std::slice::from_ref(position), Wants::VALUE);
    found.values.first().map_or(0, |value| value.round() as i32)
}

impl Shared<'_> {
    /// Time spent on this move by our own clock.
    pub(crate) fn thought(&self) -> std::time::Duration {
        self.stopwatch.thought(self.signals)
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Worker after {} nodes", self.nodes)
    }
}
