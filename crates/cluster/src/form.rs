//! How an answer is shown.

use arrow_array::RecordBatch;
use datafusion::arrow::{csv::WriterBuilder, util::pretty::pretty_format_batches};

use crate::{error::ClusterError, error::external};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Table,
    Csv,
}

impl Form {
    /// The rows as text.
    pub fn print(self, rows: &[RecordBatch]) -> Result<String, ClusterError> {
        match self {
            Form::Table => Ok(format!("{}\n", pretty_format_batches(rows).map_err(external)?)),
            Form::Csv => {
                let mut writer = WriterBuilder::new().with_header(true).build(Vec::new());
                for batch in rows {
                    writer.write(batch).map_err(external)?;
                }
                Ok(String::from_utf8_lossy(&writer.into_inner()).into_owned())
            }
        }
    }
}
