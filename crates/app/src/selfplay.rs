//! Games of a mind against itself and its past, and what it learns from them: generation after generation.

pub(crate) mod config;
mod games;
mod learning;
mod pgn_file;
pub(crate) mod run;
