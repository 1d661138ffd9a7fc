//! Games as Parquet: one row a game, zstd, readable by DuckDB, Polars, pandas and Spark.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use arrow_array::{
    Array, ArrayRef, ListArray, RecordBatch, StringArray,
    builder::{Int16Builder, ListBuilder, StringBuilder, UInt16Builder, UInt32Builder},
    cast::AsArray,
    types::{Date32Type, Int16Type, UInt16Type, UInt32Type},
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use chess::PackedMove;
use parquet::{
    arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder},
    basic::{Compression, ZstdLevel},
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties},
    },
    schema::types::ColumnPath,
};

use crate::{Game, Shares, TableError, TimeControl, error::guarded, result::GameResult, storage::Stored};

/// Rows of a row group: the unit that readers decode and the sampler shuffles.
pub const ROW_GROUP: usize = 4_096;
const VERSION_KEY: &str = "tabiya.games";
const VERSION: &str = "1";

fn list(item: DataType, nullable: bool) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(item, nullable)))
}

/// Columns of the table of games.
pub fn games_schema() -> SchemaRef {
    let text = |name: &str, nullable: bool| Field::new(name, DataType::Utf8, nullable);
    Arc::new(Schema::new(vec![
        text("id", false),
        text("split", false),
        Field::new("date", DataType::Date32, true),
        text("white", false),
        text("black", false),
        text("white_title", true),
        text("black_title", true),
        Field::new("white_elo", DataType::UInt16, true),
        Field::new("black_elo", DataType::UInt16, true),
        Field::new("base_s", DataType::UInt32, true),
        Field::new("increment_s", DataType::UInt32, true),
        text("result", false),
        text("termination", true),
        text("eco", true),
        text("start_fen", true),
        Field::new("moves", list(DataType::UInt16, false), false),
        Field::new("clocks_cs", list(DataType::UInt32, true), true),
        Field::new("evals", list(DataType::Int16, true), true),
    ]))
}

fn properties() -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).expect("a level of zstd")))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(vec![KeyValue::new(VERSION_KEY.to_owned(), VERSION.to_owned())]));
    // Ids never repeat, and a dictionary of moves or clocks costs more time than it saves bytes.
    for name in ["id", "moves.list.item", "clocks_cs.list.item", "evals.list.item"] {
        let column = ColumnPath::new(name.split('.').map(str::to_owned).collect());
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    properties.build()
}

/// Writes rows to one file; the caller gives it its final name.
pub(crate) struct TableWriter<W: Write + Send> {
    writer: ArrowWriter<Shared<W>>,
    shares: Shares,
}

impl<W: Write + Send> TableWriter<W> {
    pub(crate) fn new(file: W, shares: Shares) -> Result<TableWriter<W>, TableError> {
        Ok(TableWriter {
            writer: ArrowWriter::try_new(Shared::new(file), games_schema(), Some(properties()))?,
            shares,
        })
    }

    /// Writes one row group.
    pub(crate) fn write(&mut self, games: &[Game]) -> Result<(), TableError> {
        self.writer.write(&games_to_batch(games, &self.shares))?;
        Ok(self.writer.flush()?)
    }

    /// Ends the file and hands it back, for syncing.
    pub(crate) fn finish(mut self) -> Result<W, TableError> {
        // `into_inner` would lose what kind of error the disk gave.
        let file = self.writer.inner().clone();
        self.writer.finish()?;
        drop(self.writer);
        Ok(file.take())
    }
}

/// A file of which the Parquet writer has one handle and we keep another.
struct Shared<W>(Arc<Mutex<W>>);

impl<W> Shared<W> {
    fn new(file: W) -> Shared<W> {
        Shared(Arc::new(Mutex::new(file)))
    }

    fn clone(&self) -> Shared<W> {
        Shared(Arc::clone(&self.0))
    }

    fn take(self) -> W {
        let file = Arc::into_inner(self.0).expect("the other handle is gone");
        file.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write> Write for Shared<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

/// Games as columns.
pub fn games_to_batch(games: &[Game], shares: &Shares) -> RecordBatch {
    let required = |text: fn(&Game) -> &str| -> ArrayRef {
        Arc::new(games.iter().map(|game| Some(text(game))).collect::<StringArray>())
    };
    let optional = |text: fn(&Game) -> Option<&str>| -> ArrayRef {
        Arc::new(games.iter().map(text).collect::<StringArray>())
    };
    let mut split = StringBuilder::new();
    games.iter().for_each(|game| split.append_value(shares.split(&game.id).name()));
    let control = |part: fn(TimeControl) -> u32| -> ArrayRef {
        let values = games.iter().map(|game| game.control.map(part));
        Arc::new(values.collect::<arrow_array::UInt32Array>())
    };
    let elo = |of: fn(&Game) -> Option<u16>| -> ArrayRef {
        Arc::new(games.iter().map(of).collect::<arrow_array::UInt16Array>())
    };
    let columns: Vec<ArrayRef> = vec![
        required(|game| &game.id),
        Arc::new(split.finish()),
        Arc::new(games.iter().map(|game| game.date).collect::<arrow_array::Date32Array>()),
        required(|game| &game.white),
        required(|game| &game.black),
        optional(|game| game.white_title.as_deref()),
        optional(|game| game.black_title.as_deref()),
        elo(|game| game.white_elo),
        elo(|game| game.black_elo),
        control(|control| control.base_s),
        control(|control| control.increment_s),
        required(|game| game.result.name()),
        optional(|game| game.termination.as_deref()),
        optional(|game| game.eco.as_deref()),
        optional(|game| game.start_fen.as_deref()),
        Arc::new(moves_column(games)),
        Arc::new(clocks_column(games)),
        Arc::new(evals_column(games)),
    ];
    RecordBatch::try_new(games_schema(), columns).expect("columns as in the schema")
}

fn moves_column(games: &[Game]) -> ListArray {
    let item = Field::new_list_field(DataType::UInt16, false);
    let plies = games.iter().map(|game| game.moves.len()).sum();
    let mut list = ListBuilder::new(UInt16Builder::with_capacity(plies)).with_field(item);
    for game in games {
        game.moves.iter().for_each(|m| list.values().append_value(m.0));
        list.append(true);
    }
    list.finish()
}

fn clocks_column(games: &[Game]) -> ListArray {
    let mut list = ListBuilder::new(UInt32Builder::new());
    for game in games {
        game.clocks_cs.iter().flatten().for_each(|&clock| list.values().append_option(clock));
        list.append(game.clocks_cs.is_some());
    }
    list.finish()
}

fn evals_column(games: &[Game]) -> ListArray {
    let mut list = ListBuilder::new(Int16Builder::new());
    for game in games {
        game.evals.iter().flatten().for_each(|&eval| list.values().append_option(eval));
        list.append(game.evals.is_some());
    }
    list.finish()
}

/// One shard, opened for reading by row group.
#[derive(Debug)]
pub struct TableReader {
    file: Stored,
    metadata: parquet::arrow::arrow_reader::ArrowReaderMetadata,
}

impl TableReader {
    pub fn open(path: &Path) -> Result<TableReader, TableError> {
        guarded(|| TableReader::open_unguarded(path))
    }

    fn open_unguarded(path: &Path) -> Result<TableReader, TableError> {
        let file = Stored::open(path)?;
        let metadata = parquet::arrow::arrow_reader::ArrowReaderMetadata::load(&file, Default::default())?;
        let pairs = metadata.metadata().file_metadata().key_value_metadata();
        let version = pairs
            .into_iter()
            .flatten()
            .find(|pair| pair.key == VERSION_KEY)
            .and_then(|pair| pair.value.as_deref());
        match version {
            Some(VERSION) => {}
            Some(other) => return Err(TableError::Version(other.to_owned())),
            None => return Err(TableError::NotGames),
        }
        // Readers of lists may rename the item field; names and types of the columns must be ours.
        let ours = games_schema();
        let found = metadata.schema();
        for field in ours.fields() {
            match found.field_with_name(field.name()) {
                Ok(column) if column.data_type().equals_datatype(field.data_type()) => {}
                _ => return Err(TableError::Column(field.name().clone())),
            }
        }
        Ok(TableReader { file, metadata })
    }

    pub fn row_groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    /// Games in one row group.
    pub fn rows_in(&self, row_group: usize) -> usize {
        self.metadata.metadata().row_group(row_group).num_rows().try_into().unwrap_or(0)
    }

    /// Decodes one row group.
    pub fn read(&self, row_group: usize) -> Result<Vec<Game>, TableError> {
        guarded(|| self.read_unguarded(row_group))
    }

    fn read_unguarded(&self, row_group: usize) -> Result<Vec<Game>, TableError> {
        let reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.try_clone()?, self.metadata.clone())
                .with_row_groups(vec![row_group])
                .with_batch_size(ROW_GROUP)
                .build()?;
        let mut games = Vec::new();
        for batch in reader {
            games_from_batch(&batch?, &mut games)?;
        }
        Ok(games)
    }

    /// The ids alone, for finding duplicates.
    pub(crate) fn ids(&self, each: impl FnMut(&str)) -> Result<(), TableError> {
        guarded(|| self.ids_unguarded(each))
    }

    fn ids_unguarded(&self, mut each: impl FnMut(&str)) -> Result<(), TableError> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.try_clone()?, self.metadata.clone());
        let mask = parquet::arrow::ProjectionMask::columns(builder.parquet_schema(), ["id"]);
        for batch in builder.with_projection(mask).with_batch_size(ROW_GROUP).build()? {
            batch?.column(0).as_string::<i32>().iter().flatten().for_each(&mut each);
        }
        Ok(())
    }
}

/// Adds the games of columns as [`games_to_batch`] makes them.
pub fn games_from_batch(batch: &RecordBatch, games: &mut Vec<Game>) -> Result<(), TableError> {
    let column = |name: &str| batch.column_by_name(name).ok_or_else(|| TableError::Column(name.to_owned()));
    let text = |name: &str| column(name).map(|array| array.as_string::<i32>());
    let (id, white, black, result) = (text("id")?, text("white")?, text("black")?, text("result")?);
    let (white_title, black_title) = (text("white_title")?, text("black_title")?);
    let (termination, eco, start_fen) = (text("termination")?, text("eco")?, text("start_fen")?);
    let date = column("date")?.as_primitive::<Date32Type>();
    let (white_elo, black_elo) = (
        column("white_elo")?.as_primitive::<UInt16Type>(),
        column("black_elo")?.as_primitive::<UInt16Type>(),
    );
    let (base, increment) =
        (column("base_s")?.as_primitive::<UInt32Type>(), column("increment_s")?.as_primitive::<UInt32Type>());
    let (moves, clocks, evals) = (
        column("moves")?.as_list::<i32>(),
        column("clocks_cs")?.as_list::<i32>(),
        column("evals")?.as_list::<i32>(),
    );

    let some_text =
        |array: &StringArray, row: usize| array.is_valid(row).then(|| array.value(row).to_owned());
    for row in 0..batch.num_rows() {
        let result = GameResult::parse(result.value(row).as_bytes())
            .ok_or_else(|| TableError::Value { column: "result", value: result.value(row).to_owned() })?;
        let control = (base.is_valid(row) && increment.is_valid(row))
            .then(|| TimeControl { base_s: base.value(row), increment_s: increment.value(row) });
        let played = moves.value(row);
        games.push(Game {
            id: id.value(row).to_owned(),
            date: date.is_valid(row).then(|| date.value(row)),
            white: white.value(row).to_owned(),
            black: black.value(row).to_owned(),
            white_title: some_text(white_title, row),
            black_title: some_text(black_title, row),
            white_elo: white_elo.is_valid(row).then(|| white_elo.value(row)),
            black_elo: black_elo.is_valid(row).then(|| black_elo.value(row)),
            control,
            result,
            termination: some_text(termination, row),
            eco: some_text(eco, row),
            start_fen: some_text(start_fen, row),
            moves: played
                .as_primitive::<UInt16Type>()
                .values()
                .iter()
                .map(|&bits| PackedMove(bits))
                .collect(),
            clocks_cs: clocks
                .is_valid(row)
                .then(|| clocks.value(row).as_primitive::<UInt32Type>().iter().collect()),
            evals: evals.is_valid(row).then(|| evals.value(row).as_primitive::<Int16Type>().iter().collect()),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::any_game;

    fn write_and_read(games: &[Game]) -> Vec<Game> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.parquet");
        let mut writer = TableWriter::new(std::fs::File::create(&path).unwrap(), Shares::default()).unwrap();
        writer.write(games).unwrap();
        writer.finish().unwrap();
        let reader = TableReader::open(&path).unwrap();
        (0..reader.row_groups()).flat_map(|group| reader.read(group).unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn games_survive_the_table(games in prop::collection::vec(any_game(), 1..8)) {
            prop_assert_eq!(write_and_read(&games), games);
        }

        #[test]
        fn damaged_files_are_refused_without_panic(game in any_game(), at: prop::sample::Index, bits: u8) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.parquet");
            let mut writer = TableWriter::new(std::fs::File::create(&path).unwrap(), Shares::default()).unwrap();
            writer.write(&[game]).unwrap();
            writer.finish().unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= bits;
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(reader) = TableReader::open(&path) {
                for group in 0..reader.row_groups() {
                    let _ = reader.read(group).map(|games| games.iter().all(Game::is_sound));
                }
            }
        }
    }
}
