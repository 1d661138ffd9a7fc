//! `tabiya bench` with a mind or a device: how fast a search is in a fixed time, and how well tree and mind work side by side.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use engine::{Limits, Settings, Signals, Stats, Task};

use super::Args;
use crate::{minds::Names, signature::positions};

/// Every so many of the positions: they are searched by time, not by depth.
const EVERY: usize = 4;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let names = Names { weights: args.weights.clone(), ..Names::parse(&args.mind) };
    let settings = Settings {
        threads: args.threads,
        hash_mb: args.hash,
        batch: args.batch.max(1),
        device: args.device,
        ..Settings::default()
    };
    let mut search = engine::build(&names.mind()?, &args.search)?;
    search.configure(&settings);
    let limits = Limits::move_time(Duration::from_millis(args.movetime));
    let mut sum: Option<Stats> = None;
    for moment in positions().step_by(EVERY) {
        search.new_game();
        let (signals, started) = (Signals::new(), Instant::now());
        let task = Task { limits: limits.clone(), signals: &signals, report: &mut |_| {} };
        let choice = search.choose(&moment, task);
        let time = choice.simulated.unwrap_or_else(|| started.elapsed());
        let stats = choice.stats.unwrap_or(Stats { nodes: choice.nodes, time, ..Stats::default() });
        sum = Some(sum.map_or(stats, |sum| sum.plus(&stats)));
    }
    println!("{}", sum.unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}
