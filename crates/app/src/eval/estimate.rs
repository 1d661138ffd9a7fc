//! Figures with their intervals, from a bootstrap over games.

use std::collections::BTreeMap;

use ::data::Random;
use rayon::prelude::*;
use serde::Serialize;

use super::{
    mark::Mark,
    metrics::{METRICS, measure, outcome_order},
};

/// Times that the games are drawn anew.
const RESAMPLES: u64 = 200;

/// A figure and its 95 % interval; null where the model says nothing.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// By the names of the metrics.
pub(crate) type Estimates = BTreeMap<&'static str, Estimate>;

/// Measures marks.
pub(crate) fn estimate(mut marks: Vec<Mark>, seed: u64) -> Estimates {
    marks.sort_by(outcome_order);
    let mut present: Vec<usize> = marks.iter().map(|mark| mark.game).collect();
    present.sort_unstable();
    present.dedup();
    let figures = bootstrap(&present, seed, |weights| measure(&marks, weights));
    METRICS.iter().map(|metric| metric.0).zip(figures).collect()
}

/// Figures as `measure` gives them for weights by game, with intervals from drawing the games that are `present`, in rising
/// order, anew.
pub(crate) fn bootstrap<const N: usize>(
    present: &[usize],
    seed: u64,
    measure: impl Fn(&[f64]) -> [f64; N] + Sync,
) -> [Estimate; N] {
    let games = present.last().map_or(0, |last| last + 1);
    let figures = measure(&vec![1.0; games]);
    let resampled: Vec<[f64; N]> = (0..RESAMPLES)
        .into_par_iter()
        .map(|round| {
            let mut random = Random::keyed(seed, round);
            let mut weights = vec![0.0; games];
            present.iter().for_each(|_| weights[present[random.below(present.len())]] += 1.0);
            measure(&weights)
        })
        .collect();
    let interval = |at: usize| {
        let mut values: Vec<f64> =
            resampled.iter().map(|figures| figures[at]).filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let place = (share * values.len() as f64) as usize;
            values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
        };
        Estimate { value: figures[at], low: quantile(0.025), high: quantile(0.975) }
    };
    std::array::from_fn(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(games: usize, of_game: impl Fn(usize, usize) -> f64) -> Vec<Mark> {
        let mark = |game, right| Mark {
            game,
            top: [Some(right), None, None],
            chance: None,
            coverage: [None; 3],
            unlikely: None,
            origin: 0.0,
            target: 0.0,
            think: None,
            outcome: None,
        };
        (0..games)
            .flat_map(|game| (0..10).map(move |at| (game, at)))
            .map(|(game, at)| mark(game, of_game(game, at)))
            .collect()
    }

    #[test]
    fn intervals_hold_the_value_and_grow_when_games_hang_together() {
        let width = |marks| {
            let top = estimate(marks, 1)["top1"];
            assert!(top.low < top.value && top.value < top.high, "{top:?}");
            top.high - top.low
        };
        // Half of the moves are right: spread over all games, or all in one half of the games.
        let independent = width(marks(400, |game, at| {
            f64::from(u8::from(Random::keyed(game as u64, at as u64).chance(0.5)))
        }));
        let clustered = width(marks(400, |game, _| f64::from(u8::from(game % 2 == 0))));
        assert!(clustered > 2.0 * independent, "{clustered} {independent}");
        // Normal theory for 400 independent games: 2 x 1.96 x 0.5 / 20.
        assert!((clustered - 0.098).abs() < 0.03, "{clustered}");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let low = |seed| {
            estimate(marks(30, |game, at| f64::from(u8::from((game + at) % 3 == 0))), seed)["top1"].low
        };
        assert_eq!(low(5), low(5));
    }
}
