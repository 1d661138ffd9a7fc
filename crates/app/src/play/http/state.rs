//! What all requests share.

use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

use super::{insight_api::Readers, shares::Shares, tabiyas_api::Tabiyas};
use crate::play::{
    game::{games::Games, journal::Journals},
    minds::catalogue::Minds,
    people::shelf::People,
    review::shelf::Shelf,
    training::{imports::Imports, memory::Memories},
};

/// Reviews at once; they take a minute of a processor each.
const MOST_REVIEWS: usize = 2;
/// Questions to all minds; a second each.
const MOST_QUESTIONS: usize = 16;
const MOST_QUESTIONS_OF_ONE: usize = 4;
/// Minds that think for as long as somebody listens. The second of a player is the one that has yet to notice that she walked on.
const MOST_ANALYSES: usize = 8;
const MOST_ANALYSES_OF_ONE: usize = 2;
/// Pages that watch a game.
const MOST_SOCKETS: usize = 512;
const MOST_SOCKETS_OF_ONE: usize = 64;

#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) games: Games,
    pub(crate) tabiyas: Tabiyas,
    pub(crate) minds: Arc<Minds>,
    pub(crate) reviews: Arc<Semaphore>,
    pub(crate) shelf: Shelf,
    pub(crate) imports: Arc<Imports>,
    pub(crate) people: Arc<People>,
    pub(crate) memories: Memories,
    /// Held while a list of repertoires is read, changed and written.
    pub(crate) changing_repertoires: Mutex<()>,
    /// Networks that are looked into.
    pub(crate) readers: Readers,
    pub(crate) questions: Shares,
    pub(crate) analyses: Shares,
    pub(crate) sockets: Shares,
}

impl AppState {
    pub(crate) fn new(journals: Journals, minds: Arc<Minds>) -> AppState {
        AppState {
            tabiyas: Tabiyas::new(journals.clone()),
            shelf: Shelf::new(journals.clone()),
            imports: Arc::new(Imports::new(journals.clone(), Arc::clone(&minds))),
            people: Arc::new(People::new(journals.clone(), Arc::clone(&minds))),
            memories: Memories::new(journals.clone()),
            changing_repertoires: Mutex::default(),
            games: Games::new(journals, Arc::clone(&minds)),
            minds,
            readers: Readers::default(),
            reviews: Arc::new(Semaphore::new(MOST_REVIEWS)),
            questions: Shares::new("questions", MOST_QUESTIONS, MOST_QUESTIONS_OF_ONE),
            analyses: Shares::new("analyses", MOST_ANALYSES, MOST_ANALYSES_OF_ONE),
            sockets: Shares::new("sockets", MOST_SOCKETS, MOST_SOCKETS_OF_ONE),
        }
    }
}
