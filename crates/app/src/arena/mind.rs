//! A mind of ours as a player: the search runs on a thread of its own, so that one that hangs or panics loses
//! its game and nothing else.

use std::{
    sync::{
        Arc,
        atomic::AtomicBool,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};

use chess::{
    Clocks, Moment,
    shakmaty::{ByColor, Color},
};
use engine::{Choice, Limits, Score, Search, Signals, Task};

use super::{
    clock::Clock,
    player::{Failure, Missing, Player, Question, Thought, wait_for},
};

/// What a move on a simulated device may take on this machine.
const SIMULATION: Duration = Duration::from_secs(600);
/// Clearing a large table takes a while.
const NEW_GAME_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Mind {
    requests: Sender<Request>,
    answers: Receiver<Answer>,
    /// What this machine may take longer than the clock allows, which runs in the time of a simulated device.
    patience: Duration,
}

enum Request {
    NewGame,
    Choose(Box<Moment>, Box<Limits>, Arc<Signals>),
}

#[derive(Debug)]
struct Answer {
    finished: Instant,
    text: String,
    score: Option<Score>,
    resigns: bool,
    /// The time that counts where a device is simulated.
    simulated: Option<Duration>,
}

impl Mind {
    /// `simulates` says that the search tells by itself how long it took.
    pub(crate) fn start(search: Box<dyn Search>, simulates: bool) -> Mind {
        let (requests, inbox) = channel();
        let (outbox, answers) = channel();
        // Deliberately not joined: a search that never returns must not keep the arena waiting.
        std::thread::spawn(move || serve(search, &inbox, &outbox));
        let patience = if simulates { SIMULATION } else { Duration::ZERO };
        Mind { requests, answers, patience }
    }

    fn request(&self, request: Request) -> Result<(), Failure> {
        self.requests.send(request).map_err(|_| panicked())
    }
}

fn serve(mut search: Box<dyn Search>, inbox: &Receiver<Request>, outbox: &Sender<Answer>) {
    while let Ok(request) = inbox.recv() {
        let (text, choice) = match request {
            Request::NewGame => {
                search.new_game();
                (String::new(), Choice::default())
            }
            Request::Choose(moment, limits, signals) => {
                let task = Task { limits: *limits, signals: &signals, report: &mut |_| {} };
                let started = Instant::now();
                let choice = search.choose(&moment, task);
                if let Some(time) = choice.think {
                    signals.wait(started, time);
                }
                (choice.best.map(|best| moment.uci(best)).unwrap_or_default(), choice)
            }
        };
        let Choice { score, resigns, simulated, .. } = choice;
        let answer = Answer { finished: Instant::now(), text, score, resigns, simulated };
        if outbox.send(answer).is_err() {
            return;
        }
    }
}

fn panicked() -> Failure {
    Failure::Crashed("its search panicked".to_owned())
}

impl Player for Mind {
    fn new_game(&mut self, abort: &AtomicBool) -> Result<(), Failure> {
        self.request(Request::NewGame)?;
        wait_for(&self.answers, Instant::now() + NEW_GAME_TIMEOUT, abort).map_err(failure)?;
        Ok(())
    }

    fn think(&mut self, question: &Question<'_>) -> Result<Thought, Failure> {
        let mut moment = question.moment.clone();
        moment.clocks = clocks(&question.clocks, question.turn());
        let limits = question.pace.limits(question.clock());
        let signals = Arc::new(Signals::new());
        let started = Instant::now();
        self.request(Request::Choose(Box::new(moment), Box::new(limits), Arc::clone(&signals)))?;
        let (stop, give_up) = question.deadlines(started);
        let (stop, give_up) = (stop + self.patience, give_up + self.patience);
        let mut answer = wait_for(&self.answers, stop, question.abort);
        if !matches!(answer, Ok(_) | Err(Missing::Gone)) {
            signals.stop();
        }
        if answer.as_ref().is_err_and(|&missing| missing == Missing::Late) {
            answer = wait_for(&self.answers, give_up, question.abort);
        }
        let Answer { finished, text, score, resigns, simulated } = answer.map_err(failure)?;
        let elapsed = simulated.unwrap_or_else(|| finished.saturating_duration_since(started));
        Ok(Thought { text, elapsed, score, resigns })
    }
}

fn failure(missing: Missing) -> Failure {
    match missing {
        Missing::Late => Failure::Hung,
        Missing::Gone => panicked(),
        Missing::Aborted => Failure::Aborted,
    }
}

/// Both clocks in centiseconds, rounded down so that nobody counts on time that is not there. If only the
/// player itself has a clock, the opponent is shown with the same.
fn clocks(clocks: &ByColor<Option<Clock>>, us: Color) -> Option<Clocks> {
    let own = clocks.get(us).as_ref()?;
    let of = |color| clocks.get(color).as_ref().unwrap_or(own);
    let centiseconds = |time: Duration| u32::try_from(time.as_millis() / 10).unwrap_or(u32::MAX);
    Some(Clocks {
        left_cs: ByColor::new_with(|color| centiseconds(of(color).left).max(1)),
        increment_cs: ByColor::new_with(|color| centiseconds(of(color).control.increment)),
        base_cs: Some(centiseconds(own.control.base)),
    })
}

#[cfg(test)]
mod tests {
    use chess::shakmaty::Position;
    use engine::Settings;

    use super::*;
    use crate::arena::{pace::Pace, player::Patience};

    /// Misbehaves in one way.
    #[derive(Clone, Copy)]
    enum Rogue {
        Panics,
        /// Until it is stopped.
        Dawdles,
        /// For ever.
        Sleeps,
    }

    impl Search for Rogue {
        fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
            match self {
                Rogue::Panics => panic!("as the test wants"),
                Rogue::Dawdles => while !task.signals.is_stopped() {},
                Rogue::Sleeps => loop {
                    std::thread::park();
                },
            }
            Choice { best: moment.position.legal_moves().first().copied(), ..Choice::default() }
        }

        fn configure(&mut self, _: &Settings) {}

        fn new_game(&mut self) {}
    }

    fn ask(rogue: Rogue) -> Result<Thought, Failure> {
        let mut mind = Mind::start(Box::new(rogue), false);
        let abort = AtomicBool::new(false);
        mind.new_game(&abort)?;
        let short = Duration::from_millis(20);
        // The grace is long where something must come, so that a busy machine does not matter.
        let grace = if matches!(rogue, Rogue::Sleeps) { short } else { Duration::from_secs(60) };
        mind.think(&Question {
            moment: &Moment::default(),
            start_fen: None,
            moves: &[],
            clocks: ByColor::default(),
            rating: None,
            pace: &Pace { depth: Some(1), ..Pace::default() },
            patience: &Patience { margin: short, grace, untimed: short },
            abort: &abort,
        })
    }

    #[test]
    fn a_search_that_misbehaves_ends_only_its_own_game() {
        assert_eq!(ask(Rogue::Sleeps).unwrap_err(), Failure::Hung);
        assert_eq!(ask(Rogue::Panics).unwrap_err(), panicked());
        let late = ask(Rogue::Dawdles).unwrap();
        assert!(late.elapsed >= Duration::from_millis(20), "it was stopped and not before");
    }

    #[test]
    fn clocks_are_rounded_down_but_never_to_nothing() {
        let clock = |text: &str, left_ms| {
            let mut clock = Clock::start(text.parse().unwrap());
            clock.left = Duration::from_millis(left_ms);
            Some(clock)
        };
        let both = ByColor { white: clock("8+0.08", 7999), black: clock("8+0.08", 3) };
        let shown = clocks(&both, Color::White).unwrap();
        assert_eq!((shown.left_cs.white, shown.left_cs.black), (799, 1));
        assert_eq!((shown.increment_cs.white, shown.base_cs), (8, Some(800)));
        assert_eq!(clocks(&ByColor { white: clock("8", 9), black: None }, Color::Black), None);
    }
}
