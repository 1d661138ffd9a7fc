//! `tabiya eval human`: how well minds foresee what people play, how long they think and how it ends.

mod chart;
mod report;

use std::{
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use ::data::{Dataset, KeptApart, Players, Sample, Seen, Speed};
use anyhow::Context;

use self::report::Report;
use crate::{
    arena::pace::Pace,
    eval::{
        expectations::Expectations,
        mark::{Mark, game_numbers},
        model::Model,
        selection::{self, Selection},
    },
    minds::Passes,
    terminal::progress::bar,
    verbs::data::{
        label::{SplitChoice, split},
        mistakes::speed,
    },
};

/// Compare minds, weights and UCI engines on the same positions of games between people.
///
/// A MODEL is a mind's name (human), a file of weights, or the command of a UCI engine with settings after semicolons, as
/// in `tabiya arena`: "stockfish;name=sf-1k;nodes=1000;option.Hash=16". `heuristic` is the hand-made engine at the
/// effort given by --nodes or --depth. A uniform guess over the legal moves always stands in the table.
///
/// Everything is told twice: for all positions, and by Maia's convention (without the first 10 plies and without moves
/// made with under 30 s on the clock). Intervals are 95 %, from a bootstrap over games. Models after the first are compared
/// with it on the same positions, and of every mind with a value it is told whether its expectations add up.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Minds, weights or engines
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// Folder of the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "test", value_parser = split)]
    split: SplitChoice,
    /// Only moves of players kept apart from training: so many accounts in ten thousand, as in the training's kept-apart
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..10_000))]
    strangers: Option<u32>,
    /// Leave out strangers who have a game in this dataset, for weights that were trained on it before; may be repeated
    #[arg(long, value_name = "DIR", requires = "strangers")]
    unknown_to: Vec<PathBuf>,
    /// Positions to look at; 0 takes all
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    positions: usize,
    /// Which positions: a policy by name, such as recycler, or a TOML file
    #[arg(long, default_value = "all")]
    policy: String,
    /// Only games of this speed: ultrabullet, bullet, blitz, rapid, classical
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    speed: Vec<Speed>,
    /// Only moves of players rated within these bounds, such as 1100-1900
    #[arg(long, value_name = "FROM-TO", value_parser = selection::ratings)]
    ratings: Option<(u16, u16)>,
    /// Positions of one account that count; 0: all
    #[arg(long, default_value_t = 0, value_name = "N")]
    max_per_account: u32,
    /// Seed of the draw of positions and of the bootstrap
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Ask networks that think more than once after each of these numbers of passes, such as 1,2,4,8
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=64))]
    passes: Vec<u8>,
    /// Nodes for every move of an engine [default: 10000 if no depth is given]
    #[arg(long)]
    nodes: Option<u64>,
    /// Depth of every search of an engine, in plies
    #[arg(long)]
    depth: Option<u32>,
    /// Positions that a network judges at once
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// Engine processes, or threads of a mind with a search [default: one a core]
    #[arg(long)]
    engines: Option<usize>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Write figures of accuracy by each variable into this folder, as SVG
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let nodes = args.nodes.or(args.depth.is_none().then_some(10_000));
    let pace = Pace { nodes, depth: args.depth, ..Pace::default() };
    // Models first: a typo must not wait for the data.
    let mut models = vec![Model::Uniform];
    for text in &args.models {
        let parse =
            |passes: Passes| Model::with_passes(text, pace, passes).with_context(|| format!("`{text}`"));
        let usual = parse(Passes::default())?;
        if args.passes.is_empty() || !matches!(usual, Model::Brain { .. }) {
            models.push(usual);
            continue;
        }
        for &passes in &args.passes {
            let model = parse(Passes { most: passes.into(), ..Passes::default() })?;
            let name = format!("{} x{passes}", model.name());
            models.push(model.named(name));
        }
    }
    let dataset = Dataset::open(&args.data)?;
    let samples = Selection {
        policy: &args.policy,
        split: args.split.0,
        players: players(args)?,
        positions: args.positions,
        seed: args.seed,
        speeds: &args.speed,
        ratings: args.ratings,
        max_per_account: args.max_per_account,
    }
    .draw(&dataset)?;
    let games = game_numbers(&samples);
    let mut marked = Vec::new();
    for model in &models {
        marked.push((model.name().to_owned(), judge(model, &samples, &games, args)?));
    }
    let report =
        Report::new(&dataset, &samples, &marked, args.seed).expecting(expectations(&models, &samples));
    if let Some(folder) = &args.plots {
        chart::draw(&report, folder).with_context(|| format!("cannot draw into {}", folder.display()))?;
    }
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => write!(out, "{report}")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What the minds among the models expect of games.
fn expectations(models: &[Model], samples: &[Sample]) -> Vec<(String, Expectations)> {
    let of = |model: &Model| match model {
        Model::Brain { name, brain } => Some((name.clone(), Expectations::of(brain.as_ref(), samples)?)),
        _ => None,
    };
    models.iter().filter_map(of).collect()
}

fn players(args: &Args) -> anyhow::Result<Players> {
    let Some(share) = args.strangers else { return Ok(Players::All) };
    let before = args.unknown_to.iter().map(|folder| Dataset::open(folder)).collect::<Result<Vec<_>, _>>()?;
    Ok(Players::Strangers(KeptApart(share), Seen::accounts(&before)?))
}

fn judge(model: &Model, samples: &[Sample], games: &[usize], args: &Args) -> anyhow::Result<Vec<Mark>> {
    let bar =
        bar(Some(samples.len() as u64), "{msg} {wide_bar} {pos} of {len} positions, {per_sec}, {eta} left");
    bar.set_message(model.name().to_owned());
    let engines = args.engines.or(std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let forecasts = model
        .forecast(samples, args.batch.max(1), engines.max(1), &bar)
        .with_context(|| model.name().to_owned())?;
    bar.finish_and_clear();
    let marks = samples.iter().zip(games).zip(&forecasts);
    Ok(marks.map(|((sample, &game), forecast)| Mark::new(sample, game, forecast)).collect())
}
