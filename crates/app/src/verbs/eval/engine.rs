//! `tabiya eval engine`: how often minds name the move that an engine holds for best, and what their moves cost.

mod report;
mod verdict;

use std::{
    io::{Write, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use ::data::{Dataset, Labels, Policy, Sample, Sampler, SamplerOptions, Split};
use anyhow::{Context, ensure};

pub(super) use self::report::percent;
use self::{
    report::Report,
    verdict::{Truth, Verdict},
};
use crate::{
    arena::pace::Pace,
    eval::{mark::game_numbers, model::Model},
    minds::Passes,
    terminal::progress::bar,
    verbs::data::label::{SplitChoice, split},
};

/// Compare minds, weights and UCI engines by the moves that an engine's labels hold for best.
///
/// A MODEL is a mind's name (human, graph), a file of weights, a mind with a search (graph:puct), or the command of a UCI engine with
/// settings after semicolons: "stockfish;name=sf-1k;nodes=1000". Minds are asked for their likeliest move without a search.
///
/// Where labels have several moves with scores (`data label --multipv`), the table also tells how often the move lies within 30
/// centipawns of the best and how much expected score it loses. A move beyond those listed counts as the last of them, so that the loss
/// is a lower bound. People's own moves stand in the table. Intervals are 95 %, from a bootstrap over games.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Minds, weights or engines
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// Folder of the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The set of labels
    #[arg(long, value_name = "NAME")]
    labels: String,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "test", value_parser = split)]
    split: SplitChoice,
    /// Positions to look at; 0 takes all
    #[arg(long, default_value_t = 5_000, value_name = "N")]
    positions: usize,
    /// Which positions: a policy by name or a TOML file
    #[arg(long, default_value = "labelled")]
    policy: String,
    /// Seed of the draw of positions and of the bootstrap
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Nodes for every move of an engine [default: 10000 if no depth is given]
    #[arg(long)]
    nodes: Option<u64>,
    /// Depth of every search of an engine, in plies
    #[arg(long)]
    depth: Option<u32>,
    /// Ask planners with each of these numbers of steps and of futures, such as 1x1,5x1,20x4
    #[arg(long, value_delimiter = ',', value_name = "STEPSxFUTURES", value_parser = effort)]
    efforts: Vec<(usize, usize)>,
    /// Positions that a network judges at once
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// Engine processes, or threads of a mind with a search [default: one a core]
    #[arg(long)]
    engines: Option<usize>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let nodes = args.nodes.or(args.depth.is_none().then_some(10_000));
    let pace = Pace { nodes, depth: args.depth, ..Pace::default() };
    // Models first: a typo must not wait for the data.
    let models = models(args, pace)?;
    let dataset = Dataset::open(&args.data)?;
    let drawn = Drawn {
        data: &args.data,
        labels: &args.labels,
        split: args.split.0,
        policy: &args.policy,
        positions: args.positions,
        seed: args.seed,
    };
    let (samples, truths) = draw(&drawn, &dataset)?;
    let games = game_numbers(&samples);
    let people = truths.iter().zip(&samples).map(|(truth, sample)| truth.of_played(sample)).collect();
    let mut judged: Vec<(String, Vec<Verdict>)> = vec![("the players".to_owned(), people)];
    let engines = args.engines.or(std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    for model in &models {
        let bar = bar(
            Some(samples.len() as u64),
            "{msg} {wide_bar} {pos} of {len} positions, {per_sec}, {eta} left",
        );
        bar.set_message(model.name().to_owned());
        let forecasts = model
            .forecast(&samples, args.batch.max(1), engines.max(1), &bar)
            .with_context(|| model.name().to_owned())?;
        bar.finish_and_clear();
        let verdicts = truths.iter().zip(&forecasts).map(|(truth, forecast)| truth.verdict(&forecast.moves));
        judged.push((model.name().to_owned(), verdicts.collect()));
    }
    let report = Report::new(&dataset, &args.labels, &samples, &games, &judged, args.seed);
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => write!(out, "{report}")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn effort(text: &str) -> Result<(usize, usize), String> {
    let numbers =
        text.split_once('x').and_then(|(steps, futures)| Some((steps.parse().ok()?, futures.parse().ok()?)));
    numbers.ok_or_else(|| format!("`{text}` is not of the form STEPSxFUTURES, such as 10x1"))
}

/// Each model, or each with every effort where that makes a difference.
fn models(args: &Args, pace: Pace) -> anyhow::Result<Vec<Model>> {
    let mut models = Vec::new();
    for text in &args.models {
        let parse =
            |passes: Passes| Model::with_passes(text, pace, passes).with_context(|| format!("`{text}`"));
        let usual = parse(Passes::default())?;
        if args.efforts.is_empty() || !matches!(usual, Model::Brain { .. }) {
            models.push(usual);
            continue;
        }
        for &(steps, futures) in &args.efforts {
            let model = parse(Passes { steps, futures, ..Passes::default() })?;
            let name = format!("{} {steps}x{futures}", model.name());
            models.push(model.named(name));
        }
    }
    Ok(models)
}

/// Which labelled positions are looked at.
pub(super) struct Drawn<'a> {
    pub(super) data: &'a Path,
    pub(super) labels: &'a str,
    pub(super) split: Option<Split>,
    pub(super) policy: &'a str,
    /// 0 for all.
    pub(super) positions: usize,
    pub(super) seed: u64,
}

/// Positions whose label names a legal move, and what it says.
pub(super) fn draw(drawn: &Drawn<'_>, dataset: &Dataset) -> anyhow::Result<(Vec<Sample>, Vec<Truth>)> {
    let labels = Some(Arc::new(Labels::read(drawn.data, drawn.labels)?));
    let policy = Policy::find(drawn.policy)?;
    let usual = SamplerOptions::new(policy, drawn.split, drawn.seed);
    let options = SamplerOptions { epochs: 1, labels, ..usual };
    let most = if drawn.positions == 0 { usize::MAX } else { drawn.positions };
    let (mut samples, mut truths) = (Vec::new(), Vec::new());
    for batch in Sampler::new(dataset, &options) {
        for sample in batch? {
            if let Some(truth) = Truth::of(&sample) {
                samples.push(sample);
                truths.push(truth);
            }
        }
        if samples.len() >= most {
            break;
        }
    }
    samples.truncate(most);
    truths.truncate(most);
    let name = drawn.labels;
    ensure!(!samples.is_empty(), "the labels `{name}` name no move in these games of the dataset");
    Ok((samples, truths))
}
