//! All figures in one place, as tables and as JSON.

use std::fmt;

use ::data::{Dataset, Sample};
use serde::Serialize;

use crate::eval::{
    estimate::{Estimate, Estimates, estimate},
    expectations::Expectations,
    mark::Mark,
    metrics::{Format, METRICS},
    paired::{Paired, paired},
    variables::{VARIABLES, clock_s},
};

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Fingerprint of the dataset.
    data: String,
    pub(crate) models: Vec<String>,
    pub(crate) conventions: Vec<Convention>,
    /// By the names of minds that put a value on positions.
    expectations: Vec<(String, Expectations)>,
}

/// Figures over the positions that a convention keeps.
#[derive(Debug, Serialize)]
pub(crate) struct Convention {
    pub(crate) name: &'static str,
    positions: usize,
    games: usize,
    /// In the order of the models.
    overall: Vec<Estimates>,
    /// The models after the first that was named, less that one.
    paired: Vec<Paired>,
    pub(crate) by: Vec<Breakdown>,
}

/// Figures by one variable.
#[derive(Debug, Serialize)]
pub(crate) struct Breakdown {
    pub(crate) variable: &'static str,
    pub(crate) title: &'static str,
    pub(crate) bins: Vec<Bin>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Bin {
    pub(crate) label: String,
    pub(crate) positions: usize,
    /// In the order of the models.
    pub(crate) figures: Vec<Estimates>,
    pub(crate) paired: Vec<Paired>,
}

/// Whether a convention counts a position.
type Keeps = fn(&Sample) -> bool;

const CONVENTIONS: [(&str, Keeps); 2] = [
    ("all positions", |_| true),
    // Without a clock nobody can be short of time.
    ("Maia's convention", |sample| sample.ply >= 10 && clock_s(sample).is_none_or(|seconds| seconds >= 30)),
];

impl Report {
    pub(crate) fn new(
        dataset: &Dataset,
        samples: &[Sample],
        marked: &[(String, Vec<Mark>)],
        seed: u64,
    ) -> Report {
        let conventions = CONVENTIONS.iter().map(|(name, keeps)| {
            let kept: Vec<usize> = (0..samples.len()).filter(|&at| keeps(&samples[at])).collect();
            Convention::new(name, samples, &kept, marked, seed)
        });
        Report {
            data: dataset.card.fingerprint.to_string(),
            models: marked.iter().map(|(name, _)| name.clone()).collect(),
            conventions: conventions.collect(),
            expectations: Vec::new(),
        }
    }

    pub(crate) fn expecting(self, expectations: Vec<(String, Expectations)>) -> Report {
        Report { expectations, ..self }
    }
}

impl Convention {
    fn new(
        name: &'static str,
        samples: &[Sample],
        kept: &[usize],
        marked: &[(String, Vec<Mark>)],
        seed: u64,
    ) -> Convention {
        let figures = |places: &[usize]| -> Vec<Estimates> {
            let of = |marks: &Vec<Mark>| estimate(places.iter().map(|&at| marks[at]).collect(), seed);
            marked.iter().map(|(_, marks)| of(marks)).collect()
        };
        // The guess stands before the models that were named.
        let compared = |places: &[usize]| -> Vec<Paired> {
            let of = |marks: &Vec<Mark>| places.iter().map(|&at| marks[at]).collect::<Vec<_>>();
            let Some((_, first)) = marked.get(1) else { return Vec::new() };
            let first = of(first);
            marked.iter().skip(2).map(|(_, marks)| paired(&of(marks), &first, seed)).collect()
        };
        let by = VARIABLES.iter().map(|variable| {
            let places = |bin| -> Vec<usize> {
                kept.iter().copied().filter(|&at| variable.bin(&samples[at]) == Some(bin)).collect()
            };
            let bins = (0..variable.bins()).map(|bin| (variable.label(bin), places(bin)));
            let bins = bins.filter(|(_, places)| !places.is_empty()).map(|(label, places)| Bin {
                label,
                positions: places.len(),
                figures: figures(&places),
                paired: compared(&places),
            });
            Breakdown { variable: variable.name, title: variable.title, bins: bins.collect() }
        });
        let mut present: Vec<&str> = kept.iter().map(|&at| samples[at].game.id.as_str()).collect();
        present.sort_unstable();
        present.dedup();
        Convention {
            name,
            positions: kept.len(),
            games: present.len(),
            overall: figures(kept),
            paired: compared(kept),
            by: by.collect(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for convention in &self.conventions {
            let Convention { name, positions, games, .. } = convention;
            writeln!(f, "{name}: {positions} positions of {games} games\n")?;
            overall(f, &self.models, convention)?;
            self.comparison(f, convention)?;
            for breakdown in &convention.by {
                self.breakdown(f, breakdown)?;
            }
        }
        for (model, expectations) in &self.expectations {
            writeln!(f, "{model}: what it expects of games")?;
            writeln!(f, "{expectations}")?;
        }
        writeln!(
            f,
            "± is half of a 95 % interval from a bootstrap over games. Origin and target are sums over the moves' chances;"
        )?;
        writeln!(
            f,
            "AUC leaves draws out; ECE is over ten bins of the expected score; MAE is that of the mean think time."
        )
    }
}

/// One row for a metric, one column for a model.
fn overall(f: &mut fmt::Formatter<'_>, models: &[String], convention: &Convention) -> fmt::Result {
    header(f, "", models)?;
    for (name, head, format) in METRICS {
        write!(f, "{head:<24}")?;
        for figures in &convention.overall {
            write!(f, "{:>20}", written(figures[name], format))?;
        }
        writeln!(f)?;
    }
    writeln!(f)
}

impl Report {
    /// Models less the first, over all positions and by the player's rating.
    fn comparison(&self, f: &mut fmt::Formatter<'_>, convention: &Convention) -> fmt::Result {
        let Some(models) = self.models.get(2..).filter(|models| !models.is_empty()) else { return Ok(()) };
        header(f, &format!("less {}", self.models[1]), models)?;
        let mut row = |label: &str, written: Vec<String>| {
            write!(f, "{label:<24}")?;
            written.iter().try_for_each(|written| write!(f, "{written:>20}"))?;
            writeln!(f)
        };
        let top1 =
            |paired: &[Paired]| paired.iter().map(|paired| written(paired.top1, Format::Percent)).collect();
        row("top-1", top1(&convention.paired))?;
        row(
            "loss of the move",
            convention.paired.iter().map(|paired| written(paired.move_loss, Format::Fine)).collect(),
        )?;
        let by_rating = convention.by.iter().filter(|breakdown| breakdown.variable == "rating");
        for bin in by_rating.flat_map(|breakdown| &breakdown.bins) {
            row(&format!("top-1, {}", bin.label), top1(&bin.paired))?;
        }
        writeln!(f)
    }

    /// Accuracy of the first choice, bin by bin.
    fn breakdown(&self, f: &mut fmt::Formatter<'_>, breakdown: &Breakdown) -> fmt::Result {
        writeln!(f, "top-1 by {}", breakdown.title)?;
        header(f, "       positions", &self.models)?;
        for bin in &breakdown.bins {
            write!(f, "{:<14}{:>10}", bin.label, bin.positions)?;
            for figures in &bin.figures {
                write!(f, "{:>20}", written(figures["top1"], Format::Percent))?;
            }
            writeln!(f)?;
        }
        writeln!(f)
    }
}

fn header(f: &mut fmt::Formatter<'_>, first: &str, models: &[String]) -> fmt::Result {
    write!(f, "{first:<24}")?;
    models.iter().try_for_each(|model| write!(f, "{:>20}", model.chars().take(19).collect::<String>()))?;
    writeln!(f)
}

fn written(estimate: Estimate, format: Format) -> String {
    let Estimate { value, low, high } = estimate;
    if !value.is_finite() {
        return "-".to_owned();
    }
    let half = (high - low) / 2.0;
    match format {
        Format::Percent => format!("{:.2} ± {:.2} %", 100.0 * value, 100.0 * half),
        Format::Plain => format!("{value:.2} ± {half:.2}"),
        Format::Fine => format!("{value:.3} ± {half:.3}"),
    }
}
