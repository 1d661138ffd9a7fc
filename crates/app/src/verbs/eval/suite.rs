//! `tabiya eval suite`: positions with known best moves, in EPD.

use std::{
    io::{BufReader, Write, stdout},
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, bail};
use chess::{Moment, shakmaty::san::SanPlus};
use data::{Epd, Source, read_epd};
use engine::{Choice, Limits, Search, Settings, Signals, Task};
use serde::Serialize;

use crate::{minds::Names, terminal::progress};

/// Count the positions of an EPD suite that a mind solves.
///
/// A position is solved when the move is among `bm` and not among `am`, or where only a mate is asked for
/// (`dm`, `bm #3`), when one as short is announced. Graded suites (STS) also sum up their points.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The mind and its search, such as heuristic:alpha-beta
    player: String,
    /// A file with the network to use in place of the one that comes with the program
    #[arg(long)]
    weights: Option<PathBuf>,
    /// The suite, `.epd`, also packed (`.zst`, `.gz`, `.bz2`)
    #[arg(long)]
    data: PathBuf,
    /// Milliseconds for every move [default: 1000 if no other limit is given]
    #[arg(long)]
    movetime: Option<u64>,
    /// Nodes for every move
    #[arg(long)]
    nodes: Option<u64>,
    /// Depth of every search in plies
    #[arg(long)]
    depth: Option<u32>,
    /// Hash table in MiB
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Threads of the search
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Default, Serialize)]
struct Result {
    positions: usize,
    solved: usize,
    /// Points of graded positions, and the most that could be had.
    points: u32,
    most_points: u32,
    unreadable: usize,
    failed: Vec<Failure>,
}

#[derive(Debug, Serialize)]
struct Failure {
    id: String,
    played: String,
    wanted: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let settings = Settings { hash_mb: args.hash, threads: args.threads, ..Settings::default() };
    let names = Names { weights: args.weights.clone(), ..Names::parse(&args.player) };
    let mut search = names.build(&settings)?;
    let source = Source::open(&args.data).with_context(|| format!("cannot read {}", args.data.display()))?;
    let (suite, bad): (Vec<_>, Vec<_>) =
        read_epd(BufReader::new(source)).partition(std::result::Result::is_ok);
    let suite: Vec<Epd> = suite.into_iter().flatten().collect();
    if suite.is_empty() {
        bail!("{} holds no position in EPD", args.data.display());
    }
    let mut result = Result { unreadable: bad.len(), ..Result::default() };
    let bar = progress::bar(Some(suite.len() as u64), "{bar:30} {pos}/{len} positions, {eta} left, {msg}");
    for epd in &suite {
        let choice = ask(search.as_mut(), &epd.moment, args);
        result.add(epd, &choice);
        bar.set_message(format!("{} solved", result.solved));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&result)?)?,
        false => write!(out, "{}", result.text())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn ask(search: &mut dyn Search, moment: &Moment, args: &Args) -> Choice {
    search.new_game();
    let free = args.movetime.is_none() && args.nodes.is_none() && args.depth.is_none();
    let limits = Limits {
        move_time: args.movetime.or(free.then_some(1000)).map(Duration::from_millis),
        nodes: args.nodes,
        depth: args.depth,
        ..Limits::default()
    };
    search.choose(moment, Task { limits, signals: &Signals::new(), report: &mut |_| {} })
}

impl Result {
    fn add(&mut self, epd: &Epd, choice: &Choice) {
        self.positions += 1;
        self.most_points += epd.graded.iter().map(|grade| grade.1).max().unwrap_or(0);
        let played = choice.best;
        self.points += epd.graded.iter().find(|grade| Some(grade.0) == played).map_or(0, |grade| grade.1);
        if is_solved(epd, choice) {
            self.solved += 1;
            return;
        }
        let san = |m| SanPlus::from_move(epd.moment.position.clone(), m).to_string();
        let wanted: Vec<String> = epd
            .best
            .iter()
            .map(|&m| san(m))
            .chain(epd.avoid.iter().map(|&m| format!("not {}", san(m))))
            .chain(epd.mate_in.map(|moves| format!("mate in {moves}")))
            .collect();
        self.failed.push(Failure {
            id: epd.id.clone().unwrap_or_else(|| epd.moment.fen()),
            played: played.map_or_else(|| "none".to_owned(), san),
            wanted: wanted.join(", "),
        });
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{} of {} solved ({:.1} %)\n",
            self.solved,
            self.positions,
            100.0 * self.solved as f64 / self.positions as f64
        );
        if self.most_points > 0 {
            text += &format!("{} of {} points\n", self.points, self.most_points);
        }
        if self.unreadable > 0 {
            text += &format!("{} lines are not EPD and were left out\n", self.unreadable);
        }
        for failure in &self.failed {
            text += &format!("{:<12} played {:<8} wanted {}\n", failure.id, failure.played, failure.wanted);
        }
        text
    }
}

fn is_solved(epd: &Epd, choice: &Choice) -> bool {
    if epd.best.is_empty() && epd.avoid.is_empty() {
        let announced = choice.score.and_then(engine::Score::mate_in);
        return match (announced, epd.mate_in) {
            (Some(announced), Some(wanted)) => {
                announced.signum() == wanted.signum() && announced.abs() <= wanted.abs()
            }
            _ => false,
        };
    }
    choice.best.is_some_and(|m| (epd.best.is_empty() || epd.best.contains(&m)) && !epd.avoid.contains(&m))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(line: &str) -> bool {
        let epd = Epd::parse(line).unwrap();
        let mut search = Names::default().build(&Settings { hash_mb: 4, ..Settings::default() }).unwrap();
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let task = Task { limits, signals: &Signals::new(), report: &mut |_| {} };
        is_solved(&epd, &search.choose(&epd.moment, task))
    }

    #[test]
    fn best_moves_avoided_moves_and_mates_are_judged() {
        assert!(solved("6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; id \"back rank\";"));
        assert!(!solved("6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Ka2;"));
        assert!(solved("6k1/5ppp/8/8/8/8/8/K2R4 w - - am Ka2;"));
        assert!(!solved("6k1/5ppp/8/8/8/8/8/K2R4 w - - am Rd8#;"));
        assert!(solved("6k1/5ppp/8/8/8/8/8/K2R4 w - - dm 1;"));
        assert!(solved("kbK5/pp6/1P6/8/8/8/8/R7 w - - dm 2;"));
    }
}
