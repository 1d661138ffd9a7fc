//! The table of a match in text.

use std::fmt::Write;

use console::style;

use super::standings::{Duel, Row};

/// Rows with a heading, each line ended.
pub(crate) fn table(rows: &[Row], colours: bool) -> String {
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
        let shown_elo = shown_elo.force_styling(colours);
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
            if broke_down { style(shown_faults).yellow() } else { style(shown_faults) }
                .force_styling(colours),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::standings::Faults;

    #[test]
    fn the_table_reads_well() {
        let first = Row {
            rank: 1,
            name: "heuristic:alpha-beta".to_owned(),
            elo: Some(70.44),
            elo_error_95: Some(25.31),
            games: 200,
            wins: 100,
            draws: 40,
            losses: 60,
            score: 0.6,
            los: 0.9987,
            faults: Faults::default(),
        };
        let faults = Faults { time_forfeits: 3, illegal_moves: 1, crashes: 2 };
        let second = Row {
            rank: 2,
            name: "gnu".to_owned(),
            elo: None,
            elo_error_95: None,
            score: 0.0,
            faults,
            ..first
        };
        let expected = "\
rank  player                    Elo    ±95%   games      win/draw/loss   score   draws     LOS  time/crash/rules
   1  heuristic:alpha-beta    +70.4    25.3     200          100/40/60   60.0%   20.0%   99.9%             0/0/0
   2  gnu                      -inf       -     200          100/40/60    0.0%   20.0%   99.9%             3/2/1
";
        assert_eq!(table(&[first.clone(), second.clone()], false), expected);
        let coloured = table(&[first, second], true);
        assert!(coloured.contains("\u{1b}[32m") && coloured.contains("\u{1b}[33m"), "{coloured:?}");
    }
}
