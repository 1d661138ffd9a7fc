//! How well a mind foresees choices, and how much better than another.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::eval::estimate::{Estimate, bootstrap};

/// A chance of zero for what happened would be an endless surprise.
const LEAST_CHANCE: f64 = 1e-6;

/// One choice against the chances that were given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) game: usize,
    /// Whether the likeliest move was played.
    pub(super) hit: f64,
    pub(super) loss: f64,
}

/// How well choices are foreseen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct Foresight {
    /// Share of moves that were the likeliest.
    pub(crate) top1: f64,
    /// Mean of the negative logarithm of the chance that the move was given.
    pub(crate) loss: f64,
}

/// A figure and its 95 % interval, over games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct Interval {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl From<Estimate> for Interval {
    fn from(Estimate { value, low, high }: Estimate) -> Interval {
        Interval { value, low, high }
    }
}

impl Mark {
    pub(super) fn new(game: usize, policy: &[f32], played: usize) -> Mark {
        let chance = policy.get(played).copied().unwrap_or(0.0);
        let better = policy.iter().filter(|&&other| other > chance).count();
        let equal = policy.iter().filter(|&&other| other == chance).count().max(1);
        let hit = if better == 0 { 1.0 / equal as f64 } else { 0.0 };
        Mark { game, hit, loss: -f64::from(chance).max(LEAST_CHANCE).ln() }
    }
}

pub(super) fn foresight(marks: &[Mark]) -> Foresight {
    let mean = |part: fn(&Mark) -> f64| marks.iter().map(part).sum::<f64>() / marks.len().max(1) as f64;
    Foresight { top1: mean(|mark| mark.hit), loss: mean(|mark| mark.loss) }
}

/// What `marks` have more than `others` of the same choices in the same order: hits, and loss.
pub(super) fn gains(marks: &[Mark], others: &[Mark], seed: u64) -> [Interval; 2] {
    let mut present: Vec<usize> = marks.iter().map(|mark| mark.game).collect();
    present.sort_unstable();
    present.dedup();
    let mean = |weights: &[f64], part: fn(&Mark) -> f64| {
        let (mut sum, mut all) = (0.0, 0.0);
        for (mark, other) in marks.iter().zip(others) {
            sum += weights[mark.game] * (part(mark) - part(other));
            all += weights[mark.game];
        }
        sum / all
    };
    let found = bootstrap(&present, seed, |weights| {
        [mean(weights, |mark| mark.hit), mean(weights, |mark| mark.loss)]
    });
    found.map(Interval::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_shared_among_equals_and_losses_have_a_bound() {
        for (policy, played, hit, loss) in [
            (&[0.5f32, 0.25, 0.25][..], 0, 1.0, 0.5f64.ln()),
            (&[0.5, 0.25, 0.25], 1, 0.0, 0.25f64.ln()),
            (&[0.4, 0.4, 0.2], 0, 0.5, 0.4f64.ln()),
            (&[1.0, 0.0], 1, 0.0, LEAST_CHANCE.ln()),
        ] {
            let mark = Mark::new(0, policy, played);
            assert!((mark.hit - hit).abs() < 1e-9 && (mark.loss + loss).abs() < 1e-6, "{mark:?}");
        }
    }

    #[test]
    fn a_gain_in_every_game_is_sure_and_one_by_chance_is_not() {
        let marks = |hit: fn(usize) -> f64| -> Vec<Mark> {
            (0..200).map(|at| Mark { game: at / 5, hit: hit(at), loss: 1.0 - hit(at) }).collect()
        };
        let [sure, loss] = gains(&marks(|_| 0.6), &marks(|_| 0.5), 1);
        assert!((sure.low - 0.1).abs() < 1e-9 && (loss.high + 0.1).abs() < 1e-9);
        let noise = |at: usize| f64::from(u8::from(at.wrapping_mul(2_654_435_761) % 97 < 48));
        let [chance, _] = gains(&marks(noise), &marks(|_| 0.5), 1);
        assert!(chance.low < 0.0 && chance.high > 0.0, "{chance:?}");
    }
}
