//! `tabiya tune`: weights of the hand-made evaluation from games, by Texel's method.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use ::data::{Random, Source};
use anyhow::{Context, bail};
use chess::{
    pgn::{self, Eval, Game},
    shakmaty::{KnownOutcome, Outcome, Position},
};
use engine::{
    alpha_beta::is_quiet,
    heuristic::texel::{Example, Tuner, Weights, error},
};
use indicatif::{ProgressBar, ProgressStyle};

/// Tune the weights of the hand-made evaluation on games (Texel's method) and write them as Rust source.
///
/// Takes quiet positions, counts the features of each, and lowers the mean squared error between the
/// predicted and the real result. Where the moves carry engine evaluations (`[%eval]`), the target is a
/// mixture of both.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Games in PGN, also packed (`.zst`, `.gz`, `.bz2`)
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Where the weight table goes
    #[arg(long, default_value = "crates/engine/src/heuristic/weights.rs")]
    out: PathBuf,
    /// Positions to learn from, at most
    #[arg(long, default_value_t = 3_000_000)]
    positions: usize,
    /// Take about one quiet position in this many
    #[arg(long, default_value_t = 8)]
    every: u64,
    /// Plies to leave out at the beginning of each game
    #[arg(long, default_value_t = 12)]
    skip: usize,
    /// Share of an engine's evaluation in the target, where there is one
    #[arg(long, default_value_t = 0.7)]
    eval_share: f32,
    /// Leave out positions without an engine's evaluation
    #[arg(long)]
    evals_only: bool,
    /// Passes over the data
    #[arg(long, default_value_t = 30)]
    epochs: u32,
    #[arg(long, default_value_t = 16_384)]
    batch: usize,
    /// Step in centipawns at the beginning; it falls to a fiftieth
    #[arg(long, default_value_t = 1.0)]
    rate: f32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut examples = Vec::new();
    for path in &args.games {
        collect(args, path, &mut examples).with_context(|| format!("cannot read {}", path.display()))?;
    }
    if examples.len() < 20 {
        bail!("{} quiet positions are too few to tune on", examples.len());
    }
    let mut random = Random::new(args.seed);
    random.shuffle(&mut examples);
    let (valid, train) = examples.split_at(examples.len() / 20);
    let mut train = train.to_vec();
    let mut tuner = Tuner::new(Weights::current());
    println!("positions {} to learn, {} to check", train.len(), valid.len());
    println!("error before {:.6} {:.6}", error(&train, &tuner.weights), error(valid, &tuner.weights));

    let bar = progress(u64::from(args.epochs), "epochs");
    for epoch in 0..args.epochs {
        random.shuffle(&mut train);
        let done = f64::from(epoch) / f64::from(args.epochs);
        let rate = args.rate * (0.02 + 0.98 * (0.5 + 0.5 * (std::f64::consts::PI * done).cos())) as f32;
        for batch in train.chunks(args.batch) {
            tuner.step(batch, rate);
        }
        bar.set_message(format!("{:.6}", error(valid, &tuner.weights)));
        bar.inc(1);
    }
    bar.finish();
    println!("error after  {:.6} {:.6}", error(&train, &tuner.weights), error(valid, &tuner.weights));
    let temporary = args.out.with_extension("tmp");
    std::fs::write(&temporary, tuner.weights.to_source())
        .and_then(|()| std::fs::rename(&temporary, &args.out))
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Adds the examples of one file; games that do not read are passed over.
fn collect(args: &Args, path: &Path, examples: &mut Vec<Example>) -> anyhow::Result<()> {
    let source = Source::open(path)?;
    let bar = progress(args.positions as u64, "positions");
    bar.set_message(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let mut random = Random::new(args.seed);
    for game in pgn::games(source).flatten() {
        if examples.len() >= args.positions {
            break;
        }
        add_game(args, &game, &mut random, examples);
        bar.set_position(examples.len() as u64);
    }
    bar.finish();
    Ok(())
}

fn add_game(args: &Args, game: &Game, random: &mut Random, examples: &mut Vec<Example>) {
    let result = match game.outcome {
        Outcome::Known(KnownOutcome::Draw) => 0.5,
        Outcome::Known(KnownOutcome::Decisive { winner }) => winner.fold_wb(1.0, 0.0),
        Outcome::Unknown => return,
    };
    let mut position = game.start.position.clone();
    for (ply, &m) in game.moves.iter().enumerate() {
        position.play_unchecked(m);
        if ply < args.skip || (args.evals_only && game.evals[ply].is_none()) {
            continue;
        }
        if !random.bits().is_multiple_of(args.every) || !is_quiet(&position) {
            continue;
        }
        let target = game.evals[ply]
            .map_or(result, |eval| args.eval_share * expected(eval) + (1.0 - args.eval_share) * result);
        examples.extend(Example::new(&position, target));
    }
}

/// Centipawns of an engine's evaluation for which the odds grow by a factor of e, as Lichess has it.
const ENGINE_ODDS: f32 = 271.59;

/// White's expected score by an engine's evaluation.
fn expected(eval: Eval) -> f32 {
    match eval {
        Eval::Centipawns(centipawns) => 1.0 / (1.0 + (-centipawns as f32 / ENGINE_ODDS).exp()),
        Eval::Mate(moves) => f32::from(moves > 0),
    }
}

fn progress(length: u64, unit: &str) -> ProgressBar {
    let style = format!("{{bar:30}} {{pos}}/{{len}} {unit} {{per_sec}} {{eta}} left {{msg}}");
    ProgressBar::new(length).with_style(ProgressStyle::with_template(&style).expect("template is valid"))
}
