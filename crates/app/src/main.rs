//! `tabiya`: one verb per file, one match here.

mod arena;
mod bench;
mod eval_explain;
mod perft;
mod tune;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A neural chess platform: sparring partner, UCI engine and laboratory in one binary.
#[derive(Debug, Parser)]
#[command(name = "tabiya", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Arena(Box<arena::Args>),
    Bench(bench::Args),
    EvalExplain(eval_explain::Args),
    Perft(perft::Args),
    Tune(tune::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().verb {
        Verb::Arena(args) => arena::run(&args),
        Verb::Bench(args) => bench::run(&args),
        Verb::EvalExplain(args) => eval_explain::run(&args),
        Verb::Perft(args) => perft::run(&args),
        Verb::Tune(args) => tune::run(&args),
    };
    result.unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        eprintln!("tabiya: {error:#}");
        ExitCode::from(2)
    })
}

/// A reader that went away (`tabiya ... | head`) is no failure of ours.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
