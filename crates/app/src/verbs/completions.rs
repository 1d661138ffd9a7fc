//! `tabiya completions`: what shells complete.

use std::{io, process::ExitCode};

use clap::CommandFactory;
use clap_complete::Shell;

/// Print completions for a shell, to be read by its start file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "tabiya", &mut text);
    io::Write::write_all(&mut io::stdout(), &text)?;
    Ok(ExitCode::SUCCESS)
}
