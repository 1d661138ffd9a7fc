//! What a move costs: of a person's, and of a mind's by its chances, temperature and guard.

use ::data::Sample;
use chess::shakmaty::Move;
use engine::{Limits, Search, Signals, Task, alpha_beta::AlphaBeta, expected_score, instant::temper};

/// The mind's likeliest moves that are looked at; what is left is too rare to matter.
const CANDIDATES: usize = 10;
const TOP_P: f32 = 0.95;
/// Losses in expected score beyond which a move is an inaccuracy, a mistake, a blunder.
pub(super) const BOUNDS: [f32; 3] = [0.1, 0.2, 0.3];
/// The mean loss, and shares of moves beyond each bound.
pub(super) const QUANTITIES: usize = 1 + BOUNDS.len();

/// How a mind draws its moves.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(super) struct Dials {
    pub(super) temperature: f32,
    /// The loss beyond which the guard draws again; 1 for no guard.
    pub(super) tolerated: f32,
}

/// Losses in expected score of one position's moves.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    pub(super) played: f32,
    /// The mind's candidates: chance and loss.
    candidates: Vec<(f32, f32)>,
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
        let candidates = order.iter().zip(&looked).map(|(&at, after)| (policy[at], best - after)).collect();
        Losses { played: best - played, candidates }
    }

    /// The person's loss, and whether it lies beyond each bound.
    pub(super) fn person(&self) -> [f64; QUANTITIES] {
        quantities(&[(1.0, self.played)])
    }

    /// The same of the mind, in the mean over the moves that it may draw. The guard draws again where a move loses too much.
    pub(super) fn mind(&self, dials: Dials) -> [f64; QUANTITIES] {
        let chances: Vec<f32> = self.candidates.iter().map(|(chance, _)| *chance).collect();
        let weights = temper(&chances, dials.temperature, TOP_P);
        let drawn = weights.into_iter().zip(self.candidates.iter().map(|(_, loss)| *loss));
        quantities(&drawn.filter(|(_, loss)| *loss <= dials.tolerated).collect::<Vec<_>>())
    }
}

/// Means over losses by weight; nothing is lost where no move is left.
fn quantities(weighted: &[(f32, f32)]) -> [f64; QUANTITIES] {
    let total: f32 = weighted.iter().map(|(weight, _)| weight).sum();
    let mean = |of: &dyn Fn(f32) -> f32| {
        let sum: f32 = weighted.iter().map(|&(weight, loss)| weight * of(loss)).sum();
        if total > 0.0 { f64::from(sum / total) } else { 0.0 }
    };
    std::array::from_fn(|at| match at.checked_sub(1) {
        None => mean(&|loss| loss),
        Some(bound) => mean(&|loss| f32::from(u8::from(loss > BOUNDS[bound]))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_takes_away_what_loses_too_much_and_cold_draws_lose_less() {
        let losses = Losses { played: 0.25, candidates: vec![(0.6, 0.0), (0.2, 0.15), (0.2, 0.4)] };
        assert_eq!(losses.person().map(|x| x as f32), [0.25, 1.0, 1.0, 0.0]);
        let mind = |temperature, tolerated| losses.mind(Dials { temperature, tolerated });
        let near = |found: [f64; QUANTITIES], expected: [f64; QUANTITIES]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6)
        };
        assert!(near(mind(1.0, 1.0), [0.11, 0.4, 0.2, 0.2]), "{:?}", mind(1.0, 1.0));
        assert!(near(mind(1.0, 0.3), [0.0375, 0.25, 0.0, 0.0]), "{:?}", mind(1.0, 0.3));
        assert!(mind(0.5, 1.0)[0] < mind(1.0, 1.0)[0] && mind(0.0, 1.0)[0] == 0.0);
    }
}
