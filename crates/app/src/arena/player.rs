//! The seam between a game and those who play it.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use chess::{
    Moment,
    shakmaty::{ByColor, Color},
};
use engine::Score;

use super::{clock::Clock, pace::Pace};

/// One who can be asked for moves: an engine process or a mind of ours on its own thread.
pub(crate) trait Player: Send {
    /// Forgets the last game and gets ready for the next. Its time is not counted.
    fn new_game(&mut self, abort: &AtomicBool) -> Result<(), Failure>;

    /// Asks for a move and waits for it, but never longer than the question allows.
    fn think(&mut self, question: &Question<'_>) -> Result<Thought, Failure>;
}

/// One request for a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) moment: &'a Moment,
    /// Where the game began; `None` is the usual start.
    pub(crate) start_fen: Option<&'a str>,
    /// All moves since then, in UCI notation.
    pub(crate) moves: &'a [String],
    pub(crate) clocks: ByColor<Option<Clock>>,
    /// Of the person whose move is to be foreseen; `None` where the player plays for itself.
    pub(crate) rating: Option<u16>,
    pub(crate) pace: &'a Pace,
    pub(crate) patience: &'a Patience,
    pub(crate) abort: &'a AtomicBool,
}

/// How long the arena waits before it decides that something is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Overstepping the clock by this much is forgiven.
    pub(crate) margin: Duration,
    /// A player that has not even answered this long after its flag fell is taken for hung.
    pub(crate) grace: Duration,
    /// Longest thought of a player without a clock.
    pub(crate) untimed: Duration,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug)]
pub(crate) struct Thought {
    /// The move as the player wrote it; it may be nonsense.
    pub(crate) text: String,
    pub(crate) elapsed: Duration,
    /// For the side to move.
    pub(crate) score: Option<Score>,
    /// Gives the game up instead of moving.
    pub(crate) resigns: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Crashed(String),
    Hung,
    /// The whole arena is being stopped; nobody is to blame.
    Aborted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Crashed(how) => write!(f, "crashed ({how})"),
            Failure::Hung => f.write_str("does not answer"),
            Failure::Aborted => f.write_str("stopped on request"),
        }
    }
}

impl Question<'_> {
    pub(crate) fn turn(&self) -> Color {
        self.moment.turn()
    }

    pub(crate) fn clock(&self) -> Option<&Clock> {
        self.clocks.get(self.turn()).as_ref()
    }

    /// When the player is told to stop, and when it is given up.
    pub(crate) fn deadlines(&self, started: Instant) -> (Instant, Instant) {
        let stop = match self.pace.allowed(self.clock()) {
            Some(allowed) => started + allowed + self.patience.margin,
            None => started + self.patience.untimed,
        };
        (stop, stop + self.patience.grace)
    }
}

/// How often a waiting thread looks whether the arena is being stopped.
const GLANCE: Duration = Duration::from_millis(50);

/// Waits for a message until `deadline`, in steps short enough to notice an abort.
pub(crate) fn wait_for<T>(
    channel: &std::sync::mpsc::Receiver<T>,
    deadline: Instant,
    abort: &AtomicBool,
) -> Result<T, Missing> {
    use std::sync::mpsc::RecvTimeoutError;
    loop {
        if abort.load(Ordering::Relaxed) {
            return Err(Missing::Aborted);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match channel.recv_timeout(left.min(GLANCE)) {
            Ok(message) => return Ok(message),
            Err(RecvTimeoutError::Disconnected) => return Err(Missing::Gone),
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Missing::Late),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Why a message did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Late,
    Gone,
    Aborted,
}
