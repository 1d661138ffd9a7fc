//! A visit to a node: what it asks, what it concludes, and how its end reaches the parents.

use chess::shakmaty::Position;

use super::{
    foresight::CAPTURES,
    node::{Edge, Moves, NONE, Node, ROOT},
    table::Finding,
    value::MAX_PLY,
    walker::Walker,
};

/// Plies without capture or pawn move after which the table, which knows nothing of them, is not believed.
const STALE: u32 = 80;

impl Walker<'_> {
    /// Goes on with a visit that waited for the mind.
    pub(super) fn go_on(&mut self, id: u32) {
        if self.is_live(id) {
            self.evaluate_or_expand(id);
        }
    }

    /// Begins a visit that wants the value for `depth` plies.
    pub(super) fn enter(&mut self, id: u32, depth: i16) {
        self.visits += 1;
        let visit = self.visits;
        let parent = self.node(id).parent;
        let (under, parent_cuts) = match parent {
            NONE => (0, false),
            _ => (self.node(parent).visit, self.node(parent).cuts),
        };
        let strict = self.rules.strict_table;
        let node = self.node_mut(id);
        (node.visit, node.under, node.closed, node.under_way, node.ticket) = (visit, under, false, 0, 0);
        let was_foreseen = std::mem::take(&mut node.foreseen) > 0;
        if !node.over && (node.depth < depth || (strict && node.depth != depth)) {
            node.look_to(depth);
        }
        self.stats.foreseen_and_used += u64::from(was_foreseen);
        if !self.node(id).over && id != ROOT {
            self.consult_table(id);
        }
        let node = self.node(id);
        let goal = self.goal(node);
        let decided = node.decides(goal);
        let node = self.node_mut(id);
        let unclear = node.value.is_nan() || node.depth <= 0;
        node.cuts = if unclear { !parent_cuts } else { node.value >= goal };
        if decided { self.close(id) } else { self.evaluate_or_expand(id) }
    }

    pub(super) fn consult_table(&mut self, id: u32) {
        let node = self.node(id);
        let Some(entry) = self.table.get(node.board.key, node.ply) else { return };
        let halfmoves = node.board.chess.halfmoves();
        let believed = match self.rules.strict_table {
            true => entry.depth() == node.depth && halfmoves as i16 + node.depth.max(0) < 4,
            false => entry.depth() >= node.depth && halfmoves < STALE,
        };
        let node = self.node_mut(id);
        if node.value.is_nan() {
            node.value = entry.value;
        }
        if node.best.is_none() {
            node.best = entry.best;
        }
        if believed && entry.lower <= entry.upper {
            let (lower, upper) = (node.lower.max(entry.lower), node.upper.min(entry.upper));
            if lower <= upper {
                (node.lower, node.upper) = (lower, upper);
            }
        }
    }

    /// Does the next thing that an undecided node needs: ask the mind, end here, or go through its moves.
    pub(super) fn evaluate_or_expand(&mut self, id: u32) {
        let node = self.node(id);
        let goal = self.goal(node);
        let ends = self.rules.ends(node.depth) || node.ply >= MAX_PLY;
        let evades = node.board.in_check() && !ends;
        if ends || (node.depth <= 0 && !evades) || self.judges_first(node) {
            if node.value.is_nan() {
                let goes_on = node.depth <= 0 && !ends;
                self.ask(id);
                if goes_on {
                    self.foresee_exchanges(id, &CAPTURES);
                }
                return;
            }
            let value = node.value;
            if ends {
                let node = self.node_mut(id);
                (node.lower, node.upper) = (value, value);
                return self.close(id);
            }
            let sure = if node.depth <= 0 { Some(value) } else { self.sure_value(node, node.depth) };
            if let Some(sure) = sure {
                self.node_mut(id).at_least(sure);
                if sure >= goal {
                    return self.close(id);
                }
            }
            // Moves do not wait for what comes of passing, which takes as many rounds of questions as they do.
            self.try_pass(id);
            if self.node(id).closed {
                return;
            }
        }
        let wanted = if self.node(id).depth > 0 || evades { Moves::All } else { Moves::Forcing };
        if self.has_moves(id, wanted) { self.weigh(id) } else { self.ask_moves(id, wanted) }
    }

    /// Asks the mind about a node's position.
    pub(super) fn ask(&mut self, id: u32) {
        let speculative = self.node(id).foreseen > 0 || self.doubt(id) > 0;
        let node = &mut self.tree.nodes[id as usize];
        if !node.asked {
            node.asked = true;
            let batch = if speculative { &mut self.spare } else { &mut self.gathered };
            batch.push(id, &node.board.chess);
        }
    }

    /// Counts what is known of a node's moves and puts it in the queue if that does not decide it.
    pub(super) fn weigh(&mut self, id: u32) {
        let node = self.node(id);
        let goal = self.goal(node);
        let mut waiting = u16::from(node.moves == Moves::Remembered);
        let mut refuted = f32::NEG_INFINITY;
        let mut reached = None;
        for (rank, edge) in node.edges.iter().enumerate() {
            match self.known(node, edge, rank) {
                Known::Reaches(value) => {
                    reached = Some((value, edge.m));
                    break;
                }
                Known::Fails(most) => refuted = refuted.max(most),
                Known::Nothing => waiting += 1,
            }
        }
        let node = self.node_mut(id);
        (node.next, node.waiting, node.refuted) = (0, waiting, refuted);
        if let Some((value, m)) = reached {
            node.at_least(value);
            node.best = m;
            debug_assert!(value >= goal, "{value} {goal}");
            self.close(id);
        } else if waiting == 0 {
            self.fail(id);
            self.close(id);
        } else {
            self.push(id);
        }
    }

    /// What an edge's child, from this visit or an earlier one, says about the edge.
    pub(super) fn known(&self, node: &Node, edge: &Edge, rank: usize) -> Known {
        let goal = self.goal(node);
        if node.depth <= 0 && !edge.forcing && !node.board.in_check() {
            return Known::Fails(f32::NEG_INFINITY);
        }
        if let Some(most) = self.skipped(node, edge, rank, node.depth) {
            return Known::Fails(most);
        }
        if edge.child == NONE {
            return Known::Nothing;
        }
        let child = self.node(edge.child);
        let deep_enough = |depth: i16| {
            child.over || child.depth == depth || (!self.rules.strict_table && child.depth > depth)
        };
        if -child.upper >= goal && deep_enough(self.full_depth(node, child)) {
            return Known::Reaches(-child.upper);
        }
        if -child.lower < goal && deep_enough(self.first_depth(node, child, rank)) {
            return Known::Fails(-child.lower);
        }
        Known::Nothing
    }

    pub(super) fn full_depth(&self, node: &Node, child: &Node) -> i16 {
        self.rules.after_move(node.depth, child.board.in_check())
    }

    /// All moves of a node have failed: it is worth no more than the best of them, or than standing still.
    pub(super) fn fail(&mut self, id: u32) {
        let node = self.node_mut(id);
        let stands = node.depth <= 0 && !node.board.in_check();
        let most = if stands { node.refuted.max(node.value) } else { node.refuted };
        node.at_most(most);
    }

    /// Ends a visit, and the parents' that wait for nothing else.
    pub(super) fn close(&mut self, mut id: u32) {
        loop {
            self.node_mut(id).closed = true;
            self.remember(id);
            self.remember_leaf(id);
            let child = self.node(id);
            let parent = child.parent;
            if parent == NONE || child.under != self.node(parent).visit || self.node(parent).closed {
                return;
            }
            let goal = self.goal(self.node(parent));
            if self.is_pass(id) {
                let reached = -child.upper >= goal;
                let node = self.node_mut(parent);
                if !reached {
                    node.pass_failed = node.visit;
                    return self.evaluate_or_expand(parent);
                }
                node.at_least(goal);
                id = parent;
                continue;
            }
            let child = self.node(id);
            let (least, most, m) = (-child.upper, -child.lower, child.arrived_by);
            if least >= goal {
                let full = self.full_depth(self.node(parent), child);
                if child.depth < full && !child.over {
                    return self.enter(id, full);
                }
                let node = self.node_mut(parent);
                node.at_least(least);
                node.best = m;
            } else {
                let node = self.node_mut(parent);
                node.under_way = node.under_way.saturating_sub(1);
                if most > node.refuted {
                    node.refuted = most;
                    node.best = m;
                }
                node.waiting -= 1;
                if node.waiting > 0 {
                    return self.make_sure(parent);
                }
                self.fail(parent);
            }
            id = parent;
        }
    }

    pub(super) fn remember(&mut self, id: u32) {
        let node = &self.tree.nodes[id as usize];
        if node.over || (id == ROOT && !self.wanted.is_empty()) {
            return;
        }
        let Node { depth, lower, upper, value, best, .. } = *node;
        self.table.put(node.board.key, node.ply, Finding { depth, lower, upper, value, best });
    }
}

/// What is known of a move without visiting it again.
pub(super) enum Known {
    Reaches(f32),
    Fails(f32),
    Nothing,
}
