//! The value of a position as the rules define it, found by plain recursion.

use chess::{Brain, Moment, Wants, shakmaty::Position};

use super::{Rules, order::forcing_moves, value::mated_at, value::sound};

/// Value of `moment` for the side to move, every line followed for `depth` plies and as far as the rules go on from
/// there. `path` holds the keys of the positions on the way from the root, the present one last.
pub(super) fn value(
    brain: &dyn Brain,
    rules: &Rules,
    moment: &Moment,
    depth: i16,
    path: &mut Vec<u64>,
) -> f32 {
    let chess = &moment.position;
    let ply = path.len() - 1;
    let moves = moment.legal_moves();
    if moves.is_empty() {
        return if chess.is_check() { mated_at(ply as u16) } else { 0.0 };
    }
    if ply > 0 {
        let key = moment.past.key();
        // The root belongs to the game, so meeting it again is only its second time.
        let met = ply > 1 && path[1..ply].contains(&key);
        if met
            || moment.past.repetitions() >= 2
            || chess.halfmoves() >= 100
            || chess.is_insufficient_material()
        {
            return 0.0;
        }
    }
    let static_value = || sound(brain.evaluate(std::slice::from_ref(chess), Wants::VALUE).values[0]);
    if rules.ends(depth) {
        return static_value();
    }
    let quiet = depth <= 0 && !chess.is_check();
    let (mut best, followed) = match quiet {
        true => (static_value(), forcing_moves(chess).into_iter().map(|(m, _)| m).collect()),
        false => (f32::NEG_INFINITY, moves.into_iter().collect::<Vec<_>>()),
    };
    for m in followed {
        let mut next = moment.clone();
        next.play(m);
        path.push(next.past.key());
        let left = rules.after_move(depth, next.position.is_check());
        best = best.max(-value(brain, rules, &next, left, path));
        path.pop();
    }
    best
}
