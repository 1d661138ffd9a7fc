//! `tabiya data sql`: dumps, games and labels under a query engine.

use std::{path::PathBuf, process::ExitCode};

use cluster::Form;

/// Query dumps and datasets in SQL, on this machine or on a cluster.
///
/// pgn('FILES') are the games of dumps, games('FOLDER') those of a dataset, labels('FOLDER', 'NAME') a set of labels; FILES may hold
/// `*`, and all may be addresses (s3://, gs://, az://, https://). With --data its games are the table `games` and its labels `labels_NAME`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The query
    query: String,
    /// A dataset whose tables are there by name
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Run on the cluster with this scheduler
    #[arg(long, value_name = "df://HOST:PORT")]
    cluster: Option<String>,
    /// Pieces that wide steps are cut into [default: one a core]
    #[arg(long)]
    partitions: Option<usize>,
    /// Print CSV in place of a table
    #[arg(long)]
    csv: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let form = if args.csv { Form::Csv } else { Form::Table };
    let query = cluster::query(&args.query, args.data.as_deref(), args.cluster.as_deref(), args.partitions);
    print!("{}", form.print(&query?)?);
    Ok(ExitCode::SUCCESS)
}
