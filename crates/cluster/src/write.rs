//! The end of an import's plan: games come hashed by their ids and in order, so that those with the same id follow one another; each
//! partition writes its share of the dataset.

use std::{fmt, path::PathBuf, sync::Arc};

use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array, cast::AsArray, types::UInt32Type};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use data::{Filters, PartitionWriter, Shares, SourceEntry};
use datafusion::{
    catalog::{Session, TableProvider},
    common::{internal_err, not_impl_err, tree_node::TreeNodeRecursion},
    datasource::TableType,
    error::Result,
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::{Expr, dml::InsertOp},
    physical_expr::{
        Distribution, EquivalenceProperties, LexRequirement, OrderingRequirements, PhysicalExpr,
        PhysicalSortRequirement, expressions::col,
    },
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements,
        Partitioning, PlanProperties,
        execution_plan::{Boundedness, EmissionType},
        stream::RecordBatchStreamAdapter,
    },
};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use crate::{error::external, pgn::Scan};

/// Where the shares go and how large their shards become.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) folder: PathBuf,
    pub(crate) shares: Shares,
    pub(crate) shard_games: u64,
}

/// A dataset that is being made. Rows are inserted; nothing can be read.
#[derive(Debug)]
pub(crate) struct NewDataset(pub(crate) Target);

#[async_trait]
impl TableProvider for NewDataset {
    fn schema(&self) -> SchemaRef {
        Scan { files: Vec::new(), filters: Filters::default(), for_import: true }.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        not_impl_err!("a dataset that is being written cannot be read")
    }

    async fn insert_into(
        &self,
        _: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        _: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(WriteExec::new(self.0.clone(), input)))
    }
}

#[derive(Debug)]
pub(crate) struct WriteExec {
    pub(crate) target: Target,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

fn counts() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("count", DataType::UInt64, false)]))
}

impl WriteExec {
    pub(crate) fn new(target: Target, input: Arc<dyn ExecutionPlan>) -> WriteExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(counts()),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        WriteExec { target, input, properties: Arc::new(properties) }
    }

    fn column(&self, name: &str) -> Arc<dyn PhysicalExpr> {
        col(name, &self.input.schema()).expect("a column of every import")
    }
}

impl DisplayAs for WriteExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WriteExec: {}", self.target.folder.display())
    }
}

impl ExecutionPlan for WriteExec {
    fn name(&self) -> &str {
        "WriteExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::KeyPartitioned(vec![self.column("id")])])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let columns = ["id", "source", "position"].map(|name| self.column(name));
        let ordered = columns.map(|column| PhysicalSortRequirement::new(column, None));
        vec![LexRequirement::new(ordered).map(OrderingRequirements::new)]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![true]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(input) => Ok(Arc::new(WriteExec::new(self.target.clone(), input))),
            None => internal_err!("WriteExec has one input"),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut input = self.input.execute(partition, context)?;
        let Target { folder, shares, shard_games } = self.target.clone();
        let written = async move {
            let mut writer = PartitionWriter::new(&folder, shares, shard_games);
            while let Some(batch) = input.next().await {
                take(&mut writer, &batch?)?;
            }
            let count = writer.finish().map_err(external)?;
            let column: ArrayRef = Arc::new(UInt64Array::from(vec![count]));
            Ok(RecordBatch::try_new(counts(), vec![column])?)
        };
        let stream = futures_util::stream::once(written);
        Ok(Box::pin(RecordBatchStreamAdapter::new(counts(), stream)))
    }
}

fn take(writer: &mut PartitionWriter, batch: &RecordBatch) -> Result<()> {
    let column = |name: &str| batch.column_by_name(name).expect("a column of every import");
    let sources = column("source").as_primitive::<UInt32Type>();
    let (tallies, ids) = (column("tally").as_string::<i32>(), column("id").as_string::<i32>());
    let mut games = Vec::new();
    data::games_from_batch(batch, &mut games).map_err(external)?;
    for (row, game) in games.into_iter().enumerate() {
        let source = sources.value(row);
        if tallies.is_null(row) {
            writer.push(source, game).map_err(external)?;
        } else {
            let entry: SourceEntry = serde_json::from_str(tallies.value(row)).map_err(external)?;
            writer.note(source, ids.value(row), &entry);
        }
    }
    Ok(())
}
