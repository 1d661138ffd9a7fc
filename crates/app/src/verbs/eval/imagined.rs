//! `tabiya eval imagined`: how far what planners imagine keeps to the rules, and how often it is what an engine expects.

use std::{
    borrow::Cow,
    fmt, fs,
    io::{Write, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
};

use ::data::Dataset;
use anyhow::{Context, ensure};
use nets::planner::{Imagined, Imaginer};
use serde::Serialize;

use super::engine::{Drawn, draw, percent};
use crate::{
    embedded,
    eval::{
        estimate::{Estimate, bootstrap},
        mark::game_numbers,
        model::name_of,
    },
    terminal::progress::bar,
    verbs::data::label::{SplitChoice, split},
};

/// Measure what planners imagine after their own move: the share of legal actions and of exactly right positions at each depth, and how
/// often the reply is the engine's.
///
/// A MODEL is `planner` or a file of weights of that family. Replies count where the planner's move is the first of the engine's line.
/// Intervals are 95 %, from a bootstrap over games.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Planners
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<String>,
    /// Folder of the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The set of labels whose lines are expected
    #[arg(long, value_name = "NAME")]
    labels: String,
    /// Which games: train, valid, test or all
    #[arg(long, default_value = "test", value_parser = split)]
    split: SplitChoice,
    /// Positions to look at; 0 takes all
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    positions: usize,
    /// Which positions: a policy by name or a TOML file
    #[arg(long, default_value = "labelled")]
    policy: String,
    /// Steps from noise to a future, by comma [default: as many as the network was made for]
    #[arg(long, value_delimiter = ',', value_name = "N")]
    steps: Vec<usize>,
    /// Seed of the draw of positions and of the bootstrap
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    labels: String,
    positions: usize,
    models: Vec<Figures>,
}

/// Shares; those by depth begin with the reply and the position before it.
#[derive(Debug, Serialize)]
struct Figures {
    name: String,
    legal: Vec<Estimate>,
    exact: Vec<Estimate>,
    reply: Estimate,
    /// Positions that count for the reply.
    replies: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // Models first: a typo must not wait for the data.
    let steps = if args.steps.is_empty() { &[0][..] } else { &args.steps };
    let mut imaginers = Vec::new();
    for model in &args.models {
        let bytes = bytes(model)?;
        for &steps in steps {
            let imaginer = Imaginer::load(&bytes, steps).with_context(|| format!("`{model}`"))?;
            ensure!(
                imaginer.horizon() > 1,
                "`{model}` has a horizon of one action: it imagines nothing after it"
            );
            let own = name_of(Path::new(model));
            let name = if steps == 0 { own } else { format!("{own}, {steps} steps") };
            imaginers.push((name, imaginer));
        }
    }
    let dataset = Dataset::open(&args.data)?;
    let drawn = Drawn {
        data: &args.data,
        labels: &args.labels,
        split: args.split.0,
        policy: &args.policy,
        positions: args.positions,
        seed: args.seed,
    };
    let (samples, _) = draw(&drawn, &dataset)?;
    let games = game_numbers(&samples);
    let mut models = Vec::new();
    for (name, imaginer) in &imaginers {
        let bar = bar(
            Some(samples.len() as u64),
            "{msg} {wide_bar} {pos} of {len} positions, {per_sec}, {eta} left",
        );
        bar.set_message(name.clone());
        let mut all = Vec::new();
        for some in samples.chunks(128) {
            all.extend(imaginer.imagine(some));
            bar.inc(some.len() as u64);
        }
        bar.finish_and_clear();
        models.push(Figures::of(name, imaginer.horizon(), &all, &games, args.seed));
    }
    let report = Report { labels: args.labels.clone(), positions: samples.len(), models };
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => write!(out, "{report}")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn bytes(model: &str) -> anyhow::Result<Cow<'static, [u8]>> {
    if let Some(embedded) = embedded::WEIGHTS.iter().find(|weights| weights.name == model) {
        return Ok(Cow::Borrowed(embedded.bytes));
    }
    Ok(Cow::Owned(fs::read(model).with_context(|| format!("`{model}`"))?))
}

impl Figures {
    fn of(name: &str, horizon: usize, all: &[Imagined], games: &[usize], seed: u64) -> Figures {
        let mut present = games.to_vec();
        present.sort_unstable();
        present.dedup();
        let share = |of: &(dyn Fn(&Imagined) -> Option<bool> + Sync)| -> Estimate {
            let [share] = bootstrap(&present, seed, |weights| {
                let (mut hits, mut count) = (0.0, 0.0);
                for (imagined, &game) in all.iter().zip(games) {
                    if let Some(hit) = of(imagined) {
                        hits += weights[game] * f64::from(u8::from(hit));
                        count += weights[game];
                    }
                }
                [hits / count]
            });
            share
        };
        Figures {
            name: name.to_owned(),
            legal: (0..horizon - 1).map(|at| share(&|imagined| imagined.legal.get(at).copied())).collect(),
            exact: (0..horizon - 1).map(|at| share(&|imagined| imagined.exact.get(at).copied())).collect(),
            reply: share(&|imagined| imagined.reply),
            replies: all.iter().filter(|imagined| imagined.reply.is_some()).count(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { labels, positions, models } = self;
        writeln!(f, "{positions} positions, lines of `{labels}`, in percent with 95 % intervals")?;
        for Figures { name, legal, exact, reply, replies } in models {
            writeln!(f, "\n{name}: reply as the engine's {} of {replies}", percent(*reply))?;
            writeln!(f, "{:>8}{:>24}{:>24}", "plies", "legal action", "position exact")?;
            for (at, (legal, exact)) in legal.iter().zip(exact).enumerate() {
                writeln!(f, "{:>8}{:>24}{:>24}", at + 1, percent(*legal), percent(*exact))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_by_depth_and_replies_count_where_they_can_be_compared() {
        let one = |legal: [bool; 2], reply: Option<bool>| Imagined {
            legal: legal.into(),
            exact: vec![true; 2],
            reply,
        };
        let all = [
            one([true, true], Some(true)),
            one([true, false], None),
            one([true, false], Some(false)),
            one([false, false], None),
        ];
        let figures = Figures::of("one", 3, &all, &[0, 0, 1, 2], 1);
        let values = |estimates: &[Estimate]| estimates.iter().map(|one| one.value).collect::<Vec<_>>();
        assert_eq!((values(&figures.legal), values(&figures.exact)), (vec![0.75, 0.25], vec![1.0; 2]));
        assert_eq!((figures.reply.value, figures.replies), (0.5, 2));
        let report = Report { labels: "futures".to_owned(), positions: 4, models: vec![figures] };
        assert!(report.to_string().contains("75.0"), "{report}");
    }
}
