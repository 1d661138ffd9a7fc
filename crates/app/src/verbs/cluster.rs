//! `tabiya cluster`: the processes of a cluster for imports and queries.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use anyhow::Context;

/// Run the scheduler or an executor of a cluster for `tabiya data sql --cluster` and `tabiya data import --cluster`.
///
/// There is no password and no encryption: a cluster belongs into a network of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Scheduler(SchedulerArgs),
    Executor(ExecutorArgs),
}

/// Take queries and give their pieces to executors.
#[derive(Debug, clap::Args)]
struct SchedulerArgs {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1:50050")]
    listen: SocketAddr,
    /// Seconds without a sign of life after which an executor's work is given to others
    #[arg(long, default_value_t = 20)]
    executor_timeout: u64,
}

/// Work on pieces of queries.
#[derive(Debug, clap::Args)]
struct ExecutorArgs {
    /// The scheduler
    #[arg(long, value_name = "df://HOST:PORT", default_value = "df://127.0.0.1:50050")]
    scheduler: String,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    bind: String,
    /// Name under which the others reach this machine
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The first of two ports
    #[arg(long, default_value_t = 50051)]
    port: u16,
    /// Pieces at a time [default: one a core]
    #[arg(long)]
    tasks: Option<usize>,
    /// Megabytes that sorting may take before it goes on in files
    #[arg(long, default_value_t = 512)]
    memory: u64,
    /// Folder for results on their way and for what does not fit into memory [default: the system's]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Verb::Scheduler(args) => {
            cluster::Scheduler { listen: args.listen, executor_timeout_s: args.executor_timeout.max(4) }
                .run()?;
        }
        Verb::Executor(args) => executor(args)?.run()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn executor(args: &ExecutorArgs) -> anyhow::Result<cluster::Executor> {
    let place = args.scheduler.strip_prefix("df://").and_then(|place| place.rsplit_once(':'));
    let wrong = || format!("`{}` is not df://HOST:PORT", args.scheduler);
    let (host, port) = place.with_context(wrong)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(cluster::Executor {
        scheduler_host: host.to_owned(),
        scheduler_port: port.parse().with_context(wrong)?,
        bind: args.bind.clone(),
        host: args.host.clone(),
        port: args.port,
        tasks: args.tasks.unwrap_or(cores).max(1),
        memory: args.memory << 20,
        folder: args.folder.clone(),
    })
}
