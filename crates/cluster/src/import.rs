//! An import as a plan: every file is a partition that is read where there is room; games are hashed by their ids, so that equal ones meet
//! wherever they were read; each of the shares is ordered and written where its process runs. The card that makes the shares a dataset is
//! written last: before it there is none.

use std::{path::PathBuf, sync::Arc};

use data::{Card, Dataset, Filters, Shares, Tally, join_partitions, prepare_partitions};
use datafusion::{
    catalog::default_table_source::provider_as_source,
    logical_expr::{LogicalPlanBuilder, dml::InsertOp},
};

use crate::{
    error::ClusterError,
    pgn::{PgnTable, Scan},
    session::Session,
    tables::absolute,
    write::{NewDataset, Target},
};

/// What is imported, and where to.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    pub files: Vec<PathBuf>,
    pub folder: PathBuf,
    pub filters: Filters,
    pub shares: Shares,
    pub shard_games: u64,
    /// Shares that the games are hashed to.
    pub partitions: usize,
}

/// Imports on the cluster whose scheduler is at `df://HOST:PORT`, or by the engine on this machine.
pub fn import(plan: &ImportPlan, cluster: Option<&str>) -> Result<(Tally, Card), ClusterError> {
    let folder = PathBuf::from(absolute(&plan.folder)?);
    if Card::read(&folder)?.is_some() {
        return Err(ClusterError::Exists(folder));
    }
    let files: Vec<String> = plan.files.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?;
    prepare_partitions(&folder)?;
    crate::processes::threads()?.block_on(async {
        let session = Session::open(cluster, Some(plan.partitions)).await?;
        let scan = Scan { files, filters: plan.filters.clone(), for_import: true };
        let target = Target { folder: folder.clone(), shares: plan.shares, shard_games: plan.shard_games };
        let read = LogicalPlanBuilder::scan("pgn", provider_as_source(Arc::new(PgnTable(scan))), None)?;
        let new = provider_as_source(Arc::new(NewDataset(target)));
        let insert = LogicalPlanBuilder::insert_into(read.build()?, "new_dataset", new, InsertOp::Append)?;
        session.context.execute_logical_plan(insert.build()?).await?.collect().await?;
        Ok::<_, ClusterError>(())
    })?;
    let joined = join_partitions(&folder, plan.shares, &plan.filters)?;
    Dataset::open(&folder)?;
    Ok(joined)
}
