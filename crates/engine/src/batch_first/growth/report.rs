//! What the search tells while the tree grows.

use chess::shakmaty::{Move, Position};

use super::{
    Growth,
    worth::{centipawns, is_decided, score},
};
use crate::{
    Bound, Info,
    batch_first::{node::NONE, stats::Stats},
    heuristic::win_chances,
};

impl Growth<'_, '_> {
    /// The play that is expected: the best move of each position as far as the tree goes.
    pub(super) fn line(&self) -> Vec<Move> {
        let mut line = Vec::new();
        let mut fork = self.plant.root();
        while let Some(twig) = fork.best() {
            line.extend(fork.board.recall(twig.m));
            if twig.child == NONE {
                break;
            }
            fork = self.plant.fork(twig.child);
        }
        line
    }

    pub(super) fn report(&mut self) {
        let Some(&best) = self.best() else { return };
        let (stats, line) = (self.stats(), self.line());
        let value = centipawns(best.worth).round() as i32;
        let wdl = (!is_decided(best.worth)).then(|| win_chances(value, self.moment.position.halfmoves()));
        let info = Info {
            depth: line.len() as u32,
            seldepth: u32::from(self.plant.deepest),
            multipv: 1,
            score: score(best.worth),
            bound: Bound::Exact,
            wdl,
            nodes: stats.nodes,
            time: stats.time,
            hashfull: self.plant.fullness(),
            tbhits: 0,
            chance: None,
            line,
            remark: Some(stats.to_string()),
        };
        (self.task.report)(&info);
    }

    pub(super) fn stats(&self) -> Stats {
        Stats { nodes: self.plant.made, batch_size: self.batch_size, ..self.stats }
            .timed(self.started, self.evaluator)
    }
}
