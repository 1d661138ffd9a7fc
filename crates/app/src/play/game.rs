//! Games against the program: rules and clocks, the journal on disk, and the task that runs each game.

pub(super) mod clock;
pub(super) mod error;
pub(crate) mod games;
pub(crate) mod journal;
pub(super) mod session;
pub(super) mod setup;
pub(super) mod side;
pub(super) mod state;
mod turn_mark;
pub(super) mod verdict;
pub(super) mod view;
