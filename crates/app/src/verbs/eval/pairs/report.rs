//! All figures in one place, as a table and as JSON.

use std::fmt;

use ::data::Dataset;
use serde::Serialize;

use super::{super::value::model::Model, contest::Pair, source::Source};
use crate::eval::estimate::{Estimate, bootstrap};

#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Fingerprint of the dataset.
    data: String,
    models: Vec<String>,
    sources: Vec<Part>,
}

#[derive(Debug, Serialize)]
struct Part {
    source: Source,
    pairs: usize,
    positions: usize,
    games: usize,
    /// Share of pairs in which the won position is preferred, in the order of the models.
    accuracy: Vec<Estimate>,
}

impl Report {
    pub(super) fn new(dataset: &Dataset, models: &[Model]) -> Report {
        let models = models.iter().map(|model| model.name().to_owned()).collect();
        Report { data: dataset.card.fingerprint.to_string(), models, sources: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// `games` are those of the positions, `marks` those of the pairs by model.
    pub(super) fn add(
        &mut self,
        source: Source,
        games: &[usize],
        pairs: &[Pair],
        marks: &[Vec<f64>],
        seed: u64,
    ) {
        let mut present = games.to_vec();
        present.sort_unstable();
        present.dedup();
        let accuracy = |marks: &Vec<f64>| {
            let measure = |weights: &[f64]| {
                let (mut right, mut all) = (0.0, 0.0);
                for (&(won, lost), mark) in pairs.iter().zip(marks) {
                    let weight = weights[games[won]] * weights[games[lost]];
                    (right, all) = (right + weight * mark, all + weight);
                }
                [right / all]
            };
            let [estimate] = bootstrap(&present, seed, measure);
            estimate
        };
        self.sources.push(Part {
            source,
            pairs: pairs.len(),
            positions: games.len(),
            games: present.len(),
            accuracy: marks.iter().map(accuracy).collect(),
        });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<24}", "share of pairs in order")?;
        for Part { source, .. } in &self.sources {
            write!(f, "{:>20}", source.name())?;
        }
        writeln!(f)?;
        for (at, model) in self.models.iter().enumerate() {
            write!(f, "{:<24}", model.chars().take(23).collect::<String>())?;
            for Part { accuracy, .. } in &self.sources {
                let Estimate { value, low, high } = accuracy[at];
                write!(
                    f,
                    "{:>20}",
                    format!("{:.1} % ({:.1}-{:.1})", 100.0 * value, 100.0 * low, 100.0 * high)
                )?;
            }
            writeln!(f)?;
        }
        writeln!(f)?;
        for Part { source, pairs, positions, games, .. } in &self.sources {
            writeln!(f, "{}: {pairs} pairs of {positions} positions from {games} games", source.name())?;
        }
        writeln!(f, "In brackets 95 % intervals from a bootstrap over games; equal values are half right.")
    }
}
