//! `tabiya uci`: the engine as GUIs, bots and match runners start it.
//!
//! One thread reads commands and never waits; one thinks. Everything they say leaves through one `Output`.

mod base_time;
mod board;
mod command;
mod flight;
mod go;
mod hooks;
mod info_line;
mod options;
mod output;
mod session;
#[cfg(test)]
mod stand_in;
#[cfg(test)]
mod tests;
mod worker;

use std::{
    io::{self, BufRead},
    ops::ControlFlow,
    process::ExitCode,
};

pub(crate) use options::Preferences;
use output::Output;
use session::Session;

/// Speak UCI on stdin and stdout, as chess programs expect of an engine.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> anyhow::Result<ExitCode> {
    let mut session = Session::new(Output::new(io::stdout()), hooks::build);
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    // Bytes, not `lines()`: a stray byte that is not UTF-8 must not end a game.
    while input.read_until(b'\n', &mut line)? > 0 {
        if session.obey(&String::from_utf8_lossy(&line)) == ControlFlow::Break(()) {
            break;
        }
        line.clear();
    }
    session.leave();
    Ok(ExitCode::SUCCESS)
}
