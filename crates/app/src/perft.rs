//! `tabiya perft`: counts the leaves of the move tree, to check move generation.

use std::process::ExitCode;

use chess::{Moment, shakmaty};

/// Count the positions that N plies lead to, as a check of move generation.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Depth in plies
    depth: u32,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    println!("{}", shakmaty::perft(&Moment::default().position, args.depth));
    Ok(ExitCode::SUCCESS)
}
