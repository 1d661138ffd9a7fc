//! `tabiya eval levels`: whether a mind that plays like people errs as much as they do, at every rating.

mod losses;
mod row;

use std::{path::PathBuf, process::ExitCode};

use ::data::{Dataset, Players, Sample, Speed};
use anyhow::Context;
use chess::{Moment, Wants};
use engine::{
    Settings,
    alpha_beta::AlphaBeta,
    human::{level_temperature, tolerated_loss},
};
use rayon::prelude::*;

use self::{
    losses::{Dials, Losses},
    row::Row,
};
use crate::{
    arena::pace::Pace,
    eval::{model::Model, selection::Selection},
    terminal::progress::{bar, print_json},
    verbs::data::{
        label::{SplitChoice, split},
        mistakes::speed,
    },
};

/// Tell how much expected score people lose by a move, how often they lose more than 10, 20 and 30 % of it, and the same of a mind in
/// the same positions, by rating.
///
/// The engine looks at the move that was played and at the mind's likeliest ones, with --nodes for each. `level` is the mind as it
/// plays at that rating; `fitted` has the warmth and the guard, of a grid, with which it comes nearest to people.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A mind or a file of weights
    #[arg(value_name = "MODEL", default_value = "human")]
    model: String,
    /// Folder of the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "valid", value_parser = split)]
    split: SplitChoice,
    /// Positions of each band of ratings
    #[arg(long, default_value_t = 400, value_name = "N")]
    positions: usize,
    /// Positions of one account that count in a band; 0: all
    #[arg(long, default_value_t = 40, value_name = "N")]
    max_per_account: u32,
    /// Only games of this speed: blitz, rapid, classical [default: all three]
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    speed: Vec<Speed>,
    /// Nodes for every move that the engine looks at
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Seed of the draw of positions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Middles of bands of 200 points.
const RATINGS: [u16; 9] = [800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400];
const SPEEDS: [Speed; 3] = [Speed::Blitz, Speed::Rapid, Speed::Classical];
/// Openings are known by heart, and time trouble is not about the position.
const FIRST_PLY: u16 = 10;
const LEAST_CLOCK_CS: u32 = 3_000;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let model = Model::parse(&args.model, Pace::default()).with_context(|| format!("`{}`", args.model))?;
    let Model::Brain { brain, .. } = model else {
        anyhow::bail!("`{}` does not say how likely moves are", args.model)
    };
    let dataset = Dataset::open(&args.data)?;
    let bar =
        bar(Some((RATINGS.len() * args.positions) as u64), "{wide_bar} {pos} of {len} positions, {eta} left");
    let mut rows = Vec::new();
    for rating in RATINGS {
        let samples = draw(args, &dataset, rating)?;
        let moments: Vec<Moment> = samples.iter().map(|sample| sample.moment.clone()).collect();
        let opinions = moments.chunks(64).flat_map(|moments| brain.judge(moments, Wants::POLICY));
        let policies: Vec<Vec<f32>> = opinions.map(|opinion| opinion.policy.unwrap_or_default()).collect();
        let engine = || AlphaBeta::new(Settings { hash_mb: 2, ..Settings::default() });
        let work = samples.par_iter().zip(&policies);
        let losses: Vec<Losses> = work
            .map_init(engine, |engine, (sample, policy)| {
                bar.inc(1);
                Losses::measure(engine, sample, policy, args.nodes)
            })
            .collect();
        rows.push(Row::new(rating, &losses, level(rating)));
    }
    bar.finish_and_clear();
    if args.json {
        print_json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", Row::head());
    rows.iter().for_each(|row| println!("{row}"));
    Ok(ExitCode::SUCCESS)
}

/// How the mind plays at a rating.
fn level(rating: u16) -> Dials {
    let tolerated = tolerated_loss(engine::Guard::Human, rating).unwrap_or(1.0);
    Dials { temperature: level_temperature(rating), tolerated }
}

fn draw(args: &Args, dataset: &Dataset, rating: u16) -> anyhow::Result<Vec<Sample>> {
    let selection = Selection {
        policy: "all",
        split: args.split.0,
        players: Players::All,
        // Some are left out below.
        positions: 4 * args.positions,
        seed: args.seed,
        speeds: if args.speed.is_empty() { &SPEEDS } else { &args.speed },
        ratings: Some((rating - 100, rating + 99)),
        max_per_account: args.max_per_account,
    };
    let mut samples = selection.draw(dataset).with_context(|| format!("ratings around {rating}"))?;
    samples.retain(|sample| {
        let left = sample.moment.clocks.map(|clocks| *clocks.left_cs.get(sample.moment.turn()));
        let lichess =
            sample.moment.players.is_some_and(|players| players.scale == chess::RatingScale::Lichess);
        lichess && sample.ply >= FIRST_PLY && left.is_none_or(|left| left >= LEAST_CLOCK_CS)
    });
    samples.truncate(args.positions);
    Ok(samples)
}
