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
use engine::{Limits, Score, Search, Signals, Task};

use super::{
    clock::Clock,
    player::{Failure, Missing, Player, Question, Thought, wait_for},
};

/// Clearing a large table takes a while.
const NEW_GAME_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Mind {
    requests: Sender<Request>,
    answers: Receiver<Answer>,
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
}

impl Mind {
    pub(crate) fn start(search: Box<dyn Search>) -> Mind {
        let (requests, inbox) = channel();
        let (outbox, answers) = channel();
        // Deliberately not joined: a search that never returns must not keep the arena waiting.
        std::thread::spawn(move || serve(search, &inbox, &outbox));
        Mind { requests, answers }
    }

    fn request(&self, request: Request) -> Result<(), Failure> {
        self.requests.send(request).map_err(|_| panicked())
    }
}

fn serve(mut search: Box<dyn Search>, inbox: &Receiver<Request>, outbox: &Sender<Answer>) {
    while let Ok(request) = inbox.recv() {
        let (text, score) = match request {
            Request::NewGame => {
                search.new_game();
                (String::new(), None)
            }
            Request::Choose(moment, limits, signals) => {
                let task = Task { limits: *limits, signals: &signals, report: &mut |_| {} };
                let choice = search.choose(&moment, task);
                (choice.best.map(|best| moment.uci(best)).unwrap_or_default(), choice.score)
            }
        };
        if outbox.send(Answer { finished: Instant::now(), text, score }).is_err() {
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
        let mut answer = wait_for(&self.answers, stop, question.abort);
        if !matches!(answer, Ok(_) | Err(Missing::Gone)) {
            signals.stop();
        }
        if answer.as_ref().is_err_and(|&missing| missing == Missing::Late) {
            answer = wait_for(&self.answers, give_up, question.abort);
        }
        let Answer { finished, text, score } = answer.map_err(failure)?;
        Ok(Thought { text, elapsed: finished.saturating_duration_since(started), score })
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
