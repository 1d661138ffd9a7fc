//! `tabiya bench`: fixed work whose node count is the engine's signature, and whose time is its speed.

mod batch_first;
mod kernels;
mod ranker;

use std::{path::PathBuf, process::ExitCode, time::Instant};

use chess::{Moment, shakmaty::CastlingMode};
use engine::{Limits, Search, Settings, Signals, Task, alpha_beta::AlphaBeta};

use crate::minds::MINDS;

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
    #[arg(long, default_value = "alpha-beta", value_parser = ["alpha-beta", "batch-first"])]
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

pub(crate) const DEPTH: u32 = 12;
pub(crate) const HASH_MB: usize = 16;

/// Openings, middlegames and endings of many kinds.
const POSITIONS: &str = include_str!("../../../testdata/bench.fen");

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        Some(What::Kernels(args)) => return kernels::run(args),
        Some(What::Ranker(args)) => return ranker::run(args),
        None => {}
    }
    if args.search == "batch-first" {
        return batch_first::run(args);
    }
    let settings = Settings { threads: args.threads, hash_mb: args.hash, ..Settings::default() };
    println!("{}", summary(args.depth, settings, &Signals::new()));
    Ok(ExitCode::SUCCESS)
}

/// Nodes and speed in one line, as test frameworks read it.
pub(crate) fn summary(depth: u32, settings: Settings, signals: &Signals) -> String {
    let started = Instant::now();
    let nodes = signature(depth, settings, signals);
    let seconds = started.elapsed().as_secs_f64();
    format!("{nodes} nodes {:.0} nps", nodes as f64 / seconds.max(1e-9))
}

/// Nodes over all positions, each searched with an empty memory; a stop ends it early.
fn signature(depth: u32, settings: Settings, signals: &Signals) -> u64 {
    let mut search = AlphaBeta::new(settings);
    positions()
        .take_while(|_| !signals.is_stopped())
        .map(|moment| {
            search.new_game();
            let task = Task { limits: Limits::depth(depth), signals, report: &mut |_| {} };
            search.choose(&moment, task).nodes
        })
        .sum()
}

fn positions() -> impl Iterator<Item = Moment> {
    POSITIONS
        .lines()
        .map(|fen| Moment::from_fen(fen, CastlingMode::Chess960).expect("bench positions are legal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour changed if this number did: the commit that edits it says why.
    const SIGNATURE_AT_8: u64 = 251955;

    #[test]
    fn the_signature_is_the_known_one() {
        let settings = Settings { hash_mb: HASH_MB, ..Settings::default() };
        assert_eq!(signature(8, settings, &Signals::new()), SIGNATURE_AT_8);
    }
}
