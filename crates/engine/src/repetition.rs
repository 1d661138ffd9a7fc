//! Whether a position has stood on the board before.

use chess::shakmaty::Position;

use crate::alpha_beta::Node as Board;

/// `line` holds the keys of the tree's positions before `board`, `ply` of them, the latest first and the root's last; `past` those of
/// the game, the root's last too.
///
/// One repetition inside the tree is enough: what was avoided once can be avoided again; of the game's own positions it takes two.
pub(crate) fn is_repetition(
    board: &Board,
    ply: usize,
    line: impl Iterator<Item = u64>,
    past: &[u64],
) -> bool {
    let reach = board.chess.halfmoves() as usize;
    // The root is both the tree's first position and the game's last.
    let earlier = past.iter().rev().skip(1).copied();
    let mut seen = 0;
    for (back, key) in (1..=reach).zip(line.take(ply).chain(earlier)) {
        if back >= 4 && key == board.key {
            seen += 1;
            if back < ply || seen == 2 {
                return true;
            }
        }
    }
    false
}
