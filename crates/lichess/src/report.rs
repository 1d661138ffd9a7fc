//! What happens, for people and for tests.

use std::{fmt, sync::Arc, time::Duration};

use chess::shakmaty::Color;

use crate::policy::Decline;

#[derive(Clone, Debug)]
pub enum Report {
    /// Events are heard.
    Listening {
        account: String,
    },
    /// A stream broke; it is opened again after a while.
    Lost {
        what: String,
        why: String,
        again_in: Duration,
    },
    Accepted {
        challenge: String,
        name: String,
    },
    Waiting {
        challenge: String,
        name: String,
    },
    Declined {
        challenge: String,
        name: String,
        reason: Decline,
    },
    Canceled {
        challenge: String,
    },
    Started {
        game: String,
        opponent: String,
        us: Color,
    },
    Moved {
        game: String,
        ply: usize,
        uci: String,
    },
    /// Something that was asked for did not happen, or nobody knows whether it did.
    Failed {
        game: String,
        what: String,
        why: String,
    },
    Offered {
        game: String,
        what: &'static str,
        granted: bool,
    },
    Ended {
        game: String,
        status: String,
        winner: Option<Color>,
        us: Color,
    },
    /// No new games; those that run come to their end.
    Ending {
        games: usize,
    },
}

/// Where reports go.
pub type Teller = Arc<dyn Fn(&Report) + Send + Sync>;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::Listening { account } => write!(f, "listening as {account}"),
            Report::Lost { what, why, again_in } => {
                write!(f, "{what}: {why}; again in {:.1} s", again_in.as_secs_f64())
            }
            Report::Accepted { challenge, name } => {
                write!(f, "{challenge}: accepted the challenge of {name}")
            }
            Report::Waiting { challenge, name } => write!(f, "{challenge}: {name} waits for a free board"),
            Report::Declined { challenge, name, reason } => {
                write!(f, "{challenge}: declined the challenge of {name} ({})", reason.key())
            }
            Report::Canceled { challenge } => write!(f, "{challenge}: the challenge was withdrawn"),
            Report::Started { game, opponent, us } => {
                write!(f, "{game}: playing {} against {opponent}", side(*us))
            }
            Report::Moved { game, ply, uci } => write!(f, "{game}: {uci} at ply {ply}"),
            Report::Failed { game, what, why } => write!(f, "{game}: {what}: {why}"),
            Report::Offered { game, what, granted } => {
                write!(f, "{game}: {what} {}", if *granted { "granted" } else { "not granted" })
            }
            Report::Ended { game, status, winner, us } => {
                let result = match winner {
                    Some(winner) if winner == us => "won",
                    Some(_) => "lost",
                    None => "no winner",
                };
                write!(f, "{game}: {result} ({status})")
            }
            Report::Ending { games } => write!(f, "no new games; {games} to finish"),
        }
    }
}

fn side(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}
