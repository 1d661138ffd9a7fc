//! `tabiya eval pairs`: which of two positions is better, one from a game that its player won and one from a game that he lost.

mod contest;
mod report;
mod source;

use std::{
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use ::data::{Dataset, Policy, Random, Sample, Sampler, SamplerOptions};
use anyhow::{Context, ensure};
use chess::shakmaty::Color;

use self::{contest::Side, report::Report, source::Source};
use super::value::model::Model;
use crate::{
    arena::pace::Pace,
    eval::mark::game_numbers,
    verbs::data::label::{SplitChoice, split},
};

/// Compare minds, weights and UCI engines by which of two positions they prefer: a won one or a lost one.
///
/// A MODEL is a mind's name (heuristic, comparator, ranker), a file of weights, or the command of a UCI engine with settings after
/// semicolons: "stockfish;name=sf-8;depth=8". A mind that compares is asked about pairs; of all others the values of the two positions are
/// held against each other.
///
/// Positions are those of decisive games, seen by the player who won or by the one who lost. Sources are told apart by what is known of a
/// game: engines are rated 3300 and more, and games over the board have no time control. Intervals are 95 %, from a bootstrap over games.
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
    /// Positions to look at from each source
    #[arg(long, default_value_t = 4000, value_name = "N")]
    positions: usize,
    /// Pairs that each position takes part in
    #[arg(long, default_value_t = 16, value_name = "N")]
    pairs: usize,
    /// Which positions: a policy by name or a TOML file
    #[arg(long, default_value = "deepchess")]
    policy: String,
    /// Seed of the draw of positions and pairs, and of the bootstrap
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
    let engines = args.engines.or(std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let mut report = Report::new(&dataset, &models);
    for (source, samples) in draw(args, &dataset)? {
        let sides = sides(&samples, args.seed);
        let games = game_numbers(&samples);
        let pairs = contest::draw(&sides, &games, args.pairs, args.seed);
        if pairs.is_empty() {
            continue;
        }
        let marks = models.iter().map(|model| {
            let marks = contest::hold(model, &samples, &sides, &pairs, engines.max(1));
            marks.with_context(|| model.name().to_owned())
        });
        let marks = marks.collect::<anyhow::Result<Vec<_>>>()?;
        report.add(source, &games, &pairs, &marks, args.seed);
    }
    ensure!(!report.is_empty(), "no two decisive games of this dataset have a position that counts");
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => write!(out, "{report}")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Positions of decisive games by their source.
fn draw(args: &Args, dataset: &Dataset) -> anyhow::Result<Vec<(Source, Vec<Sample>)>> {
    /// Games of one source lie together in a dataset.
    const POOL: usize = 1 << 19;
    let usual = SamplerOptions::new(Policy::find(&args.policy)?, args.split.0, args.seed);
    let options = SamplerOptions { epochs: 1, pool: POOL, ..usual };
    let mut found: Vec<(Source, Vec<Sample>)> = Source::ALL.map(|source| (source, Vec::new())).into();
    for batch in Sampler::new(dataset, &options) {
        for sample in batch?.into_iter().filter(|sample| sample.game.result.is_decisive()) {
            let of = Source::of(&sample.game);
            let (_, samples) = found.iter_mut().find(|(source, _)| *source == of).expect("all are there");
            if samples.len() < args.positions {
                samples.push(sample);
            }
        }
        if found.iter().all(|(_, samples)| samples.len() == args.positions) {
            break;
        }
    }
    Ok(found)
}

/// Who sees each position: the one who won or the one who lost, by chance.
fn sides(samples: &[Sample], seed: u64) -> Vec<Side> {
    let mut random = Random::keyed(seed, 0x51de);
    let side = |sample: &Sample| {
        let player = if random.chance(0.5) { Color::White } else { Color::Black };
        Side { player, won: sample.game.result.half_points(player) == Some(2) }
    };
    samples.iter().map(side).collect()
}
