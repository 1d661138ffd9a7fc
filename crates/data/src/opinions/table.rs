//! Opinions as Parquet: one row a game and ply.

use std::{io::Write, path::Path, sync::Arc};

use arrow_array::{
    Array, ArrayRef, RecordBatch, StringArray, UInt16Array,
    builder::{ListBuilder, UInt16Builder},
    cast::AsArray,
    types::UInt16Type,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use chess::PackedMove;
use parquet::{
    arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder},
    basic::{Compression, ZstdLevel},
    file::{metadata::KeyValue, properties::WriterProperties},
};
use xxhash_rust::xxh3::xxh3_128;

use super::StoredOpinion;
use crate::{TableError, error::guarded, storage::Stored};

const VERSION_KEY: &str = "tabiya.opinions";
const VERSION: &str = "1";

/// An opinion and where it belongs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) game_id: String,
    pub(crate) ply: u16,
    pub(crate) opinion: StoredOpinion,
}

impl Row {
    pub(crate) fn fingerprint(&self) -> u128 {
        let mut bytes = self.game_id.as_bytes().to_vec();
        bytes.push(0);
        bytes.extend_from_slice(&self.ply.to_le_bytes());
        let opinion = &self.opinion;
        let lists =
            [opinion.wdl.as_ref().map(|wdl| &wdl[..]), opinion.drawn.as_ref().map(|drawn| &drawn[..])];
        for list in lists {
            bytes.push(u8::from(list.is_some()));
            bytes.extend(list.into_iter().flatten().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(
            opinion.moves.iter().flat_map(|(m, parts)| [m.0.to_le_bytes(), parts.to_le_bytes()].concat()),
        );
        xxh3_128(&bytes)
    }
}

const WDL: [&str; 3] = ["win", "draw", "loss"];
const DRAWN: [&str; 2] = ["drawn_white_elo", "drawn_black_elo"];

fn schema() -> SchemaRef {
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::UInt16, false)));
    let mut fields =
        vec![Field::new("game_id", DataType::Utf8, false), Field::new("ply", DataType::UInt16, false)];
    fields.extend(WDL.iter().chain(&DRAWN).map(|name| Field::new(*name, DataType::UInt16, true)));
    fields.extend(["moves", "chances"].map(|name| Field::new(name, list.clone(), false)));
    Arc::new(Schema::new(fields))
}

/// Writes rows as one file.
pub(crate) fn write(file: impl Write + Send, rows: &[Row]) -> Result<(), TableError> {
    let list = || {
        let field = Field::new_list_field(DataType::UInt16, false);
        ListBuilder::new(UInt16Builder::new()).with_field(field)
    };
    let (mut moves, mut chances) = (list(), list());
    for row in rows {
        for (m, parts) in &row.opinion.moves {
            moves.values().append_value(m.0);
            chances.values().append_value(*parts);
        }
        moves.append(true);
        chances.append(true);
    }
    let numbers = |of: &dyn Fn(&StoredOpinion) -> Option<u16>| -> ArrayRef {
        Arc::new(rows.iter().map(|row| of(&row.opinion)).collect::<UInt16Array>())
    };
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|row| Some(&row.game_id)).collect::<StringArray>()),
        Arc::new(rows.iter().map(|row| row.ply).collect::<UInt16Array>()),
    ];
    columns.extend((0..WDL.len()).map(|at| numbers(&|opinion| opinion.wdl.map(|wdl| wdl[at]))));
    columns.extend((0..DRAWN.len()).map(|at| numbers(&|opinion| opinion.drawn.map(|drawn| drawn[at]))));
    columns.push(Arc::new(moves.finish()));
    columns.push(Arc::new(chances.finish()));
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
    let mark = pairs.into_iter().flatten().find(|pair| pair.key == VERSION_KEY);
    match mark.and_then(|pair| pair.value.as_deref()) {
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
        let numbers = |name: &str| Ok::<_, TableError>(column(name)?.as_primitive::<UInt16Type>());
        let (ids, plies) = (column("game_id")?.as_string::<i32>(), numbers("ply")?);
        let wdl = [numbers(WDL[0])?, numbers(WDL[1])?, numbers(WDL[2])?];
        let drawn = [numbers(DRAWN[0])?, numbers(DRAWN[1])?];
        let (moves, chances) = (column("moves")?.as_list::<i32>(), column("chances")?.as_list::<i32>());
        for row in 0..batch.num_rows() {
            let list = |lists: &arrow_array::ListArray| lists.value(row).as_primitive::<UInt16Type>().clone();
            let (moves, chances) = (list(moves), list(chances));
            let pairs = moves.values().iter().zip(chances.values());
            let opinion = StoredOpinion {
                moves: pairs.map(|(&m, &parts)| (PackedMove(m), parts)).collect(),
                wdl: wdl[0].is_valid(row).then(|| wdl.map(|column| column.value(row))),
                drawn: drawn[0].is_valid(row).then(|| drawn.map(|column| column.value(row))),
            };
            each(Row { game_id: ids.value(row).to_owned(), ply: plies.value(row), opinion });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opinions_survive_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opinions.parquet");
        let row = |ply: u16| Row {
            game_id: "abcdefgh".to_owned(),
            ply,
            opinion: StoredOpinion {
                moves: (0..ply).map(|m| (PackedMove(m), 60_000 - m)).collect(),
                wdl: ply.is_multiple_of(2).then_some([1, ply, u16::MAX]),
                drawn: ply.is_multiple_of(3).then_some([800, 2400]),
            },
        };
        let rows: Vec<_> = (0..20).map(row).collect();
        write(std::fs::File::create(&path).unwrap(), &rows).unwrap();
        let mut found = Vec::new();
        read(&path, |row| found.push(row)).unwrap();
        assert_eq!(found, rows);
        let prints: std::collections::HashSet<u128> = rows.iter().map(Row::fingerprint).collect();
        assert_eq!(prints.len(), rows.len());
    }
}
