//! What games say of a player: the rating whose players would most likely have played her moves, on the whole and by phase, clock and
//! opening, and the points that she gave away there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Ratings at which every move is asked for.
pub(crate) const LADDER: [u16; 11] = [600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600];
/// Twice as much log-likelihood as 95 % of a chi-squared with one degree of freedom.
const LIKELIHOOD_DROP: f64 = 1.92;
/// Below that many moves an estimate says nothing.
const FEWEST_MOVES: u32 = 30;
const STEP: u16 = 10;

/// A part of the games: all, or those moves that have something in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slice {
    /// Moves whose likelihood was asked for, and the logarithm of it at each rating of the ladder.
    pub(crate) moves: u32,
    pub(crate) log_likelihood: [f64; LADDER.len()],
    /// Moves that the engine judged, and the chances that they gave away.
    pub(crate) judged: u32,
    pub(crate) loss: f64,
    pub(crate) games: u32,
    pub(crate) points: f64,
}

/// `kind/name` to what is known of it; `all/` is everything.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Profile(pub(crate) BTreeMap<String, Slice>);

/// What a slice is told as.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ProfilePart)]
pub(crate) struct Told {
    /// `all`, `phase`, `clock`, `colour` or `opening`.
    kind: String,
    name: String,
    moves: u32,
    games: u32,
    points: f64,
    /// Chances given away for each move.
    loss: Option<f64>,
    estimate: Option<Estimate>,
}

/// A rating with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Estimate {
    pub(crate) rating: u16,
    /// 95 %, as far as moves are independent of each other. An end of the ladder says: that or beyond.
    pub(crate) low: u16,
    pub(crate) high: u16,
}

impl Profile {
    pub(crate) fn of(&mut self, kind: &str, name: &str) -> &mut Slice {
        self.0.entry(format!("{kind}/{name}")).or_default()
    }

    pub(crate) fn add(&mut self, other: &Profile) {
        for (key, slice) in &other.0 {
            self.0.entry(key.clone()).or_default().add(slice);
        }
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        self.0
            .iter()
            .map(|(key, slice)| {
                let (kind, name) = key.split_once('/').unwrap_or((key, ""));
                Told {
                    kind: kind.to_owned(),
                    name: name.to_owned(),
                    moves: slice.judged.max(slice.moves),
                    games: slice.games,
                    points: slice.points,
                    loss: (slice.judged > 0).then(|| slice.loss / f64::from(slice.judged)),
                    estimate: slice.estimate(),
                }
            })
            .collect()
    }
}

impl Slice {
    fn add(&mut self, other: &Slice) {
        self.moves += other.moves;
        self.judged += other.judged;
        self.loss += other.loss;
        self.games += other.games;
        self.points += other.points;
        for (own, more) in self.log_likelihood.iter_mut().zip(other.log_likelihood) {
            *own += more;
        }
    }

    /// One move, by its chance at each rating of the ladder.
    pub(crate) fn observe(&mut self, chances: &[f32]) {
        self.moves += 1;
        for (sum, &chance) in self.log_likelihood.iter_mut().zip(chances) {
            // A move that a network holds for impossible was played all the same.
            *sum += f64::from(chance.max(1e-4)).ln();
        }
    }

    pub(crate) fn judge(&mut self, loss: f32) {
        self.judged += 1;
        self.loss += f64::from(loss);
    }

    pub(crate) fn estimate(&self) -> Option<Estimate> {
        if self.moves < FEWEST_MOVES {
            return None;
        }
        let ratings: Vec<u16> = (LADDER[0]..=LADDER[LADDER.len() - 1]).step_by(usize::from(STEP)).collect();
        let curve: Vec<f64> = ratings.iter().map(|&rating| self.at(rating)).collect();
        let best = (0..curve.len()).max_by(|&a, &b| curve[a].total_cmp(&curve[b]))?;
        let near = |index: &usize| curve[*index] >= curve[best] - LIKELIHOOD_DROP;
        Some(Estimate {
            rating: ratings[best],
            low: ratings[(0..=best).find(near)?],
            high: ratings[(best..curve.len()).rev().find(near)?],
        })
    }

    /// The log-likelihood between the rungs: a parabola through the three nearest.
    fn at(&self, rating: u16) -> f64 {
        let gap = f64::from(LADDER[1] - LADDER[0]);
        let place = f64::from(rating - LADDER[0]) / gap;
        let middle = (place.round() as usize).clamp(1, LADDER.len() - 2);
        let [a, b, c] = [-1_isize, 0, 1].map(|d| self.log_likelihood[middle.saturating_add_signed(d)]);
        let x = place - middle as f64;
        b + x * (c - a) / 2.0 + x * x * (a - 2.0 * b + c) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves that players of `rating` make most.
    fn games_of(rating: f32, moves: u32) -> Slice {
        let mut slice = Slice::default();
        let chances = LADDER.map(|rung| (0.5 - ((f32::from(rung) - rating) / 2000.0).powi(2)).max(0.01));
        (0..moves).for_each(|_| slice.observe(&chances));
        slice
    }

    #[test]
    fn the_rating_is_the_one_that_makes_the_moves_likeliest() {
        for rating in [900.0, 1450.0, 2010.0] {
            let estimate = games_of(rating, 400).estimate().unwrap();
            assert!((f32::from(estimate.rating) - rating).abs() <= 40.0, "{estimate:?} of {rating}");
            assert!(estimate.low < estimate.rating && estimate.rating < estimate.high);
        }
    }

    #[test]
    fn more_moves_make_the_interval_narrower_and_few_make_none() {
        let width = |moves| games_of(1500.0, moves).estimate().map(|e| e.high - e.low);
        assert!(width(2000) < width(200) && width(200).is_some());
        assert_eq!(width(FEWEST_MOVES - 1), None);
    }

    #[test]
    fn profiles_add_up() {
        let (mut one, mut other) = (Profile::default(), Profile::default());
        *one.of("all", "") = games_of(1500.0, 20);
        *other.of("all", "") = games_of(1500.0, 25);
        one.add(&other);
        assert_eq!(one.of("all", "").moves, 45);
        assert!(one.told()[0].estimate.is_some());
    }
}
