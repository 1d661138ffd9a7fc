//! The seam between a game and those who play it.

use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

pub(crate) use ::uci::{Failure, Missing, wait_for};

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
