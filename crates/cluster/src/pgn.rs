//! `pgn('s3://bucket/*.pgn.zst')`: the games of dumps as a table. Each file is a partition, read from front to end.

use std::{fmt, path::Path, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use data::{Filters, Pieces, SourceEntry, Tally};
use datafusion::{
    catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider},
    common::{plan_err, tree_node::TreeNodeRecursion},
    datasource::TableType,
    error::Result,
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::Expr,
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
        execution_plan::{Boundedness, EmissionType},
        stream::RecordBatchReceiverStreamBuilder,
    },
};
use serde::{Deserialize, Serialize};

use crate::{error::external, tables::text};

/// Text of a dump that is read at a time.
const CHUNK_BYTES: usize = 1 << 20;
/// Ids of the rows that tell what was left out of a file; no game has such a one.
const TALLY: &str = "\u{1}tally ";

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Scan {
    pub(crate) files: Vec<String>,
    pub(crate) filters: Filters,
    /// With each game its file's number and its place there, and one row a file that tells what was left out.
    pub(crate) for_import: bool,
}

impl Scan {
    pub(crate) fn schema(&self) -> SchemaRef {
        let games = data::games_schema();
        if !self.for_import {
            return games;
        }
        let mut fields: Vec<Field> = games.fields().iter().map(|field| field.as_ref().clone()).collect();
        fields.push(Field::new("source", DataType::UInt32, false));
        fields.push(Field::new("position", DataType::UInt64, false));
        fields.push(Field::new("tally", DataType::Utf8, true));
        Arc::new(Schema::new(fields))
    }

    /// Hands over the games of one file, some at a time, until `each` says that it has enough.
    fn read(&self, file: usize, mut each: impl FnMut(RecordBatch) -> bool) -> Result<()> {
        let path = Path::new(&self.files[file]);
        let named = |error: std::io::Error| {
            external(std::io::Error::new(error.kind(), format!("{}: {error}", path.display())))
        };
        let pieces = Pieces::open(path, &self.filters, CHUNK_BYTES).map_err(named)?;
        let (name, identity) = (pieces.name.clone(), pieces.identity.clone());
        let (mut left_out, mut position) = (Tally::default(), 0);
        for piece in pieces {
            let piece = piece.map_err(named)?;
            left_out.add(&piece.tally);
            let count = piece.games.len() as u64;
            let batch = data::games_to_batch(&piece.games, &data::Shares::default());
            if count > 0 && !each(self.complete(batch, file, position, None)?) {
                return Ok(());
            }
            position += count;
        }
        if self.for_import {
            let entry = SourceEntry::read_whole(&name, &identity, &left_out);
            let tally = serde_json::to_string(&entry).map_err(external)?;
            let batch =
                data::games_to_batch(&[nobodys(format!("{TALLY}{file:08}"))], &data::Shares::default());
            each(self.complete(batch, file, position, Some(&tally))?);
        }
        Ok(())
    }

    fn complete(
        &self,
        batch: RecordBatch,
        file: usize,
        position: u64,
        tally: Option<&str>,
    ) -> Result<RecordBatch> {
        if !self.for_import {
            return Ok(batch);
        }
        let rows = batch.num_rows();
        let mut columns = batch.columns().to_vec();
        columns.push(Arc::new(UInt32Array::from(vec![file as u32; rows])) as ArrayRef);
        columns.push(Arc::new(UInt64Array::from_iter_values(position..position + rows as u64)));
        columns.push(Arc::new(StringArray::from(vec![tally; rows])));
        Ok(RecordBatch::try_new(self.schema(), columns)?)
    }
}

/// A row that is no game.
fn nobodys(id: String) -> data::Game {
    data::Game {
        id,
        date: None,
        white: String::new(),
        black: String::new(),
        white_title: None,
        black_title: None,
        white_elo: None,
        black_elo: None,
        control: None,
        result: data::GameResult::Unknown,
        termination: None,
        eco: None,
        start_fen: None,
        moves: Vec::new(),
        clocks_cs: None,
        evals: None,
    }
}

#[derive(Debug)]
pub(crate) struct PgnTable(pub(crate) Scan);

#[async_trait]
impl TableProvider for PgnTable {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(PgnExec::new(self.0.clone(), projection.cloned())?))
    }
}

/// Reads the files of a scan, one a partition.
#[derive(Debug)]
pub(crate) struct PgnExec {
    pub(crate) scan: Scan,
    pub(crate) projection: Option<Vec<usize>>,
    properties: Arc<PlanProperties>,
}

impl PgnExec {
    pub(crate) fn new(scan: Scan, projection: Option<Vec<usize>>) -> Result<PgnExec> {
        let whole = scan.schema();
        let schema = match &projection {
            Some(columns) => Arc::new(whole.project(columns)?),
            None => whole,
        };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(scan.files.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(PgnExec { scan, projection, properties: Arc::new(properties) })
    }
}

impl DisplayAs for PgnExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PgnExec: files={}", self.scan.files.len())
    }
}

impl ExecutionPlan for PgnExec {
    fn name(&self) -> &str {
        "PgnExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut builder =
            RecordBatchReceiverStreamBuilder::new(self.properties.eq_properties.schema().clone(), 2);
        let (sender, scan, projection) = (builder.tx(), self.scan.clone(), self.projection.clone());
        builder.spawn_blocking(move || {
            let mut failed = Ok(());
            scan.read(partition, |batch| {
                let batch = match &projection {
                    Some(columns) => batch.project(columns),
                    None => Ok(batch),
                };
                match batch {
                    Ok(batch) => sender.blocking_send(Ok(batch)).is_ok(),
                    Err(error) => {
                        failed = Err(error.into());
                        false
                    }
                }
            })?;
            failed
        });
        Ok(builder.build())
    }
}

/// `pgn(FILES)` and `pgn(FILES, FILTERS)`: a path or address, with `*` in its last part; filters as in `tabiya data import --filters`.
#[derive(Debug)]
pub(crate) struct PgnFunction;

impl TableFunctionImpl for PgnFunction {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let (pattern, filters) = match args.exprs() {
            [pattern] => (text(pattern)?, Filters::default()),
            [pattern, filters] => {
                let filters = text(filters)?;
                (text(pattern)?, toml::from_str(&filters).map_err(external)?)
            }
            _ => return plan_err!("pgn('FILES') or pgn('FILES', 'FILTERS')"),
        };
        let found = data::storage::matching(Path::new(&pattern));
        let files = found
            .map_err(|error| external(std::io::Error::new(error.kind(), format!("{pattern}: {error}"))))?;
        let files = files.iter().map(|path| crate::tables::absolute(path)).collect::<Result<_>>()?;
        Ok(Arc::new(PgnTable(Scan { files, filters, for_import: false })))
    }
}
