//! `tabiya bench`: fixed work whose node count is the engine's signature, and whose time is its speed.

mod kernels;
mod ranker;
mod timed;

use std::{path::PathBuf, process::ExitCode};

use chess::search_name;
use clap::builder::PossibleValuesParser;
use engine::{Device, SEARCH_NAMES, Settings, Signals};

use crate::{
    minds::MINDS,
    signature::{DEPTH, HASH_MB, summary},
};

/// Search fixed positions to a fixed depth: the node count tells whether behaviour changed, the time how
/// fast it is. With another search, mind or device: a fixed time each, and how well tree and mind kept each other busy.
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
    /// The search: alpha-beta, whose node count is the signature, or another
    #[arg(long, default_value = search_name::ALPHA_BETA, value_parser = PossibleValuesParser::new(SEARCH_NAMES))]
    search: String,
    /// The mind to evaluate with
    #[arg(long, default_value = MINDS[0])]
    mind: String,
    /// A file with the mind's network
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Most positions that the mind is asked about at once
    #[arg(long, value_name = "N", default_value_t = 256)]
    batch: usize,
    /// Milliseconds for each position, where time is the limit
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    movetime: u64,
    /// A device to imagine the network on: microseconds a batch and a position, such as 600+1.5
    #[arg(long, value_name = "US+US")]
    device: Option<Device>,
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
    let fixed_work = args.search == search_name::ALPHA_BETA && args.mind == MINDS[0];
    if !fixed_work || args.weights.is_some() || args.device.is_some() {
        return timed::run(args);
    }
    let settings = Settings { threads: args.threads, hash_mb: args.hash, ..Settings::default() };
    println!("{}", summary(args.depth, settings, &Signals::new()));
    Ok(ExitCode::SUCCESS)
}
