//! A folder of shards and its card: opened for reading, or locked and appended to.

use std::path::{Path, PathBuf};

use crate::{
    Card, DatasetError, Fingerprint, Game, ROW_GROUP, Shares, TableReader,
    card::Shard,
    durable,
    error::At,
    storage::{self, Claim, Draft},
    table::TableWriter,
};

/// A dataset opened for reading.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub folder: PathBuf,
    pub card: Card,
}

impl Dataset {
    pub fn open(folder: &Path) -> Result<Dataset, DatasetError> {
        let card = Card::read(folder)?.ok_or_else(|| DatasetError::Missing(folder.to_owned()))?;
        Ok(Dataset { folder: folder.to_owned(), card })
    }

    pub fn shard(&self, index: usize) -> Result<TableReader, DatasetError> {
        let path = self.folder.join(&self.card.shards[index].file);
        TableReader::open(&path).at(path)
    }

    /// Hands every row group to `each`, in order.
    pub fn for_each_group<E: From<DatasetError>>(
        &self,
        mut each: impl FnMut(Vec<Game>) -> Result<(), E>,
    ) -> Result<(), E> {
        for index in 0..self.card.shards.len() {
            let reader = self.shard(index)?;
            for group in 0..reader.row_groups() {
                let path = || self.folder.join(&self.card.shards[index].file);
                each(reader.read(group).map_err(|error| DatasetError::Table { path: path(), error })?)?;
            }
        }
        Ok(())
    }
}

/// A dataset opened for adding. Holds the folder's lock; what is not committed does not exist.
#[derive(Debug)]
pub(crate) struct Appender {
    folder: PathBuf,
    pub(crate) card: Card,
    shard: Option<OpenShard>,
    rows: Vec<Game>,
    claim: Claim,
}

struct OpenShard {
    path: PathBuf,
    /// Gone once the shard is finished.
    writer: Option<TableWriter<Draft>>,
    games: u64,
    fingerprint: Fingerprint,
}

impl Appender {
    /// Opens or begins the dataset in `folder`. `shares` count only for a new one.
    pub(crate) fn open(folder: &Path, shares: Shares) -> Result<Appender, DatasetError> {
        storage::create_folder(folder).at(folder)?;
        let path = folder.join(".lock");
        let busy = || std::io::Error::other("another process writes to this dataset");
        let claim = Claim::take(&path).at(&path)?.ok_or_else(busy).at(folder)?;
        if !storage::is_address(folder) {
            durable::sweep(folder).at(folder)?;
        }
        let card = match Card::read(folder)? {
            Some(card) => card,
            None => Card::new(shares),
        };
        Ok(Appender { folder: folder.to_owned(), card, shard: None, rows: Vec::new(), claim })
    }

    /// Adds a row to the open shard.
    pub(crate) fn push(&mut self, game: Game, fingerprint: u128) -> Result<(), DatasetError> {
        if self.shard.is_none() {
            self.shard = Some(self.begin_shard()?);
        }
        let shard = self.shard.as_mut().expect("begun above");
        shard.games += 1;
        shard.fingerprint.add(fingerprint);
        self.card.count(&game);
        self.card.fingerprint.add(fingerprint);
        self.rows.push(game);
        if self.rows.len() == ROW_GROUP { self.write_rows() } else { Ok(()) }
    }

    fn begin_shard(&self) -> Result<OpenShard, DatasetError> {
        let path = self.folder.join(format!("games-{:05}.parquet", self.card.shards.len()));
        let draft = Draft::create(&path).at(&path)?;
        let writer = TableWriter::new(draft, self.card.split).at(&path)?;
        Ok(OpenShard { path, writer: Some(writer), games: 0, fingerprint: Fingerprint::default() })
    }

    fn write_rows(&mut self) -> Result<(), DatasetError> {
        if let Some(OpenShard { path, writer: Some(writer), .. }) = &mut self.shard
            && !self.rows.is_empty()
        {
            writer.write(&self.rows).at(&*path)?;
        }
        self.rows.clear();
        Ok(())
    }

    /// Games in the shard that is not yet finished.
    pub(crate) fn pending(&self) -> u64 {
        self.shard.as_ref().map_or(0, |shard| shard.games)
    }

    /// Finishes the open shard, then the card. A kill between the two leaves a shard that the card does not list;
    /// the next run writes the same rows under the same name again.
    pub(crate) fn commit(&mut self) -> Result<(), DatasetError> {
        self.write_rows()?;
        if let Some(mut shard) = self.shard.take() {
            if let Some(writer) = shard.writer.take() {
                let draft = writer.finish().at(&shard.path)?;
                self.claim.check().at(&shard.path)?;
                draft.publish().at(&shard.path)?;
            }
            let name = shard.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.card.shards.push(Shard { file: name, games: shard.games, fingerprint: shard.fingerprint });
        }
        self.claim.check().at(&self.folder)?;
        self.card.write(&self.folder)
    }
}

impl std::fmt::Debug for OpenShard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} with {} games", self.path.display(), self.games)
    }
}
