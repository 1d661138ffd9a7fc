//! `tabiya models bins`: what a ranker's weight file says about the spread of its outputs, measured anew.

use std::{path::PathBuf, process::ExitCode};

use ::data::Dataset;

/// Measure anew what a ranker's weight file carries besides the network: the output that means equality, the odds that go
/// with outputs, and the bins of move scores by which a best-first search tells urgent moves from others.
///
/// Training does this by itself at every best validation; this is for other games than those of the training.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The weight file, which is rewritten
    file: PathBuf,
    /// Folder of the dataset; its validation games are used
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Positions to measure on
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    positions: usize,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    nets::calibrate(&args.file, &Dataset::open(&args.data)?, args.positions)?;
    println!("{}", args.file.display());
    Ok(ExitCode::SUCCESS)
}
