//! `tabiya eval`: measures a mind where the right answer is known.

mod agreement;
mod engine;
mod human;
mod imagined;
mod levels;
mod pairs;
mod puzzles;
mod suite;
mod value;

use std::process::ExitCode;

use clap::Subcommand;

/// Measure a mind where the right answer is known.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Agreement(agreement::Args),
    Engine(engine::Args),
    Human(human::Args),
    Imagined(imagined::Args),
    Levels(levels::Args),
    Pairs(pairs::Args),
    Puzzles(puzzles::Args),
    Suite(suite::Args),
    Value(value::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Agreement(args) => agreement::run(args),
        What::Engine(args) => engine::run(args),
        What::Human(args) => human::run(args),
        What::Imagined(args) => imagined::run(args),
        What::Levels(args) => levels::run(args),
        What::Pairs(args) => pairs::run(args),
        What::Puzzles(args) => puzzles::run(args),
        What::Suite(args) => suite::run(args),
        What::Value(args) => value::run(args),
    }
}
