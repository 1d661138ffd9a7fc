//! From dumps to shards: one thread unpacks and cuts, all cores read games, the caller's thread writes them in the
//! order of the input. Every queue is bounded, so memory does not grow with the input.

mod chunks;
mod parse;
mod partition;
mod pieces;
mod row;
mod san;
mod scan;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use thiserror::Error;

use self::{
    chunks::{Chunk, Chunks},
    parse::parse,
};
pub use self::{
    partition::{PartitionWriter, join_partitions, prepare_partitions},
    pieces::{Piece, Pieces},
};
use crate::{
    Card, DatasetError, Filters, Reason, Shares, Tally, card::SourceEntry, dataset::Appender,
    ordered::Ordered, seen::Seen, source::Source,
};

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    pub filters: Filters,
    /// Stop at the first game whose data is at fault.
    pub strict: bool,
    /// Skip finished inputs and go on where unfinished ones were left.
    pub resume: bool,
    pub threads: usize,
    /// Games of a shard, give or take a chunk.
    pub shard_games: u64,
    /// Bytes of text that a thread reads at a time.
    pub chunk_bytes: usize,
    /// How a new dataset is split.
    pub shares: Shares,
    /// Set from another thread, it ends the import in good order: what was read is kept, and `resume` goes on from there.
    pub stop: Arc<AtomicBool>,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            filters: Filters::default(),
            strict: false,
            resume: false,
            threads: thread::available_parallelism().map_or(1, usize::from),
            shard_games: 100_000,
            chunk_bytes: 1 << 20,
            shares: Shares::default(),
            stop: Arc::default(),
        }
    }
}

/// How far an import has come.
#[derive(Clone, Copy, Debug)]
pub struct ImportProgress<'a> {
    pub source: &'a str,
    /// Stored bytes of this input read so far.
    pub consumed: u64,
    /// All stored bytes of this input, where known.
    pub len: Option<u64>,
    pub tally: &'a Tally,
}

#[derive(Debug, Error)]
pub enum ImportError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("{path}: {error}")]
    Input { path: PathBuf, error: io::Error },
    #[error("{path}, line {line}: {}", .reason.sentence())]
    Bad { path: PathBuf, line: u64, reason: Reason },
    #[error("{0} was begun with other filters; resume with the same ones")]
    OtherFilters(PathBuf),
    #[error("interrupted; --resume goes on from here")]
    Interrupted,
}

/// Adds the games of `paths` to the dataset in `folder`. Returns what this run read, and the dataset's card.
pub fn import(
    paths: &[PathBuf],
    folder: &Path,
    options: &ImportOptions,
    mut progress: impl FnMut(ImportProgress<'_>),
) -> Result<(Tally, Card), ImportError> {
    let mut sources = Vec::new();
    for path in paths {
        let open = |error| ImportError::Input { path: path.clone(), error };
        sources.push((path, Source::open(path).map_err(open)?));
    }
    let mut appender = Appender::open(folder, options.shares)?;
    let mut seen = known_ids(folder, &appender.card)?;
    let mut total = Tally::default();
    for (path, source) in sources {
        let Some(entry) = begin(&mut appender.card, &source, path, options)? else { continue };
        let tally = import_source(path, source, entry, &mut appender, &mut seen, options, &mut |step| {
            let mut sum = total.clone();
            sum.add(step.tally);
            progress(ImportProgress { tally: &sum, source: step.source, ..step });
        })?;
        total.add(&tally);
    }
    appender.commit()?;
    Ok((total, appender.card))
}

fn known_ids(folder: &Path, card: &Card) -> Result<Seen, ImportError> {
    let mut seen = Seen::new(&crate::storage::scratch(folder));
    let dataset = crate::Dataset { folder: folder.to_owned(), card: card.clone() };
    for index in 0..card.shards.len() {
        let path = folder.join(&card.shards[index].file);
        let mut failed = None;
        let ids = dataset.shard(index)?.ids(|id| {
            if let Err(error) = seen.insert(Seen::hash(id)) {
                failed = Some(error);
            }
        });
        ids.map_err(|error| DatasetError::Table { path: path.clone(), error })?;
        if let Some(error) = failed {
            return Err(DatasetError::Io { path, error }.into());
        }
    }
    Ok(seen)
}

/// The index of the input's entry in the card, from which it goes on; `None` when it is finished.
fn begin(
    card: &mut Card,
    source: &Source,
    path: &Path,
    options: &ImportOptions,
) -> Result<Option<usize>, ImportError> {
    let known = |entry: &SourceEntry| entry.name == source.name && entry.identity == source.identity;
    match card.sources.iter().rposition(known) {
        Some(index) if options.resume => {
            let entry = &card.sources[index];
            if entry.finished {
                return Ok(None);
            }
            match entry.filters == options.filters {
                true => Ok(Some(index)),
                false => Err(ImportError::OtherFilters(path.to_owned())),
            }
        }
        // Read anew from the front: what is there already drops out as duplicates.
        _ => {
            card.sources.push(SourceEntry {
                name: source.name.clone(),
                identity: source.identity.clone(),
                filters: options.filters.clone(),
                finished: false,
                offset: 0,
                lines: 0,
                read: 0,
                kept: 0,
                dropped: Default::default(),
            });
            Ok(Some(card.sources.len() - 1))
        }
    }
}

fn import_source(
    path: &Path,
    source: Source,
    entry: usize,
    appender: &mut Appender,
    seen: &mut Seen,
    options: &ImportOptions,
    progress: &mut dyn FnMut(ImportProgress<'_>),
) -> Result<Tally, ImportError> {
    let (offset, lines) = (appender.card.sources[entry].offset, appender.card.sources[entry].lines);
    let (name, len, consumed) = (source.name.clone(), source.len, source.consumed.clone());
    let mut total = Tally::default();
    let input = |error| ImportError::Input { path: path.to_owned(), error };
    let (give_back, used) = crossbeam_channel::bounded(2 * options.threads);
    let chunks = Chunks::new(source, offset, lines, options.chunk_bytes, used).map_err(input)?;
    let filters = Arc::new(options.filters.clone());
    let read = move |chunk: io::Result<Chunk>| {
        chunk.map(|chunk| {
            let parsed = parse(&chunk, &filters);
            // Those of passed-over text may be large: they are better freed.
            if chunk.text.capacity() <= 4 * chunk.text.len() {
                let _ = give_back.try_send(chunk.text);
            }
            parsed
        })
    };
    for parsed in Ordered::new(options.threads, 2 * options.threads, chunks, read) {
        let mut parsed = parsed.map_err(input)?;
        if let Some((reason, line)) = parsed.first_bad.filter(|_| options.strict) {
            return Err(ImportError::Bad { path: path.to_owned(), line, reason });
        }
        for row in parsed.rows {
            if seen.insert(row.id_hash).map_err(input)? {
                parsed.tally.keep();
                appender.push(row.game, row.fingerprint)?;
            } else {
                parsed.tally.drop(Reason::Duplicate);
            }
        }
        let state = &mut appender.card.sources[entry];
        state.add(&parsed.tally);
        (state.offset, state.lines) = (parsed.next_offset, parsed.next_line);
        total.add(&parsed.tally);
        let stopped = options.stop.load(Ordering::Relaxed);
        if stopped || appender.pending() >= options.shard_games {
            appender.commit()?;
        }
        if stopped {
            return Err(ImportError::Interrupted);
        }
        progress(ImportProgress {
            source: &name,
            consumed: consumed.load(Ordering::Relaxed),
            len,
            tally: &total,
        });
    }
    // The archive's end is known, its rows perhaps not yet on disk: the flag reaches the disk with them.
    appender.card.sources[entry].finished = true;
    Ok(total)
}
