//! How our parts of a plan travel to the scheduler and the executors: as JSON, behind a mark; all else as Ballista writes it.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::{
    catalog::TableProvider,
    common::{TableReference, internal_err},
    datasource::file_format::FileFormatFactory,
    error::Result,
    execution::TaskContext,
    logical_expr::{AggregateUDF, Extension, LogicalPlan, ScalarUDF, WindowUDF},
    physical_plan::ExecutionPlan,
};
use datafusion_proto::{
    logical_plan::LogicalExtensionCodec,
    physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::external,
    pgn::{PgnExec, PgnTable, Scan},
    write::{NewDataset, Target, WriteExec},
};

/// Protocol buffers never begin so.
const MARK: &[u8] = b"\xff\xfftabiya 1 ";

#[derive(Debug, Serialize, Deserialize)]
enum Table {
    Pgn(Scan),
    NewDataset(Target),
}

#[derive(Debug, Serialize, Deserialize)]
enum Node {
    Pgn { scan: Scan, projection: Option<Vec<usize>> },
    Write(Target),
}

fn put(value: &impl Serialize, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.extend_from_slice(MARK);
    serde_json::to_writer(buffer, value).map_err(external)
}

fn get<T: DeserializeOwned>(bytes: &[u8]) -> Option<Result<T>> {
    Some(serde_json::from_slice(bytes.strip_prefix(MARK)?).map_err(external))
}

#[derive(Debug, Default)]
pub(crate) struct Logical(BallistaLogicalExtensionCodec);

impl LogicalExtensionCodec for Logical {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.0.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode(node, buffer)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match get(bytes) {
            Some(Ok(Table::Pgn(scan))) => Ok(Arc::new(PgnTable(scan))),
            Some(Ok(Table::NewDataset(target))) => Ok(Arc::new(NewDataset(target))),
            Some(Err(error)) => Err(error),
            None => self.0.try_decode_table_provider(bytes, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        if let Some(PgnTable(scan)) = table.downcast_ref::<PgnTable>() {
            return put(&Table::Pgn(scan.clone()), buffer);
        }
        if let Some(NewDataset(target)) = table.downcast_ref::<NewDataset>() {
            return put(&Table::NewDataset(target.clone()), buffer);
        }
        self.0.try_encode_table_provider(name, table, buffer)
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.0.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, buffer: &mut Vec<u8>, format: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.0.try_encode_file_format(buffer, format)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.0.try_decode_udf(name, bytes)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udf(function, buffer)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Physical(BallistaPhysicalExtensionCodec);

impl PhysicalExtensionCodec for Physical {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match get(bytes) {
            Some(Ok(Node::Pgn { scan, projection })) => Ok(Arc::new(PgnExec::new(scan, projection)?)),
            Some(Ok(Node::Write(target))) => match inputs {
                [input] => Ok(Arc::new(WriteExec::new(target, Arc::clone(input)))),
                _ => internal_err!("WriteExec has one input"),
            },
            Some(Err(error)) => Err(error),
            None => self.0.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(exec) = node.downcast_ref::<PgnExec>() {
            let (scan, projection) = (exec.scan.clone(), exec.projection.clone());
            return put(&Node::Pgn { scan, projection }, buffer);
        }
        if let Some(exec) = node.downcast_ref::<WriteExec>() {
            return put(&Node::Write(exec.target.clone()), buffer);
        }
        self.0.try_encode(node, buffer, converter)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.0.try_decode_udf(name, bytes)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udf(function, buffer)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.0.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, function: &AggregateUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udaf(function, buffer)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.0.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, function: &WindowUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udwf(function, buffer)
    }
}
