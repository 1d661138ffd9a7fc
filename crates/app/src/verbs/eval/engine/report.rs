//! The figures of `eval engine` as tables and as JSON: over all positions, by source and by phase.

use std::{collections::BTreeMap, fmt};

use ::data::{Dataset, Sample};
use serde::Serialize;

use super::verdict::{Verdict, phase, source};
use crate::eval::estimate::{Estimate, bootstrap};

/// Name in JSON and head in tables; all are shares but the last, which is expected score.
const FIGURES: [(&str, &str); 4] = [
    ("best_move", "best move"),
    ("best_in_3", "among 3"),
    ("within_30_cp", "within 30 cp"),
    ("loss", "loss"),
];

#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Fingerprint of the dataset.
    data: String,
    labels: String,
    models: Vec<String>,
    parts: Vec<Part>,
}

#[derive(Debug, Serialize)]
struct Part {
    name: String,
    positions: usize,
    games: usize,
    /// In the order of the models.
    figures: Vec<BTreeMap<&'static str, Estimate>>,
}

impl Report {
    pub(super) fn new(
        dataset: &Dataset,
        labels: &str,
        samples: &[Sample],
        games: &[usize],
        judged: &[(String, Vec<Verdict>)],
        seed: u64,
    ) -> Report {
        let part = |name: &str, keeps: &dyn Fn(&Sample) -> bool| {
            let kept: Vec<usize> = (0..samples.len()).filter(|&at| keeps(&samples[at])).collect();
            let mut present: Vec<usize> = kept.iter().map(|&at| games[at]).collect();
            present.sort_unstable();
            present.dedup();
            let figures = judged.iter().map(|(_, verdicts)| {
                let found = bootstrap(&present, seed, |weights| measure(&kept, games, verdicts, weights));
                FIGURES.iter().map(|figure| figure.0).zip(found).collect()
            });
            let figures = figures.collect();
            Part { name: name.to_owned(), positions: kept.len(), games: present.len(), figures }
        };
        let mut parts = vec![part("all positions", &|_| true)];
        for group in [source as fn(&Sample) -> &'static str, phase] {
            let mut names: Vec<&str> = samples.iter().map(group).collect();
            names.sort_unstable();
            names.dedup();
            parts.extend(names.into_iter().map(|name| part(name, &|sample| group(sample) == name)));
        }
        Report {
            data: dataset.card.fingerprint.to_string(),
            labels: labels.to_owned(),
            models: judged.iter().map(|(name, _)| name.clone()).collect(),
            parts,
        }
    }
}

fn measure(kept: &[usize], games: &[usize], verdicts: &[Verdict], weights: &[f64]) -> [f64; FIGURES.len()] {
    let mean = |of: fn(&Verdict) -> Option<f64>| {
        let (mut sum, mut weight) = (0.0, 0.0);
        for &at in kept {
            if let Some(value) = of(&verdicts[at]) {
                sum += weights[games[at]] * value;
                weight += weights[games[at]];
            }
        }
        sum / weight
    };
    [
        mean(|verdict| verdict.first),
        mean(|verdict| verdict.among_three),
        mean(|verdict| verdict.good),
        mean(|verdict| verdict.loss),
    ]
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Labels `{}` of the dataset {}, in percent with 95 % intervals", self.labels, self.data)?;
        let wide = self.models.iter().map(String::len).max().unwrap_or(0).max(8);
        for part in &self.parts {
            writeln!(f, "\n{}: {} positions of {} games", part.name, part.positions, part.games)?;
            write!(f, "  {:wide$}", "")?;
            FIGURES.iter().try_for_each(|(_, head)| write!(f, "{head:>22}"))?;
            writeln!(f)?;
            for (model, figures) in self.models.iter().zip(&part.figures) {
                write!(f, "  {model:wide$}")?;
                for (name, _) in FIGURES {
                    write!(f, "{:>22}", percent(figures[name]))?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// `44.1 (43.0 to 45.2)`; a dash where nothing is known.
pub(in crate::verbs::eval) fn percent(Estimate { value, low, high }: Estimate) -> String {
    match value.is_finite() {
        true => format!("{:.1} ({:.1} to {:.1})", 100.0 * value, 100.0 * low, 100.0 * high),
        false => "-".to_owned(),
    }
}
