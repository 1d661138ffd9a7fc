//! A player whose move is known to the server: so it can tell a move that was meant for another position.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use chess::{
    Moment,
    shakmaty::{Move, Position},
};
use engine::{Choice, Score, Search, Settings, Task};

/// The move of a position, whoever asks.
pub(crate) fn whim(moment: &Moment) -> Option<Move> {
    let mut hasher = DefaultHasher::new();
    moment.fen().hash(&mut hasher);
    let legal = moment.legal_moves();
    legal.get(hasher.finish() as usize % legal.len().max(1)).copied()
}

/// Thinks for a moment, and now and then wants to wait like a person.
pub(crate) struct Whim {
    pub(crate) think: Duration,
    pub(crate) score: Score,
    /// Falls over at this ply.
    pub(crate) fails_at: Option<u32>,
}

impl Search for Whim {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let number = moment.position.fullmoves().get();
        assert!(self.fails_at != Some(number), "made to fail by a test");
        if !task.signals.is_stopped() {
            std::thread::sleep(Duration::from_millis(1 + u64::from(number % 3)));
        }
        let think = (!self.think.is_zero() && number.is_multiple_of(3)).then_some(self.think);
        Choice { best: whim(moment), score: Some(self.score), think, ..Choice::default() }
    }

    fn configure(&mut self, _: &Settings) {}

    fn new_game(&mut self) {}
}
