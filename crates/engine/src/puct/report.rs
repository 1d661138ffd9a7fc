//! What the search tells while it runs.

use chess::shakmaty::{Move, Position};

use super::{
    q::{centipawns, is_decided, score},
    rounds::Rounds,
    tree::{Edge, NONE},
};
use crate::{Bound, Info, heuristic::win_chances, stats::Stats};

impl Rounds<'_, '_> {
    /// The principal variation from a move of the root: the best move of each position as far as the tree goes.
    pub(super) fn line(&self, first: &Edge) -> Vec<Move> {
        let mut line = Vec::new();
        let (mut node, mut next) = (self.tree.root(), Some(first));
        while let Some(edge) = next {
            line.extend(node.board.recall(edge.m));
            if edge.child == NONE {
                break;
            }
            node = self.tree.node(edge.child);
            next = node.best();
        }
        line
    }

    /// One line for each of the best moves, as many as are wanted.
    pub(super) fn report(&mut self) {
        let stats = self.stats();
        let edges: Vec<Edge> = self.tree.root().ranked().into_iter().take(self.multipv).copied().collect();
        for (rank, edge) in edges.iter().enumerate() {
            let line = self.line(edge);
            let value = centipawns(edge.q).round() as i32;
            let wdl = (!is_decided(edge.q)).then(|| win_chances(value, self.moment.position.halfmoves()));
            let info = Info {
                depth: line.len() as u32,
                seldepth: u32::from(self.tree.deepest),
                multipv: rank + 1,
                score: score(edge.q),
                bound: Bound::Exact,
                wdl,
                nodes: stats.nodes,
                time: stats.time,
                hashfull: self.tree.fullness(),
                tbhits: self.tree.tablebase_hits,
                chance: None,
                line,
                current: None,
                remark: (rank == 0).then(|| stats.to_string()),
            };
            (self.task.report)(&info);
        }
    }

    pub(super) fn stats(&self) -> Stats {
        Stats { nodes: self.tree.made, batch_size: self.batch_size, ..self.stats }
            .timed(&self.stopwatch, self.evaluator)
    }
}
