//! All figures in one place, as tables and as JSON.

use std::{collections::BTreeMap, fmt};

use ::data::Dataset;
use chess::Evaluation;
use serde::Serialize;

use super::order::{METRICS, Orders};
use crate::eval::estimate::{Estimate, bootstrap};

#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Fingerprint of the dataset.
    data: String,
    models: Vec<String>,
    parts: Vec<Part>,
}

/// Figures over some of the positions.
#[derive(Debug, Serialize)]
struct Part {
    name: &'static str,
    positions: usize,
    games: usize,
    /// In the order of the models.
    figures: Vec<BTreeMap<&'static str, Estimate>>,
}

/// Whether a part counts a position.
type Keeps = fn(Evaluation) -> bool;

const PARTS: [(&str, Keeps); 3] = [
    ("all positions", |_| true),
    ("without mates", |value| value.as_mate().is_none()),
    ("mates only", |value| value.as_mate().is_some()),
];

impl Report {
    /// `truth`, `games` and the values of all models are aligned.
    pub(super) fn new(
        dataset: &Dataset,
        truth: &[Evaluation],
        games: &[usize],
        values: &[(String, Vec<f32>)],
        seed: u64,
    ) -> Report {
        let part = |(name, keeps): &(&'static str, Keeps)| {
            let kept: Vec<usize> = (0..truth.len()).filter(|&at| keeps(truth[at])).collect();
            let mut present: Vec<usize> = kept.iter().map(|&at| games[at]).collect();
            let games_of_kept = present.clone();
            present.sort_unstable();
            present.dedup();
            let truth: Vec<f32> = kept.iter().map(|&at| f32::from(truth[at].0)).collect();
            let figures = |(_, values): &(String, Vec<f32>)| {
                let guess: Vec<f32> = kept.iter().map(|&at| values[at]).collect();
                let orders = Orders::new(&truth, &guess, games_of_kept.clone());
                let found = bootstrap(&present, seed, |weights| orders.measure(weights));
                METRICS.iter().map(|metric| metric.0).zip(found).collect()
            };
            let figures = values.iter().map(figures).collect();
            Part { name, positions: kept.len(), games: present.len(), figures }
        };
        Report {
            data: dataset.card.fingerprint.to_string(),
            models: values.iter().map(|(name, _)| name.clone()).collect(),
            parts: PARTS.iter().map(part).collect(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Part { name, positions, games, figures } in &self.parts {
            writeln!(f, "{name}: {positions} positions of {games} games\n")?;
            write!(f, "{:<16}", "")?;
            for model in &self.models {
                write!(f, "{:>20}", model.chars().take(19).collect::<String>())?;
            }
            writeln!(f)?;
            for (metric, head) in METRICS {
                write!(f, "{head:<16}")?;
                for figures in figures {
                    let Estimate { value, low, high } = figures[metric];
                    let cell = match value.is_finite() {
                        true => format!("{value:.4} ± {:.4}", (high - low) / 2.0),
                        false => "-".to_owned(),
                    };
                    write!(f, "{cell:>20}")?;
                }
                writeln!(f)?;
            }
            writeln!(f)?;
        }
        writeln!(
            f,
            "± is half of a 95 % interval from a bootstrap over games. Pair accuracy is over pairs with unequal"
        )?;
        writeln!(f, "evaluations; equal guesses are half right.")
    }
}
