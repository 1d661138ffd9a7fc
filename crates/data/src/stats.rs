//! What a dataset is made of, counted by position, before and after a policy balances it.

use std::collections::BTreeMap;

use chess::shakmaty::Color;
use serde::{Serialize, Serializer};

use crate::{Dataset, DatasetError, Game, Policy};

/// Counts by the lower bound of a bin.
pub type Histogram = BTreeMap<i64, u64>;

/// Width of the classes of rating, and of rating differences.
pub const RATING_BIN: i64 = 100;
pub const PAIR_BIN: i64 = 200;
pub const PLY_BIN: i64 = 10;
/// Bounds in seconds, as HC3 bins clocks and think times; the last bin is open.
pub const CLOCK_BINS: [f64; 8] = [0.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 240.0];
pub const THINK_BINS: [f64; 8] = [0.0, 0.5, 1.5, 2.5, 4.5, 9.5, 19.5, 59.5];

/// Every figure counts positions, but for `games`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    pub games: u64,
    pub positions: u64,
    pub ratings: Histogram,
    /// (mover, opponent) by classes of [`PAIR_BIN`]; in JSON a list of [mover, opponent, count].
    #[serde(serialize_with = "as_triples")]
    pub pairs: BTreeMap<(i64, i64), u64>,
    /// By base and increment.
    pub controls: BTreeMap<String, u64>,
    pub increments: Histogram,
    pub plies: Histogram,
    /// By index into [`CLOCK_BINS`].
    pub clocks: Histogram,
    /// By index into [`THINK_BINS`].
    pub think: Histogram,
    /// Wins, draws, losses of White by the difference of White's rating to Black's; counts games.
    pub outcomes: BTreeMap<i64, [u64; 3]>,
    pub openings: BTreeMap<String, u64>,
}

impl Stats {
    fn add(&mut self, game: &Game, plies: &[u16]) {
        if plies.is_empty() {
            return;
        }
        let count = plies.len() as u64;
        self.games += 1;
        self.positions += count;
        if let Some(control) = game.control {
            *self.controls.entry(format!("{}+{}", control.base_s, control.increment_s)).or_default() += count;
            *self.increments.entry(control.increment_s.into()).or_default() += count;
        }
        if let Some(eco) = &game.eco {
            *self.openings.entry(eco.chars().take(3).collect()).or_default() += count;
        }
        self.add_ratings(game, plies);
        for &ply in plies {
            let ply = usize::from(ply);
            *self.plies.entry(ply as i64 / PLY_BIN * PLY_BIN).or_default() += 1;
            // Only the mover's clock is asked for, so the side's name does not matter.
            if let Some(clocks) = game.clocks_at(ply, Color::White) {
                *self.clocks.entry(bin(&CLOCK_BINS, clocks.left_cs.white)).or_default() += 1;
            }
            if let Some(spent) = game.spent_cs(ply) {
                *self.think.entry(bin(&THINK_BINS, spent)).or_default() += 1;
            }
        }
    }

    fn add_ratings(&mut self, game: &Game, plies: &[u16]) {
        let (Some(white), Some(black)) = (game.white_elo.map(i64::from), game.black_elo.map(i64::from))
        else {
            return;
        };
        let black_begins = u16::from(game.start_fen.as_deref().is_some_and(|fen| fen.contains(" b ")));
        let by_white = plies.iter().filter(|&&ply| (ply + black_begins).is_multiple_of(2)).count() as u64;
        let by_black = plies.len() as u64 - by_white;
        for (mover, opponent, count) in [(white, black, by_white), (black, white, by_black)] {
            if count > 0 {
                *self.ratings.entry(mover / RATING_BIN * RATING_BIN).or_default() += count;
                let pair = (mover / PAIR_BIN * PAIR_BIN, opponent / PAIR_BIN * PAIR_BIN);
                *self.pairs.entry(pair).or_default() += count;
            }
        }
        if let Some(points) = game.result.half_points(Color::White) {
            let difference = (white - black).div_euclid(RATING_BIN) * RATING_BIN;
            self.outcomes.entry(difference).or_default()[usize::from(2 - points)] += 1;
        }
    }
}

/// Keys of JSON are text, so pairs cannot be keys.
fn as_triples<S: Serializer>(pairs: &BTreeMap<(i64, i64), u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pairs.iter().map(|(&(mover, opponent), count)| (mover, opponent, count)))
}

fn bin(bounds: &[f64], centiseconds: u32) -> i64 {
    bounds.iter().filter(|&&bound| f64::from(centiseconds) / 100.0 >= bound).count() as i64 - 1
}

/// A dataset before and after balancing.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    pub before: Stats,
    pub after: Stats,
    /// Rows that cannot be replayed: a file is damaged.
    pub unsound: u64,
    /// Sum over all rows; equals the card's unless a file was changed.
    pub fingerprint: crate::Fingerprint,
}

/// Counts all positions, and those that `policy` draws in its first epoch.
pub fn compare(
    dataset: &Dataset,
    policy: &Policy,
    seed: u64,
    mut progress: impl FnMut(u64),
) -> Result<Comparison, DatasetError> {
    let mut comparison = Comparison::default();
    let mut scratch = Vec::new();
    dataset.for_each_group(|games| {
        for game in &games {
            comparison.fingerprint.add(game.fingerprint(&mut scratch));
            if !game.is_sound() {
                comparison.unsound += 1;
                continue;
            }
            let all: Vec<u16> = (0..game.moves.len() as u16).collect();
            comparison.before.add(game, &all);
            comparison.after.add(game, &policy.pick(game, seed, 0, |_| false, |_| false));
        }
        progress(games.len() as u64);
        Ok::<_, DatasetError>(())
    })?;
    Ok(comparison)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::game;

    #[test]
    fn positions_count_for_the_player_who_moves() {
        let mut stats = Stats::default();
        stats.add(&game("abcdefgh", 9), &[0, 1, 2, 4, 8]);
        assert_eq!((stats.games, stats.positions), (1, 5));
        assert_eq!(stats.ratings, Histogram::from([(1500, 4), (1600, 1)]));
        assert_eq!(stats.pairs, BTreeMap::from([((1400, 1600), 4), ((1600, 1400), 1)]));
        assert_eq!(stats.outcomes, BTreeMap::from([(-100, [1, 0, 0])]));
    }

    #[test]
    fn a_bound_opens_its_bin() {
        for (centiseconds, index) in [(0, 0), (499, 0), (500, 1), (99_999, 7)] {
            assert_eq!(bin(&CLOCK_BINS, centiseconds), index);
        }
    }
}
