//! The games of one input piece by piece, for engines that bring their own threads and tables.

use std::{
    io,
    path::Path,
    sync::{Arc, atomic::AtomicU64},
};

use super::{chunks::Chunks, parse::parse};
use crate::{Filters, Game, Tally, source::Source};

/// Some games that follow one another in an input.
#[derive(Debug, Default)]
pub struct Piece {
    /// Those that the filters keep.
    pub games: Vec<Game>,
    /// All others.
    pub tally: Tally,
}

/// An input that is being read. Duplicates are left in.
pub struct Pieces {
    pub name: String,
    /// Tells this input from others of the same name.
    pub identity: String,
    /// Stored bytes read so far.
    pub consumed: Arc<AtomicU64>,
    chunks: Chunks<Source>,
    filters: Filters,
}

impl Pieces {
    /// Opens a file, an address, or standard input.
    pub fn open(path: &Path, filters: &Filters, chunk_bytes: usize) -> io::Result<Pieces> {
        let source = Source::open(path)?;
        let (name, identity) = (source.name.clone(), source.identity.clone());
        let consumed = Arc::clone(&source.consumed);
        let chunks = Chunks::new(source, 0, 0, chunk_bytes, crossbeam_channel::never())?;
        Ok(Pieces { name, identity, consumed, chunks, filters: filters.clone() })
    }
}

impl Iterator for Pieces {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<io::Result<Piece>> {
        Some(self.chunks.next()?.map(|chunk| {
            let parsed = parse(&chunk, &self.filters);
            Piece { games: parsed.rows.into_iter().map(|row| row.game).collect(), tally: parsed.tally }
        }))
    }
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name, self.identity)
    }
}
