//! Why a game cannot be started, found or acted in.

use thiserror::Error;

use super::{journal::JournalError, setup::SetupError, state::ActionError};

#[derive(Debug, Error)]
pub(crate) enum GameError {
    #[error("there is no mind `{0}`")]
    UnknownMind(String),
    #[error("there is no game `{0}` of yours")]
    UnknownGame(String),
    #[error("{0}")]
    TooMany(String),
    #[error("too many games are being played; try again later")]
    Full,
    /// The game's task ended between two messages; asking again brings it back.
    #[error("the game was put away; ask again")]
    Gone,
    #[error(transparent)]
    Action(#[from] ActionError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Journal(#[from] JournalError),
}
