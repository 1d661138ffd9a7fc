//! `tabiya eval agreement`: whether a network says the same whichever way this CPU computes it.

use std::{
    env,
    io::{Write, stdout},
    path::PathBuf,
    process::{Command, ExitCode},
};

use ::data::{Dataset, Players, Sample};
use anyhow::{Context, ensure};
use chess::{Brain, Moment, Wants};

use crate::{
    arena::pace::Pace,
    eval::{mark::Moves, model::Model, selection::Selection},
    terminal::progress::bar,
    verbs::data::label::{SplitChoice, split},
};

/// Compare what a network says of the same positions when this CPU computes it in two ways.
///
/// The one way is that of this process, as TABIYA_CPU says; the other is a child process that --with tells. Of a mind that has values
/// and no chances of moves, such as the comparator, the expected scores after the moves stand for the chances.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A mind's name (human, ranker) or a file of weights
    #[arg(value_name = "MODEL")]
    model: String,
    /// Folder of the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The other way to compute, as in TABIYA_CPU: portable, avx2, avx512, bf16, int8, amx
    #[arg(long, default_value = "portable", value_name = "LEVEL")]
    with: String,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "test", value_parser = split)]
    split: SplitChoice,
    /// Positions to look at; 0 takes all
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    positions: usize,
    /// Seed of the draw of positions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print what is said of each position instead, a line of JSON each: chances of the legal moves, and the expected score
    #[arg(long)]
    chances: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is said of a position: chances of the legal moves, and the expected score where the network has one.
type Said = (Vec<f32>, Option<f32>);

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // The model first: a typo must not wait for the data.
    let model = Model::parse(&args.model, Pace::default()).with_context(|| format!("`{}`", args.model))?;
    ensure!(matches!(model, Model::Brain { .. }), "`{}` is no network", args.model);
    let selection = Selection {
        policy: "all",
        split: args.split.0,
        players: Players::All,
        positions: args.positions,
        seed: args.seed,
        speeds: &[],
        ratings: None,
        max_per_account: 0,
    };
    let here = said(&model, &selection.draw(&Dataset::open(&args.data)?)?)?;
    let mut out = stdout().lock();
    if args.chances {
        for said in &here {
            writeln!(out, "{}", serde_json::to_string(said)?)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let there = elsewhere(args)?;
    ensure!(here.len() == there.len(), "{} positions here, {} there", here.len(), there.len());
    let Agreement { top, moved, outcome } = Agreement::of(&here, &there);
    let (model, with, positions) = (model.name(), &args.with, here.len());
    match args.json {
        true => {
            let report = serde_json::json!({
                "model": model, "with": with, "positions": positions, "same_first_move": top, "chance_moved": moved,
                "outcome_moved": outcome,
            });
            writeln!(out, "{report:#}")?;
        }
        false => writeln!(
            out,
            "{model} against itself computed in {with}, {positions} positions: the same first move in {:.2} %, {:.2} % of the chances elsewhere, expected scores {:.4} apart",
            100.0 * top,
            100.0 * moved,
            outcome,
        )?,
    }
    Ok(ExitCode::SUCCESS)
}

fn said(model: &Model, samples: &[Sample]) -> anyhow::Result<Vec<Said>> {
    const BATCH: usize = 256;
    let bar =
        bar(Some(samples.len() as u64), "{msg} {wide_bar} {pos} of {len} positions, {per_sec}, {eta} left");
    bar.set_message(model.name().to_owned());
    if let Model::Brain { brain, .. } = model
        && brain.traits().policy.is_none()
    {
        let said = samples.iter().map(|sample| {
            bar.inc(1);
            by_values(brain.as_ref(), &sample.moment)
        });
        return Ok(said.collect());
    }
    let forecasts = model.forecast(samples, BATCH, 1, &bar)?;
    bar.finish_and_clear();
    let said = forecasts.into_iter().map(|forecast| match forecast.moves {
        Moves::Chances(chances) => Some((chances, forecast.wdl.map(|wdl| wdl.expectation()))),
        Moves::Best(_) => None,
    });
    said.collect::<Option<_>>().context("it gives no chances")
}

/// Expected scores after the moves, as shares of them all, and that of the position.
fn by_values(brain: &dyn Brain, moment: &Moment) -> Said {
    let after = moment.legal_moves().into_iter().map(|m| {
        let mut moment = moment.clone();
        moment.play(m);
        moment
    });
    let moments: Vec<Moment> = after.chain([moment.clone()]).collect();
    let opinions = brain.judge(&moments, Wants::VALUE);
    let mut scores: Vec<f32> =
        opinions.iter().map(|opinion| opinion.wdl.map_or(0.5, |wdl| wdl.expectation())).collect();
    let own = scores.pop();
    // After a move it is the opponent's turn.
    let scores: Vec<f32> = scores.into_iter().map(|score| 1.0 - score).collect();
    let sum = scores.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    (scores.into_iter().map(|score| score / sum).collect(), own)
}

/// The same positions judged by a process of its own: the way to compute is chosen once in a process.
fn elsewhere(args: &Args) -> anyhow::Result<Vec<Said>> {
    let own = env::args_os().skip(1);
    let mut command = Command::new(env::current_exe()?);
    let output = command.args(own).arg("--chances").env("TABIYA_CPU", &args.with).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "computed in {}: {}", args.with, said.trim());
    let lines = String::from_utf8(output.stdout)?;
    lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Agreement {
    /// Share of the positions whose likeliest move is the same.
    top: f64,
    /// Share of the chances that went to other moves, in the mean.
    moved: f64,
    /// How far expected scores are apart, in the mean.
    outcome: f64,
}

impl Agreement {
    fn of(here: &[Said], there: &[Said]) -> Agreement {
        let mean = |one: fn(&[f32], &[f32]) -> f64| {
            let sum: f64 = here.iter().zip(there).map(|(here, there)| one(&here.0, &there.0)).sum();
            sum / here.len() as f64
        };
        let outcomes = here.iter().zip(there).filter_map(|(here, there)| here.1.zip(there.1));
        let apart: Vec<f64> = outcomes.map(|(a, b)| f64::from((a - b).abs())).collect();
        Agreement {
            top: mean(|a, b| f64::from(u8::from(likeliest(a) == likeliest(b)))),
            moved: mean(|a, b| a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).sum::<f64>() / 2.0),
            outcome: apart.iter().sum::<f64>() / apart.len().max(1) as f64,
        }
    }
}

/// The first of equals.
fn likeliest(chances: &[f32]) -> Option<usize> {
    (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_counts_first_moves_and_what_went_elsewhere() {
        let here = [(vec![0.5, 0.5], Some(0.5)), (vec![0.25, 0.75], None), (vec![1.0], Some(1.0))];
        let there = [(vec![0.5, 0.5], Some(0.25)), (vec![0.75, 0.25], None), (vec![1.0], Some(1.0))];
        assert_eq!(Agreement::of(&here, &here), Agreement { top: 1.0, moved: 0.0, outcome: 0.0 });
        assert_eq!(
            Agreement::of(&here, &there),
            Agreement { top: 2.0 / 3.0, moved: 0.5 / 3.0, outcome: 0.125 }
        );
        assert_eq!(likeliest(&here[0].0), Some(0));
    }
}
