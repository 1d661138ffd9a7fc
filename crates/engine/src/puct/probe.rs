//! The tactical probe: moves that win material, found by alpha-beta that counts pieces and knows nothing else.
//!
//! PUCT goes deep where the mind expects good play, and would visit a move that gives something up first too late. A move that the probe
//! finds gets a higher prior; its Q comes from the mind alone.

use chess::{
    Moment, PackedMove,
    exchange::{balance, exchange_value, wins_exchange},
    shakmaty::{Chess, Move, Position},
};

use crate::{Limits, Score, Search, Settings, Signals, Task, alpha_beta::AlphaBeta};

/// Centipawns that a move must win.
const GAIN: i32 = 100;
/// Captures in a row.
const EXCHANGES: u32 = 6;
/// Positions after captures that are evaluated; real games need some dozens, boards full of queens millions.
const MOST_CAPTURES: u32 = 5_000;
const HASH_MB: usize = 4;

#[derive(Debug)]
pub(super) struct Probe(AlphaBeta);

impl Default for Probe {
    fn default() -> Probe {
        let settings = Settings { threads: 1, hash_mb: HASH_MB, multipv: 1, ..Settings::default() };
        Probe(AlphaBeta::counting_pieces(settings))
    }
}

impl Probe {
    /// A move that mates or wins material, more than captures win at once, found by looking at so many positions.
    pub(super) fn winning_move(&mut self, position: &Chess, nodes: u64) -> Option<PackedMove> {
        let moment = Moment::new(position.clone());
        let task = Task { limits: Limits::nodes(nodes), signals: &Signals::default(), report: &mut |_| {} };
        let choice = self.0.choose(&moment, task);
        let wins = match choice.score? {
            Score::Mates(_) => true,
            Score::Mated(_) => false,
            Score::Centipawns(found) => {
                let mut left = MOST_CAPTURES;
                found >= captures(position, i32::MIN + 1, i32::MAX, EXCHANGES, &mut left) + GAIN
            }
        };
        choice.best.filter(|_| wins).map(PackedMove::from)
    }
}

/// What the side to move has more than the other when sound captures have been made, `most` in a row.
fn captures(position: &Chess, mut alpha: i32, beta: i32, most: u32, left: &mut u32) -> i32 {
    let stand = balance(position);
    *left = left.saturating_sub(1);
    if stand >= beta || most == 0 || *left == 0 {
        return stand;
    }
    let mut best = stand;
    alpha = alpha.max(best);
    let mut moves = position.capture_moves();
    moves.sort_unstable_by_key(|&m| std::cmp::Reverse(most_gain(m)));
    for m in moves {
        if stand + most_gain(m) <= alpha || !wins_exchange(position, m, 0) {
            continue;
        }
        let mut after = position.clone();
        after.play_unchecked(m);
        best = best.max(-captures(&after, -beta, -alpha, most - 1, left));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

fn most_gain(m: Move) -> i32 {
    m.capture().into_iter().chain(m.promotion()).map(exchange_value).sum()
}

#[cfg(test)]
mod tests {
    use chess::shakmaty::CastlingMode;

    use super::*;

    fn found(fen: &str) -> Option<String> {
        let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
        let found = Probe::default().winning_move(&moment.position, 3_000);
        found.map(|m| moment.uci(m.unpack(&moment.position).unwrap()))
    }

    #[test]
    fn forks_skewers_and_mates_are_found() {
        for (fen, best) in [
            ("4k3/8/8/8/8/2N5/8/r3K3 w - - 0 1", None),
            ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", Some("d5c7")),
            ("8/8/8/q3k3/8/8/8/1K5R w - - 0 1", Some("h1h5")),
            ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", Some("a1a8")),
        ] {
            assert_eq!(found(fen).as_deref(), best, "{fen}");
        }
    }

    #[test]
    fn what_a_capture_wins_at_once_needs_no_probe() {
        assert_eq!(found("4k3/8/8/3r4/4P3/8/8/4K3 w - - 0 1"), None);
    }
}
