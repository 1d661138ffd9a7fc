//! `tabiya data opinions`: a network is asked about positions of a dataset, for others to learn from.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use ::data::{Fingerprint, OpinionOptions, OpinionRecipe, Policy, collect_opinions};
use anyhow::{Context, ensure};
use chess::{Moment, Wants};

use super::label::{SplitChoice, split};
use crate::{
    minds::Names,
    terminal::{
        interrupt,
        progress::{bar, grouped, print_json},
    },
};

/// Ask a network what players of the positions' ratings would play and how the games would end, and keep its answers beside
/// the games. Networks learn from them by [train.teacher].
///
/// Killed at any moment, the work of the last half minute is lost and --resume goes on, also to a larger --sample.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the dataset
    dir: PathBuf,
    /// The teacher: a file with a network of ours or of others
    #[arg(long, value_name = "NETWORK")]
    with: PathBuf,
    /// Which positions: a policy's name or a .toml file
    #[arg(long, default_value = "teach")]
    policy: String,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "train", value_parser = split)]
    split: SplitChoice,
    /// Accounts in ten thousand whose games are left out, for tests on strangers
    #[arg(long, default_value_t = 0, value_name = "N")]
    kept_apart: u32,
    /// Positions to ask about; 0 asks about all that the policy picks
    #[arg(long, default_value_t = 0)]
    sample: u64,
    /// Share of positions to ask about for drawn ratings in place of the players'; those over the board always are
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    drawn: f64,
    /// Seed of the draw
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Positions that the network judges at once
    #[arg(long, default_value_t = 512)]
    batch: usize,
    /// Threads for the network [default: one a core]
    #[arg(long)]
    threads: Option<usize>,
    /// Name of the set of opinions [default: that of the network's file]
    #[arg(long)]
    name: Option<String>,
    /// Go on with an existing set
    #[arg(long)]
    resume: bool,
    /// Print the set's card as JSON
    #[arg(long)]
    json: bool,
}

/// All bytes of a network: of its file and of one with arrays beside it, or of all files of a folder.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    let mut files = match path.is_dir() {
        true => fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?,
        false => vec![path.to_owned(), path.with_added_extension("data")],
    };
    files.sort();
    let mut bytes = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        bytes.append(&mut fs::read(file)?);
    }
    Ok(bytes)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure!((0.0..=1.0).contains(&args.drawn), "--drawn is {}, not within 0 and 1", args.drawn);
    ensure!(args.batch > 0, "--batch is 0");
    let brain = Names { weights: Some(args.with.clone()), ..Names::default() }.mind()?.brain;
    ensure!(brain.traits().policy.is_some(), "{} has no opinion on moves", args.with.display());
    let file = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let bytes = content(&args.with).with_context(|| args.with.display().to_string())?;
    let recipe = OpinionRecipe {
        teacher: file(args.with.file_name()),
        network: Fingerprint::of(&bytes),
        policy: Policy::find(&args.policy)?,
        split: args.split.0,
        kept_apart: args.kept_apart,
        seed: args.seed,
        drawn: args.drawn,
    };
    let options = OpinionOptions {
        name: args.name.clone().unwrap_or_else(|| file(args.with.file_stem())),
        recipe,
        sample: args.sample,
        batch: args.batch,
        resume: args.resume,
        stop: interrupt::flag()?,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).build()?;
    let wants = Wants::POLICY_AND_VALUE;
    let ask = |moments: &[Moment]| pool.install(|| brain.judge(moments, wants));
    let known = (args.sample > 0).then_some(args.sample);
    let bar = match known {
        Some(_) => bar(known, "{wide_bar} {pos} of {len} positions, {per_sec}, {eta} left"),
        None => bar(None, "{spinner} {pos} positions, {per_sec}"),
    };
    let card = collect_opinions(&args.dir, &options, ask, |progress| bar.set_position(progress.rows))?;
    bar.finish_and_clear();
    match args.json {
        true => print_json(&card)?,
        false => {
            println!(
                "{:>14}  opinions of {} in the set `{}`",
                grouped(card.rows),
                card.recipe.teacher,
                options.name
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
