//! A query on one machine or on a cluster: the same text, the same tables, the same answer.

use std::{path::Path, sync::Arc};

use arrow_array::RecordBatch;
use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::{
    catalog::TableFunctionImpl,
    execution::{SessionStateBuilder, session_state::SessionState},
    prelude::{SessionConfig, SessionContext},
};

use crate::{
    codec::{Logical, Physical},
    error::ClusterError,
    pgn::PgnFunction,
    stores::runtime,
    tables::{self, GamesFunction, LabelsFunction},
};

/// Where a query runs.
#[derive(Debug)]
pub struct Session {
    pub(crate) context: SessionContext,
}

/// Settings that the client, the scheduler and the executors share.
pub(crate) fn config() -> SessionConfig {
    SessionConfig::new_with_ballista()
        .with_information_schema(true)
        .with_ballista_logical_extension_codec(Arc::new(Logical::default()))
        .with_ballista_physical_extension_codec(Arc::new(Physical::default()))
}

/// A state with our functions and stores.
pub(crate) fn state(config: SessionConfig) -> datafusion::error::Result<SessionState> {
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime(None)?)
        .with_default_features()
        .build();
    Ok(state)
}

impl Session {
    /// On this machine, or on the cluster whose scheduler is at `df://HOST:PORT`. Wide steps are cut into `partitions`.
    pub async fn open(cluster: Option<&str>, partitions: Option<usize>) -> Result<Session, ClusterError> {
        let config = match cluster {
            Some(_) => config(),
            None => SessionConfig::new().with_information_schema(true),
        };
        let config = match partitions {
            Some(partitions) => config.with_target_partitions(partitions),
            None => config,
        };
        let context = match cluster {
            Some(url) => SessionContext::remote_with_state(url, state(config)?).await?,
            None => SessionContext::new_with_state(state(config)?),
        };
        let functions: [(&str, Arc<dyn TableFunctionImpl>); 3] = [
            ("pgn", Arc::new(PgnFunction)),
            ("games", Arc::new(GamesFunction)),
            ("labels", Arc::new(LabelsFunction)),
        ];
        for (name, function) in functions {
            context.register_udtf(name, function);
        }
        Ok(Session { context })
    }

    /// Makes a dataset's games the table `games`, and its sets of labels tables of their names.
    pub fn add_dataset(&self, folder: &Path) -> Result<(), ClusterError> {
        self.context.register_table("games", tables::games(folder)?)?;
        let io = |error| ClusterError::Io { path: folder.to_owned(), error };
        let names = data::storage::names(folder).map_err(io)?;
        let sets = names.iter().filter_map(|name| name.strip_prefix("labels-")?.strip_suffix(".json"));
        // Parts of a set are read under the name of the whole.
        let mut sets: Vec<&str> =
            sets.map(|set| set.split_once(".part-").map_or(set, |(name, _)| name)).collect();
        sets.dedup();
        for set in sets {
            self.context.register_table(format!("labels_{set}"), tables::labels(folder, set)?)?;
        }
        Ok(())
    }

    /// The rows of the answer.
    pub async fn run(&self, query: &str) -> Result<Vec<RecordBatch>, ClusterError> {
        Ok(self.context.sql(query).await?.collect().await?)
    }
}

/// Runs a query and waits for the answer.
pub fn query(
    text: &str,
    data: Option<&Path>,
    cluster: Option<&str>,
    partitions: Option<usize>,
) -> Result<Vec<RecordBatch>, ClusterError> {
    let runtime = crate::processes::threads()?;
    runtime.block_on(async {
        let session = Session::open(cluster, partitions).await?;
        if let Some(folder) = data {
            session.add_dataset(folder)?;
        }
        session.run(text).await
    })
}
