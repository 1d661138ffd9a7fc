//! The engine as GUIs, bots and match runners start it.
//!
//! One thread reads commands and never waits; one thinks. Everything they say leaves through one `Output`.

mod base_time;
mod board;
mod command;
mod concern;
mod defaults;
mod delays;
mod go;
mod hooks;
mod info_line;
mod options;
mod output;
mod preferences;
mod remarks;
mod running;
mod session;
#[cfg(test)]
mod test_search;
#[cfg(test)]
mod tests;
mod worker;

use std::{
    io::{self, BufRead},
    ops::ControlFlow,
};

pub(crate) use defaults::Defaults;
use output::Output;
pub(crate) use preferences::Preferences;
use session::Session;

/// Speaks UCI on stdin and stdout until `quit` or the end of input.
pub(crate) fn serve(defaults: Defaults) -> io::Result<()> {
    let mut session = Session::new(Output::new(io::stdout()), hooks::build, defaults);
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
    Ok(())
}
