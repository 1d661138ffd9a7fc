//! `tabiya models`: what can play, embedded and on disk, with its card.

mod bins;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use nets::{Card, Forecast, WeightFile};

use crate::embedded;

/// List the minds that can play: those inside this program and the weight files in folders.
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
    card: Result<Card, String>,
    /// What is to be said of a file that can be used.
    remark: Option<&'static str>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(Verb::Bins(args)) = &args.verb {
        return bins::run(args);
    }
    let mut entries: Vec<Entry> = embedded::WEIGHTS
        .iter()
        .map(|weights| entry(format!("{} (inside)", weights.name), weights.bytes))
        .collect();
    for path in &args.paths {
        for file in files(path)? {
            let bytes = fs::read(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
            entries.push(entry(file.display().to_string(), &bytes));
        }
    }
    if args.json {
        let cards = entries.iter().map(|entry| match &entry.card {
            Ok(card) => serde_json::json!({ "name": entry.name, "card": card }),
            Err(error) => serde_json::json!({ "name": entry.name, "error": error }),
        });
        println!("{}", serde_json::to_string_pretty(&cards.collect::<Vec<_>>())?);
    } else {
        println!("heuristic (inside)  hand-made evaluation, no weights");
        entries.iter().for_each(print);
    }
    let all_well = entries.iter().all(|entry| entry.card.is_ok());
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn entry(name: String, bytes: &[u8]) -> Entry {
    // The card alone would not show that weights are missing or do not fit.
    let card = nets::load_bytes(bytes).and_then(|_| WeightFile::card(bytes));
    let remark = WeightFile::remark(bytes);
    Entry { name, megabytes: bytes.len() as f64 / 1e6, card: card.map_err(|error| error.to_string()), remark }
}

fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // A run's checkpoint is no mind: the best weights lie beside it.
    files.retain(|file| {
        file.extension().is_some_and(|extension| extension == "safetensors")
            && !file.ends_with(nets::CHECKPOINT)
    });
    files.sort();
    Ok(files)
}

fn print(entry: &Entry) {
    match &entry.card {
        Err(error) => println!("{}  cannot play: {error}", entry.name),
        Ok(card) => {
            let Card { family, parameters, step, samples, hours, .. } = card;
            println!(
                "{}  {family} ({}), {:.1} M parameters, {:.1} MB; {samples} samples in {step} steps, {hours:.1} h",
                entry.name,
                card.encoding,
                *parameters as f64 / 1e6,
                entry.megabytes
            );
            if let Some(remark) = entry.remark {
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
    }
}
