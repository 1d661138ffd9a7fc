//! What all requests share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::play::{
    game::{games::Games, journal::Journals},
    minds::catalogue::Minds,
};

/// Reviews and questions to all minds at once; they take seconds of a processor each.
const MOST_REVIEWS: usize = 2;
const MOST_QUESTIONS: usize = 16;

#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) games: Games,
    pub(crate) minds: Arc<Minds>,
    pub(crate) reviews: Arc<Semaphore>,
    pub(crate) questions: Arc<Semaphore>,
}

impl AppState {
    pub(crate) fn new(journals: Journals, minds: Arc<Minds>) -> AppState {
        AppState {
            games: Games::new(journals, Arc::clone(&minds)),
            minds,
            reviews: Arc::new(Semaphore::new(MOST_REVIEWS)),
            questions: Arc::new(Semaphore::new(MOST_QUESTIONS)),
        }
    }
}
