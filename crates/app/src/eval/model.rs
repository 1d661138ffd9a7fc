//! What can be held against people's moves, and how it is asked.

use std::{path::Path, sync::Arc};

use ::data::Sample;
use anyhow::{Context, ensure};
use chess::{Brain, Moment, Wants};
use indicatif::ProgressBar;

use super::{
    mark::{Forecast, Moves},
    rival,
};
use crate::{
    arena::{
        entrant::{Common, Entrant},
        pace::Pace,
    },
    minds::{MINDS, Names, Passes},
};

pub(crate) enum Model {
    /// Every legal move is as likely as any other.
    Uniform,
    /// Judged in batches.
    Brain { name: String, brain: Arc<dyn Brain> },
    /// A search or an engine's process, asked for its move.
    Rival { entrant: Box<Entrant>, common: Common },
}

impl Model {
    pub(crate) fn parse(text: &str, pace: Pace) -> anyhow::Result<Model> {
        Model::with_passes(text, pace, Passes::default())
    }

    /// `passes` is for networks that think as often as they are told.
    pub(crate) fn with_passes(text: &str, pace: Pace, passes: Passes) -> anyhow::Result<Model> {
        if text == "uniform" {
            return Ok(Model::Uniform);
        }
        let file = Path::new(text);
        let ours = file.extension().is_some_and(|extension| extension == "safetensors");
        if ours || nets::others::is_other(file) {
            let names = Names { weights: Some(file.to_owned()), passes, ..Names::default() };
            return Model::brain(&names, name_of(file));
        }
        if MINDS[1..].contains(&text) {
            return Model::brain(&Names { passes, ..Names::parse(text) }, text.to_owned());
        }
        let common = Common { hash_mb: 16, threads: 1, pace, chess960: false };
        Ok(Model::Rival { entrant: Box::new(Entrant::parse(text, &common)?), common })
    }

    fn brain(names: &Names, name: String) -> anyhow::Result<Model> {
        Ok(Model::Brain { name, brain: names.mind()?.brain })
    }

    /// The same by another name.
    pub(crate) fn named(self, name: String) -> Model {
        match self {
            Model::Brain { brain, .. } => Model::Brain { name, brain },
            other => other,
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Model::Uniform => "uniform",
            Model::Brain { name, .. } => name,
            Model::Rival { entrant, .. } => &entrant.name,
        }
    }

    /// One forecast for each sample, in order.
    pub(crate) fn forecast(
        &self,
        samples: &[Sample],
        batch: usize,
        engines: usize,
        bar: &ProgressBar,
    ) -> anyhow::Result<Vec<Forecast>> {
        match self {
            Model::Uniform => Ok(samples.iter().map(uniform).collect()),
            Model::Brain { brain, .. } => judge(brain.as_ref(), samples, batch, bar),
            Model::Rival { entrant, common } => rival::forecast(entrant, common, samples, engines, bar),
        }
    }
}

/// A file of weights by its name, the best weights of a run by the run's.
pub(crate) fn name_of(file: &Path) -> String {
    let own = file.file_stem().unwrap_or_default();
    let run = file.parent().and_then(Path::file_name).filter(|_| own == "best");
    run.unwrap_or(own).to_string_lossy().into_owned()
}

fn uniform(sample: &Sample) -> Forecast {
    let moves = sample.moment.legal_moves().len();
    Forecast { moves: Moves::Chances(vec![1.0 / moves as f32; moves]), wdl: None, think: None }
}

fn judge(
    brain: &dyn Brain,
    samples: &[Sample],
    batch: usize,
    bar: &ProgressBar,
) -> anyhow::Result<Vec<Forecast>> {
    ensure!(brain.traits().policy.is_some(), "it has no opinion on moves");
    let mut forecasts = Vec::new();
    for samples in samples.chunks(batch) {
        let moments: Vec<Moment> = samples.iter().map(|sample| sample.moment.clone()).collect();
        let opinions = brain.judge(&moments, Wants { line: false, ..Wants::ALL });
        ensure!(opinions.len() == moments.len(), "{} answers to {} moments", opinions.len(), moments.len());
        for opinion in opinions {
            let policy = opinion.policy.context("it has no opinion on moves")?;
            forecasts.push(Forecast {
                moves: Moves::Chances(policy),
                wdl: opinion.wdl,
                think: opinion.think,
            });
        }
        bar.inc(samples.len() as u64);
    }
    Ok(forecasts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_runs_go_by_the_name_of_the_run() {
        for (file, name) in [
            ("runs/taught/best.safetensors", "taught"),
            ("models/human.safetensors", "human"),
            ("best.onnx", "best"),
        ] {
            assert_eq!(name_of(Path::new(file)), name);
        }
    }

    #[test]
    fn models_are_minds_files_or_commands() {
        let kind = |text: &str| match Model::parse(text, Pace::default()) {
            Ok(Model::Uniform) => "uniform".to_owned(),
            Ok(Model::Brain { name, .. }) => format!("brain {name}"),
            Ok(Model::Rival { entrant, .. }) => format!("rival {}", entrant.name),
            Err(error) => format!("{error:#}"),
        };
        assert_eq!(kind("uniform"), "uniform");
        assert_eq!(kind("stockfish;name=sf;nodes=100"), "rival sf");
        assert_eq!(kind("heuristic"), "rival heuristic");
        assert!(
            kind("nowhere.safetensors").starts_with("nowhere.safetensors: "),
            "{}",
            kind("nowhere.safetensors")
        );
        assert!(kind("stockfish;nodes=x").contains("nodes=x is not a number"));
    }
}
