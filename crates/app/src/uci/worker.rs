//! The thread that thinks. It takes jobs one by one, so every `go` gets its one answer, in order.

use std::{
    panic::{self, AssertUnwindSafe},
    process,
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

use chess::{
    Moment,
    shakmaty::{self, Chess, Position},
};
use engine::{Choice, Limits, Search, Settings, Task};

use super::{
    hooks::{self, Build},
    info_line::{BestMove, InfoLine},
    output::Output,
    running::Running,
};
use crate::minds::Names;

pub(crate) enum Job {
    /// Take these names and settings; a search that is named already keeps what it knows.
    Prepare {
        names: Names,
        settings: Settings,
    },
    NewGame,
    Ready,
    Think {
        moment: Box<Moment>,
        limits: Limits,
        show_wdl: bool,
        running: Arc<Running>,
    },
    Perft {
        moment: Box<Moment>,
        depth: u32,
        running: Arc<Running>,
    },
    Bench {
        running: Arc<Running>,
    },
}

/// Starts the thread; it ends when the sender is dropped and all jobs are done.
pub(crate) fn start(output: Output, build: Build) -> (mpsc::Sender<Job>, thread::JoinHandle<()>) {
    let (sender, jobs) = mpsc::channel();
    let mut worker =
        Worker { output, build, names: Names::default(), settings: Settings::default(), search: None };
    let work = move || jobs.into_iter().for_each(|job| worker.take(job));
    let thread = thread::spawn(move || {
        // An engine that listens but cannot think any more would lose its game on time: better leave at once.
        if panic::catch_unwind(AssertUnwindSafe(work)).is_err() {
            process::exit(2);
        }
    });
    (sender, thread)
}

struct Worker {
    output: Output,
    build: Build,
    names: Names,
    settings: Settings,
    /// `None` if it could not be built.
    search: Option<Box<dyn Search>>,
}

impl Worker {
    fn take(&mut self, job: Job) {
        match job {
            Job::Prepare { names, settings } => self.prepare(names, settings),
            Job::NewGame => self.search.iter_mut().for_each(|search| search.new_game()),
            Job::Ready => self.output.line("readyok"),
            Job::Think { moment, limits, show_wdl, running } => {
                let started = Instant::now();
                let choice = self.think(&moment, limits, show_wdl, &running);
                if let Some(time) = choice.think {
                    running.signals.wait(started, time);
                }
                running.wait_until_released();
                // First landed, then announced: who reads the answer may rely on the thread being free.
                running.finish();
                let mode = moment.castling_mode();
                self.output.line(BestMove { best: choice.best, ponder: choice.ponder, mode });
            }
            Job::Perft { moment, depth, running } => {
                perft(&moment, depth, &running, &self.output);
                running.finish();
            }
            Job::Bench { running } => {
                hooks::bench(&running.signals, &mut |line| self.output.line(line));
                running.finish();
            }
        }
    }

    fn prepare(&mut self, names: Names, mut settings: Settings) {
        let (wanted_mb, present_mb) = (settings.hash_mb, self.settings.hash_mb);
        if wanted_mb > present_mb && !has_room(wanted_mb) {
            self.output.say(format_args!("no room for {wanted_mb} MiB of Hash, which stays at {present_mb}"));
            settings.hash_mb = present_mb;
        }
        self.settings = settings;
        if self.search.is_none() || self.names != names {
            match (self.build)(&names) {
                Ok(search) => {
                    self.search = Some(search);
                    self.names = names;
                }
                Err(sentence) => self.output.say(sentence),
            }
        }
        if let Some(search) = &mut self.search {
            search.configure(&self.settings);
        }
    }

    fn think(&mut self, moment: &Moment, limits: Limits, show_wdl: bool, running: &Running) -> Choice {
        let legal = moment.legal_moves();
        if legal.is_empty() {
            let score = if moment.position.is_check() { "mate 0" } else { "cp 0" };
            self.output.line(format_args!("info depth 0 score {score}"));
            return Choice::default();
        }
        let fallback = limits.search_moves.first().or(legal.first()).copied();
        let mode = moment.castling_mode();
        let output = &self.output;
        let mut report = |info: &engine::Info| {
            output.line(InfoLine { info, mode, show_wdl });
            if let (Some(chance), Some(&first)) = (info.chance, info.line.first()) {
                output.say(format_args!("{} {:.1} %", first.to_uci(mode), 100.0 * chance));
            }
            if let Some(remark) = &info.remark {
                output.say(remark);
            }
        };
        let task = Task { limits, signals: &running.signals, report: &mut report };
        let choice = match &mut self.search {
            // A search that fails must not cost the game: say so, play on, and begin with a fresh one.
            Some(search) => panic::catch_unwind(AssertUnwindSafe(|| search.choose(moment, task))),
            None => Ok(Choice::default()),
        };
        let choice = choice.unwrap_or_else(|_| {
            self.output.say(format_args!("the search failed in {}; any legal move is played", moment.fen()));
            self.search = None;
            self.prepare(self.names.clone(), self.settings.clone());
            Choice::default()
        });
        if choice.best.is_some() { choice } else { Choice { best: fallback, ..Choice::default() } }
    }
}

/// Asks the system, as a search that takes too much would end the process.
fn has_room(mb: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(mb << 20).is_ok()
}

/// Leaves below each move and in all, as other engines print them. A count that is stopped stays silent.
fn perft(moment: &Moment, depth: u32, running: &Running, output: &Output) {
    let mut total = if depth == 0 { 1 } else { 0 };
    for m in moment.legal_moves().into_iter().filter(|_| depth > 0) {
        let mut next = moment.position.clone();
        next.play_unchecked(m);
        let Some(leaves) = leaves(&next, depth - 1, running) else { return };
        output.line(format_args!("{}: {leaves}", moment.uci(m)));
        total += leaves;
    }
    output.line(format_args!("\nNodes searched: {total}\n"));
}

/// `None` once stopped; looked at often enough to be felt as at once.
fn leaves(position: &Chess, depth: u32, running: &Running) -> Option<u64> {
    if running.signals.is_stopped() {
        return None;
    }
    if depth <= 3 {
        return Some(shakmaty::perft(position, depth));
    }
    position.legal_moves().into_iter().try_fold(0, |sum, m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        Some(sum + leaves(&next, depth - 1, running)?)
    })
}
