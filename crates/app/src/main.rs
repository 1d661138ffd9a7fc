//! `tabiya`: one verb per file in `verbs`, one match here.

mod arena;
mod clone;
mod embedded;
mod eval;
mod jsonl;
mod minds;
mod play;
mod selfplay;
mod signature;
mod terminal;
mod uci;
mod verbs;
mod version;

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use clap::Parser;
use tracing::error;
use verbs::Verb;

/// A neural chess platform: sparring partner, UCI engine and laboratory in one binary.
#[derive(Debug, Parser)]
#[command(name = "tabiya", version = version::version(), max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
}

fn main() -> ExitCode {
    end_where_stdout_ends();
    let verb = Cli::parse().verb;
    if let Err(error) = terminal::log::start() {
        eprintln!("tabiya: {error:#}");
        return ExitCode::from(2);
    }
    if let Err(error) = nets::Level::chosen() {
        error!("{error}");
        return ExitCode::from(2);
    }
    let verb = verb.unwrap_or_else(|| match io::stdin().is_terminal() {
        true => Verb::Play(verbs::play::Args::bare()),
        // GUIs start engines by their name alone and talk to them through a pipe.
        false => Verb::Uci(verbs::uci::Args::default()),
    });
    verb.run().unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        error!("{error:#}");
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
