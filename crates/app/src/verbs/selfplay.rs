//! `tabiya selfplay`: reinforcement learning of a network from games against itself and its past.

use std::{fs, path::PathBuf, process::ExitCode, sync::atomic::Ordering};

use anyhow::Context;

use crate::{
    selfplay::{config::SelfplayConfig, run::Run},
    terminal::interrupt,
};

/// Let a network play against itself and its past, and learn from the games, generation after generation.
///
/// Every network with a policy and a value can. Hundreds of games go on side by side, so that the network always sees full batches;
/// each move is chosen by a small search (puct), which is stronger than the network alone, and the network learns these moves and
/// the results.
///
/// OUT holds a folder for each generation, with weights.safetensors and games.pgn (evaluations in the comments). Ctrl-C ends the run,
/// and the same command goes on with it. Compare generations by `tabiya arena`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A TOML file such as configs/selfplay.toml
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Folder of the run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Generations in all, in place of those of the file
    #[arg(long, value_name = "N")]
    generations: Option<usize>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let place = || args.config.display().to_string();
    let text = fs::read_to_string(&args.config).with_context(place)?;
    let mut config = SelfplayConfig::parse(&text).with_context(place)?;
    config.generations = args.generations.unwrap_or(config.generations);
    let stop = interrupt::flag()?;
    println!("generation     games  plies a game  White wins, draws, Black wins  against its past    s");
    Run { config: &config, out: &args.out, stop: &stop }.go(|generation, tally| {
        let share = |[a, b, c]: [usize; 3]| format!("{a} {b} {c}");
        let plies = tally.plies as f64 / tally.games.max(1) as f64;
        println!(
            "{generation:>10}  {:>8}  {plies:>12.1}  {:>29}  {:>16}  {:>3.0}",
            tally.games,
            share(tally.results),
            share(tally.against_past),
            tally.seconds
        );
    })?;
    let stopped = stop.load(Ordering::Relaxed);
    Ok(if stopped { ExitCode::from(interrupt::INTERRUPTED) } else { ExitCode::SUCCESS })
}
