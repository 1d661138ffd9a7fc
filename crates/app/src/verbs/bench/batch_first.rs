//! `tabiya bench --search batch-first`: how well tree and mind work side by side.

use std::{process::ExitCode, time::Duration};

use engine::{
    Limits, Search, Settings, Signals, Task,
    batch_first::{BatchFirst, Stats},
};

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
        ..Settings::default()
    };
    let limits = Limits::move_time(Duration::from_millis(args.movetime));
    let mut search = BatchFirst::new(names.mind()?.brain, settings);
    let mut sum: Option<Stats> = None;
    for moment in positions().step_by(EVERY) {
        search.new_game();
        let signals = Signals::new();
        search.choose(&moment, Task { limits: limits.clone(), signals: &signals, report: &mut |_| {} });
        sum = Some(sum.map_or(search.stats(), |sum| sum.plus(&search.stats())));
    }
    println!("{}", sum.unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}
