//! `tabiya eval puzzles`: the share of Lichess puzzles that minds solve whole, by rating and theme.

mod position;
mod report;

use std::{
    io::{BufReader, Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use ::data::{Puzzle, Random, Source, read_puzzles};
use anyhow::{Context, ensure};

use self::{
    position::{is_right, positions},
    report::Report,
};
use crate::{
    arena::pace::Pace,
    eval::{mark::Moves, model::Model},
    terminal::progress::bar,
};

/// Count the puzzles that minds, weights and UCI engines solve whole: every move of the solver is the solution's, or mates.
///
/// A MODEL is a mind's name (human, graph), a file of weights, a mind with a search (graph:puct), or the command of a UCI engine with
/// settings after semicolons. Minds are asked for their likeliest move without a search. The table tells the share solved by rating
/// and theme, and the rating at which half are solved, by a logistic curve. Intervals are 95 %, from a bootstrap over puzzles.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Minds, weights or engines
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<String>,
    /// Lichess's puzzles, `.csv`, also packed (`.zst`, `.gz`, `.bz2`)
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Puzzles to look at; 0 takes all
    #[arg(long, default_value_t = 5_000, value_name = "N")]
    puzzles: usize,
    /// Only puzzles with one of these themes
    #[arg(long, value_name = "THEME")]
    theme: Vec<String>,
    /// Seed of the draw of puzzles and of the bootstrap
    #[arg(long, default_value_t = 0)]
    seed: u64,
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
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let nodes = args.nodes.or(args.depth.is_none().then_some(10_000));
    let pace = Pace { nodes, depth: args.depth, ..Pace::default() };
    // Models first: a typo must not wait for the data.
    let parse = |text: &String| Model::parse(text, pace).with_context(|| format!("`{text}`"));
    let models = args.models.iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?;
    let puzzles = draw(args)?;
    let engines = args.engines.or(std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let mut solved = Vec::new();
    for model in &models {
        let found = solve(model, &puzzles, args.batch.max(1), engines.max(1))
            .with_context(|| model.name().to_owned())?;
        solved.push((model.name().to_owned(), found));
    }
    let report = Report::new(&puzzles, &solved, args.seed);
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => write!(out, "{report}")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn draw(args: &Args) -> anyhow::Result<Vec<Puzzle>> {
    let source = Source::open(&args.data).with_context(|| format!("cannot read {}", args.data.display()))?;
    // Lines that are no puzzle are passed over, as in every other table of other people.
    let mut puzzles: Vec<Puzzle> = read_puzzles(BufReader::new(source)).filter_map(Result::ok).collect();
    puzzles.retain(|puzzle| {
        args.theme.is_empty() || args.theme.iter().any(|theme| puzzle.themes.contains(theme))
    });
    ensure!(!puzzles.is_empty(), "{} holds no such puzzle", args.data.display());
    if args.puzzles > 0 && puzzles.len() > args.puzzles {
        Random::keyed(args.seed, 0x70_75_7a).shuffle(&mut puzzles);
        puzzles.truncate(args.puzzles);
    }
    Ok(puzzles)
}

/// Whether each puzzle was solved whole. Replies are known, so all moves of all puzzles are asked for together.
fn solve(model: &Model, puzzles: &[Puzzle], batch: usize, engines: usize) -> anyhow::Result<Vec<bool>> {
    let mut samples = Vec::new();
    let mut owners = Vec::new();
    for (at, puzzle) in puzzles.iter().enumerate() {
        for sample in positions(puzzle) {
            samples.push(sample);
            owners.push(at);
        }
    }
    let bar =
        bar(Some(samples.len() as u64), "{msg} {wide_bar} {pos} of {len} positions, {per_sec}, {eta} left");
    bar.set_message(model.name().to_owned());
    let forecasts = model.forecast(&samples, batch, engines, &bar)?;
    bar.finish_and_clear();
    let mut solved = vec![true; puzzles.len()];
    for ((sample, forecast), owner) in samples.iter().zip(&forecasts).zip(owners) {
        let chosen = match &forecast.moves {
            Moves::Best(chosen) => *chosen,
            Moves::Chances(chances) => {
                let likeliest = (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b]));
                likeliest.and_then(|at| sample.moment.legal_moves().get(at).copied())
            }
        };
        solved[owner] &= chosen.is_some_and(|chosen| is_right(sample, chosen));
    }
    Ok(solved)
}
