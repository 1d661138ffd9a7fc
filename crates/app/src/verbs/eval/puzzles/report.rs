//! The figures of `eval puzzles` as tables and as JSON.

use std::{collections::BTreeMap, fmt};

use ::data::Puzzle;
use serde::Serialize;

use crate::{
    eval::estimate::{Estimate, bootstrap},
    verbs::eval::engine::percent,
};

/// Points of rating to a row.
const BAND: u16 = 200;
/// Themes of fewer puzzles are left out.
const FEWEST: usize = 30;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    models: Vec<String>,
    puzzles: usize,
    /// In the order of the models, as everywhere.
    solved: Vec<Estimate>,
    /// What each further model solves beyond the first, on the same puzzles.
    beyond_first: Vec<Estimate>,
    /// The rating at which half are solved.
    half: Vec<Estimate>,
    by_rating: Vec<Row>,
    by_theme: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    puzzles: usize,
    solved: Vec<Estimate>,
    beyond_first: Vec<Estimate>,
}

impl Report {
    pub(super) fn new(puzzles: &[Puzzle], solved: &[(String, Vec<bool>)], seed: u64) -> Report {
        let shares = |kept: &[usize]| -> Vec<Estimate> {
            let of = |(_, solved): &(String, Vec<bool>)| {
                let [share] = bootstrap(kept, seed, |weights| [share(kept, solved, weights)]);
                share
            };
            solved.iter().map(of).collect()
        };
        // The interval of a difference is that of the difference itself: puzzles that are hard for one are hard for the other.
        let beyond_first = |kept: &[usize]| -> Vec<Estimate> {
            let Some(((_, first), others)) = solved.split_first() else { return Vec::new() };
            let of = |(_, solved): &(String, Vec<bool>)| {
                let less = |weights: &[f64]| share(kept, solved, weights) - share(kept, first, weights);
                let [difference] = bootstrap(kept, seed, |weights| [less(weights)]);
                difference
            };
            others.iter().map(of).collect()
        };
        let all: Vec<usize> = (0..puzzles.len()).collect();
        let half = solved.iter().map(|(_, solved)| {
            let ratings: Vec<f64> = puzzles.iter().map(|puzzle| puzzle.rating.into()).collect();
            let [half] = bootstrap(&all, seed, |weights| [half_solved(&ratings, solved, weights)]);
            half
        });
        let mut bands: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
        let mut themes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, puzzle) in puzzles.iter().enumerate() {
            bands.entry(puzzle.rating / BAND * BAND).or_default().push(at);
            puzzle.themes.iter().for_each(|theme| themes.entry(theme).or_default().push(at));
        }
        let row = |name: String, kept: &[usize]| {
            let (solved, beyond_first) = (shares(kept), beyond_first(kept));
            Row { name, puzzles: kept.len(), solved, beyond_first }
        };
        let by_rating = bands.iter().map(|(band, kept)| row(format!("{band} to {}", band + BAND - 1), kept));
        let common = themes.iter().filter(|(_, kept)| kept.len() >= FEWEST);
        Report {
            models: solved.iter().map(|(name, _)| name.clone()).collect(),
            puzzles: puzzles.len(),
            solved: shares(&all),
            beyond_first: beyond_first(&all),
            half: half.collect(),
            by_rating: by_rating.collect(),
            by_theme: common.map(|(theme, kept)| row((*theme).to_owned(), kept)).collect(),
        }
    }
}

fn share(kept: &[usize], solved: &[bool], weights: &[f64]) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for &at in kept {
        sum += weights[at] * f64::from(u8::from(solved[at]));
        weight += weights[at];
    }
    sum / weight
}

/// Where the curve `1 / (1 + e^((rating - half) / scale))` that fits best crosses a half, by Newton's method on its two numbers. A weak
/// pull towards a flat curve keeps it finite where all or none are solved.
fn half_solved(ratings: &[f64], solved: &[bool], weights: &[f64]) -> f64 {
    const MIDDLE: f64 = 1500.0;
    const UNIT: f64 = 400.0;
    const PULL: f64 = 1e-3;
    let (mut base, mut slope) = (0.0, -1.0);
    for _ in 0..30 {
        let (mut g0, mut g1) = (0.0, -PULL * slope);
        let (mut h00, mut h01, mut h11) = (PULL, 0.0, PULL);
        for ((&rating, &solved), &weight) in ratings.iter().zip(solved).zip(weights) {
            let x = (rating - MIDDLE) / UNIT;
            let chance = 1.0 / (1.0 + (-(base + slope * x)).exp());
            let error = weight * (f64::from(u8::from(solved)) - chance);
            let curve = weight * chance * (1.0 - chance);
            (g0, g1) = (g0 + error, g1 + error * x);
            (h00, h01, h11) = (h00 + curve, h01 + curve * x, h11 + curve * x * x);
        }
        let determinant = h00 * h11 - h01 * h01;
        let (step0, step1) = ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant);
        base += step0.clamp(-2.0, 2.0);
        slope += step1.clamp(-2.0, 2.0);
        if step0.abs() + step1.abs() < 1e-9 {
            break;
        }
    }
    MIDDLE - UNIT * base / slope
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} puzzles solved whole, in percent with 95 % intervals\n", self.puzzles)?;
        write!(f, "{:>32}", "")?;
        self.models.iter().try_for_each(|model| write!(f, "{model:>24}"))?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, puzzles: usize, cells: &[String]| {
            write!(f, "\n{name:<24}{puzzles:>8}")?;
            cells.iter().try_for_each(|cell| write!(f, "{cell:>24}"))
        };
        let cells = |estimates: &[Estimate]| estimates.iter().map(|&one| percent(one)).collect::<Vec<_>>();
        line(f, "all", self.puzzles, &cells(&self.solved))?;
        let ratings =
            self.half.iter().map(|half| format!("{:.0} ({:.0} to {:.0})", half.value, half.low, half.high));
        line(f, "half solved at", self.puzzles, &ratings.collect::<Vec<_>>())?;
        for row in self.by_rating.iter().chain(&self.by_theme) {
            line(f, &row.name, row.puzzles, &cells(&row.solved))?;
        }
        if let Some((first, others)) = self.models.split_first().filter(|(_, others)| !others.is_empty()) {
            writeln!(f, "\n\nSolved beyond {first} on the same puzzles\n")?;
            write!(f, "{:>32}", "")?;
            others.iter().try_for_each(|model| write!(f, "{model:>24}"))?;
            line(f, "all", self.puzzles, &cells(&self.beyond_first))?;
            for row in self.by_rating.iter().chain(&self.by_theme) {
                line(f, &row.name, row.puzzles, &cells(&row.beyond_first))?;
            }
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use ::data::Random;

    use super::*;

    #[test]
    fn the_rating_at_which_half_are_solved_is_found() {
        let mut random = Random::new(7);
        let ratings: Vec<f64> = (0..4000).map(|_| 600.0 + random.below(2000) as f64).collect();
        let chance = |rating: f64| 1.0 / (1.0 + ((rating - 1340.0) / 200.0).exp());
        let solved: Vec<bool> = ratings.iter().map(|&rating| random.chance(chance(rating))).collect();
        let half = half_solved(&ratings, &solved, &vec![1.0; ratings.len()]);
        assert!((half - 1340.0).abs() < 20.0, "{half}");
        assert!(half_solved(&ratings, &vec![false; 4000], &vec![1.0; 4000]).is_finite());
    }

    #[test]
    fn models_are_compared_with_the_first_puzzle_by_puzzle() {
        let puzzle = |at: u16| Puzzle {
            id: at.to_string(),
            moment: chess::Moment::default(),
            solution: Vec::new(),
            rating: 1000 + at,
            deviation: None,
            popularity: None,
            plays: None,
            themes: vec!["pin".to_owned()],
            game_url: None,
            openings: Vec::new(),
        };
        let puzzles: Vec<Puzzle> = (0..200).map(puzzle).collect();
        let of = |name: &str, every: usize| (name.to_owned(), (0..200).map(|at| at % every == 0).collect());
        let report = Report::new(&puzzles, &[of("half", 2), of("same", 2), of("quarter", 4)], 1);
        for differences in [&report.beyond_first, &report.by_theme[0].beyond_first] {
            let [same, quarter] = &differences[..] else { panic!("{differences:?}") };
            assert_eq!((same.value, same.low, same.high), (0.0, 0.0, 0.0));
            assert!((quarter.value + 0.25).abs() < 1e-9 && quarter.high < -0.15, "{quarter:?}");
        }
        let text = report.to_string();
        assert!(text.contains("Solved beyond half") && text.matches("pin").count() == 2, "{text}");
    }

    #[test]
    fn shares_count_weights() {
        assert_eq!(share(&[0, 1, 2], &[true, false, true], &[1.0, 2.0, 1.0]), 0.5);
        assert_eq!(share(&[1], &[true, false, true], &[1.0, 2.0, 1.0]), 0.0);
    }
}
