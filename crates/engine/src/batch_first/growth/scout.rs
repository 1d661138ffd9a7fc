//! A quick look for moves that win material: a few plies and the captures after them, counting pieces alone.
//!
//! The tree goes deep where the mind expects good play, and would find a move that gives something up first too late. What the
//! scout points at is only looked at earlier; what it is worth the mind says.

use chess::{
    PackedMove,
    exchange::{exchange_value, wins_exchange},
    shakmaty::{Chess, Move, MoveList, Position, Role},
};

/// Centipawns that make a move worth pointing at.
const GAIN: i32 = 100;
const MATE: i32 = 20_000;
/// Captures in a row.
const EXCHANGES: u32 = 6;

struct Scout {
    nodes_left: u32,
}

/// A move that wins material within `depth` plies, more than captures win at once; `None` also if he would have to see more than `most`
/// positions to find one.
pub(super) fn scout(position: &Chess, depth: u32, most: u32) -> Option<PackedMove> {
    let mut scout = Scout { nodes_left: most };
    let at_once = scout.captures(position, -MATE, MATE, EXCHANGES);
    let goal = at_once + GAIN;
    let mut moves = position.legal_moves();
    put_in_order(&mut moves);
    for m in moves {
        let after = played(position, m);
        let found = -scout.search(&after, depth - 1, -goal, 1 - goal);
        if scout.nodes_left == 0 {
            return None;
        }
        if found >= goal {
            return Some(m.into());
        }
    }
    None
}

impl Scout {
    /// What the side to move has more than the other in the end, by alpha-beta.
    fn search(&mut self, position: &Chess, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        let check = position.is_check();
        // A quiet move as the last one wins nothing.
        if depth <= 1 && !check {
            return self.captures(position, alpha, beta, EXCHANGES);
        }
        self.nodes_left = self.nodes_left.saturating_sub(1);
        if self.nodes_left == 0 {
            return alpha;
        }
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return if check { -MATE - depth as i32 } else { 0 };
        }
        if depth == 0 {
            // There is a way out of the check; more is not asked at the horizon.
            return balance(position);
        }
        put_in_order(&mut moves);
        let mut best = -2 * MATE;
        for m in moves {
            let found = -self.search(&played(position, m), depth - 1, -beta, -alpha);
            best = best.max(found);
            alpha = alpha.max(found);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn captures(&mut self, position: &Chess, mut alpha: i32, beta: i32, most: u32) -> i32 {
        let stand = balance(position);
        if stand >= beta || most == 0 {
            return stand;
        }
        self.nodes_left = self.nodes_left.saturating_sub(1);
        let mut best = stand;
        alpha = alpha.max(best);
        let mut moves = position.capture_moves();
        put_in_order(&mut moves);
        for m in moves {
            let most_gain = m.capture().into_iter().chain(m.promotion()).map(exchange_value).sum::<i32>();
            if stand + most_gain <= alpha || !wins_exchange(position, m, 0) {
                continue;
            }
            let found = -self.captures(&played(position, m), -beta, -alpha, most - 1);
            best = best.max(found);
            alpha = alpha.max(found);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

fn played(position: &Chess, m: Move) -> Chess {
    let mut next = position.clone();
    next.play_unchecked(m);
    next
}

/// Captures and promotions first, of much by little before others.
fn put_in_order(moves: &mut MoveList) {
    let mut noisy = 0;
    for at in 0..moves.len() {
        if moves[at].is_capture() || moves[at].promotion().is_some() {
            moves.swap(noisy, at);
            noisy += 1;
        }
    }
    moves[..noisy].sort_unstable_by_key(|&m| -urgency(m));
}

fn urgency(m: Move) -> i32 {
    let promoted = m.promotion().map_or(0, exchange_value);
    let taken = m.capture().map_or(0, |role| 10 * exchange_value(role) - exchange_value(m.role()) / 10);
    promoted + taken
}

/// What the side to move has more than the other.
fn balance(position: &Chess) -> i32 {
    let board = position.board();
    let (us, them) = (position.us(), position.them());
    let side =
        |role: Role| (board.by_role(role) & us).count() as i32 - (board.by_role(role) & them).count() as i32;
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .map(|role| exchange_value(role) * side(role))
        .sum()
}

#[cfg(test)]
mod tests {
    use chess::{Moment, shakmaty::CastlingMode};

    use super::*;

    fn pointed_at(fen: &str, depth: u32) -> Option<String> {
        let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
        scout(&moment.position, depth, 100_000).map(|m| moment.uci(m.unpack(&moment.position).unwrap()))
    }

    #[test]
    fn forks_and_skewers_are_pointed_at() {
        for (fen, best) in [
            ("4k3/8/8/8/8/2N5/8/r3K3 w - - 0 1", None),
            ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", Some("d5c7")),
            ("8/8/8/q3k3/8/8/8/1K5R w - - 0 1", Some("h1h5")),
        ] {
            assert_eq!(pointed_at(fen, 3).as_deref(), best, "{fen}");
        }
    }

    #[test]
    fn what_a_capture_wins_at_once_needs_no_scout() {
        assert_eq!(pointed_at("4k3/8/8/3r4/4P3/8/8/4K3 w - - 0 1", 3), None);
    }
}
