//! The moves of a node, from the mind, by hand or from memory.

use chess::{PackedMove, shakmaty::Move};

use super::{
    node::{Moves, ROOT},
    order::{all_moves, forcing_moves},
    walker::Walker,
};

impl Walker<'_> {
    /// Whether the node has its moves, the best of earlier visits first.
    pub(super) fn has_moves(&mut self, id: u32, wanted: Moves) -> bool {
        let scored = self.scores_moves;
        let node = self.node_mut(id);
        let best = node.best;
        if node.moves == Moves::None && wanted == Moves::All && id != ROOT && node.depth > 0 && scored {
            // The mind is asked about all moves only if the remembered one is not good enough.
            if let Some(m) = node.board.recall(best) {
                node.take_moves(Moves::Remembered, [(m.into(), f32::INFINITY)].into_iter());
                self.tree.count_edges(1);
            }
        }
        let node = self.node_mut(id);
        let has = node.moves == wanted || (node.moves == Moves::Remembered && wanted == Moves::All);
        if has && best != PackedMove::NONE {
            node.prefer(best);
        }
        has
    }

    /// Gets the moves of a node, from the mind if it is to order them.
    pub(super) fn ask_moves(&mut self, id: u32, wanted: Moves) {
        let node = &mut self.tree.nodes[id as usize];
        let chess = &node.board.chess;
        if wanted == Moves::All && self.scores_moves && node.depth > 0 {
            if !node.scores_asked {
                node.scores_asked = true;
                self.scores.push(id, chess);
            }
            return;
        }
        let moves = if wanted == Moves::All { all_moves(chess) } else { forcing_moves(chess) };
        if wanted == Moves::All {
            self.take_moves(id, moves);
        } else {
            let moves = moves.into_iter().map(|(m, score)| (PackedMove::from(m), score));
            node.take_moves(Moves::Forcing, moves);
            let count = node.edges.len();
            self.tree.count_edges(count);
        }
        let best = self.node(id).best;
        self.node_mut(id).prefer(best);
        self.weigh(id);
    }

    pub(super) fn take_moves(&mut self, id: u32, moves: Vec<(Move, f32)>) {
        let wanted = if id == ROOT { self.wanted.as_slice() } else { &[] };
        let moves = moves
            .into_iter()
            .map(|(m, score)| (PackedMove::from(m), if score.is_nan() { 0.0 } else { score }))
            .filter(|(m, _)| wanted.is_empty() || wanted.contains(m));
        let node = &mut self.tree.nodes[id as usize];
        let before = node.edges.len();
        node.take_moves(Moves::All, moves);
        let more = node.edges.len().saturating_sub(before);
        self.tree.count_edges(more);
    }
}
