//! `tabiya opinion`: what players of several ratings, with several clocks, do in one position.

use std::{borrow::Cow, fs, path::PathBuf, process::ExitCode, sync::Arc};

use crate::{embedded, minds::Names};
use anyhow::{Context, ensure};
use chess::{
    Brain, Clocks, Moment, Opinion, Ratings, Wants,
    shakmaty::{ByColor, CastlingMode, san::SanPlus},
};

/// Show what players do in a position: chances of moves, of the result, and time spent, by rating and clock.
///
/// Every pair of a rating and a clock is a column. Both players have the same rating and the same time left.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Moves from the position on, in UCI notation
    moves: Vec<String>,
    /// The position [default: the start of a game]
    #[arg(long)]
    fen: Option<String>,
    /// The mind to ask
    #[arg(long, default_value = "human")]
    mind: String,
    /// A weight file in place of the one that comes with the program
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Ratings on the Lichess scale, by comma
    #[arg(long, value_delimiter = ',', default_value = "1100,1500,1900,2300")]
    ratings: Vec<u16>,
    /// Seconds left on the clocks, by comma [default: the base time]
    #[arg(long, value_delimiter = ',')]
    clocks: Vec<u32>,
    /// Seconds on the clocks when the game began
    #[arg(long, default_value_t = 300)]
    base: u32,
    /// Seconds added after each move
    #[arg(long, default_value_t = 0)]
    increment: u32,
    /// Moves to show
    #[arg(long, default_value_t = 8)]
    top: usize,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    /// Print as JSON how a planner imagines the future, in so many steps (see docs/planner.md)
    #[arg(long, value_name = "STEPS")]
    imagine: Option<usize>,
}

struct Column {
    rating: u16,
    clock: u32,
    opinion: Opinion,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = match &args.fen {
        Some(fen) => Moment::from_fen(fen, CastlingMode::Chess960)?,
        None => Moment::default(),
    };
    start.check_pieces()?;
    let moment = start.after_uci(args.moves.iter().map(String::as_str))?;
    if let Some(steps) = args.imagine {
        return imagine(args, &moment, steps);
    }
    let names = Names { weights: args.weights.clone(), ..Names::parse(&args.mind) };
    let brain = names.mind()?.brain;
    let policy = brain.traits().policy.is_some();
    ensure!(policy, "`{}` gives no chances of moves; ask `human`", args.mind);
    ensure!(!moment.legal_moves().is_empty(), "the game is over in {}", moment.fen());
    let columns = ask(args, &moment, &brain);
    if args.json {
        print_json(&moment, &columns)?;
    } else {
        print(args, &moment, &columns);
    }
    Ok(ExitCode::SUCCESS)
}

fn ask(args: &Args, moment: &Moment, brain: &Arc<dyn Brain>) -> Vec<Column> {
    let clocks = if args.clocks.is_empty() { vec![args.base] } else { args.clocks.clone() };
    let pairs: Vec<(u16, u32)> =
        args.ratings.iter().flat_map(|&rating| clocks.iter().map(move |&clock| (rating, clock))).collect();
    let moments: Vec<Moment> = pairs
        .iter()
        .map(|&(rating, clock)| {
            let left = clock.saturating_mul(100);
            let clocks = Clocks {
                left_cs: ByColor { white: left, black: left },
                ..Clocks::start(args.base.min(1 << 20), args.increment.min(1 << 20))
            };
            let players = Ratings::lichess(Some(rating), Some(rating));
            Moment { clocks: Some(clocks), players: Some(players), ..moment.clone() }
        })
        .collect();
    let opinions = brain.judge(&moments, Wants::ALL);
    pairs
        .into_iter()
        .zip(opinions)
        .map(|((rating, clock), opinion)| Column { rating, clock, opinion })
        .collect()
}

fn imagine(args: &Args, moment: &Moment, steps: usize) -> anyhow::Result<ExitCode> {
    ensure!(!moment.legal_moves().is_empty(), "the game is over in this position");
    let embedded = || embedded::WEIGHTS.iter().find(|weights| weights.name == args.mind);
    let bytes = match &args.weights {
        Some(path) => Cow::Owned(fs::read(path).with_context(|| path.display().to_string())?),
        None => Cow::Borrowed(embedded().with_context(|| format!("no weights for `{}`", args.mind))?.bytes),
    };
    let imagination = nets::planner::imagine(&bytes, moment, steps)?;
    println!("{}", serde_json::to_string(&imagination).context("cannot write JSON")?);
    Ok(ExitCode::SUCCESS)
}

/// Places of the moves, likeliest over all columns first.
fn order(columns: &[Column]) -> Vec<usize> {
    let chance = |at: usize| columns.iter().map(|column| chances(column)[at]).sum::<f32>();
    let mut places: Vec<usize> = (0..chances(&columns[0]).len()).collect();
    places.sort_by(|&a, &b| chance(b).total_cmp(&chance(a)));
    places
}

fn chances(column: &Column) -> &[f32] {
    column.opinion.policy.as_deref().unwrap_or_default()
}

fn san(moment: &Moment, at: usize) -> String {
    SanPlus::from_move(moment.position.clone(), moment.legal_moves()[at]).to_string()
}

fn print(args: &Args, moment: &Moment, columns: &[Column]) {
    let row = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
        println!("{name:<16}{cells}");
    };
    let all = |cell: &dyn Fn(&Column) -> String| columns.iter().map(cell).collect::<Vec<_>>();
    row("rating", all(&|column| column.rating.to_string()));
    row("seconds left", all(&|column| column.clock.to_string()));
    for at in order(columns).into_iter().take(args.top) {
        row(&san(moment, at), all(&|column| format!("{:.1} %", 100.0 * chances(column)[at])));
    }
    let wdl = |column: &Column| {
        column.opinion.wdl.map_or("-".to_owned(), |wdl| format!("{:.2}", wdl.expectation()))
    };
    row("expected score", all(&wdl));
    let mean = |column: &Column| {
        let think = column.opinion.think.as_ref();
        think.map_or("-".to_owned(), |think| format!("{:.1} s", think.mean().as_secs_f64()))
    };
    row("thinks, mean", all(&mean));
    row(
        "under 2.5 s",
        all(&|column| at_once(column).map_or("-".to_owned(), |share| format!("{:.0} %", 100.0 * share))),
    );
}

/// Chance to move within two and a half seconds.
fn at_once(column: &Column) -> Option<f32> {
    let think = column.opinion.think.as_ref()?;
    Some(think.bins.iter().filter(|bin| bin.to.as_secs_f64() <= 2.51).map(|bin| bin.chance).sum())
}

fn print_json(moment: &Moment, columns: &[Column]) -> anyhow::Result<()> {
    let legal = moment.legal_moves();
    let columns: Vec<_> = columns
        .iter()
        .map(|column| {
            let moves: serde_json::Map<_, _> = legal
                .iter()
                .zip(chances(column))
                .map(|(&m, &chance)| (moment.uci(m), chance.into()))
                .collect();
            serde_json::json!({
                "rating": column.rating,
                "seconds_left": column.clock,
                "moves": moves,
                "expected_score": column.opinion.wdl.map(|wdl| wdl.expectation()),
                "line": column.opinion.line.iter().map(|&m| m.to_uci(moment.castling_mode()).to_string()).collect::<Vec<_>>(),
                "mean_think_seconds": column.opinion.think.as_ref().map(|think| think.mean().as_secs_f64()),
            })
        })
        .collect();
    let text = serde_json::to_string_pretty(&serde_json::json!({ "fen": moment.fen(), "columns": columns }));
    println!("{}", text.context("cannot write JSON")?);
    Ok(())
}
