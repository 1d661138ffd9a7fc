//! `tabiya models`: what can play, embedded and on disk, with its card.

mod bins;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use nets::{Card, Forecast, WeightFile, others};

use crate::{
    embedded,
    minds::found::{self, Found},
};

/// List the minds that can play: those inside this program, those of the models folder ($TABIYA_MODELS), and networks in other places.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Weight files, or folders in which to look for them
    paths: Vec<PathBuf>,
    /// Print whole cards as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Bins(bins::Args),
}

struct Entry {
    name: String,
    megabytes: f64,
    what: Result<What, String>,
}

/// What a file holds that can be used.
enum What {
    Ours {
        card: Box<Card>,
        /// What is to be said of it.
        remark: Option<&'static str>,
    },
    Others {
        kind: &'static str,
        ratings: Option<(u16, u16)>,
    },
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(Verb::Bins(args)) = &args.verb {
        return bins::run(args);
    }
    let mut entries: Vec<Entry> = embedded::WEIGHTS
        .iter()
        .map(|weights| entry(format!("{} (inside)", weights.name), weights.bytes))
        .collect();
    for Found { name, path } in found::all() {
        entries.push(on_disk(format!("{name} ({})", path.display()), &path)?);
    }
    for path in &args.paths {
        for path in files(path)? {
            entries.push(on_disk(path.display().to_string(), &path)?);
        }
    }
    if args.json {
        let cards = entries.iter().map(|entry| match &entry.what {
            Ok(What::Ours { card, .. }) => serde_json::json!({ "name": entry.name, "card": card }),
            Ok(What::Others { kind, ratings }) => {
                serde_json::json!({ "name": entry.name, "kind": kind, "ratings": ratings })
            }
            Err(error) => serde_json::json!({ "name": entry.name, "error": error }),
        });
        println!("{}", serde_json::to_string_pretty(&cards.collect::<Vec<_>>())?);
    } else {
        println!("heuristic (inside)  hand-made evaluation, no weights");
        entries.iter().for_each(print);
    }
    let all_well = entries.iter().all(|entry| entry.what.is_ok());
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn entry(name: String, bytes: &[u8]) -> Entry {
    // The card alone would not show that weights are missing or do not fit.
    let card = nets::load_bytes(bytes).and_then(|_| WeightFile::card(bytes));
    let what = card.map(|card| What::Ours { card: Box::new(card), remark: WeightFile::remark(bytes) });
    Entry { name, megabytes: bytes.len() as f64 / 1e6, what: what.map_err(|error| error.to_string()) }
}

fn on_disk(name: String, path: &Path) -> anyhow::Result<Entry> {
    if !others::is_other(path) {
        let bytes = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        return Ok(entry(name, &bytes));
    }
    let what = others::load(path).map(|(kind, _)| What::Others { kind, ratings: others::ratings(path) });
    let what = what.map_err(|error| error.to_string());
    Ok(Entry { name, megabytes: others::size(path) as f64 / 1e6, what })
}

fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    fs::read_dir(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(found::inside(path).into_iter().map(|found| found.path).collect())
}

fn print(entry: &Entry) {
    match &entry.what {
        Err(error) => println!("{}  cannot play: {error}", entry.name),
        Ok(What::Others { kind, ratings }) => {
            let people = match ratings {
                Some((least, most)) if least < most => format!(", plays like people rated {least} to {most}"),
                Some((rating, _)) => format!(", plays like people rated {rating}"),
                None => String::new(),
            };
            println!("{}  {kind}, a network of others, {:.1} MB{people}", entry.name, entry.megabytes);
        }
        Ok(What::Ours { card, remark }) => print_card(entry, card, *remark),
    }
}

fn print_card(entry: &Entry, card: &Card, remark: Option<&str>) {
    let Card { family, parameters, step, samples, hours, .. } = card;
    println!(
        "{}  {family} ({}), {:.1} M parameters, {:.1} MB; {samples} samples in {step} steps, {hours:.1} h",
        entry.name,
        card.encoding,
        *parameters as f64 / 1e6,
        entry.megabytes
    );
    if let Some(remark) = remark {
        println!("    {remark}");
    }
    for (name, value) in &card.figures {
        println!("    {name:<28} {value:.4}");
    }
    if let Some(forecast) = nets::forecast(&card.curve) {
        let Forecast { power_law, straight, per_doubling } = forecast;
        println!(
            "    with ten times the samples   {power_law:.3} by a power law, {straight:.3} by a line of {per_doubling:+.4} a doubling"
        );
    }
}
