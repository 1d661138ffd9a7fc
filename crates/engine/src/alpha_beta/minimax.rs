//! Plain minimax, as the seed has it: the reference for what alpha-beta must find.

use chess::shakmaty::Position;

use super::{
    node::Node,
    value::{INFINITE, mated_at},
    worker::Worker,
};

/// Value of `node` for the side to move, every line followed for `depth` plies.
pub(super) fn minimax(worker: &mut Worker, node: &Node, depth: u32, ply: usize) -> i32 {
    if ply > 0 && worker.is_drawn(node, ply) {
        return 0;
    }
    let moves = node.chess.legal_moves();
    if moves.is_empty() {
        return if node.in_check() { mated_at(ply) } else { 0 };
    }
    if depth == 0 {
        return worker.static_value(node);
    }
    let mut best = -INFINITE;
    for m in moves {
        let child = node.play(m);
        worker.keys.push(child.key);
        worker.nodes += 1;
        best = best.max(-minimax(worker, &child, depth - 1, ply + 1));
        worker.leave();
    }
    best
}
