//! `tabiya data import`: PGN in, Parquet out.

use std::{path::PathBuf, process::ExitCode, time::Instant};

use ::data::{Bots, Card, Filters, ImportOptions, Shares, Speed, Tally, storage};
use anyhow::Context;

use crate::terminal::{
    interrupt,
    progress::{bar, grouped, print_json},
};

/// Turn PGN (.pgn, .zst, .gz, .bz2, - for standard input) into a table of games.
///
/// Duplicate games, variants, bots and games without a result are left out unless asked for; bad games are
/// counted by reason. Killed at any moment, the folder still reads, and --resume finishes the work.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of games, by path or address, with `*` in their names; `-` reads standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Folder of the dataset, by path or address; an existing one is added to
    #[arg(long)]
    out: PathBuf,
    /// Filters from a TOML file; flags go before it
    #[arg(long, value_name = "FILE")]
    filters: Option<PathBuf>,
    /// Lowest rating of either player
    #[arg(long)]
    min_rating: Option<u16>,
    /// Highest rating of either player
    #[arg(long)]
    max_rating: Option<u16>,
    /// Largest difference between the two ratings
    #[arg(long)]
    max_difference: Option<u16>,
    /// Speeds to keep, by comma: ultrabullet, bullet, blitz, rapid, classical, other [default: all]
    #[arg(long, value_delimiter = ',', value_parser = speed)]
    speeds: Option<Vec<Speed>>,
    /// Fewest plies [default: 1]
    #[arg(long)]
    min_plies: Option<u32>,
    /// Most plies [default: 2000]
    #[arg(long)]
    max_plies: Option<u32>,
    /// Keep only games with a clock reading on every move
    #[arg(long)]
    clocks: bool,
    /// Games with bots: drop, keep or only [default: drop]
    #[arg(long, value_parser = bots)]
    bots: Option<Bots>,
    /// Keep aborted games and games without a result
    #[arg(long)]
    unfinished: bool,
    /// Stop with an error at the first bad game
    #[arg(long)]
    strict: bool,
    /// Skip finished files and go on where an unfinished one was left
    #[arg(long)]
    resume: bool,
    /// Threads that read games [default: all cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Games in a shard, about
    #[arg(long, default_value_t = 100_000)]
    shard_games: u64,
    /// Seed of the split into train, valid and test; counts for a new dataset
    #[arg(long, default_value_t = 0)]
    split_seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn speed(text: &str) -> Result<Speed, String> {
    let found = Speed::ALL.into_iter().find(|speed| speed.name() == text);
    found.ok_or_else(|| format!("speeds are {}", Speed::ALL.map(Speed::name).join(", ")))
}

fn bots(text: &str) -> Result<Bots, String> {
    match text {
        "drop" => Ok(Bots::Drop),
        "keep" => Ok(Bots::Keep),
        "only" => Ok(Bots::Only),
        _ => Err("drop, keep or only".to_owned()),
    }
}

impl Args {
    fn filters(&self) -> anyhow::Result<Filters> {
        let mut filters = match &self.filters {
            Some(path) => {
                let text = storage::read_to_string(path).with_context(|| path.display().to_string())?;
                toml::from_str(&text).with_context(|| path.display().to_string())?
            }
            None => Filters::default(),
        };
        filters.min_rating = self.min_rating.unwrap_or(filters.min_rating);
        filters.max_rating = self.max_rating.unwrap_or(filters.max_rating);
        filters.max_difference = self.max_difference.unwrap_or(filters.max_difference);
        filters.min_plies = self.min_plies.unwrap_or(filters.min_plies);
        filters.max_plies = self.max_plies.unwrap_or(filters.max_plies);
        filters.bots = self.bots.unwrap_or(filters.bots);
        filters.clocks |= self.clocks;
        filters.unfinished |= self.unfinished;
        if let Some(speeds) = &self.speeds {
            filters.speeds.clone_from(speeds);
        }
        Ok(filters)
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let defaults = ImportOptions::default();
    let options = ImportOptions {
        filters: args.filters()?,
        strict: args.strict,
        resume: args.resume,
        threads: args.threads.unwrap_or(defaults.threads),
        shard_games: args.shard_games,
        shares: Shares { seed: args.split_seed, ..Shares::default() },
        stop: interrupt::flag()?,
        ..defaults
    };
    let mut files = Vec::new();
    for pattern in &args.files {
        files.extend(storage::matching(pattern).with_context(|| pattern.display().to_string())?);
    }
    let started = Instant::now();
    let bar = bar(None, "{spinner} {wide_bar} {percent}% {msg}, {eta} left");
    let (tally, card) = ::data::import(&files, &args.out, &options, |step| {
        bar.set_length(step.len.unwrap_or(0));
        bar.set_position(step.consumed);
        let rate = step.tally.read as f64 / started.elapsed().as_secs_f64().max(1e-3);
        let message =
            format!("{}: {} games, {}/s", step.source, grouped(step.tally.read), grouped(rate as u64));
        bar.set_message(message);
    })?;
    bar.finish_and_clear();
    show(args, &tally, &card)
}

fn show(args: &Args, tally: &Tally, card: &Card) -> anyhow::Result<ExitCode> {
    if args.json {
        print_json(card)?;
    } else {
        report(tally, card);
    }
    Ok(ExitCode::SUCCESS)
}

fn report(tally: &Tally, card: &Card) {
    println!("{:>14}  games read", grouped(tally.read));
    println!("{:>14}  kept", grouped(tally.kept));
    for (reason, count) in tally.dropped() {
        println!("{:>14}  dropped: {}", grouped(count), reason.sentence());
    }
    println!();
    let shards = if card.shards.len() == 1 { "shard" } else { "shards" };
    println!(
        "The dataset holds {} games with {} plies in {} {shards}, fingerprint {}.",
        grouped(card.games),
        grouped(card.plies),
        card.shards.len(),
        card.fingerprint
    );
}
