//! `tabiya`: one verb per file, one match here.

mod arena;
mod bench;
mod data;
mod date;
mod embedded;
mod eval;
mod eval_explain;
mod minds;
mod models;
mod opinion;
mod perft;
mod play;
mod train;
mod tune;
mod uci;

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

/// A neural chess platform: sparring partner, UCI engine and laboratory in one binary.
#[derive(Debug, Parser)]
#[command(name = "tabiya", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Arena(Box<arena::Args>),
    Bench(bench::Args),
    Data(data::Args),
    Eval(eval::Args),
    EvalExplain(eval_explain::Args),
    Models(models::Args),
    Opinion(opinion::Args),
    Perft(perft::Args),
    Play(play::Args),
    Train(train::Args),
    Tune(tune::Args),
    Uci(uci::Args),
}

fn main() -> ExitCode {
    end_where_stdout_ends();
    let verb = Cli::parse().verb;
    if let Err(error) = nets::Level::chosen() {
        eprintln!("tabiya: {error}");
        return ExitCode::from(2);
    }
    let result = match verb {
        Some(Verb::Arena(args)) => arena::run(&args),
        Some(Verb::Bench(args)) => bench::run(&args),
        Some(Verb::Data(args)) => data::run(&args),
        Some(Verb::Eval(args)) => eval::run(&args),
        Some(Verb::EvalExplain(args)) => eval_explain::run(&args),
        Some(Verb::Models(args)) => models::run(&args),
        Some(Verb::Opinion(args)) => opinion::run(&args),
        Some(Verb::Perft(args)) => perft::run(&args),
        Some(Verb::Play(args)) => play::run(&args),
        Some(Verb::Train(args)) => train::run(&args),
        Some(Verb::Tune(args)) => tune::run(&args),
        Some(Verb::Uci(args)) => uci::run(&args),
        None if io::stdin().is_terminal() => play::run(&play::Args::bare()),
        // GUIs start engines by their name alone and talk to them through a pipe.
        None => uci::run(&uci::Args {}),
    };
    result.unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        eprintln!("tabiya: {error:#}");
        ExitCode::from(2)
    })
}

/// `println!` panics where it cannot write. A reader that went away is success, a full disk an error in one sentence.
fn end_where_stdout_ends() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or_default();
        if !text.starts_with("failed printing to stdout") {
            return usual(info);
        }
        if text.contains("Broken pipe") {
            std::process::exit(0);
        }
        eprintln!("tabiya: {text}");
        std::process::exit(2);
    }));
}

/// A reader that went away (`tabiya ... | head`) is no failure of ours.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
