//! `tabiya data stats`: what a dataset is made of, before and after balancing.

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use ::data::{Comparison, Dataset, Stats, stats};
use anyhow::{Context, anyhow};

use super::label::policy;
use crate::terminal::progress::{bar, grouped, print_json};

/// Count positions by rating, time control, ply, clock, think time, outcome and opening.
///
/// Reads every row, so it also tells whether the files still hold what the card says. Exit code 1 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the dataset
    dir: PathBuf,
    /// Balance by this policy (a name or a .toml file) for the column "after"
    #[arg(long, default_value = "hc3")]
    policy: String,
    /// Write SVG figures into this folder
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Seed of the policy's draw
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print all counts as JSON, before and after
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dataset = Dataset::open(&args.dir)?;
    let policy = policy(&args.policy)?;
    let bar = bar(Some(dataset.card.games), "{wide_bar} {pos} of {len} games, {per_sec}, {eta} left");
    let comparison = ::data::compare(&dataset, &policy, args.seed, |games| bar.inc(games))?;
    bar.finish_and_clear();
    if args.json {
        print_json(&comparison)?;
    } else {
        print(&comparison, &policy.name);
    }
    if let Some(folder) = &args.plots {
        ::data::plot(&comparison, folder)
            .map_err(|error| anyhow!("{error}"))
            .with_context(|| folder.display().to_string())?;
    }
    let whole = comparison.fingerprint == dataset.card.fingerprint && comparison.unsound == 0;
    if args.json {
        return Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(1) });
    }
    if whole {
        println!("\nEvery row is as the card says, fingerprint {}.", comparison.fingerprint);
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "\nThe files are not as the card says: {} games cannot be replayed, fingerprint {} and not {}.",
        comparison.unsound, comparison.fingerprint, dataset.card.fingerprint
    );
    Ok(ExitCode::from(1))
}

fn print(comparison: &Comparison, policy: &str) {
    let Comparison { before, after, .. } = comparison;
    println!("{:<28}{:>16}{:>16}", "", "all", policy);
    println!("{:<28}{:>16}{:>16}", "games", grouped(before.games), grouped(after.games));
    println!("{:<28}{:>16}{:>16}", "positions", grouped(before.positions), grouped(after.positions));
    let numbers = |of: fn(&Stats) -> &stats::Histogram, step: i64| {
        let merge = |histogram: &stats::Histogram| {
            let mut merged: BTreeMap<i64, u64> = BTreeMap::new();
            histogram.iter().for_each(|(bin, count)| *merged.entry(bin / step * step).or_default() += count);
            merged
        };
        (merge(of(before)), merge(of(after)))
    };
    table("rating of the mover, from", &numbers(|stats| &stats.ratings, 200), |bin| bin.to_string());
    table("ply, from", &numbers(|stats| &stats.plies, 20), |bin| bin.to_string());
    table("increment in s, from", &numbers(|stats| &stats.increments, 1), |bin| bin.to_string());
    let seconds = |bounds: &'static [f64]| move |bin: &i64| bounds[(*bin).max(0) as usize].to_string();
    table("clock left in s, from", &numbers(|stats| &stats.clocks, 1), seconds(&stats::CLOCK_BINS));
    table("think time in s, from", &numbers(|stats| &stats.think, 1), seconds(&stats::THINK_BINS));
    largest("time control", &before.controls, &after.controls);
    largest("opening", &before.openings, &after.openings);
    println!("\nWhite's rating less Black's, from: games won, drawn, lost");
    for (difference, [won, drawn, lost]) in
        before.outcomes.iter().filter(|(difference, _)| difference.abs() <= 500)
    {
        println!("{difference:>8}{:>16}{:>16}{:>16}", grouped(*won), grouped(*drawn), grouped(*lost));
    }
}

fn table<K: Ord>(title: &str, columns: &(BTreeMap<K, u64>, BTreeMap<K, u64>), name: impl Fn(&K) -> String) {
    let (before, after) = columns;
    let sums = (before.values().sum::<u64>().max(1) as f64, after.values().sum::<u64>().max(1) as f64);
    println!("\n{title}");
    for (bin, count) in before.iter().take(30) {
        let share = 100.0 * *count as f64 / sums.0;
        let balanced = 100.0 * after.get(bin).copied().unwrap_or(0) as f64 / sums.1;
        println!("{:>28}{share:>15.2}%{balanced:>15.2}%", name(bin));
    }
}

fn largest(title: &str, before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>) {
    let mut order: Vec<_> = before.iter().collect();
    order.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    let ranked = |counts: &BTreeMap<String, u64>| -> BTreeMap<usize, u64> {
        let count = |name: &String| counts.get(name).copied().unwrap_or(0);
        order.iter().enumerate().map(|(rank, (name, _))| (rank, count(name))).collect()
    };
    table(title, &(ranked(before), ranked(after)), |rank| order[*rank].0.clone());
}
