//! All games: those at a table, and those on disk that come back when their player does.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::http::StatusCode;
use tokio::{sync::Semaphore, time::Instant};

use crate::date;

use super::{
    api_error::ApiError,
    client::Client,
    game::Game,
    ids,
    journal::Journals,
    minds::Minds,
    openings::Openings,
    setup::Setup,
    table::{self, Handle},
    view::Summary,
};

/// Tables at once: each costs a few kilobytes and, now and then, a thought.
const MOST_TABLES: usize = 4000;
const MOST_TABLES_OF_ONE: usize = 64;
/// Reviews and questions to all minds at once; they take seconds of a processor each.
const MOST_REVIEWS: usize = 2;
const MOST_QUESTIONS: usize = 16;

#[derive(Debug)]
pub(crate) struct Hall {
    tables: Mutex<HashMap<String, Handle>>,
    pub(crate) journals: Journals,
    pub(crate) minds: Arc<Minds>,
    pub(crate) reviews: Arc<Semaphore>,
    pub(crate) questions: Arc<Semaphore>,
}

impl Hall {
    pub(crate) fn new(journals: Journals, minds: Arc<Minds>) -> Hall {
        Hall {
            tables: Mutex::default(),
            journals,
            minds,
            reviews: Arc::new(Semaphore::new(MOST_REVIEWS)),
            questions: Arc::new(Semaphore::new(MOST_QUESTIONS)),
        }
    }

    pub(crate) fn begin(&self, client: &Client, setup: Setup) -> Result<Handle, ApiError> {
        if !self.minds.knows(&setup.mind) {
            let message = format!("there is no mind `{}`", setup.mind);
            return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "setup", message));
        }
        let game = Game::new(ids::game(), setup, date::now_s(), Instant::now())?;
        let mut tables = self.tables.lock().expect("nothing panics with the tables in hand");
        tables.retain(|_, handle| !handle.is_gone());
        if tables.len() >= MOST_TABLES {
            return Err(ApiError::too_many("all tables are taken; try again later"));
        }
        if tables.values().filter(|handle| *handle.owner == *client.0).count() >= MOST_TABLES_OF_ONE {
            return Err(ApiError::too_many(format!(
                "nobody plays more than {MOST_TABLES_OF_ONE} games at once"
            )));
        }
        let journal = self.journals.create(&client.0, &game)?;
        let id = game.id.clone();
        let handle = table::open(client.0.to_string(), game, journal, Arc::clone(&self.minds));
        tables.insert(id, handle.clone());
        Ok(handle)
    }

    /// A game of this player. Those of others are as unknown as those that never were.
    pub(crate) fn find(&self, client: &Client, id: &str) -> Result<Handle, ApiError> {
        let unknown = || ApiError::not_found(format!("there is no game `{id}` of yours"));
        if !ids::is_game(id) {
            return Err(unknown());
        }
        let mut tables = self.tables.lock().expect("nothing panics with the tables in hand");
        if let Some(handle) = tables.get(id).filter(|handle| !handle.is_gone()) {
            return if *handle.owner == *client.0 { Ok(handle.clone()) } else { Err(unknown()) };
        }
        let (game, journal) = self.journals.open(&client.0, id, Instant::now())?.ok_or_else(unknown)?;
        let handle = table::open(client.0.to_string(), game, journal, Arc::clone(&self.minds));
        tables.insert(id.to_owned(), handle.clone());
        Ok(handle)
    }

    pub(crate) fn list(&self, client: &Client) -> Vec<Summary> {
        let games = self.journals.list(&client.0, Instant::now());
        games.iter().map(|game| Summary::of(game, Openings::shared())).collect()
    }
}
