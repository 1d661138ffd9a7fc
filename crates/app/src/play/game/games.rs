//! All games: those that are being played, and those on disk that come back when their player does.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use tokio::time::Instant;

use super::{
    error::GameError,
    journal::Journals,
    session::{self, GameHandle},
    setup::Setup,
    state::Game,
    view::Summary,
};
use crate::{
    date,
    play::{ids, minds::catalogue::Minds, openings::Openings},
};

/// Games at once: each costs a few kilobytes and, now and then, a search.
const MOST_GAMES: usize = 4000;
const MOST_GAMES_OF_ONE: usize = 64;

#[derive(Debug)]
pub(crate) struct Games {
    running: Mutex<HashMap<String, GameHandle>>,
    pub(crate) journals: Journals,
    minds: Arc<Minds>,
}

impl Games {
    pub(crate) fn new(journals: Journals, minds: Arc<Minds>) -> Games {
        Games { running: Mutex::default(), journals, minds }
    }

    pub(crate) fn start(&self, owner: &str, setup: Setup) -> Result<GameHandle, GameError> {
        if !self.minds.knows(&setup.mind) {
            return Err(GameError::UnknownMind(setup.mind));
        }
        let game = Game::new(ids::game(), setup, date::now_s(), Instant::now())?;
        let mut running = self.running.lock().expect("nothing panics while it holds the list of games");
        running.retain(|_, handle| !handle.is_gone());
        if running.len() >= MOST_GAMES {
            return Err(GameError::TooMany("too many games are being played; try again later".to_owned()));
        }
        if running.values().filter(|handle| *handle.owner == *owner).count() >= MOST_GAMES_OF_ONE {
            let message = format!("nobody plays more than {MOST_GAMES_OF_ONE} games at once");
            return Err(GameError::TooMany(message));
        }
        let journal = self.journals.create(owner, &game)?;
        let id = game.id.clone();
        let handle = session::spawn(owner.to_owned(), game, journal, Arc::clone(&self.minds));
        running.insert(id, handle.clone());
        Ok(handle)
    }

    /// A game of this player. Those of others are as unknown as those that never were.
    pub(crate) fn find(&self, owner: &str, id: &str) -> Result<GameHandle, GameError> {
        let unknown = || GameError::UnknownGame(id.to_owned());
        if !ids::is_game(id) {
            return Err(unknown());
        }
        let mut running = self.running.lock().expect("nothing panics while it holds the list of games");
        if let Some(handle) = running.get(id).filter(|handle| !handle.is_gone()) {
            return if *handle.owner == *owner { Ok(handle.clone()) } else { Err(unknown()) };
        }
        let (game, journal) = self.journals.open(owner, id, Instant::now())?.ok_or_else(unknown)?;
        let handle = session::spawn(owner.to_owned(), game, journal, Arc::clone(&self.minds));
        running.insert(id.to_owned(), handle.clone());
        Ok(handle)
    }

    pub(crate) fn list(&self, owner: &str) -> Vec<Summary> {
        let games = self.journals.list(owner, Instant::now());
        games.iter().map(|game| Summary::of(game, Openings::shared())).collect()
    }
}
