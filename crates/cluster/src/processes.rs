//! The processes of a cluster: one scheduler, to which queries are sent, and executors that do the work. Both know our tables, plans and
//! stores; beyond that they are Ballista's.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::{
    cluster::BallistaCluster, config::SchedulerConfig, scheduler_process::start_server,
};
use tokio::runtime::Runtime;

use crate::{
    codec::{Logical, Physical},
    error::ClusterError,
    session::{config, state},
    stores::runtime,
};

/// Plans are trees that are walked recursively.
const STACK_BYTES: usize = 32 << 20;

pub(crate) fn threads() -> Result<Runtime, ClusterError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder
        .enable_all()
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|error| ClusterError::Process(format!("threads cannot be started: {error}")))
}

/// Where the scheduler listens.
#[derive(Clone, Debug)]
pub struct Scheduler {
    pub listen: SocketAddr,
    /// Seconds without a sign of life after which an executor's work is given to others.
    pub executor_timeout_s: u64,
}

/// An executor and its place.
#[derive(Clone, Debug)]
pub struct Executor {
    pub scheduler_host: String,
    pub scheduler_port: u16,
    /// The address to listen on, the name under which others reach it, and the first of its two ports.
    pub bind: String,
    pub host: String,
    pub port: u16,
    /// Tasks at a time.
    pub tasks: usize,
    /// Bytes that all tasks together may hold before they go on in files.
    pub memory: u64,
    /// Where results wait for the next step, and what does not fit into memory.
    pub folder: Option<PathBuf>,
}

impl Scheduler {
    /// Runs until it is ended.
    pub fn run(&self) -> Result<(), ClusterError> {
        let failed =
            |error: &dyn std::fmt::Display| ClusterError::Process(format!("{}: {error}", self.listen));
        let settings = SchedulerConfig {
            bind_host: self.listen.ip().to_string(),
            bind_port: self.listen.port(),
            executor_timeout_seconds: self.executor_timeout_s,
            expire_dead_executor_interval_seconds: (self.executor_timeout_s / 4).max(1),
            override_config_producer: Some(Arc::new(config)),
            override_session_builder: Some(Arc::new(state)),
            override_logical_codec: Some(Arc::new(Logical::default())),
            override_physical_codec: Some(Arc::new(Physical::default())),
            ..SchedulerConfig::default()
        };
        threads()?.block_on(async {
            let cluster =
                BallistaCluster::new_from_config(&settings).await.map_err(|error| failed(&error))?;
            start_server(cluster, self.listen, Arc::new(settings)).await.map_err(|error| failed(&error))
        })
    }
}

impl Executor {
    /// Runs until it is ended.
    pub fn run(&self) -> Result<(), ClusterError> {
        let folder = self.folder.as_ref().map(|folder| folder.to_string_lossy().into_owned());
        let temporary = folder.clone();
        let settings = ExecutorProcessConfig {
            bind_host: self.bind.clone(),
            external_host: Some(self.host.clone()),
            port: self.port,
            grpc_port: self.port + 1,
            scheduler_host: self.scheduler_host.clone(),
            scheduler_port: self.scheduler_port,
            scheduler_connect_timeout_seconds: 60,
            vcores: self.tasks,
            work_dir: folder,
            executor_heartbeat_interval_seconds: 2,
            memory_pool_size: Some(self.memory),
            override_config_producer: Some(Arc::new(config)),
            override_runtime_producer: Some(Arc::new(move |_| runtime(temporary.as_deref()))),
            override_logical_codec: Some(Arc::new(Logical::default())),
            override_physical_codec: Some(Arc::new(Physical::default())),
            ..ExecutorProcessConfig::default()
        };
        threads()?
            .block_on(start_executor_process(Arc::new(settings)))
            .map_err(|error| ClusterError::Process(format!("{}:{}: {error}", self.host, self.port)))
    }
}
