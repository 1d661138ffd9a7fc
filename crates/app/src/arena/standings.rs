//! How the match stands: results by pairing, faults by player, and the rows of the table.

use std::collections::HashMap;

use chess::shakmaty::Color;
use serde::Serialize;

use super::{
    ratings::ratings,
    record::{End, Record},
    schedule::Schedule,
    statistics::{QUANTILE_95, Tally, normal_below},
};

#[derive(Clone, Debug)]
pub(crate) struct Standings {
    names: Vec<String>,
    schedule: Schedule,
    /// By pairing, seen by its first player.
    pub(crate) tallies: Vec<Tally>,
    faults: Vec<Faults>,
    /// Half points of the first player in pairs of which one game is finished.
    half_pairs: HashMap<usize, usize>,
}

/// Games that a player lost by breaking down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Faults {
    pub(crate) time_forfeits: u64,
    pub(crate) illegal_moves: u64,
    /// Hangs are among them.
    pub(crate) crashes: u64,
}

/// One player in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) rank: usize,
    pub(crate) name: String,
    /// Against the opponent if there are two players, around the average if more.
    pub(crate) elo: Option<f64>,
    pub(crate) elo_error_95: Option<f64>,
    pub(crate) games: u64,
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    pub(crate) score: f64,
    pub(crate) los: f64,
    #[serde(flatten)]
    pub(crate) faults: Faults,
}

/// One pairing of several, for the lines below the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Duel {
    pub(crate) first: String,
    pub(crate) second: String,
    pub(crate) elo: Option<f64>,
    pub(crate) elo_error_95: Option<f64>,
    pub(crate) los: f64,
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    /// Pairs by half points of the first player, 0 to 4.
    pub(crate) pentanomial: [u64; 5],
}

impl Standings {
    pub(crate) fn new(names: Vec<String>, schedule: Schedule) -> Standings {
        let tallies = vec![Tally::default(); schedule.pairings.len()];
        let faults = vec![Faults::default(); names.len()];
        Standings { names, schedule, tallies, faults, half_pairs: HashMap::new() }
    }

    pub(crate) fn add(&mut self, record: &Record) {
        let fixture = self.schedule.fixture(record.game);
        let first = if fixture.reversed { Color::Black } else { Color::White };
        let half_points = record.outcome.half_points(first);
        let tally = &mut self.tallies[fixture.pairing];
        tally.add_game(half_points);
        match self.half_pairs.remove(&(record.game / 2)) {
            Some(other) => tally.pairs[half_points + other] += 1,
            None => {
                self.half_pairs.insert(record.game / 2, half_points);
            }
        }
        if record.end.is_fault() {
            let loser =
                if record.outcome.winner() == Some(Color::White) { fixture.black } else { fixture.white };
            let faults = &mut self.faults[loser];
            *match record.end {
                End::TimeForfeit => &mut faults.time_forfeits,
                End::IllegalMove => &mut faults.illegal_moves,
                _ => &mut faults.crashes,
            } += 1;
        }
    }

    /// The table, best player first.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..self.names.len()).map(|player| self.row(player)).collect();
        if self.names.len() > 2 {
            self.rate_together(&mut rows);
        }
        let key = |row: &Row| row.elo.unwrap_or(if row.score > 0.5 { 1e9 } else { -1e9 });
        rows.sort_by(|a, b| key(b).total_cmp(&key(a)).then(b.score.total_cmp(&a.score)));
        rows.iter_mut().enumerate().for_each(|(at, row)| row.rank = at + 1);
        rows
    }

    fn row(&self, player: usize) -> Row {
        let mut sum = Tally::default();
        for (&(first, second), tally) in self.schedule.pairings.iter().zip(&self.tallies) {
            let seen = if first == player { *tally } else { tally.swapped() };
            if [first, second].contains(&player) {
                sum.wins += seen.wins;
                sum.draws += seen.draws;
                sum.losses += seen.losses;
                sum.pairs.iter_mut().zip(seen.pairs).for_each(|(sum, pairs)| *sum += pairs);
            }
        }
        let estimate = sum.estimate();
        Row {
            rank: 0,
            name: self.names[player].clone(),
            elo: finite(estimate.elo),
            elo_error_95: estimate.error,
            games: sum.games(),
            wins: sum.wins,
            draws: sum.draws,
            losses: sum.losses,
            score: sum.score(),
            los: estimate.los,
            faults: self.faults[player],
        }
    }

    /// With more than two players everyone's rating depends on everyone's results.
    fn rate_together(&self, rows: &mut [Row]) {
        let rated = ratings(rows.len(), &self.schedule.pairings, &self.tallies);
        for (player, row) in rows.iter_mut().enumerate() {
            let rating = rated.as_ref().map(|rated| rated[player]);
            row.elo = rating.map(|rating| rating.elo);
            row.elo_error_95 = rating.map(|rating| rating.error).filter(|&error| error > 0.0);
            row.los = match (row.elo, row.elo_error_95) {
                (Some(elo), Some(error)) => normal_below(QUANTILE_95 * elo / error),
                _ => 0.5,
            };
        }
    }

    pub(crate) fn duels(&self) -> Vec<Duel> {
        let duel = |(&(first, second), tally): (&(usize, usize), &Tally)| {
            let estimate = tally.estimate();
            Duel {
                first: self.names[first].clone(),
                second: self.names[second].clone(),
                elo: finite(estimate.elo),
                elo_error_95: estimate.error,
                los: estimate.los,
                wins: tally.wins,
                draws: tally.draws,
                losses: tally.losses,
                pentanomial: tally.pairs,
            }
        };
        self.schedule.pairings.iter().zip(&self.tallies).map(duel).collect()
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::Outcome;

    fn record(game: usize, outcome: Outcome, end: End) -> Record {
        Record {
            game,
            round: String::new(),
            date: String::new(),
            white: String::new(),
            black: String::new(),
            pace: Default::default(),
            chess960: false,
            start_fen: None,
            outcome,
            end,
            note: None,
            moves: Vec::new(),
        }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("p{number}")).collect()
    }

    #[test]
    fn pairs_form_in_whatever_order_games_end() {
        // Game 0: first player White and winning; game 1: first player Black and winning; and so on.
        let games = [
            record(0, Outcome::WhiteWins, End::Checkmate),
            record(1, Outcome::BlackWins, End::Checkmate),
            record(2, Outcome::Draw, End::Repetition),
            record(3, Outcome::WhiteWins, End::TimeForfeit),
            record(4, Outcome::Draw, End::Stalemate),
        ];
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
            let mut standings = Standings::new(names(2), Schedule::round_robin(2, 9));
            order.iter().for_each(|&at| standings.add(&games[at]));
            let tally = standings.tallies[0];
            assert_eq!((tally.wins, tally.draws, tally.losses), (2, 2, 1));
            assert_eq!(tally.pairs, [0, 1, 0, 0, 1], "the fifth game waits for its other half");
            let rows = standings.rows();
            assert_eq!((rows[0].name.as_str(), rows[0].faults.time_forfeits), ("p0", 1));
            assert_eq!(rows[1].faults, Faults::default());
        }
    }

    #[test]
    fn the_better_player_comes_first() {
        let mut standings = Standings::new(names(3), Schedule::round_robin(3, 1));
        // Pairings 0-1, 0-2, 1-2: the last player wins everything, the first one loses everything.
        for (game, winner) in [
            (0, Color::Black),
            (1, Color::White),
            (2, Color::Black),
            (3, Color::White),
            (4, Color::Black),
            (5, Color::White),
        ] {
            standings.add(&record(game, Outcome::won_by(winner), End::Checkmate));
        }
        let rows = standings.rows();
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["p2", "p1", "p0"]);
        assert_eq!(rows.iter().map(|row| row.rank).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
