//! `tabiya clone`: a mind that plays like one person, made of her games.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use nets::{WeightFile, human::clone::CloneSettings};

use crate::{
    clone::{self, Foresight, Interval, Made, Own, Report, Settings},
    embedded,
    minds::found,
    terminal::progress,
};

/// Make a mind that plays like one person, of her games.
///
/// A fifth of the games is kept apart: on them it is measured how much better the clone foresees the person than people of her rating do.
/// A clone that is no better is not kept, unless --anyway is given. It lies in the models folder ($TABIYA_MODELS), where the page, UCI and
/// the arena find it by the name of its file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Games in PGN, plain or compressed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Whose games they are [default: who is in most of them]
    #[arg(long)]
    player: Option<String>,
    /// The file to write [default: clone-NAME.safetensors in the models folder]
    #[arg(long)]
    out: Option<PathBuf>,
    /// The human network to begin with, in place of the one that comes with the program
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Use the last so many games only
    #[arg(long)]
    games: Option<usize>,
    /// Times that the network goes through the games at most; 0 for the person's own choices alone
    #[arg(long, default_value_t = Settings::default().epochs)]
    epochs: usize,
    /// Learning rate
    #[arg(long, default_value_t = CloneSettings::default().rate)]
    rate: f64,
    /// Decides which games are kept apart
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep the clone even if it is no better than people of the person's rating
    #[arg(long)]
    anyway: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure!(args.rate.is_finite() && args.rate > 0.0, "a learning rate is above 0, not {}", args.rate);
    let mut games = Vec::new();
    let mut broken = 0;
    for path in &args.files {
        let file =
            data::Source::open(path).with_context(|| format!("cannot read `{}`", path.display()))?.lines();
        for game in chess::pgn::games(file) {
            match game {
                Ok(game) => games.push(game),
                Err(_) => broken += 1,
            }
        }
    }
    let player = args.player.clone().or_else(|| clone::most_frequent(&games));
    let player = player.context("there is no game with the names of its players in these files")?;
    let names = clone::names(&games, 8);
    let mut own = Own::of(games, &player);
    if own.games.is_empty() {
        bail!("`{player}` played none of these games; the names in them are: {}", names.join(", "));
    }
    if let Some(most) = args.games {
        own.games.drain(..own.games.len().saturating_sub(most));
    }
    if broken > 0 {
        tracing::warn!("{broken} games could not be read");
    }
    let out = match &args.out {
        Some(out) => out.clone(),
        None => in_models_folder(&own.player)?,
    };
    let base = base(args.weights.as_deref())?;
    let settings = Settings {
        epochs: args.epochs,
        learning: CloneSettings { rate: args.rate, seed: args.seed, ..CloneSettings::default() },
    };
    let bar = progress::bar(Some(1000), "{wide_bar} {percent} % {eta}");
    let made = clone::make(&base, &own, settings, &mut |share| bar.set_position((1000.0 * share) as u64));
    bar.finish_and_clear();
    let Made { file, person, report } = made?;
    if args.json {
        progress::print_json(&serde_json::json!({
            "player": person.name, "rating": person.rating, "better": report.is_better(), "report": report,
        }))?;
    } else {
        print(&person.name, person.rating, &report);
    }
    if !report.is_better() && !args.anyway {
        let sentence = "the clone foresees its person no better than people of the same rating; not kept";
        tracing::warn!("{sentence}");
        return Ok(ExitCode::FAILURE);
    }
    if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    }
    file.write(&out)?;
    tracing::info!("written to {}", out.display());
    Ok(ExitCode::SUCCESS)
}

fn in_models_folder(player: &str) -> anyhow::Result<PathBuf> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = player.chars().map(plain).collect();
    let folder = found::folder().context("there is no models folder here; name a file with --out")?;
    Ok(folder.join(format!("clone-{}.safetensors", name.trim_matches('-'))))
}

/// The human network to begin with.
fn base(path: Option<&Path>) -> anyhow::Result<WeightFile> {
    match path {
        Some(path) => WeightFile::read(path).with_context(|| path.display().to_string()),
        None => {
            let human = embedded::WEIGHTS.iter().find(|weights| weights.name == "human");
            let human = human.context("no human network comes with this program; name one with --weights")?;
            Ok(WeightFile::from_bytes(human.bytes)?)
        }
    }
}

fn print(player: &str, rating: Option<u16>, report: &Report) {
    let Report { games, moves, held_out_games, held_out_moves, seconds, epochs, .. } = report;
    let rating = rating.map_or(String::new(), |rating| format!(" ({rating})"));
    println!(
        "{player}{rating}: {games} games, {moves} moves; {held_out_games} games with {held_out_moves} moves kept apart"
    );
    println!("{:<34}{:>10}{:>10}", "moves kept apart", "foreseen", "loss");
    let row = |name: &str, Foresight { top1, loss }: Foresight| {
        println!("{name:<34}{:>8.1} %{loss:>10.3}", 100.0 * top1);
    };
    row("people of the rating", report.base);
    row("with the person's own choices", report.habits);
    row("the clone", report.clone);
    let Interval { value, low, high } = report.top1_gain;
    let points = format!("{:+.1} points ({:+.1} to {:+.1})", 100.0 * value, 100.0 * low, 100.0 * high);
    let Interval { value, low, high } = report.loss_gain;
    println!("gain: {points}, loss {value:+.3} ({low:+.3} to {high:+.3}); {epochs} epochs, {seconds:.0} s");
}
