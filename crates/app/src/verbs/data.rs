//! `tabiya data`: from game dumps to training samples, one file per verb.

mod export;
mod import;
pub(crate) mod label;
pub(crate) mod mistakes;
mod opinions;
mod stats;

use std::process::ExitCode;

/// Prepare training data: import games, look at them, label them, export them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Export(export::Args),
    Import(import::Args),
    Label(label::Args),
    Mistakes(mistakes::Args),
    Opinions(opinions::Args),
    Stats(stats::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Verb::Export(args) => export::run(args),
        Verb::Import(args) => import::run(args),
        Verb::Label(args) => label::run(args),
        Verb::Mistakes(args) => mistakes::run(args),
        Verb::Opinions(args) => opinions::run(args),
        Verb::Stats(args) => stats::run(args),
    }
}
