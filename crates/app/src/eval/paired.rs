//! How much better one model is than another on the same positions.

use serde::Serialize;

use super::{
    estimate::{Estimate, bootstrap},
    mark::Mark,
};

/// A chance of zero for what happened would be an endless surprise.
const LEAST_CHANCE: f64 = 1e-6;

/// A model's figures less those of the model it is compared with, with intervals of the difference itself.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Paired {
    pub(crate) top1: Estimate,
    pub(crate) move_loss: Estimate,
}

/// Compares marks of the same positions in the same order.
pub(crate) fn paired(marks: &[Mark], others: &[Mark], seed: u64) -> Paired {
    let mut present: Vec<usize> = marks.iter().map(|mark| mark.game).collect();
    present.sort_unstable();
    present.dedup();
    let loss = |mark: &Mark| Some(-mark.chance?.max(LEAST_CHANCE).ln());
    let pairs = || marks.iter().zip(others);
    let top1: Vec<_> = pairs().map(|(mark, other)| (mark.game, less(mark.top[0], other.top[0]))).collect();
    let losses: Vec<_> = pairs().map(|(mark, other)| (mark.game, less(loss(mark), loss(other)))).collect();
    let mean = |differences: &[(usize, Option<f64>)], weights: &[f64]| {
        let (mut sum, mut weight) = (0.0, 0.0);
        for &(game, difference) in differences {
            if let Some(difference) = difference {
                sum += weights[game] * difference;
                weight += weights[game];
            }
        }
        sum / weight
    };
    let [top1, move_loss] =
        bootstrap(&present, seed, |weights| [mean(&top1, weights), mean(&losses, weights)]);
    Paired { top1, move_loss }
}

fn less(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? - other?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(game: usize, right: f64, chance: f64) -> Mark {
        Mark {
            game,
            top: [Some(right), None, None],
            chance: Some(chance),
            coverage: [None; 3],
            unlikely: None,
            origin: 0.0,
            target: 0.0,
            think: None,
            outcome: None,
        }
    }

    #[test]
    fn a_constant_difference_has_no_interval_however_hard_the_positions_are() {
        let marks = |shift: f64| -> Vec<Mark> {
            (0..50)
                .map(|game| mark(game, 0.02 * game as f64 + shift, 0.01 * (game + 1) as f64 * shift.exp()))
                .collect()
        };
        let found = paired(&marks(0.25), &marks(0.0), 1);
        for (estimate, expected) in [(found.top1, 0.25), (found.move_loss, -0.25)] {
            for value in [estimate.value, estimate.low, estimate.high] {
                assert!((value - expected).abs() < 1e-9, "{found:?}");
            }
        }
    }
}
