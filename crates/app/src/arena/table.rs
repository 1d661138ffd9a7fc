//! The table of a match in text. Colours appear only where a terminal shows them.

use std::fmt::Write;

use console::style;

use super::standings::{Duel, Row};

/// Rows with a heading, each line ended.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:>4}  {:<width$}  {:>7}  {:>6}  {:>6}  {:>17}  {:>6}  {:>6}  {:>6}  {:>16}\n",
        "rank",
        "player",
        "Elo",
        "±95%",
        "games",
        "win/draw/loss",
        "score",
        "draws",
        "LOS",
        "time/crash/rules"
    );
    for row in rows {
        let games = row.games.max(1) as f64;
        let results = format!("{}/{}/{}", row.wins, row.draws, row.losses);
        let faults = row.faults;
        let (forfeits, crashes, illegal) = (faults.time_forfeits, faults.crashes, faults.illegal_moves);
        let shown_faults = format!("{:>16}", format!("{forfeits}/{crashes}/{illegal}"));
        let shown_elo = format!("{:>7}", elo(row.elo, row.score));
        let shown_elo = match row.elo.zip(row.elo_error_95) {
            Some((elo, error)) if elo > error => style(shown_elo).green(),
            Some((elo, error)) if elo < -error => style(shown_elo).red(),
            _ => style(shown_elo),
        };
        let broke_down = forfeits + crashes + illegal > 0;
        writeln!(
            text,
            "{:>4}  {:<width$}  {shown_elo}  {:>6}  {:>6}  {results:>17}  {:>5.1}%  {:>5.1}%  {:>5.1}%  {}",
            row.rank,
            row.name,
            error(row.elo_error_95),
            row.games,
            100.0 * row.score,
            100.0 * row.draws as f64 / games,
            100.0 * row.los,
            if broke_down { style(shown_faults).yellow() } else { style(shown_faults) },
        )
        .expect("a string grows");
    }
    text
}

/// One line for each pairing, with its pairs by half points.
pub(crate) fn duels(duels: &[Duel]) -> String {
    let mut text = String::new();
    for duel in duels {
        let games = (duel.wins + duel.draws + duel.losses).max(1) as f64;
        let score = (duel.wins as f64 + 0.5 * duel.draws as f64) / games;
        writeln!(
            text,
            "{} - {}: {} ± {} Elo, {}/{}/{}, {:.1}%, LOS {:.1}%, pairs {:?}",
            duel.first,
            duel.second,
            elo(duel.elo, score),
            error(duel.elo_error_95),
            duel.wins,
            duel.draws,
            duel.losses,
            100.0 * score,
            100.0 * duel.los,
            duel.pentanomial,
        )
        .expect("a string grows");
    }
    text
}

fn elo(elo: Option<f64>, score: f64) -> String {
    match elo {
        Some(elo) => format!("{elo:+.1}"),
        None if score > 0.5 => "+inf".to_owned(),
        None if score < 0.5 => "-inf".to_owned(),
        None => "-".to_owned(),
    }
}

fn error(error: Option<f64>) -> String {
    error.map_or("-".to_owned(), |error| format!("{error:.1}"))
}
