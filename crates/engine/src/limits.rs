//! How long a search may go on, and the switches by which others end it.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use chess::shakmaty::Move;

/// What ends a search. All limits that are given hold together; with none it runs until it is stopped.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Think as the clocks of the moment ask for.
    pub on_clock: bool,
    /// Moves until more time is added to the clock; `None` is the rest of the game.
    pub moves_to_go: Option<u32>,
    /// Exactly this long.
    pub move_time: Option<Duration>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Stop when a mate in this many moves is found.
    pub mate: Option<u32>,
    /// Search these root moves alone; empty means all.
    pub search_moves: Vec<Move>,
    /// How late moves have been lately, as [`Lateness`](crate::Lateness) measures it; kept back on top of the overhead.
    pub lateness: Duration,
}

impl Limits {
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    pub fn move_time(time: Duration) -> Limits {
        Limits { move_time: Some(time), ..Limits::default() }
    }

    pub fn clock() -> Limits {
        Limits { on_clock: true, ..Limits::default() }
    }
}

/// Switches between a running search and whoever started it.
#[derive(Debug, Default)]
pub struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// When the opponent played the expected move.
    hit_at: OnceLock<Instant>,
}

impl Signals {
    pub fn new() -> Signals {
        Signals::default()
    }

    /// Signals for a search on the opponent's time: clocks do not count until [`Signals::ponder_hit`].
    pub fn pondering() -> Signals {
        Signals { pondering: AtomicBool::new(true), ..Signals::default() }
    }

    /// Ends the search at once with the best move so far.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The opponent played the expected move: from now on the clock counts.
    pub fn ponder_hit(&self) {
        self.hit_at.get_or_init(Instant::now);
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// When our own clock began to run, for a search that began at `started`.
    pub fn clock_started(&self, started: Instant) -> Instant {
        self.hit_at.get().copied().unwrap_or(started)
    }

    /// Waits until our own clock, of a search that began at `started`, has run for `time`, or for a stop.
    pub fn wait(&self, started: Instant, time: Duration) {
        // Short enough that nobody feels the delay of a stop.
        const GLANCE: Duration = Duration::from_millis(5);
        while !self.is_stopped() {
            let rest = match self.is_pondering() {
                true => GLANCE,
                false => time.saturating_sub(self.clock_started(started).elapsed()),
            };
            if rest.is_zero() {
                return;
            }
            thread::sleep(rest.min(GLANCE));
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }
}
