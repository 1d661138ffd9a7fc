//! Plays any legal move: the floor under every table, and an opponent that tests can rely on.

use chess::Moment;
use engine::{Choice, Search, Settings, Task};

use ::data::Random;

/// The choice depends on the position alone, so that the same opening always gives the same game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomMover;

impl Search for RandomMover {
    fn choose(&mut self, moment: &Moment, _: Task<'_>) -> Choice {
        let moves = moment.legal_moves();
        let best = (!moves.is_empty()).then(|| moves[Random::new(moment.past.key()).below(moves.len())]);
        Choice { best, ..Choice::default() }
    }

    fn configure(&mut self, _: &Settings) {}

    fn new_game(&mut self) {}
}
