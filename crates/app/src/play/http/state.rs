//! What all requests share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::{shares::Shares, tabiyas_api::Tabiyas};
use crate::play::{
    game::{games::Games, journal::Journals},
    minds::catalogue::Minds,
};

/// Reviews at once; they take a minute of a processor each.
const MOST_REVIEWS: usize = 2;
/// Questions to all minds; a second each.
const MOST_QUESTIONS: usize = 16;
const MOST_QUESTIONS_OF_ONE: usize = 4;
/// Pages that watch a game.
const MOST_SOCKETS: usize = 512;
const MOST_SOCKETS_OF_ONE: usize = 64;

#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) games: Games,
    pub(crate) tabiyas: Tabiyas,
    pub(crate) minds: Arc<Minds>,
    pub(crate) reviews: Arc<Semaphore>,
    pub(crate) questions: Shares,
    pub(crate) sockets: Shares,
}

impl AppState {
    pub(crate) fn new(journals: Journals, minds: Arc<Minds>) -> AppState {
        AppState {
            tabiyas: Tabiyas::new(journals.clone()),
            games: Games::new(journals, Arc::clone(&minds)),
            minds,
            reviews: Arc::new(Semaphore::new(MOST_REVIEWS)),
            questions: Shares::new("questions", MOST_QUESTIONS, MOST_QUESTIONS_OF_ONE),
            sockets: Shares::new("sockets", MOST_SOCKETS, MOST_SOCKETS_OF_ONE),
        }
    }
}
