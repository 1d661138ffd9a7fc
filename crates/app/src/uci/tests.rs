//! Whole conversations with a session, in this process.

mod human;
mod nonsense;
mod scores;
mod transcripts;
mod waiting;

use std::{
    io::{self, Write},
    ops::ControlFlow,
    sync::mpsc,
    time::Duration,
};

use engine::Search;

use super::{
    defaults::Defaults,
    hooks::{Build, Built},
    output::Output,
    session::Session,
    test_search::FirstMove,
};
use crate::minds::Names;

/// Long enough for any machine: only a conversation that hangs gets here.
const PATIENCE: Duration = Duration::from_secs(120);

/// A GUI that can wait for a line.
struct Gui {
    session: Option<Session>,
    lines: mpsc::Receiver<String>,
}

impl Gui {
    fn new(build: Build) -> Gui {
        Gui::with(build, Defaults::default())
    }

    fn with(build: Build, defaults: Defaults) -> Gui {
        let (sender, lines) = mpsc::channel();
        Gui { session: Some(Session::new(Output::new(Wire(sender)), build, defaults)), lines }
    }

    /// Says a line; `quit` waits for the end.
    fn say(&mut self, line: &str) {
        if let Some(session) = &mut self.session
            && session.obey(line) == ControlFlow::Break(())
        {
            self.hang_up();
        }
    }

    /// Ends the input and waits until the session is over.
    fn hang_up(&mut self) {
        if let Some(session) = self.session.take() {
            session.leave();
        }
    }

    fn next_line(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("no answer in {PATIENCE:?}"),
        }
    }

    /// The next line that is not thinking aloud.
    fn next_answer(&self) -> Option<String> {
        std::iter::from_fn(|| self.next_line()).find(|line| !line.starts_with("info depth"))
    }

    /// Hangs up and returns all that is still unread.
    fn remaining(mut self) -> Vec<String> {
        self.hang_up();
        self.lines.into_iter().collect()
    }
}

struct Wire(mpsc::Sender<String>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            // An error would end the test process as if all were well.
            let _ = self.0.send(line.to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn first_move(_: &Names) -> Result<Built, String> {
    Ok(built(Box::new(FirstMove::default())))
}

fn built(search: Box<dyn Search>) -> Built {
    Built { search, thinker: None }
}
