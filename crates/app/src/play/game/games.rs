//! All games: those that are being played, and those on disk that come back when their player does.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use data::date;
use tokio::time::Instant;

use super::{
    error::GameError,
    journal::{Journals, Listed},
    session::{self, GameHandle},
    setup::Setup,
    state::Game,
    view::{Summary, to_pgn},
};
use crate::play::{ids, minds::catalogue::Minds, openings::Openings};

/// A player's name in a collection of her own games.
pub(crate) const OWN_NAME: &str = "You";
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

    pub(crate) fn start(&self, owner: &str, mut setup: Setup) -> Result<GameHandle, GameError> {
        if !self.minds.knows(&setup.mind) {
            return Err(GameError::UnknownMind(setup.mind));
        }
        // Who plays like one person plays at that person's rating.
        setup.rating = self.minds.rating_of(&setup.mind).unwrap_or(setup.rating);
        setup.start.new_moment().map_err(GameError::Setup)?;
        let game = Game::new(ids::game(), setup, date::now_s(), Instant::now())?;
        self.check_room(owner)?;
        // The disk may take its time; others need not wait for it.
        let journal = self.journals.create(owner, &game)?;
        let id = game.id.clone();
        let handle = session::spawn(owner.to_owned(), game, journal, Arc::clone(&self.minds));
        self.lock().insert(id, handle.clone());
        Ok(handle)
    }

    fn check_room(&self, owner: &str) -> Result<(), GameError> {
        let mut running = self.lock();
        running.retain(|_, handle| !handle.is_gone());
        if running.len() >= MOST_GAMES {
            return Err(GameError::Full);
        }
        if running.values().filter(|handle| *handle.owner == *owner).count() >= MOST_GAMES_OF_ONE {
            let message = format!("nobody plays more than {MOST_GAMES_OF_ONE} games at once");
            return Err(GameError::TooMany(message));
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, GameHandle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A game of this player. Those of others are as unknown as those that never were.
    pub(crate) fn find(&self, owner: &str, id: &str) -> Result<GameHandle, GameError> {
        let unknown = || GameError::UnknownGame(id.to_owned());
        if !ids::is_game(id) {
            return Err(unknown());
        }
        let mut running = self.lock();
        if let Some(handle) = running.get(id).filter(|handle| !handle.is_gone()) {
            return if *handle.owner == *owner { Ok(handle.clone()) } else { Err(unknown()) };
        }
        let (game, journal) = self.journals.open(owner, id, Instant::now())?.ok_or_else(unknown)?;
        let handle = session::spawn(owner.to_owned(), game, journal, Arc::clone(&self.minds));
        running.insert(id.to_owned(), handle.clone());
        Ok(handle)
    }

    /// Finished games of a player, in one text, with [`OWN_NAME`] on her side.
    pub(crate) fn finished_pgn(&self, owner: &str) -> String {
        let games = self.journals.list(owner, Instant::now()).into_iter().filter_map(|file| match file {
            Listed::Game(game) if game.is_over() => Some(game),
            _ => None,
        });
        let text = games.map(|game| {
            let mut pgn = to_pgn(&game, Openings::shared());
            pgn.set_tag(game.setup.color.fold_wb("White", "Black"), OWN_NAME);
            pgn.to_string()
        });
        text.collect()
    }

    pub(crate) fn list(&self, owner: &str) -> Vec<Summary> {
        let files = self.journals.list(owner, Instant::now());
        let summary = |file| match file {
            Listed::Game(game) => Summary::of(&game, Openings::shared()),
            Listed::Unreadable { id, created_s, remark } => Summary::unreadable(id, created_s, remark),
        };
        files.into_iter().map(summary).collect()
    }
}
