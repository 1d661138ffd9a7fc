//! `tabiya eval value`: how well minds put positions in the order that an analysis gives them.

pub(super) mod model;
mod order;
mod report;

use std::{
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use ::data::{Dataset, Labels, Policy, Sample, Sampler, SamplerOptions};
use anyhow::{Context, ensure};
use chess::Evaluation;

use self::{model::Model, report::Report};
use crate::{
    arena::pace::Pace,
    eval::mark::game_numbers,
    verbs::data::label::{SplitChoice, split},
};

/// Compare minds, weights and UCI engines by the order in which they put positions with known evaluations.
///
/// A MODEL is a mind's name (heuristic, human, ranker), a file of weights, or the command of a UCI engine with settings after
/// semicolons, as in `tabiya arena`: "stockfish;name=sf-1k;nodes=1000". Minds give their value of the position itself, without
/// a search; a mind with a search (heuristic:alpha-beta) and engines give the score of their search.
///
/// The truth are the game's own [%eval] comments, or a set of labels of `tabiya data label`, seen by the side to move; nearer
/// mates count more. Intervals are 95 %, from a bootstrap over games.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Minds, weights or engines
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<String>,
    /// Folder of the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "test", value_parser = split)]
    split: SplitChoice,
    /// Positions to look at; 0 takes all
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    positions: usize,
    /// Which positions: a policy by name or a TOML file
    #[arg(long, default_value = "ranker")]
    policy: String,
    /// A set of labels in place of the games' own evaluations, where it has one
    #[arg(long, value_name = "NAME")]
    labels: Option<String>,
    /// Seed of the draw of positions and of the bootstrap
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Nodes for every search of an engine [default: 10000 if no depth is given]
    #[arg(long)]
    nodes: Option<u64>,
    /// Depth of every search of an engine, in plies
    #[arg(long)]
    depth: Option<u32>,
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
    let parse = |text: &String| Model::parse(text, pace).with_context(|| format!("`{text}`"));
    let models = args.models.iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?;
    let dataset = Dataset::open(&args.data)?;
    let samples = draw(args, &dataset)?;
    let truth: Vec<Evaluation> = samples.iter().map(truth).collect();
    let engines = args.engines.or(std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let mut values = Vec::new();
    for model in &models {
        let found = model.values(&samples, engines.max(1)).with_context(|| model.name().to_owned())?;
        values.push((model.name().to_owned(), found));
    }
    let report = Report::new(&dataset, &truth, &game_numbers(&samples), &values, args.seed);
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => write!(out, "{report}")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn draw(args: &Args, dataset: &Dataset) -> anyhow::Result<Vec<Sample>> {
    let labels = match &args.labels {
        Some(name) => Some(Arc::new(Labels::read(&args.data, name)?)),
        None => None,
    };
    let policy = Policy::find(&args.policy)?;
    let options =
        SamplerOptions { epochs: 1, labels, ..SamplerOptions::new(policy, args.split.0, args.seed) };
    let most = if args.positions == 0 { usize::MAX } else { args.positions };
    let mut chosen: Vec<Sample> = Vec::new();
    for batch in Sampler::new(dataset, &options) {
        chosen.extend(batch?.into_iter().filter(|sample| sample.evaluation().is_some()));
        if chosen.len() >= most {
            break;
        }
    }
    chosen.truncate(most);
    ensure!(chosen.len() > 1, "fewer than two positions of this dataset have an evaluation");
    Ok(chosen)
}

/// Seen by the side to move.
fn truth(sample: &Sample) -> Evaluation {
    let white = sample.evaluation().expect("only evaluated positions were drawn");
    sample.moment.turn().fold_wb(white, white.flipped())
}
