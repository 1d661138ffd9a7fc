//! `tabiya uci`: the engine on stdin and stdout.

use std::process::ExitCode;

/// Speak UCI on stdin and stdout, as chess programs expect of an engine.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> anyhow::Result<ExitCode> {
    crate::uci::serve()?;
    Ok(ExitCode::SUCCESS)
}
