//! Sets a match up as the command line asks, sees it through and tells how it ended.

use std::{
    collections::HashSet,
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, ensure};
use chess::shakmaty::CastlingMode;
use tracing::{info, warn};

use super::{
    Args,
    report::{self, Report, sprt_line},
};
use crate::{
    arena::{
        adjudication::Adjudication,
        book::Book,
        entrant::{Common, Entrant, tell_apart},
        game::Rules,
        journal::{Journal, MatchSettings},
        pace::Pace,
        pgn::pgn,
        player::Patience,
        progress::Progress,
        record::Record,
        schedule::Schedule,
        sprt::Verdict,
        standings::Standings,
        tournament::{Next, Tournament},
    },
    terminal::interrupt::{self, INTERRUPTED},
};

/// The games of a test that has not been given a limit.
const SPRT_GAMES: usize = 40_000;
const USUAL_GAMES: usize = 100;
const USUAL_TIME_CONTROL: &str = "8+0.08";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let common = common(args)?;
    let mut entrants =
        args.players.iter().map(|text| Entrant::parse(text, &common)).collect::<anyhow::Result<Vec<_>>>()?;
    tell_apart(&mut entrants);
    let schedule = schedule(args)?;
    let rules = rules(args)?;
    let book = book(args)?;
    let settings = settings(args, &common, &entrants, &rules, &book);

    let abort = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&abort);
    let interrupted = interrupt::flag_and(move || raised.store(true, Ordering::Relaxed))?;
    // A player that cannot play is better found now than after an hour.
    for entrant in &entrants {
        match entrant.start(&common, &abort) {
            Err(_) if interrupted.load(Ordering::Relaxed) => return Ok(ExitCode::from(INTERRUPTED)),
            started => drop(started.with_context(|| format!("{} cannot play", entrant.name))?),
        }
    }

    let (mut journal, finished) = open_journal(args, &settings)?;
    let finished: Vec<Record> = finished.into_iter().filter(|record| record.game < schedule.len()).collect();
    // Both games of an opening go to the same part, so that each part is a match of pairs.
    let ours = |game: &usize| args.part.is_none_or(|part| part.has((game / 2) as u64));
    let games = (0..schedule.len()).filter(ours).count();
    let names: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
    let mut standings = Standings::new(names, schedule.clone());
    finished.iter().for_each(|record| standings.add(record));
    let done: HashSet<usize> = finished.iter().map(|record| record.game).collect();
    if !done.is_empty() {
        info!("{} of {games} games are finished already", done.len());
    }

    let tournament = Tournament {
        entrants: &entrants,
        common: &common,
        schedule: &schedule,
        openings: &book.openings,
        rules: &rules,
        concurrency: args.concurrency,
        abort: &abort,
    };
    let decided = |standings: &Standings| {
        args.sprt.is_some_and(|sprt| sprt.verdict(&standings.tallies[0].pairs) != Verdict::Undecided)
    };
    if !decided(&standings) {
        let mut progress = Progress::new(games, done.len());
        let left = (0..schedule.len()).filter(|game| ours(game) && !done.contains(game));
        let result = tournament.run(left, |record| {
            if let Some(journal) = &mut journal {
                journal.add(&record)?;
            }
            if let Some(path) = &args.pgn {
                append(path, &pgn(&record).to_string())?;
            }
            standings.add(&record);
            progress.fault(&record);
            progress.update(&standings, args.sprt.map(|sprt| sprt_line(&sprt, &standings)));
            Ok(if decided(&standings) { Next::Stop } else { Next::GoOn })
        });
        progress.finish();
        result?;
    }

    let report = Report { standings: &standings, sprt: args.sprt, json: args.json };
    report.print()?;
    Ok(match interrupted.load(Ordering::Relaxed) {
        true => ExitCode::from(INTERRUPTED),
        false => report::exit_code(&report),
    })
}

fn common(args: &Args) -> anyhow::Result<Common> {
    ensure!(args.concurrency > 0, "--concurrency 0 plays no games");
    let mut pace = Pace {
        clock: args.tc,
        move_time: args.movetime.map(|ms| Duration::from_millis(ms.into())),
        nodes: args.nodes,
        depth: args.depth,
    };
    if pace.is_unlimited() {
        pace.clock = Some(USUAL_TIME_CONTROL.parse()?);
    }
    Ok(Common { hash_mb: args.hash, threads: args.threads, pace, chess960: args.chess960 })
}

fn schedule(args: &Args) -> anyhow::Result<Schedule> {
    let games = args.games.unwrap_or(if args.sprt.is_some() { SPRT_GAMES } else { USUAL_GAMES });
    ensure!(
        games > 0 && games.is_multiple_of(2),
        "--games {games}: every opening is played with both colours, so the number must be even"
    );
    ensure!(args.sprt.is_none() || args.players.len() == 2, "--sprt is a test between two players");
    ensure!(
        args.sprt.is_none() || args.part.is_none(),
        "--sprt judges whole matches: give it to `tabiya arena merge` with the journals of all parts"
    );
    ensure!(
        args.part.is_none() || journal_path(args).is_some(),
        "--part needs --journal or --pgn: the journals of all parts make the match"
    );
    let players = args.players.len();
    Ok(match args.gauntlet {
        true => Schedule::gauntlet(players, games / 2),
        false => Schedule::round_robin(players, games / 2),
    })
}

fn rules(args: &Args) -> anyhow::Result<Rules> {
    let resign = (args.resign != "off").then(|| args.resign.parse()).transpose().context("--resign")?;
    let draw = (args.draw != "off").then(|| args.draw.parse()).transpose().context("--draw")?;
    Ok(Rules {
        adjudication: Adjudication { resign, draw, max_plies: args.max_plies },
        patience: Patience {
            margin: Duration::from_millis(args.timemargin.into()),
            grace: Duration::from_secs(args.grace.into()),
            untimed: Duration::from_secs(args.patience.into()),
        },
    })
}

fn book(args: &Args) -> anyhow::Result<Book> {
    let mode = CastlingMode::from_chess960(args.chess960);
    let mut book = match &args.book {
        Some(path) => Book::read(path, args.book_plies, mode)?,
        None => Book::own(mode),
    };
    if book.skipped > 0 {
        warn!("{} entries of the book are no openings and were left out", book.skipped);
    }
    book.shuffle(args.seed);
    Ok(book)
}

/// What may not change when a match is resumed. More games, other concurrency or another test may.
fn settings(args: &Args, common: &Common, entrants: &[Entrant], rules: &Rules, book: &Book) -> MatchSettings {
    let mut settings = MatchSettings::new();
    let mut set = |key: &str, value: String| settings.insert(key.to_owned(), value);
    for (number, entrant) in entrants.iter().enumerate() {
        set(&format!("player {}", number + 1), entrant.fingerprint());
    }
    let kind = if args.gauntlet { "gauntlet" } else { "round robin" };
    set("schedule", kind.to_owned());
    set("book", format!("{} openings, {:016x}", book.openings.len(), book.fingerprint()));
    set("chess960", common.chess960.to_string());
    set("hash", common.hash_mb.to_string());
    set("threads", common.threads.to_string());
    set("resign", args.resign.clone());
    set("draw", args.draw.clone());
    set("max plies", rules.adjudication.max_plies.to_string());
    set("time margin", args.timemargin.to_string());
    settings
}

fn journal_path(args: &Args) -> Option<PathBuf> {
    args.journal.clone().or_else(|| {
        let mut path = args.pgn.clone()?.into_os_string();
        path.push(".journal");
        Some(path.into())
    })
}

fn open_journal(args: &Args, settings: &MatchSettings) -> anyhow::Result<(Option<Journal>, Vec<Record>)> {
    let Some(path) = journal_path(args) else {
        ensure!(!args.resume, "--resume needs --pgn or --journal, to know where the finished games are");
        return Ok((None, Vec::new()));
    };
    if !args.resume {
        let pgn_start =
            args.pgn.as_ref().and_then(|pgn| std::fs::metadata(pgn).ok()).map_or(0, |pgn| pgn.len());
        return Ok((Some(Journal::create(&path, settings, pgn_start)?), Vec::new()));
    }
    let (journal, finished) = Journal::resume(&path, settings)?;
    if let Some(pgn) = &args.pgn {
        rewrite(pgn, journal.pgn_start, &finished)?;
    }
    Ok((Some(journal), finished))
}

/// Makes the PGN hold exactly the games of the journal after what it held before the match.
fn rewrite(path: &Path, start: u64, finished: &[Record]) -> anyhow::Result<()> {
    let file = OpenOptions::new().create(true).write(true).truncate(false).open(path);
    let kept = file.and_then(|file| {
        let kept = file.metadata()?.len().min(start);
        file.set_len(kept)
    });
    kept.with_context(|| format!("cannot write {}", path.display()))?;
    append(path, &finished.iter().map(|record| pgn(record).to_string()).collect::<String>())
}

fn append(path: &Path, text: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}
