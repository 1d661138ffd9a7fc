//! The match as it goes on, on stderr: a live table on a terminal, a line now and then elsewhere.

use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{record::Record, standings::Standings, table};

/// Between two lines where there is no terminal.
const QUIET: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    began: Instant,
    last_line: Instant,
    /// Games that were finished before this run.
    earlier: u64,
}

impl Progress {
    pub(crate) fn new(games: usize, finished: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(games as u64), ProgressDrawTarget::stderr());
        let style = "{wide_bar:.cyan/dim} {pos}/{len} games, {per_sec}, {elapsed} gone, {eta} left\n{msg}";
        bar.set_style(ProgressStyle::with_template(style).expect("the template is well formed"));
        bar.set_position(finished as u64);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        let (on_terminal, now) = (Term::stderr().is_term(), Instant::now());
        Progress { bar, on_terminal, began: now, last_line: now, earlier: finished as u64 }
    }

    /// Shows how the match stands; `sprt` is a line on the test, if there is one.
    pub(crate) fn update(&mut self, standings: &Standings, sprt: Option<String>) {
        self.bar.inc(1);
        let sprt = sprt.map(|line| line + "\n").unwrap_or_default();
        if self.on_terminal {
            self.bar.set_message(table::table(&standings.rows(), console::colors_enabled_stderr()) + &sprt);
        } else if self.last_line.elapsed() >= QUIET {
            self.last_line = Instant::now();
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let duels = standings.duels();
            let stand =
                if duels.len() > 1 { table::table(&standings.rows(), false) } else { table::duels(&duels) };
            eprint!("{done} of {all} games, {:.0?} left\n{stand}{sprt}", self.left(done, all));
        }
    }

    /// The mean of all games so far. The bar's own estimate forgets within seconds, and games take minutes.
    fn left(&self, done: u64, all: u64) -> Duration {
        let here = done.saturating_sub(self.earlier).max(1);
        self.began.elapsed().mul_f64(all.saturating_sub(done) as f64 / here as f64)
    }

    /// Tells at once who broke down and how.
    pub(crate) fn fault(&self, record: &Record) {
        if record.end.is_fault() {
            let line = format!("game {} ({}): {}", record.game + 1, record.round, record.ending());
            self.bar.suspend(|| eprintln!("{line}"));
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
