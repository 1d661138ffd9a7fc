//! Moves and a hand-made order for them, for minds that have no opinion on moves and for exchanges.

use chess::{
    exchange::{exchange_value, wins_exchange},
    shakmaty::{Chess, Move, Position, Role},
};

use crate::heuristic::piece_value;

/// Captures and promotions that lose nothing, best first: the moves after which a value cannot be trusted yet.
pub(super) fn forcing_moves(chess: &Chess) -> Vec<(Move, f32)> {
    let sound = |m: &Move| m.promotion().is_none_or(|to| to == Role::Queen) && wins_exchange(chess, *m, 0);
    let captures = chess.capture_moves();
    let promotions = chess.promotion_moves().into_iter().filter(|m| !m.is_capture());
    let score = |m: Move| (m, 10.0 * gain(m) - exchange_value(m.role()) as f32);
    best_first(captures.into_iter().chain(promotions).filter(sound).map(score).collect())
}

/// Every legal move with a guess at how good it is, in centipawns, best first.
pub(super) fn all_moves(chess: &Chess) -> Vec<(Move, f32)> {
    best_first(chess.legal_moves().into_iter().map(|m| (m, guess(chess, m))).collect())
}

fn best_first(mut moves: Vec<(Move, f32)>) -> Vec<(Move, f32)> {
    moves.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    moves
}

fn guess(chess: &Chess, m: Move) -> f32 {
    let noisy = m.is_capture() || m.promotion().is_some();
    match noisy {
        true if wins_exchange(chess, m, 0) => 300.0 + gain(m) - exchange_value(m.role()) as f32 / 50.0,
        true => -300.0,
        false if !wins_exchange(chess, m, 0) => -200.0,
        false => advance(chess, m),
    }
}

fn gain(m: Move) -> f32 {
    let promoted = m.promotion().map_or(0, |to| exchange_value(to) - exchange_value(Role::Pawn));
    (m.capture().map_or(0, exchange_value) + promoted) as f32
}

/// What the piece gains by standing on its new square.
fn advance(chess: &Chess, m: Move) -> f32 {
    let us = chess.turn();
    let Move::Normal { role, from, to, .. } = m else { return 50.0 };
    let gained = piece_value(to, role.of(us)) - piece_value(from, role.of(us));
    let sum = (gained.opening() + gained.endgame()) as f32 / 2.0;
    us.fold_wb(sum, -sum)
}
