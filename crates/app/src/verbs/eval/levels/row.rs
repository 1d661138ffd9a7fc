//! A rating's figures: people, the level as it plays, and the dials at which it would err as they do.

use rayon::prelude::*;

use super::losses::{BOUNDS, Dials, Losses, QUANTITIES};

/// Dials that are tried.
const TEMPERATURES: std::ops::RangeInclusive<u32> = 4..=14;
const TOLERATED: [f32; 13] = [1.0, 0.9, 0.75, 0.6, 0.5, 0.4, 0.3, 0.24, 0.18, 0.13, 0.09, 0.06, 0.04];

#[derive(Debug, serde::Serialize)]
pub(super) struct Row {
    pub(super) rating: u16,
    pub(super) positions: usize,
    /// Mean loss, and shares beyond the bounds, of mates missed and of pieces hung, each with half of its 95 % interval.
    pub(super) people: [(f64, f64); QUANTITIES],
    pub(super) level: Fit,
    pub(super) fitted: Fit,
}

#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(super) struct Fit {
    pub(super) dials: Dials,
    pub(super) losses: [f64; QUANTITIES],
    /// Quantities within the intervals of people.
    pub(super) within: usize,
}

impl Row {
    /// `level` are the dials with which the mind plays now.
    pub(super) fn new(rating: u16, losses: &[Losses], level: Dials) -> Row {
        let people = people(losses);
        let grid: Vec<Dials> = TEMPERATURES
            .flat_map(|tenths| {
                TOLERATED.map(|tolerated| Dials { temperature: tenths as f32 / 10.0, tolerated })
            })
            .collect();
        let fits = grid.into_par_iter().map(|dials| Fit::new(dials, losses, &people));
        let fitted = fits.min_by(|a, b| a.distance(&people).total_cmp(&b.distance(&people)));
        Row {
            rating,
            positions: losses.len(),
            level: Fit::new(level, losses, &people),
            fitted: fitted.expect("a grid of dials"),
            people,
        }
    }

    pub(super) fn head() -> String {
        let bounds: String =
            BOUNDS.iter().map(|bound| format!("{:>14}", format!("over {:.0} %", 100.0 * bound))).collect();
        format!(
            "{:<18}{:>10}{:>8}{:>8}{:>14}{bounds}{:>14}{:>14}{:>9}",
            "rating", "positions", "warmth", "guard", "lost", "mates missed", "pieces hung", "within"
        )
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:<18}{:>10}{:>16}", format!("{} people", self.rating), self.positions, "")?;
        for (value, half) in self.people {
            write!(f, "{:>14}", format!("{:.1} ± {:.1} %", 100.0 * value, 100.0 * half))?;
        }
        for (name, fit) in [("level", &self.level), ("fitted", &self.fitted)] {
            let Dials { temperature, tolerated } = fit.dials;
            write!(f, "\n{:<18}{:>10}{temperature:>8.2}{tolerated:>8.2}", format!("     {name}"), "")?;
            fit.losses.iter().try_for_each(|value| write!(f, "{:>14}", format!("{:.1} %", 100.0 * value)))?;
            write!(f, "{:>9}", format!("{} of {QUANTITIES}", fit.within))?;
        }
        Ok(())
    }
}

impl Fit {
    fn new(dials: Dials, losses: &[Losses], people: &[(f64, f64); QUANTITIES]) -> Fit {
        let means = means(losses, |losses| losses.mind(dials));
        let within = means.iter().zip(people).filter(|(mean, (value, half))| (*mean - value).abs() <= *half);
        Fit { dials, within: within.count(), losses: means }
    }

    /// Squared distances in units of people's intervals.
    fn distance(&self, people: &[(f64, f64); QUANTITIES]) -> f64 {
        let squares = self.losses.iter().zip(people);
        squares.map(|(mean, (value, half))| ((mean - value) / half.max(1e-4)).powi(2)).sum()
    }
}

fn means(losses: &[Losses], of: impl Fn(&Losses) -> [f64; QUANTITIES]) -> [f64; QUANTITIES] {
    let mut sums = [0.0; QUANTITIES];
    for losses in losses {
        sums.iter_mut().zip(of(losses)).for_each(|(sum, value)| *sum += value);
    }
    sums.map(|sum| sum / losses.len().max(1) as f64)
}

fn people(losses: &[Losses]) -> [(f64, f64); QUANTITIES] {
    let values = means(losses, Losses::person);
    let squares = means(losses, |losses| losses.person().map(|value| value * value));
    std::array::from_fn(|at| {
        let variance = (squares[at] - values[at] * values[at]).max(0.0);
        (values[at], 1.96 * (variance / losses.len().max(1) as f64).sqrt())
    })
}
