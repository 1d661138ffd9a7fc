//! Matches between minds of ours and any UCI engines, with the statistics to judge them by.

pub(crate) mod adjudication;
pub(crate) mod book;
pub(crate) mod clock;
pub(crate) mod entrant;
pub(crate) mod game;
pub(crate) mod journal;
pub(crate) mod mind;
pub(crate) mod pace;
pub(crate) mod pgn;
pub(crate) mod player;
pub(crate) mod progress;
pub(crate) mod ratings;
pub(crate) mod record;
pub(crate) mod schedule;
pub(crate) mod sprt;
pub(crate) mod standings;
pub(crate) mod statistics;
pub(crate) mod table;
pub(crate) mod tournament;
pub(crate) mod uci_process;
pub(crate) mod uci_words;
