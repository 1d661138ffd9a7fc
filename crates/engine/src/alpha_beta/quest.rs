//! What is asked of a node, and what is known of it before its moves are searched.

use chess::shakmaty::Move;

use super::{
    node::Node,
    quiescence::sharpen,
    table::Entry,
    value::{SURE_WIN, UNKNOWN},
    worker::{BEFORE_ROOT, Shared, Worker},
};

/// Values between which the answer matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// Asks one question: is the value above `alpha`?
    pub(crate) fn zero(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    pub(crate) fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// A question to the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quest {
    pub(crate) window: Window,
    pub(crate) depth: i32,
    /// Plies from the root.
    pub(crate) ply: usize,
    /// Whether the node is expected to fail high.
    pub(crate) cut_node: bool,
}

impl Quest {
    /// The same node, asked again with another window and depth.
    pub(crate) fn again(self, window: Window, depth: i32, cut_node: bool) -> Quest {
        Quest { window, depth, cut_node, ..self }
    }

    /// A question to a child; the window is the child's own.
    pub(crate) fn below(self, window: Window, depth: i32, cut_node: bool) -> Quest {
        Quest { window, depth, ply: self.ply + 1, cut_node }
    }
}

/// What is known of a node before its moves are searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    pub(crate) known: Option<Entry>,
    /// The best move by the table.
    pub(crate) remembered: Option<Move>,
    /// Static evaluation before correction; `UNKNOWN` in check.
    pub(crate) raw: i32,
    /// Static evaluation, corrected.
    pub(crate) evaluation: i32,
    /// The best guess: the evaluation, or the table's value where that tells more.
    pub(crate) guess: i32,
    /// Whether we stand better than two plies ago.
    pub(crate) improving: bool,
    /// Whether the node was ever on a principal variation.
    pub(crate) on_line: bool,
}

impl Worker {
    pub(crate) fn survey(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        known: Option<Entry>,
        ply: usize,
        pv: bool,
    ) -> Outlook {
        let mut outlook = Outlook {
            known,
            remembered: known.and_then(|entry| node.recall(entry.best)),
            raw: UNKNOWN,
            evaluation: UNKNOWN,
            guess: UNKNOWN,
            improving: false,
            on_line: pv || known.is_some_and(|entry| entry.on_line),
        };
        if !node.in_check() {
            self.look_at_quiet(shared, node, ply, &mut outlook);
        }
        self.frame(ply).evaluation = outlook.evaluation;
        outlook
    }

    fn look_at_quiet(&mut self, shared: &Shared<'_>, node: &Node, ply: usize, outlook: &mut Outlook) {
        let excluding = self.frame(ply).excluded.is_some();
        outlook.raw = match outlook.known {
            Some(entry) if entry.evaluation != UNKNOWN => entry.evaluation,
            _ => self.evaluate(shared, node),
        };
        outlook.evaluation = match excluding {
            true => self.frame(ply).evaluation,
            false => (outlook.raw + self.correction.of(node)).clamp(1 - SURE_WIN, SURE_WIN - 1),
        };
        if outlook.known.is_none() && !excluding && !self.plain {
            shared.table.put(node.key, ply, Entry::evaluation_only(outlook.raw, outlook.on_line));
        }
        let evaluation = outlook.evaluation;
        outlook.guess = outlook.known.and_then(|entry| sharpen(entry, evaluation)).unwrap_or(evaluation);
        outlook.improving = [2, 4]
            .into_iter()
            .filter(|&back| ply >= back)
            .map(|back| self.frames[ply + BEFORE_ROOT - back].evaluation)
            .find(|&earlier| earlier != UNKNOWN)
            .is_some_and(|earlier| evaluation > earlier);
    }
}
