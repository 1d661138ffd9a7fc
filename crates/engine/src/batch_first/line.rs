//! The line that the search expects, from the tree and, where it ends, from the table.

use chess::shakmaty::Move;

use super::{
    node::{NONE, ROOT},
    table::Table,
    walker::Walker,
};
use crate::alpha_beta::Node as Board;

/// Longest line that is told.
const LONGEST: usize = 40;

pub(super) fn line(walker: &Walker<'_>) -> Vec<Move> {
    let mut line = Vec::new();
    let mut id = ROOT;
    loop {
        let node = walker.node(id);
        if node.over || node.depth <= 0 || line.len() == LONGEST {
            return line;
        }
        let Some(m) = node.board.recall(node.best) else { return line };
        line.push(m);
        let edge = node.edges.iter().find(|edge| edge.m == node.best);
        match edge.map(|edge| edge.child).filter(|&child| child != NONE) {
            Some(child) => id = child,
            None => {
                line.extend(first_answer(&node.board, m, walker.table));
                return line;
            }
        }
    }
}

/// The answer to a move that the table remembers.
pub(super) fn first_answer(board: &Board, m: Move, table: &Table) -> Option<Move> {
    let child = board.play(m);
    let best = table.get(child.key, 0)?.best;
    child.recall(best)
}
