//! Plain minimax over comparisons, as the seed has it: the reference for what the search must find.

use chess::shakmaty::Position;

use super::{judge::Value, thinker::Thinker};
use crate::alpha_beta::{Node, history::Step};

/// What `node` leads to, every line followed for `depth` plies.
pub(super) fn minimax(thinker: &mut Thinker, node: &Node, depth: u32, ply: usize) -> Value {
    if ply > 0 && thinker.is_drawn(node) {
        return Value::Drawn;
    }
    let moves = node.chess.legal_moves();
    if moves.is_empty() {
        return thinker.end(node, ply);
    }
    if depth == 0 {
        return thinker.judge.position(node);
    }
    let ours = thinker.is_ours(node);
    let mut best: Option<Value> = None;
    for m in moves {
        let child = node.play(m);
        thinker.enter(&child, Some(Step::new(node.turn(), m)));
        let found = minimax(thinker, &child, depth - 1, ply + 1);
        thinker.leave();
        let better = best.as_ref().is_none_or(|best| match ours {
            true => thinker.judge.better(&found, best),
            false => thinker.judge.better(best, &found),
        });
        if better {
            best = Some(found);
        }
    }
    best.expect("there was a move")
}
