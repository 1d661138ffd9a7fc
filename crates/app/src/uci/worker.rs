//! The thread that thinks. It takes jobs one by one, so every `go` gets its one answer, in order.

use std::{
    fs,
    num::NonZero,
    panic::{self, AssertUnwindSafe},
    process,
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

use chess::{
    Moment,
    shakmaty::{self, CastlingMode, Chess, Position},
};
use engine::{Choice, Limits, Search, Settings, Task, TimeBudget};

use super::{
    concern::{Concern, Thinker},
    hooks::{self, Build, Built},
    info_line::{BestMove, InfoLine},
    options::UciOption,
    output::Output,
    remarks::Remarks,
    running::Running,
};
use crate::minds::Names;

pub(crate) enum Job {
    /// Take these names and settings; a search that is named already keeps what it knows.
    Prepare {
        names: Names,
        settings: Settings,
        /// Options that were set on purpose, and a word on who plays: for the next search to comment on.
        touched: Vec<&'static UciOption>,
        word: Option<String>,
    },
    NewGame,
    Ready,
    Think {
        moment: Box<Moment>,
        limits: Limits,
        manner: Manner,
        asked: Instant,
        running: Arc<Running>,
    },
    /// A `go` that has nothing to think about.
    Decline {
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

/// How a search is to tell what it thinks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) show_wdl: bool,
    /// Says things for people that no field of the protocol holds. Some GUIs show every word as if it were a line of moves.
    pub(crate) talkative: bool,
}

/// Starts the thread; it ends when the sender is dropped and all jobs are done.
pub(crate) fn start(output: Output, build: Build) -> (mpsc::Sender<Job>, thread::JoinHandle<()>) {
    let (sender, jobs) = mpsc::channel();
    let mut worker = Worker {
        output,
        build,
        names: Names::default(),
        settings: Settings::default(),
        search: None,
        thinker: None,
        remarks: Remarks::default(),
    };
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
    thinker: Option<Thinker>,
    remarks: Remarks,
}

impl Worker {
    fn take(&mut self, job: Job) {
        match job {
            Job::Prepare { names, settings, touched, word } => {
                self.prepare(names, settings);
                self.remarks.take(touched, word);
            }
            Job::NewGame => self.search.iter_mut().for_each(|search| search.new_game()),
            Job::Ready => self.output.line("readyok"),
            Job::Think { moment, limits, manner, asked, running } => {
                self.remarks.say(self.thinker.as_ref(), &self.output);
                self.answer(&moment, limits, manner, asked, &running);
            }
            Job::Decline { running } => {
                running.finish();
                let mode = CastlingMode::Standard;
                self.output.line(BestMove { best: None, ponder: None, mode });
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
            settings.hash_mb = present_mb;
            self.remarks.hash(wanted_mb, present_mb);
        }
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        self.remarks.threads(settings.threads, processors);
        settings.threads = settings.threads.min(processors);
        self.settings = settings;
        if self.search.is_none() || self.names != names {
            match (self.build)(&names) {
                Ok(Built { search, thinker }) => {
                    self.search = Some(search);
                    self.thinker = thinker;
                    self.names = names;
                }
                Err(sentence) => self.output.say(sentence),
            }
        }
        if let Some(search) = &mut self.search {
            search.configure(&self.settings);
        }
    }

    /// Thinks, waits as long as a person would and until the answer is wanted, and gives it.
    fn answer(&mut self, moment: &Moment, limits: Limits, manner: Manner, asked: Instant, running: &Running) {
        let by_clock = limits.on_clock || limits.move_time.is_some();
        let hard = TimeBudget::new(moment, &limits, self.settings.move_overhead_ms).hard;
        // Who waits like a person must not tell the move before.
        let waits = self.settings.human.timing
            && by_clock
            && self.thinker.as_ref().is_none_or(|thinker| Concern::Timing.includes(thinker));
        let mut held = Vec::new();
        let choice = self.think(moment, limits, manner, running, waits.then_some(&mut held));
        let taken = asked.elapsed();
        running.plan(choice.think.or(hard.map(|hard| taken.min(hard))).unwrap_or(taken));
        if let Some(time) = choice.think {
            running.signals.wait(asked, time);
        }
        running.wait_until_released();
        held.iter().for_each(|line| self.output.line(line));
        // First landed, then announced: who reads the answer may rely on the thread being free.
        running.finish();
        let mode = moment.castling_mode();
        self.output.line(BestMove { best: choice.best, ponder: choice.ponder, mode });
    }

    /// Lines go out at once, or to `held` where they must wait for the move.
    fn think(
        &mut self,
        moment: &Moment,
        limits: Limits,
        manner: Manner,
        running: &Running,
        mut held: Option<&mut Vec<String>>,
    ) -> Choice {
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
            let mut lines = vec![InfoLine { info, mode, show_wdl: manner.show_wdl }.to_string()];
            if manner.talkative {
                if let (Some(chance), Some(&first)) = (info.chance, info.line.first()) {
                    lines.push(format!("info string {} {:.1} %", first.to_uci(mode), 100.0 * chance));
                }
                lines.extend(info.remark.iter().map(|remark| format!("info string {remark}")));
            }
            match &mut held {
                Some(held) => held.extend(lines),
                None => lines.iter().for_each(|line| output.line(line)),
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

/// Asks the system, as a search that takes too much would end the process. The table is filled bit by bit, so a promise of the system is not
/// enough: the memory must be there.
fn has_room(mb: usize) -> bool {
    available_mb().is_none_or(|available| mb <= available)
        && Vec::<u8>::new().try_reserve_exact(mb << 20).is_ok()
}

/// Memory that nobody uses, where the system tells.
fn available_mb() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().ok()? >> 10)
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
