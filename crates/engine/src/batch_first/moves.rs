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
        let scored = self.evaluator.scores_moves;
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
        let has = match wanted {
            Moves::Forcing => node.moves == Moves::Forcing || (node.moves == Moves::All && node.sorted_out),
            _ => node.moves == Moves::All || node.moves == Moves::Remembered,
        };
        if has && best != PackedMove::NONE {
            node.prefer(best);
        }
        has
    }

    /// Gets the moves of a node, from the mind if it is to order them.
    pub(super) fn ask_moves(&mut self, id: u32, wanted: Moves) {
        let node = &mut self.tree.nodes[id as usize];
        let chess = &node.board.chess;
        let by_hand =
            |moves: Vec<(Move, f32)>| moves.into_iter().map(|(m, score)| (m.into(), score)).collect();
        match wanted {
            Moves::All if self.evaluator.scores_moves && node.depth > 0 => match node.ranked.is_empty() {
                true => return self.ask(id),
                false => self.take_ranked(id),
            },
            Moves::All => {
                let moves = by_hand(all_moves(chess));
                self.take_moves(id, moves);
            }
            _ => {
                let mut moves: Vec<(PackedMove, f32)> = by_hand(forcing_moves(chess));
                if !moves.is_empty() && !node.ranked.is_empty() {
                    if node.depth == 0 {
                        self.take_ranked(id);
                    } else {
                        // Nodes beyond the horizon hardly ever become anything else: no need to keep all moves.
                        let ranked = std::mem::take(&mut node.ranked);
                        let forcing = |m: PackedMove| moves.iter().any(|&(forcing, _)| m == forcing);
                        moves = ranked.iter().copied().filter(|&(m, _)| forcing(m)).collect();
                        self.tree.forget_edges(ranked.len());
                    }
                }
                let node = self.node_mut(id);
                if node.moves == Moves::All {
                    for edge in &mut node.edges {
                        edge.forcing = moves.iter().any(|&(m, _)| m == edge.m);
                    }
                    node.sorted_out = true;
                } else {
                    self.tree.count_edges(moves.len());
                    self.node_mut(id).take_moves(Moves::Forcing, moves.into_iter());
                }
            }
        }
        let best = self.node(id).best;
        self.node_mut(id).prefer(best);
        self.weigh(id);
    }

    /// Makes edges of the moves that the mind has ranked.
    pub(super) fn take_ranked(&mut self, id: u32) {
        let moves = std::mem::take(&mut self.node_mut(id).ranked);
        self.tree.forget_edges(moves.len());
        self.take_moves(id, moves);
    }

    fn take_moves(&mut self, id: u32, mut moves: Vec<(PackedMove, f32)>) {
        if id == ROOT && !self.wanted.is_empty() {
            moves.retain(|(m, _)| self.wanted.contains(m));
        }
        let node = &mut self.tree.nodes[id as usize];
        let before = node.edges.len();
        node.take_moves(Moves::All, moves.into_iter());
        let more = node.edges.len().saturating_sub(before);
        self.tree.count_edges(more);
    }
}
