//! `tabiya eval levels`: whether a mind that plays like people errs as much as they do, at every rating.

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use ::data::{Dataset, Players, Sample, Speed};
use anyhow::Context;
use chess::{Moment, Wants, shakmaty::Move};
use engine::{
    Limits, Search, Settings, Signals, Task,
    alpha_beta::AlphaBeta,
    expected_score,
    human::{level_temperature, tolerated_loss},
    instant::temper,
};
use rayon::prelude::*;

use crate::{
    arena::pace::Pace,
    eval::{model::Model, selection::Selection},
    terminal::progress::bar,
    verbs::data::label::{SplitChoice, split},
};

/// Tell how much expected score people lose by a move, and how much a mind would lose in the same positions, by rating.
///
/// The engine looks at the move that was played and at the mind's likeliest ones, with --nodes for each. Column `level` is the
/// mind as it plays at that rating, with its temperature and guard; the others have the same guard and the temperature of their
/// heading, and `matching` is the temperature at which both lose the same.
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
const RATINGS: [u16; 8] = [1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500];
/// Falling, as percents.
const TEMPERATURES: [u32; 8] = [110, 100, 90, 80, 70, 60, 40, 0];
/// People, the level, the temperatures.
const COLUMNS: usize = 2 + TEMPERATURES.len();
/// The mind's likeliest moves that are looked at; what is left is too rare to matter.
const CANDIDATES: usize = 10;
const TOP_P: f32 = 0.95;
/// Openings are known by heart, and time trouble is not about the position.
const FIRST_PLY: u16 = 10;
const LEAST_CLOCK_CS: u32 = 3_000;

#[derive(Debug, serde::Serialize)]
struct Row {
    rating: u16,
    positions: usize,
    people: f64,
    /// Half of the 95 % interval.
    error: f64,
    /// The mind as it plays at the level.
    level: f64,
    /// By temperature in percent.
    mind: BTreeMap<u32, f64>,
    /// Temperature in percent at which the mind loses as much as people; none if it never does.
    matching: Option<f64>,
}

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
        let mut policies = Vec::new();
        for moments in moments.chunks(64) {
            policies.extend(
                brain
                    .judge(moments, Wants::POLICY)
                    .into_iter()
                    .map(|opinion| opinion.policy.unwrap_or_default()),
            );
        }
        let engine = || AlphaBeta::new(Settings { hash_mb: 2, ..Settings::default() });
        let work = samples.par_iter().zip(&policies);
        let losses: Vec<_> = work
            .map_init(engine, |engine, (sample, policy)| {
                bar.inc(1);
                losses(engine, sample, policy, rating, args.nodes)
            })
            .collect();
        rows.push(row(rating, &losses));
    }
    bar.finish_and_clear();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        print(&rows);
    }
    Ok(ExitCode::SUCCESS)
}

fn draw(args: &Args, dataset: &Dataset, rating: u16) -> anyhow::Result<Vec<Sample>> {
    let selection = Selection {
        policy: "all",
        split: args.split.0,
        players: Players::All,
        // Some are left out below.
        positions: 4 * args.positions,
        seed: args.seed,
        speeds: &[Speed::Blitz, Speed::Rapid, Speed::Classical],
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

/// What the played move loses, then what the mind loses on average as it plays at the level, then at each temperature.
fn losses(
    engine: &mut AlphaBeta,
    sample: &Sample,
    policy: &[f32],
    rating: u16,
    nodes: u64,
) -> [f64; COLUMNS] {
    let moment = &sample.moment;
    let legal = moment.legal_moves();
    let mut order: Vec<usize> = (0..legal.len().min(policy.len())).collect();
    order.sort_by(|&a, &b| policy[b].total_cmp(&policy[a]));
    order.truncate(CANDIDATES);
    engine.new_game();
    let mut expectation = |only: Vec<Move>| {
        let limits = Limits { nodes: Some(nodes), search_moves: only, ..Limits::default() };
        let signals = Signals::default();
        let choice = engine.choose(moment, Task { limits, signals: &signals, report: &mut |_| {} });
        choice.score.map_or(0.5, expected_score)
    };
    let found = expectation(Vec::new());
    let played = expectation(vec![sample.played]);
    let looked: Vec<f32> = order.iter().map(|&at| expectation(vec![legal[at]])).collect();
    let best = looked.iter().copied().chain([found, played]).fold(0.0, f32::max);
    let tolerated = tolerated_loss(engine::Guard::Human, rating).unwrap_or(1.0);
    let chances: Vec<f32> = order.iter().map(|&at| policy[at]).collect();
    std::array::from_fn(|column| {
        let temperature = match column {
            0 => return f64::from(best - played),
            1 => level_temperature(rating),
            _ => TEMPERATURES[column - 2] as f32 / 100.0,
        };
        let weights = temper(&chances, temperature, TOP_P);
        // The guard draws again where a move loses too much.
        let kept = weights.iter().zip(&looked).filter(|(_, after)| best - **after <= tolerated);
        let (sum, total) = kept.fold((0.0, 0.0), |(sum, total), (weight, after)| {
            (sum + f64::from(weight * (best - after)), total + f64::from(*weight))
        });
        if total > 0.0 { sum / total } else { 0.0 }
    })
}

fn row(rating: u16, losses: &[[f64; COLUMNS]]) -> Row {
    let count = losses.len().max(1) as f64;
    let mean = |column: usize| losses.iter().map(|row| row[column]).sum::<f64>() / count;
    let people = mean(0);
    let spread = losses.iter().map(|row| (row[0] - people).powi(2)).sum::<f64>() / count;
    let mind: Vec<f64> = (2..COLUMNS).map(mean).collect();
    Row {
        rating,
        positions: losses.len(),
        people,
        error: 1.96 * (spread / count).sqrt(),
        level: mean(1),
        matching: matching(people, &mind),
        mind: TEMPERATURES.into_iter().zip(mind).collect(),
    }
}

/// Where the mind's loss, on straight lines between the temperatures, is that of people.
fn matching(people: f64, mind: &[f64]) -> Option<f64> {
    let points: Vec<(f64, f64)> =
        TEMPERATURES.iter().map(|&t| f64::from(t)).zip(mind.iter().copied()).collect();
    let between = points.windows(2).find(|pair| pair[1].1 <= people && people <= pair[0].1)?;
    let [(warm, more), (cold, less)] = [between[0], between[1]];
    Some(if more > less { cold + (warm - cold) * (people - less) / (more - less) } else { warm })
}

fn print(rows: &[Row]) {
    let temperatures: String = TEMPERATURES.iter().map(|t| format!("{:>9}", format!("{t} %"))).collect();
    println!(
        "Expected score lost by a move, in percent: people, the mind as it plays, and at temperatures\n"
    );
    println!("rating  positions          people    level{temperatures}   matching");
    for row in rows {
        let minds: String = TEMPERATURES.iter().map(|t| format!("{:>9.2}", 100.0 * row.mind[t])).collect();
        let matching = row.matching.map_or("-".to_owned(), |t| format!("{t:.0} %"));
        let (people, error) = (100.0 * row.people, 100.0 * row.error);
        let level = 100.0 * row.level;
        println!(
            "{:>6}{:>11}{people:>9.2} ± {error:<4.2}{level:>9.2}{minds}{matching:>11}",
            row.rating, row.positions
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matching_temperature_lies_where_losses_meet() {
        let mind = [0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01];
        assert_eq!(matching(0.055, &mind), Some(85.0));
        assert_eq!(matching(0.08, &mind), Some(110.0));
        assert_eq!(matching(0.2, &mind), None, "people who err more than the mind at its warmest");
        assert_eq!(matching(0.001, &mind), None);
    }

    #[test]
    fn means_are_taken_over_positions() {
        let row = row(1500, &[[0.1; COLUMNS], [0.3; COLUMNS]]);
        assert!((row.people - 0.2).abs() < 1e-9 && (row.mind[&100] - 0.2).abs() < 1e-9);
        assert!(row.error > 0.1 && row.positions == 2);
    }
}
