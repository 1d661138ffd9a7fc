//! `tabiya eval-explain`: the hand-made evaluation of a position as a table.

use std::{
    io::{Write, stdout},
    process::ExitCode,
};

use chess::{Moment, shakmaty::CastlingMode};

/// Show what the hand-made evaluation counts in a position, component by component, for both sides.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The position as a FEN
    fen: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let moment = Moment::from_fen(&args.fen, CastlingMode::Chess960)?;
    write!(stdout(), "{}", engine::heuristic::explain(&moment.position))?;
    Ok(ExitCode::SUCCESS)
}
