//! One game as the server holds it: moves, clocks, verdict. It does nothing by itself; whoever holds it tells it
//! what happens and when, and gets back the events that a journal must keep.

use chess::{
    Moment,
    shakmaty::{Color, Move, san::SanPlus},
};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::time::Instant;
use utoipa::ToSchema;

use super::{
    clock::GameClock,
    setup::{Setup, SetupError},
    verdict::{Reason, Verdict, VerdictJson},
};

/// Each side's first move is free, so that nobody loses time before she has seen the board.
const FREE_PLIES: usize = 2;
/// A player who offers a draw on every move is a nuisance, even to a machine.
const PLIES_BETWEEN_OFFERS: usize = 6;

#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) id: String,
    pub(crate) setup: Setup,
    /// Seconds since 1970.
    pub(crate) created_s: u64,
    pub(crate) first: Moment,
    pub(crate) now: Moment,
    pub(crate) plies: Vec<Ply>,
    /// How many of the plies were on the board when the game began.
    pub(crate) given: usize,
    pub(crate) clock: GameClock,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) offer: Option<Offer>,
    /// The ply at which the opponent offered a draw; it stands until the player moves.
    pub(crate) offered_at: Option<usize>,
    /// What the player should know of its file.
    pub(crate) remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ply {
    pub(crate) played: Move,
    pub(crate) uci: String,
    pub(crate) san: String,
    pub(crate) spent_ms: u64,
    /// What the mover had left afterwards; `None` without clocks.
    pub(crate) left_ms: Option<u64>,
}

/// The player's last offer of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) at_ply: usize,
    pub(crate) declined: bool,
}

/// What a player can do, as the page says it. Variants without fields have braces because serde lets unknown fields of
/// others pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Action {
    /// `ply` guards against a move that was meant for another position.
    Move {
        uci: String,
        /// Half-moves on the board when the move was meant.
        #[serde(default)]
        ply: Option<usize>,
    },
    Resign {},
    /// Calls the game off before both have moved.
    Abort {},
    Draw {},
    Takeback {},
}

/// What a journal keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Move { uci: String, spent_ms: u64, left_ms: Option<u64> },
    Takeback { plies: usize },
    End { verdict: VerdictJson },
}

#[derive(Debug, Error)]
pub(crate) enum ActionError {
    #[error("the game is over")]
    Over,
    #[error("it is not your turn")]
    NotYourTurn,
    #[error("the move was meant for ply {meant}, and the game stands at ply {stands}")]
    Stale { meant: usize, stands: usize },
    #[error(transparent)]
    Illegal(#[from] chess::MomentError),
    #[error("there is no move of yours to take back")]
    NothingToTakeBack,
    #[error("this game is played without takebacks")]
    NoTakebacks,
    #[error("both sides have moved: the game can be resigned, not called off")]
    TooLateToAbort,
    #[error("a draw was offered a moment ago")]
    OfferedAlready,
    #[error(
        "`{0}`, who played this game, is not among the minds of this program; the game can only be looked at"
    )]
    NoOpponent(String),
}

impl Game {
    pub(crate) fn new(id: String, setup: Setup, created_s: u64, now: Instant) -> Result<Game, SetupError> {
        setup.check()?;
        let mut first = setup.start.first()?;
        first.players = Some(setup.ratings());
        let mut game = Game {
            id,
            clock: GameClock::new(setup.time, now),
            now: first.clone(),
            first,
            plies: Vec::new(),
            given: setup.start.moves.len(),
            verdict: None,
            offer: None,
            offered_at: None,
            remark: None,
            created_s,
            setup,
        };
        for uci in game.setup.start.moves.clone() {
            game.record(&Event::Move { uci, spent_ms: 0, left_ms: None }, now)?;
        }
        game.now.clocks = game.clock.as_seen();
        Ok(game)
    }

    /// Brings an event back, as a journal tells it. The clock of the side to move starts anew: while the server was
    /// away, nobody could play.
    pub(crate) fn record(&mut self, event: &Event, now: Instant) -> Result<(), chess::MomentError> {
        match event {
            Event::Move { uci, spent_ms, left_ms } => {
                let played = self.now.parse_uci(uci)?;
                let side = self.now.turn();
                self.clock.set(side, *left_ms, now);
                self.push(played, *spent_ms, *left_ms);
            }
            Event::Takeback { plies } => self.drop_plies(*plies, now),
            Event::End { verdict } => {
                let verdict = Verdict::from(verdict.clone());
                if verdict.reason == Reason::Time {
                    self.clock.set(self.now.turn(), Some(0), now);
                }
                self.verdict = Some(verdict);
            }
        }
        Ok(())
    }

    pub(crate) fn turn(&self) -> Color {
        self.now.turn()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.verdict.is_some()
    }

    pub(crate) fn opponent_to_move(&self) -> bool {
        !self.is_over() && self.turn() != self.setup.color
    }

    /// Whose clock runs.
    pub(crate) fn running(&self) -> Option<Color> {
        let counts = !self.is_over() && self.plies.len() >= self.given + FREE_PLIES;
        (counts && self.setup.time.is_some()).then(|| self.turn())
    }

    /// Plays a legal move for the side to move.
    pub(crate) fn play(&mut self, played: Move, now: Instant) -> Vec<Event> {
        if let Some(flag) = self.flag(now) {
            return flag;
        }
        let counts = self.running().is_some();
        let pressed = self.clock.press(self.turn(), counts, now);
        let uci = self.now.uci(played);
        self.push(played, pressed.spent_ms, pressed.left_ms);
        let moved = Event::Move { uci, spent_ms: pressed.spent_ms, left_ms: pressed.left_ms };
        let end = Verdict::by_rule(&self.now).map(|verdict| self.end(verdict, now));
        [moved].into_iter().chain(end).collect()
    }

    /// Ends the game if the flag of the side to move has fallen.
    pub(crate) fn flag(&mut self, now: Instant) -> Option<Vec<Event>> {
        let side = self.running()?;
        (self.clock.flag_falls(Some(side))? <= now)
            .then(|| vec![self.end(Verdict::by_time(&self.now, side), now)])
    }

    /// Ends the game and stops the clocks.
    pub(crate) fn end(&mut self, verdict: Verdict, now: Instant) -> Event {
        if let Some(side) = self.running() {
            let left_ms = self.clock.left_ms(side, Some(side), now);
            self.clock.set(side, Some(left_ms), now);
        }
        self.verdict = Some(verdict);
        Event::End { verdict: verdict.into() }
    }

    pub(crate) fn act(&mut self, action: &Action, now: Instant) -> Result<Vec<Event>, ActionError> {
        if self.is_over() {
            return Err(ActionError::Over);
        }
        let own = self.setup.color;
        match action {
            Action::Move { uci, ply } => {
                let stands = self.plies.len();
                match *ply {
                    Some(meant) if meant != stands => Err(ActionError::Stale { meant, stands }),
                    _ if self.turn() != own => Err(ActionError::NotYourTurn),
                    _ => Ok(self.play(self.now.parse_uci(uci)?, now)),
                }
            }
            Action::Resign {} => Ok(vec![self.end(Verdict::new(Some(!own), Reason::Resignation), now)]),
            Action::Abort {} if self.can_abort() => {
                Ok(vec![self.end(Verdict::new(None, Reason::Aborted), now)])
            }
            Action::Abort {} => Err(ActionError::TooLateToAbort),
            Action::Draw {} if self.offer_stands() => {
                Ok(vec![self.end(Verdict::new(None, Reason::Agreement), now)])
            }
            Action::Draw {} => {
                let at_ply = self.plies.len();
                if self.offer.is_some_and(|last| at_ply < last.at_ply + PLIES_BETWEEN_OFFERS) {
                    return Err(ActionError::OfferedAlready);
                }
                self.offer = Some(Offer { at_ply, declined: false });
                Ok(Vec::new())
            }
            Action::Takeback {} if !self.setup.takebacks => Err(ActionError::NoTakebacks),
            Action::Takeback {} => {
                let plies = self.takeback_plies().ok_or(ActionError::NothingToTakeBack)?;
                self.drop_plies(plies, now);
                Ok(vec![Event::Takeback { plies }])
            }
        }
    }

    /// Whether the opponent has offered a draw that can still be taken.
    pub(crate) fn offer_stands(&self) -> bool {
        !self.is_over() && self.offered_at == Some(self.plies.len())
    }

    /// Whether one of the sides has yet to make its first move.
    pub(crate) fn can_abort(&self) -> bool {
        !self.is_over() && self.plies.len() < self.given + FREE_PLIES
    }

    /// How many plies must go for the player to be asked again for her last move.
    pub(crate) fn takeback_plies(&self) -> Option<usize> {
        let plies = if self.turn() == self.setup.color { 2 } else { 1 };
        let allowed = self.setup.takebacks && !self.is_over();
        (allowed && self.plies.len() >= self.given + plies).then_some(plies)
    }

    fn push(&mut self, played: Move, spent_ms: u64, left_ms: Option<u64>) {
        let uci = self.now.uci(played);
        let san = SanPlus::from_move(self.now.position.clone(), played).to_string();
        self.now.play(played);
        self.now.clocks = self.clock.as_seen();
        self.plies.push(Ply { played, uci, san, spent_ms, left_ms });
    }

    /// Clocks stay as they are: a move taken back has still cost its time.
    fn drop_plies(&mut self, plies: usize, now: Instant) {
        self.plies.truncate(self.plies.len().saturating_sub(plies));
        self.now = self.first.clone();
        for ply in &self.plies {
            self.now.play(ply.played);
        }
        self.now.clocks = self.clock.as_seen();
        self.clock.set(self.now.turn(), None, now);
    }
}

#[cfg(test)]
mod tests;
