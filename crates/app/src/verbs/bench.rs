//! `tabiya bench`: fixed work whose node count is the engine's signature, and whose time is its speed.

mod batch_first;
mod kernels;
mod ranker;

use std::{path::PathBuf, process::ExitCode};

use chess::search_name;
use engine::{Settings, Signals};

use crate::{
    minds::MINDS,
    signature::{DEPTH, HASH_MB, summary},
};

/// Search fixed positions to a fixed depth: the node count tells whether behaviour changed, the time how
/// fast it is. With --search batch-first: a fixed time each, and how well tree and mind kept each other busy.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Depth of each search in plies
    #[arg(long, default_value_t = DEPTH)]
    depth: u32,
    /// Size of the hash table in MiB
    #[arg(long, default_value_t = HASH_MB)]
    hash: usize,
    /// Threads; with more than one the node count is not repeatable
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The search: alpha-beta, whose node count is the signature, or batch-first
    #[arg(long, default_value = search_name::ALPHA_BETA, value_parser = [search_name::ALPHA_BETA, search_name::BATCH_FIRST])]
    search: String,
    /// batch-first: the mind to evaluate with
    #[arg(long, default_value = MINDS[0])]
    mind: String,
    /// batch-first: a file with the mind's network
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// batch-first: most positions that the mind is asked about at once
    #[arg(long, value_name = "N", default_value_t = 256)]
    batch: usize,
    /// batch-first: milliseconds for each position
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    movetime: u64,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Kernels(kernels::Args),
    Ranker(ranker::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        Some(What::Kernels(args)) => return kernels::run(args),
        Some(What::Ranker(args)) => return ranker::run(args),
        None => {}
    }
    if args.search == search_name::BATCH_FIRST {
        return batch_first::run(args);
    }
    let settings = Settings { threads: args.threads, hash_mb: args.hash, ..Settings::default() };
    println!("{}", summary(args.depth, settings, &Signals::new()));
    Ok(ExitCode::SUCCESS)
}
