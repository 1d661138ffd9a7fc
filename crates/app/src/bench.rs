//! `tabiya bench`: fixed work whose node count is the engine's signature, and whose time is its speed.

use std::{process::ExitCode, time::Instant};

use chess::{Moment, shakmaty::CastlingMode};
use engine::{Limits, Search, Settings, Signals, Task, alpha_beta::AlphaBeta};

/// Search fixed positions to a fixed depth: the node count tells whether behaviour changed, the time how
/// fast it is.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Depth of each search in plies
    #[arg(long, default_value_t = DEPTH)]
    depth: u32,
    /// Size of the hash table in MiB
    #[arg(long, default_value_t = HASH_MB)]
    hash: usize,
    /// Threads; with more than one the node count is not repeatable
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

const DEPTH: u32 = 12;
const HASH_MB: usize = 16;

/// Openings, middlegames and endings of many kinds.
const POSITIONS: &str = include_str!("../../../testdata/bench.fen");

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let settings = Settings { threads: args.threads, hash_mb: args.hash, ..Settings::default() };
    let started = Instant::now();
    let nodes = signature(args.depth, settings);
    let seconds = started.elapsed().as_secs_f64();
    println!("{nodes} nodes {:.0} nps", nodes as f64 / seconds.max(1e-9));
    Ok(ExitCode::SUCCESS)
}

/// Nodes over all positions, each searched with an empty memory.
fn signature(depth: u32, settings: Settings) -> u64 {
    let signals = Signals::new();
    let mut search = AlphaBeta::new(settings);
    positions()
        .map(|moment| {
            search.new_game();
            let task = Task { limits: Limits::depth(depth), signals: &signals, report: &mut |_| {} };
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
    const SIGNATURE_AT_8: u64 = 0;

    #[test]
    fn the_signature_is_the_known_one() {
        assert_eq!(signature(8, Settings { hash_mb: HASH_MB, ..Settings::default() }), SIGNATURE_AT_8);
    }
}
