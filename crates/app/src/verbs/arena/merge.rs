//! `tabiya arena merge`: the journals of a match's parts, judged as one match.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};

use super::report::{self, Report};
use crate::arena::{
    journal::{Journal, MatchSettings},
    pgn::pgn,
    record::Record,
    schedule::Schedule,
    sprt::Sprt,
    standings::Standings,
};

/// Judge the parts of a match (`tabiya arena ... --part I/N`) as one match, from their journals.
///
/// The table is the one that a single run of the same games would print. A game that two journals hold counts once.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Journals of the parts
    #[arg(required = true, value_name = "JOURNAL")]
    journals: Vec<PathBuf>,
    /// The test to apply to all games together, as in a match
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Write all games to this file, in the order of the match
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Print the table as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (settings, games) = read(&args.journals)?;
    let standings = standings(&settings, games.values())?;
    ensure!(args.sprt.is_none() || standings.tallies.len() == 1, "--sprt is a test between two players");
    if let Some(path) = &args.pgn {
        let text: String = games.values().map(|record| pgn(record).to_string()).collect();
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let report = Report { standings: &standings, sprt: args.sprt, json: args.json };
    report.print()?;
    Ok(report::exit_code(&report))
}

/// The games of all journals, by their place in the match.
fn read(journals: &[PathBuf]) -> anyhow::Result<(MatchSettings, BTreeMap<usize, Record>)> {
    let mut settings: Option<(&Path, MatchSettings)> = None;
    let mut games: BTreeMap<usize, Record> = BTreeMap::new();
    for path in journals {
        let (found, records) = Journal::read(path)?;
        match &settings {
            None => settings = Some((path, found)),
            Some((_, settings)) => Journal::same_match(&found, settings, path)?,
        }
        for record in records {
            if let Some(other) = games.get(&record.game)
                && (&other.white, &other.black) != (&record.white, &record.black)
            {
                bail!(
                    "{} has other players in game {} than the journals before it",
                    path.display(),
                    record.game
                );
            }
            games.entry(record.game).or_insert(record);
        }
    }
    let (_, settings) = settings.context("no journal")?;
    Ok((settings, games))
}

fn standings<'a>(
    settings: &MatchSettings,
    games: impl Iterator<Item = &'a Record> + Clone,
) -> anyhow::Result<Standings> {
    let players = settings.keys().filter(|key| key.starts_with("player ")).count();
    let schedule = |rounds| match settings.get("schedule").map(String::as_str) {
        Some("gauntlet") => Schedule::gauntlet(players, rounds),
        _ => Schedule::round_robin(players, rounds),
    };
    let pairings = schedule(1).pairings.len();
    ensure!(pairings > 0, "the journals are of no match between two players");
    let last = games.clone().map(|record| record.game).max().context("no game is finished yet")?;
    let schedule = schedule(last / (2 * pairings) + 1);
    let mut names = vec![None; players];
    for record in games.clone() {
        let fixture = schedule.fixture(record.game);
        names[fixture.white] = Some(&record.white);
        names[fixture.black] = Some(&record.black);
    }
    let named = names.into_iter().enumerate().map(|(at, name)| {
        name.cloned()
            .unwrap_or_else(|| settings.get(&format!("player {}", at + 1)).cloned().unwrap_or_default())
    });
    let mut standings = Standings::new(named.collect(), schedule);
    games.for_each(|record| standings.add(record));
    Ok(standings)
}
