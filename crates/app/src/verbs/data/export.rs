//! `tabiya data export`: the table as HC3's CSV or as PGN.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use ::data::{Dataset, storage::Draft, write_csv, write_pgn};
use anyhow::{Context, ensure};

use super::label::{SplitChoice, policy, split};
use crate::terminal::{interrupt, progress::bar};

/// Write the games of a dataset as CSV (HC3's columns, one row a position) or as PGN with clocks.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("format").required(true))]
pub(crate) struct Args {
    /// Folder of the dataset
    dir: PathBuf,
    /// One row a position, with HC3's columns
    #[arg(long, group = "format")]
    csv: bool,
    /// Games with clocks and evaluations; importing them gives the same rows
    #[arg(long, group = "format")]
    pgn: bool,
    /// File to write, by path or address [default: standard output]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Which positions go into the CSV: a policy's name or a .toml file
    #[arg(long, default_value = "all")]
    policy: String,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "all", value_parser = split)]
    split: SplitChoice,
    /// Seed of the policy's draw
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.out {
        None => write(args, io::stdout().lock(), &AtomicBool::new(false))?,
        // A file appears under its name only when it is whole; a pipe or device is written to as it is.
        Some(path) if path.exists() && !path.is_file() => {
            let file = File::create(path).with_context(|| path.display().to_string())?;
            write(args, file, &AtomicBool::new(false))?;
        }
        Some(path) => {
            let mut draft = Draft::create(path).with_context(|| path.display().to_string())?;
            write(args, &mut draft, &*interrupt::flag()?)?;
            draft.publish().with_context(|| path.display().to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(args: &Args, out: impl Write, stop: &AtomicBool) -> anyhow::Result<()> {
    let dataset = Dataset::open(&args.dir)?;
    let policy = policy(&args.policy)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    if args.csv {
        writeln!(out, "{}", ::data::CSV_HEADER)?;
    }
    let bar = bar(Some(dataset.card.games), "{wide_bar} {pos} of {len} games, {per_sec}, {eta} left");
    dataset.for_each_group(|games| -> anyhow::Result<()> {
        let wanted = |id: &str| args.split.0.is_none_or(|split| dataset.card.split.split(id) == split);
        for game in games.iter().filter(|game| wanted(&game.id) && game.is_sound()) {
            if args.pgn {
                write_pgn(game, &mut out)?;
            } else {
                write_csv(game, &policy.pick(game, args.seed, 0, |_| false, |_| false), &mut out)?;
            }
        }
        bar.inc(games.len() as u64);
        ensure!(!stop.load(Ordering::Relaxed), "interrupted; nothing was written");
        Ok(())
    })?;
    out.flush()?;
    bar.finish_and_clear();
    Ok(())
}
