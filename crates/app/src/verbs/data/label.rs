//! `tabiya data label`: positions get an engine's score, best moves and line.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use ::data::{LabelOptions, Limit, Part, Policy, Split, storage};
use anyhow::Context;

use crate::terminal::{
    interrupt,
    progress::{bar, grouped, print_json},
};

/// Ask a UCI engine about positions of a dataset and keep its answers beside the games.
///
/// Killed at any moment, the work of the last ten seconds is lost and --resume goes on. An engine that dies is
/// started anew; a position that brings it down three times is left out and counted.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the dataset
    dir: PathBuf,
    /// Command of the engine; `none` takes only the evaluations in the games
    #[arg(long, default_value = "stockfish")]
    engine: String,
    /// Depth in plies [default: 12]
    #[arg(long, group = "limit")]
    depth: Option<u32>,
    /// Nodes a position
    #[arg(long, group = "limit")]
    nodes: Option<u64>,
    /// Milliseconds a position
    #[arg(long, group = "limit")]
    movetime: Option<u64>,
    /// Best moves to keep for each position
    #[arg(long, default_value_t = 1)]
    multipv: u32,
    /// Let the engine keep its memory from position to position: many times as fast at low depths, but labels then depend a
    /// little on their order
    #[arg(long)]
    keep_memory: bool,
    /// Take [%eval] comments where there are any instead of asking the engine
    #[arg(long)]
    evals: bool,
    /// Which positions: a policy's name or a .toml file
    #[arg(long, default_value = "all")]
    policy: String,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "all", value_parser = split)]
    split: SplitChoice,
    /// Positions to label; 0 labels all that the policy picks
    #[arg(long, default_value_t = 0)]
    sample: u64,
    /// Seed of the draw
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Label only the I-th of N equal parts, as one machine of N would. When all are finished they are the set: merging is a listing
    #[arg(long, value_name = "I/N")]
    part: Option<Part>,
    /// Engine processes [default: one a core]
    #[arg(long)]
    engines: Option<usize>,
    /// Longest wait for one answer, in seconds
    #[arg(long, default_value_t = 120)]
    patience: u64,
    /// Name of the set of labels
    #[arg(long, default_value = "stockfish")]
    name: String,
    /// Go on with an existing set
    #[arg(long)]
    resume: bool,
    /// Print the set's card as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitChoice(pub(crate) Option<Split>);

pub(crate) fn split(text: &str) -> Result<SplitChoice, String> {
    let named = Split::ALL.into_iter().find(|split| split.name() == text);
    match (named, text) {
        (None, "all") => Ok(SplitChoice(None)),
        (Some(_), _) => Ok(SplitChoice(named)),
        _ => Err("train, valid, test or all".to_owned()),
    }
}

/// A policy of the program, or one from a file.
pub(crate) fn policy(name: &str) -> anyhow::Result<Policy> {
    if !name.ends_with(".toml") {
        return Ok(Policy::named(name)?);
    }
    let text = storage::read_to_string(Path::new(name)).with_context(|| name.to_owned())?;
    Ok(Policy::from_toml(name, &text)?)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let limit = match (args.depth, args.nodes, args.movetime) {
        (_, Some(nodes), _) => Limit::Nodes(nodes),
        (_, _, Some(time)) => Limit::MovetimeMs(time),
        (depth, ..) => Limit::Depth(depth.unwrap_or(12)),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = LabelOptions {
        name: args.name.clone(),
        engine: (args.engine != "none").then(|| args.engine.clone()),
        limit,
        multipv: args.multipv.max(1),
        keep_memory: args.keep_memory,
        evals: args.evals,
        policy: policy(&args.policy)?,
        split: args.split.0,
        seed: args.seed,
        sample: args.sample,
        part: args.part,
        engines: args.engines.unwrap_or(cores).max(1),
        patience: Duration::from_secs(args.patience),
        resume: args.resume,
        stop: interrupt::flag()?,
    };
    let template = "{wide_bar} {pos} of {len} positions, {per_sec}, {eta} left {msg}";
    // Of a part only its share, about as many as of any other.
    let total = (args.sample > 0).then(|| args.sample / args.part.map_or(1, |part| part.of().into()));
    let bar =
        bar(total, if total.is_some() { template } else { "{spinner} {pos} positions, {per_sec} {msg}" });
    let (card, progress) = ::data::label(&args.dir, &options, |step| {
        bar.set_position(step.rows + step.earlier);
        if step.gave_up + step.restarts > 0 {
            bar.set_message(format!("({} restarts, {} given up)", step.restarts, step.gave_up));
        }
    })?;
    bar.finish_and_clear();
    if args.json {
        print_json(&card)?;
        return Ok(ExitCode::SUCCESS);
    }
    println!("{:>14}  labels in the set `{}`", grouped(card.rows), args.name);
    println!("{:>14}  new in this run", grouped(progress.rows));
    println!("{:>14}  positions analysed by {}", grouped(card.analysed), card.recipe.engine);
    println!("{:>14}  from evaluations in the games", grouped(card.from_evals));
    println!("{:>14}  positions given up after three engine failures", grouped(progress.gave_up));
    println!("{:>14}  engine restarts", grouped(progress.restarts));
    println!("\nFingerprint {}.", card.fingerprint);
    Ok(ExitCode::SUCCESS)
}
