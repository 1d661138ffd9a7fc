//! One conversation with a GUI: what has been said so far, and what to do with the next line.

use std::{
    ops::ControlFlow,
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

use chess::{
    Clocks, Moment, MomentError,
    shakmaty::{CastlingMode, Chess, EnPassantMode, fen::Fen},
};

use super::{
    base_time::BaseTime,
    board,
    command::{Command, Place},
    defaults::Defaults,
    delays::Delays,
    go::Go,
    hooks::{self, Build},
    options::{self, Listed, OPTIONS, UciOption},
    output::Output,
    preferences::Preferences,
    running::Running,
    worker::{self, Job, Manner},
};

pub(crate) struct Session {
    output: Output,
    preferences: Preferences,
    defaults: Defaults,
    place: Place,
    moment: Moment,
    /// The last `position` could not be set up: a move in the one before would be a move in another game.
    without_position: bool,
    base_time: BaseTime,
    delays: Delays,
    /// Options that were set to something else than their default since the worker has heard of them.
    touched: Vec<&'static UciOption>,
    /// Not all preferences have reached the worker.
    unprepared: bool,
    debug: bool,
    jobs: mpsc::Sender<Job>,
    worker: thread::JoinHandle<()>,
    /// Every `go` that may still be without its answer.
    running: Vec<Arc<Running>>,
}

impl Session {
    pub(crate) fn new(output: Output, build: Build, defaults: Defaults) -> Session {
        let (jobs, worker) = worker::start(output.clone(), build);
        let mut session = Session {
            output,
            preferences: defaults.preferences.clone(),
            defaults,
            place: Place::default(),
            moment: Moment::default(),
            without_position: false,
            base_time: BaseTime::default(),
            delays: Delays::default(),
            touched: Vec::new(),
            unprepared: true,
            debug: false,
            jobs,
            worker,
            running: Vec::new(),
        };
        session.prepare();
        session
    }

    /// Carries out one line and never waits for the search. Breaks on `quit`.
    pub(crate) fn obey(&mut self, line: &str) -> ControlFlow<()> {
        let command = Command::parse(line);
        if let Some(command) = command.as_ref().filter(|_| self.debug) {
            self.output.say(format_args!("understood as `{command}`"));
        }
        match command {
            None if line.trim().is_empty() => {}
            None => self.output.say(format_args!("not understood: `{}`", beginning(line.trim()))),
            Some(Command::Register) => {}
            Some(Command::Uci) => self.introduce(),
            Some(Command::Debug(on)) => self.debug = on,
            Some(Command::IsReady) => self.report_ready(),
            Some(Command::SetOption { name, value }) => self.set_option(&name, value.as_deref()),
            Some(Command::NewGame) => {
                self.base_time.new_game();
                self.delays.new_game();
                self.send(Job::NewGame);
            }
            Some(Command::Position(place)) => self.set_up(place),
            Some(Command::Go(go)) => self.go(&go),
            Some(Command::Stop) => self.running.iter().for_each(|running| running.stop()),
            Some(Command::PonderHit) => self.running.iter().for_each(|running| running.ponder_hit()),
            Some(Command::Quit) => {
                self.running.iter().for_each(|running| running.stop());
                return ControlFlow::Break(());
            }
            Some(Command::Display) => self.output.line(board::draw(&self.moment)),
            Some(Command::Eval) => self.output.line(hooks::explain(&self.moment)),
            Some(Command::Bench) => {
                let running = self.launch(Running::finite());
                self.send(Job::Bench { running });
            }
            Some(Command::Malformed(sentence)) => self.output.say(sentence),
            Some(Command::NoPosition(sentence)) => self.refuse_position(sentence),
        }
        ControlFlow::Continue(())
    }

    /// The end of the input. What ends by itself may do so, that `echo go depth 9 | tabiya` has an answer.
    pub(crate) fn leave(self) {
        self.stop_what_needs_a_command();
        drop(self.jobs);
        // A worker that fails ends the process by itself.
        let _ = self.worker.join();
    }

    fn introduce(&self) {
        let mut lines = vec![
            format!("id name {}", self.defaults.title(&self.preferences)),
            "id author the Tabiya authors".to_owned(),
        ];
        let listed = |option| Listed { option, default: self.defaults.value(option.name) }.to_string();
        lines.extend(OPTIONS.iter().map(listed));
        lines.push("uciok".to_owned());
        self.output.line(lines.join("\n"));
    }

    /// At once during a search; else when all that was asked for before is done, such as a larger table.
    fn report_ready(&mut self) {
        self.prepare();
        if self.running.iter().all(|running| running.is_finished()) {
            self.send(Job::Ready);
        } else {
            self.output.line("readyok");
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let before = self.preferences.clone();
        if let Some(sentence) = self.preferences.set(name, value) {
            self.output.say(sentence);
        }
        if let Some(option) = options::find(name).filter(|option| option.default().as_deref() != value) {
            self.touched.push(option);
        }
        if self.preferences.clearings != before.clearings {
            self.send(Job::NewGame);
        }
        if self.preferences.chess960 != before.chess960 {
            // The same game in the other notation; where that cannot be, the next `position` will tell.
            self.moment = self.moment_at(&self.place).unwrap_or_else(|_| self.moment.clone());
        }
        self.unprepared |= self.preferences != before;
    }

    /// Only now, not at each `setoption`: brain and search may fit each other only when both are set.
    fn prepare(&mut self) {
        if !std::mem::take(&mut self.unprepared) {
            return;
        }
        let (names, settings) = (self.preferences.names(), self.preferences.settings.clone());
        let (touched, word) = (std::mem::take(&mut self.touched), self.preferences.stands_in());
        self.send(Job::Prepare { names, settings, touched, word });
    }

    /// A running search keeps its own board, so this is safe at any time.
    fn set_up(&mut self, place: Place) {
        match self.moment_at(&place) {
            Ok(moment) => {
                self.moment = moment;
                self.place = place;
                self.without_position = false;
            }
            Err(error) => self.refuse_position(&error.to_string()),
        }
    }

    fn refuse_position(&mut self, why: &str) {
        self.without_position = true;
        self.output.say(format_args!("no position: {}", beginning(why)));
    }

    fn moment_at(&self, place: &Place) -> Result<Moment, MomentError> {
        let mode = CastlingMode::from_chess960(self.preferences.chess960);
        let start = match &place.fen {
            Some(fen) => Moment::from_fen(fen, mode)?,
            None => {
                let fen = Fen::from_position(&Chess::default(), EnPassantMode::Legal);
                Moment::from_fen(&fen.to_string(), mode)?
            }
        };
        start.after_uci(place.moves.iter().map(String::as_str))
    }

    fn go(&mut self, go: &Go) {
        // A search that would never end makes room; one that ends by itself is waited for by the worker, so
        // that a script may list `go` after `go`.
        self.stop_what_needs_a_command();
        self.prepare();
        for limit in &go.unread {
            self.output.say(format_args!("go without `{limit}`, which cannot be read"));
        }
        if self.without_position {
            self.output.say("no move, as there is no position since the last one was refused");
            if go.perft.is_none() {
                let running = self.launch(Running::finite());
                self.send(Job::Decline { running });
            }
            return;
        }
        let mut moment = Box::new(self.moment.clone());
        if let Some(depth) = go.perft {
            let running = self.launch(Running::finite());
            return self.send(Job::Perft { moment, depth, running });
        }
        let mut limits = go.limits();
        for uci in &go.search_moves {
            match uci.to_move(&moment.position) {
                Ok(m) if limits.search_moves.contains(&m) => {}
                Ok(m) => limits.search_moves.push(m),
                Err(_) => self.output.say(format_args!("searchmoves without {uci}, which cannot be played")),
            }
        }
        moment.clocks = go.clocks().map(|clocks| {
            let base_cs = self.base_time.at(&self.place, *clocks.left_cs.get(moment.turn()));
            Clocks { base_cs, ..clocks }
        });
        self.delays.look(&self.place, moment.turn(), go);
        limits.lateness = self.delays.expected();
        let running = self.launch(Running::new(go));
        self.delays.remember(&self.place, go, &running);
        let manner = Manner { show_wdl: self.preferences.show_wdl, talkative: self.debug };
        self.send(Job::Think { moment, limits, manner, asked: Instant::now(), running });
    }

    fn launch(&mut self, running: Running) -> Arc<Running> {
        self.running.retain(|running| !running.is_finished());
        let running = Arc::new(running);
        self.running.push(Arc::clone(&running));
        running
    }

    fn stop_what_needs_a_command(&self) {
        self.running.iter().filter(|running| running.needs_command()).for_each(|running| running.stop());
    }

    fn send(&self, job: Job) {
        // It fails only if the worker has failed, which ends the process in a moment.
        let _ = self.jobs.send(job);
    }
}

/// What is repeated of a line: nobody reads more, and a line may have megabytes.
fn beginning(text: &str) -> String {
    const LONGEST: usize = 160;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    short
}
