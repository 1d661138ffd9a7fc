//! Labels as Parquet: one row a game and ply.

use std::{io::Write, path::Path, sync::Arc};

use arrow_array::{
    ArrayRef, Int16Array, RecordBatch, StringArray, UInt16Array, UInt64Array,
    builder::{Int16Builder, ListBuilder, UInt16Builder},
    cast::AsArray,
    types::{Int16Type, UInt16Type, UInt64Type},
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use chess::{Evaluation, PackedMove};
use parquet::{
    arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder},
    basic::{Compression, ZstdLevel},
    file::{metadata::KeyValue, properties::WriterProperties},
};
use xxhash_rust::xxh3::xxh3_128;

use crate::{Label, TableError, error::guarded, storage::Stored};

const VERSION_KEY: &str = "tabiya.labels";
const VERSION: &str = "1";

/// A label and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) game_id: String,
    pub(crate) ply: u16,
    /// Zobrist key of the position: rows of equal positions share it.
    pub(crate) key: u64,
    /// The engine's name; `pgn` for evaluations that came with the game.
    pub(crate) engine: String,
    pub(crate) label: Label,
}

impl Row {
    pub(crate) fn fingerprint(&self) -> u128 {
        let mut bytes = Vec::with_capacity(64 + 2 * self.label.line.len() + 4 * self.label.best.len());
        for text in [&self.game_id, &self.engine] {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
        }
        bytes.extend_from_slice(&self.ply.to_le_bytes());
        bytes.extend_from_slice(&self.key.to_le_bytes());
        bytes.extend_from_slice(&self.label.score.0.to_le_bytes());
        bytes.extend_from_slice(&self.label.depth.to_le_bytes());
        bytes.push(self.label.line.len() as u8);
        bytes.extend(self.label.line.iter().flat_map(|m| m.0.to_le_bytes()));
        bytes.extend(
            self.label.best.iter().flat_map(|(m, score)| [m.0.to_le_bytes(), score.0.to_le_bytes()].concat()),
        );
        xxh3_128(&bytes)
    }
}

/// Columns of a set of labels.
pub fn schema() -> SchemaRef {
    let list = |item: DataType| DataType::List(Arc::new(Field::new_list_field(item, false)));
    Arc::new(Schema::new(vec![
        Field::new("game_id", DataType::Utf8, false),
        Field::new("ply", DataType::UInt16, false),
        Field::new("key", DataType::UInt64, false),
        Field::new("engine", DataType::Utf8, false),
        Field::new("depth", DataType::UInt16, false),
        Field::new("score", DataType::Int16, false),
        Field::new("line", list(DataType::UInt16), false),
        Field::new("best_moves", list(DataType::UInt16), false),
        Field::new("best_scores", list(DataType::Int16), false),
    ]))
}

/// Writes rows as one file.
pub(crate) fn write(file: impl Write + Send, rows: &[Row]) -> Result<(), TableError> {
    let field = |item: DataType| Field::new_list_field(item, false);
    let mut line = ListBuilder::new(UInt16Builder::new()).with_field(field(DataType::UInt16));
    let mut moves = ListBuilder::new(UInt16Builder::new()).with_field(field(DataType::UInt16));
    let mut scores = ListBuilder::new(Int16Builder::new()).with_field(field(DataType::Int16));
    for row in rows {
        row.label.line.iter().for_each(|m| line.values().append_value(m.0));
        line.append(true);
        for (m, score) in &row.label.best {
            moves.values().append_value(m.0);
            scores.values().append_value(score.0);
        }
        moves.append(true);
        scores.append(true);
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|row| Some(&row.game_id)).collect::<StringArray>()),
        Arc::new(rows.iter().map(|row| row.ply).collect::<UInt16Array>()),
        Arc::new(rows.iter().map(|row| row.key).collect::<UInt64Array>()),
        Arc::new(rows.iter().map(|row| Some(&row.engine)).collect::<StringArray>()),
        Arc::new(rows.iter().map(|row| row.label.depth).collect::<UInt16Array>()),
        Arc::new(rows.iter().map(|row| row.label.score.0).collect::<Int16Array>()),
        Arc::new(line.finish()),
        Arc::new(moves.finish()),
        Arc::new(scores.finish()),
    ];
    let batch = RecordBatch::try_new(schema(), columns)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_key_value_metadata(Some(vec![KeyValue::new(VERSION_KEY.to_owned(), VERSION.to_owned())]))
        .build();
    let mut writer = ArrowWriter::try_new(file, schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.finish()?;
    Ok(())
}

pub(crate) fn read(path: &Path, each: impl FnMut(Row)) -> Result<(), TableError> {
    guarded(|| read_unguarded(path, each))
}

fn read_unguarded(path: &Path, mut each: impl FnMut(Row)) -> Result<(), TableError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Stored::open(path)?)?;
    let pairs = builder.metadata().file_metadata().key_value_metadata();
    match pairs
        .into_iter()
        .flatten()
        .find(|pair| pair.key == VERSION_KEY)
        .and_then(|pair| pair.value.as_deref())
    {
        Some(VERSION) => {}
        Some(other) => return Err(TableError::Version(other.to_owned())),
        None => return Err(TableError::NotGames),
    }
    for field in schema().fields() {
        match builder.schema().field_with_name(field.name()) {
            Ok(column) if column.data_type().equals_datatype(field.data_type()) => {}
            _ => return Err(TableError::Column(field.name().clone())),
        }
    }
    for batch in builder.build()? {
        let batch = batch?;
        let column =
            |name: &str| batch.column_by_name(name).ok_or_else(|| TableError::Column(name.to_owned()));
        let (ids, engines) = (column("game_id")?.as_string::<i32>(), column("engine")?.as_string::<i32>());
        let (plies, depths) =
            (column("ply")?.as_primitive::<UInt16Type>(), column("depth")?.as_primitive::<UInt16Type>());
        let (keys, scores) =
            (column("key")?.as_primitive::<UInt64Type>(), column("score")?.as_primitive::<Int16Type>());
        let lists = (
            column("line")?.as_list::<i32>(),
            column("best_moves")?.as_list::<i32>(),
            column("best_scores")?.as_list::<i32>(),
        );
        for row in 0..batch.num_rows() {
            let packed = |array: ArrayRef| -> Vec<PackedMove> {
                array.as_primitive::<UInt16Type>().values().iter().map(|&bits| PackedMove(bits)).collect()
            };
            let best_scores = lists.2.value(row);
            let best_scores =
                best_scores.as_primitive::<Int16Type>().values().iter().map(|&value| Evaluation(value));
            each(Row {
                game_id: ids.value(row).to_owned(),
                ply: plies.value(row),
                key: keys.value(row),
                engine: engines.value(row).to_owned(),
                label: Label {
                    score: Evaluation(scores.value(row)),
                    depth: depths.value(row),
                    line: packed(lists.0.value(row)),
                    best: packed(lists.1.value(row)).into_iter().zip(best_scores).collect(),
                },
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_called_one() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let label = Label { score: Evaluation(0), depth: 1, line: vec![], best: vec![] };
        let row = Row { game_id: "a".to_owned(), ply: 1, key: 1, engine: "b".to_owned(), label };
        let error = write(full, &[row]).unwrap_err();
        assert!(error.to_string().starts_with("No space left on device"), "{error}");
    }

    #[test]
    fn labels_survive_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.parquet");
        let row = |ply: u16| Row {
            game_id: "abcdefgh".to_owned(),
            ply,
            key: u64::MAX - u64::from(ply),
            engine: "Stockfish".to_owned(),
            label: Label {
                score: Evaluation::mate(-3),
                depth: 12,
                line: (0..ply).map(PackedMove).collect(),
                best: vec![(PackedMove(7), Evaluation::centipawns(12)); usize::from(ply % 3)],
            },
        };
        let rows: Vec<_> = (0..20).map(row).collect();
        write(std::fs::File::create(&path).unwrap(), &rows).unwrap();
        let mut found = Vec::new();
        read(&path, |row| found.push(row)).unwrap();
        assert_eq!(found, rows);
    }
}
