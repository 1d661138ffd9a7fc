//! `tabiya train plot`: the curves of runs, one over the other.

use std::{path::PathBuf, process::ExitCode};

/// Draw the curves of runs as SVG, one over the other.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Folder for the figures
    #[arg(long, default_value = "plots")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    for path in nets::plot_runs(&args.runs, &args.out)? {
        println!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}
