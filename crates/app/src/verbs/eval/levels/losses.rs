//! What a move costs: of a person's, and of a mind's by its chances, temperature and guard.

use ::data::Sample;
use chess::{
    exchange::{exchange_value, wins_exchange},
    shakmaty::{Chess, Move, Position, Role},
};
use engine::{Limits, Search, Signals, Task, alpha_beta::AlphaBeta, expected_score, instant::temper};

/// The mind's likeliest moves that are looked at; what is left is too rare to matter.
const CANDIDATES: usize = 10;
const TOP_P: f32 = 0.95;
/// Losses in expected score beyond which a move is an inaccuracy, a mistake, a blunder.
pub(super) const BOUNDS: [f32; 3] = [0.1, 0.2, 0.3];
/// The mean loss, and shares of moves: beyond each bound, not mating at once although one could, leaving a piece to be taken.
pub(super) const QUANTITIES: usize = 1 + BOUNDS.len() + 2;

/// How a mind draws its moves.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(super) struct Dials {
    pub(super) temperature: f32,
    /// The loss beyond which the guard draws again; 1 for no guard.
    pub(super) tolerated: f32,
}

/// What a move did.
#[derive(Clone, Copy, Debug)]
struct Deed {
    /// In expected score.
    loss: f32,
    misses_mate: bool,
    hangs_piece: bool,
}

/// What the moves of one position cost.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    played: Deed,
    /// The mind's candidates with their chances.
    candidates: Vec<(f32, Deed)>,
}

impl Losses {
    /// Looks at the position, at the move that was played and at the mind's likeliest, `nodes` for each.
    pub(super) fn measure(engine: &mut AlphaBeta, sample: &Sample, policy: &[f32], nodes: u64) -> Losses {
        let moment = &sample.moment;
        let legal = moment.legal_moves();
        let mut order: Vec<usize> = (0..legal.len().min(policy.len())).collect();
        order.sort_by(|&a, &b| policy[b].total_cmp(&policy[a]));
        order.truncate(CANDIDATES);
        engine.new_game();
        let mut expectation = |only: Vec<Move>| {
            let limits = Limits { nodes: Some(nodes), search_moves: only, ..Limits::default() };
            let signals = Signals::default();
            let choice = engine.choose(moment, Task { limits, signals: &signals, report: &mut |_| {} });
            choice.score.map_or(0.5, expected_score)
        };
        let found = expectation(Vec::new());
        let played = expectation(vec![sample.played]);
        let looked: Vec<f32> = order.iter().map(|&at| expectation(vec![legal[at]])).collect();
        let best = looked.iter().copied().chain([found, played]).fold(0.0, f32::max);
        let could_mate = legal.iter().any(|&m| mates(&moment.position, m));
        let deed = |m: Move, expected: f32| Deed {
            loss: best - expected,
            misses_mate: could_mate && !mates(&moment.position, m),
            hangs_piece: hangs_piece(&moment.position, m),
        };
        let candidates = order.iter().zip(&looked).map(|(&at, &after)| (policy[at], deed(legal[at], after)));
        Losses { played: deed(sample.played, played), candidates: candidates.collect() }
    }

    /// The person's loss, and whether it lies beyond each bound.
    pub(super) fn person(&self) -> [f64; QUANTITIES] {
        quantities(&[(1.0, self.played)])
    }

    /// The same of the mind, in the mean over the moves that it may draw. The guard draws again where a move loses too much.
    pub(super) fn mind(&self, dials: Dials) -> [f64; QUANTITIES] {
        let chances: Vec<f32> = self.candidates.iter().map(|(chance, _)| *chance).collect();
        let weights = temper(&chances, dials.temperature, TOP_P);
        let drawn = weights.into_iter().zip(self.candidates.iter().map(|(_, deed)| *deed));
        quantities(&drawn.filter(|(_, deed)| deed.loss <= dials.tolerated).collect::<Vec<_>>())
    }
}

fn mates(position: &Chess, m: Move) -> bool {
    let mut after = position.clone();
    after.play_unchecked(m);
    after.is_checkmate()
}

/// Whether the opponent can take a piece for nothing, or for so little that the move and the taking together lose two pawns and more.
fn hangs_piece(position: &Chess, m: Move) -> bool {
    const LOST: i32 = 200;
    let pawn = exchange_value(Role::Pawn);
    let won =
        m.capture().map_or(0, exchange_value) + m.promotion().map_or(0, |role| exchange_value(role) - pawn);
    let mut after = position.clone();
    after.play_unchecked(m);
    let takes = after.capture_moves();
    takes
        .into_iter()
        .any(|take| take.capture() != Some(Role::Pawn) && wins_exchange(&after, take, LOST + won))
}

/// Means by weight; nothing is lost where no move is left.
fn quantities(weighted: &[(f32, Deed)]) -> [f64; QUANTITIES] {
    let total: f32 = weighted.iter().map(|(weight, _)| weight).sum();
    let mean = |of: &dyn Fn(&Deed) -> f32| {
        let sum: f32 = weighted.iter().map(|(weight, deed)| weight * of(deed)).sum();
        if total > 0.0 { f64::from(sum / total) } else { 0.0 }
    };
    let share = |holds: &dyn Fn(&Deed) -> bool| mean(&|deed| f32::from(u8::from(holds(deed))));
    let [some, more, most] = BOUNDS.map(|bound| share(&|deed| deed.loss > bound));
    let (mates, pieces) = (share(&|deed| deed.misses_mate), share(&|deed| deed.hangs_piece));
    [mean(&|deed| deed.loss), some, more, most, mates, pieces]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_takes_away_what_loses_too_much_and_cold_draws_lose_less() {
        let deed = |loss, misses_mate, hangs_piece| Deed { loss, misses_mate, hangs_piece };
        let candidates = vec![
            (0.6, deed(0.0, false, false)),
            (0.2, deed(0.15, true, false)),
            (0.2, deed(0.4, true, true)),
        ];
        let losses = Losses { played: deed(0.25, true, false), candidates };
        assert_eq!(losses.person().map(|x| x as f32), [0.25, 1.0, 1.0, 0.0, 1.0, 0.0]);
        let mind = |temperature, tolerated| losses.mind(Dials { temperature, tolerated });
        let near = |found: [f64; QUANTITIES], expected: [f64; QUANTITIES]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6)
        };
        assert!(near(mind(1.0, 1.0), [0.11, 0.4, 0.2, 0.2, 0.4, 0.2]), "{:?}", mind(1.0, 1.0));
        assert!(near(mind(1.0, 0.3), [0.0375, 0.25, 0.0, 0.0, 0.25, 0.0]), "{:?}", mind(1.0, 0.3));
        assert!(mind(0.5, 1.0)[0] < mind(1.0, 1.0)[0] && mind(0.0, 1.0)[0] == 0.0);
    }

    #[test]
    fn pieces_left_to_be_taken_are_told_from_trades_and_pawns() {
        for (fen, m, hangs) in [
            // The knight steps to where a pawn takes it.
            ("4k3/8/3p4/8/8/5N2/8/4K3 w - - 0 1", "f3e5", true),
            ("4k3/8/3p4/8/8/5N2/8/4K3 w - - 0 1", "f3d4", false),
            // A knight for a knight.
            ("4k3/8/3p4/4n3/8/5N2/8/4K3 w - - 0 1", "f3e5", false),
            // The rook stays attacked by a bishop.
            ("4k3/8/8/6b1/8/8/3R3P/6K1 w - - 0 1", "h2h3", true),
            // Only a pawn.
            ("4k3/8/8/6b1/8/4P3/7P/4K3 w - - 0 1", "h2h3", false),
        ] {
            let moment = chess::Moment::from_fen(fen, chess::shakmaty::CastlingMode::Standard).unwrap();
            let m = moment.parse_uci(m).unwrap();
            assert_eq!(hangs_piece(&moment.position, m), hangs, "{fen} {m:?}");
        }
    }
}
