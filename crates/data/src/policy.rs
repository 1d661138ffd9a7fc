//! Which positions a family trains on, as data: a TOML file each, read into one small set of rules.

use std::path::Path;

use chess::shakmaty::Position;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::{Game, GameResult, Random, storage};

/// The policies that come with the program.
pub const POLICIES: &[(&str, &str)] = &[
    ("all", include_str!("policies/all.toml")),
    ("hc3", include_str!("policies/hc3.toml")),
    ("human", include_str!("policies/human.toml")),
    ("human-late", include_str!("policies/human-late.toml")),
    ("teach", include_str!("policies/teach.toml")),
    ("teach-clocks", include_str!("policies/teach-clocks.toml")),
    ("human-taught", include_str!("policies/human-taught.toml")),
    ("taught", include_str!("policies/taught.toml")),
    ("online", include_str!("policies/online.toml")),
    ("recycler", include_str!("policies/recycler.toml")),
    ("recycler-taught", include_str!("policies/recycler-taught.toml")),
    ("ranker", include_str!("policies/ranker.toml")),
    ("batch-first", include_str!("policies/batch-first.toml")),
    ("deepchess", include_str!("policies/deepchess.toml")),
    ("deepchess-by-position", include_str!("policies/deepchess-by-position.toml")),
    ("graph", include_str!("policies/graph.toml")),
    ("labelled", include_str!("policies/labelled.toml")),
    ("labelled-quiet", include_str!("policies/labelled-quiet.toml")),
];

#[derive(Debug, Error)]
pub enum PolicyError {
    #[error("there is no policy `{0}`; the program has {names}, or name a .toml file", names = names())]
    Unknown(String),
    #[error("cannot read the policy `{path}`: {error}")]
    Read { path: String, error: std::io::Error },
    #[error("policy `{name}`: {error}")]
    Toml { name: String, error: Box<toml::de::Error> },
    #[error("policy `{name}`: {reason}")]
    Impossible { name: String, reason: String },
}

fn names() -> String {
    POLICIES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    pub name: String,
    pub games: GameRules,
    pub positions: PositionRules,
}

/// Which games are drawn from, and how often. What a rule asks about must be known: a game without
/// ratings fails a rating rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GameRules {
    pub min_plies: u32,
    /// Bounds for both players.
    pub min_rating: u16,
    pub max_rating: u16,
    pub min_base_s: u32,
    pub max_base_s: u32,
    pub decided: Decided,
    /// Only games with a clock reading on every move.
    pub clocks: bool,
    /// Bounds between classes of rating.
    pub rating_edges: Vec<u16>,
    /// Share of games kept whose players are 0, 1, 2.. classes apart; beyond the list all are kept.
    pub gap_rates: Vec<f64>,
    /// Share kept of games with both ratings in `from..to`; several may apply, and multiply.
    pub bands: Vec<Rate>,
    /// Share kept of games with a base time in `from..to` seconds.
    pub base_times: Vec<Rate>,
    /// Share kept of games over the board, which are those of named players without a time control.
    pub untimed: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decided {
    Any,
    /// A result is known.
    Known,
    /// Somebody won.
    Decisive,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub from: u32,
    pub to: u32,
    pub rate: f64,
}

/// Which positions of a game are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PositionRules {
    /// Plies that must lie before the position.
    pub first_ply: u32,
    /// Keep the n-th ply, from 1, with chance min(1, growth^n / divisor).
    pub early: Option<Early>,
    /// Whether positions right after a capture may be drawn.
    pub after_capture: bool,
    /// Only positions with an evaluation: the game's own or a label.
    pub evaluated: bool,
    /// Only positions with a label.
    pub labelled: bool,
    /// Share kept of positions without a teacher's opinion. Those with one are all kept, early or late.
    pub untaught: f64,
    /// Draw at most so many from a game; 0: all.
    pub per_game: u32,
    /// Games of an account whose moves count in full: of one that has more a share is drawn, so that no account is worth more
    /// than so many games an epoch. A rule of the sampler, which counts them; 0: none.
    pub per_account: u32,
    /// Whether a hash of game and ply decides on which side of the split a position is, so that neighbours in a game are on both: only to
    /// measure what that does to figures. A rule of the sampler, which splits.
    pub split_by_position: bool,
    /// Positions in a row that a sample shows, the present one included.
    pub window: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Early {
    pub growth: f64,
    pub divisor: f64,
}

impl Default for GameRules {
    fn default() -> GameRules {
        GameRules {
            min_plies: 0,
            min_rating: 0,
            max_rating: u16::MAX,
            min_base_s: 0,
            max_base_s: u32::MAX,
            decided: Decided::Any,
            clocks: false,
            rating_edges: Vec::new(),
            gap_rates: Vec::new(),
            bands: Vec::new(),
            base_times: Vec::new(),
            untimed: 1.0,
        }
    }
}

impl Default for PositionRules {
    fn default() -> PositionRules {
        PositionRules {
            first_ply: 0,
            early: None,
            after_capture: true,
            evaluated: false,
            labelled: false,
            untaught: 1.0,
            per_game: 0,
            per_account: 0,
            split_by_position: false,
            window: 1,
        }
    }
}

impl Policy {
    /// A policy of the program by its name.
    pub fn named(name: &str) -> Result<Policy, PolicyError> {
        let found = POLICIES.iter().find(|(known, _)| *known == name);
        let (name, text) = found.ok_or_else(|| PolicyError::Unknown(name.to_owned()))?;
        Policy::from_toml(name, text)
    }

    /// A policy of the program by its name, or one of a TOML file.
    pub fn find(name: &str) -> Result<Policy, PolicyError> {
        if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
            return Policy::named(name);
        }
        let text = storage::read_to_string(Path::new(name))
            .map_err(|error| PolicyError::Read { path: name.to_owned(), error })?;
        Policy::from_toml(name, &text)
    }

    pub fn from_toml(name: &str, text: &str) -> Result<Policy, PolicyError> {
        let policy: Policy = toml::from_str(text)
            .map_err(|error| PolicyError::Toml { name: name.to_owned(), error: Box::new(error) })?;
        let most = chess::REMEMBERED as u32 + 1;
        if policy.positions.window == 0 || policy.positions.window > most {
            let reason = format!("window is {}, not 1 to {most}", policy.positions.window);
            return Err(PolicyError::Impossible { name: name.to_owned(), reason });
        }
        Ok(policy)
    }

    /// Chance that a game is drawn from at all.
    pub fn game_rate(&self, game: &Game) -> f64 {
        let rules = &self.games;
        let decided = match rules.decided {
            Decided::Any => true,
            Decided::Known => game.result != GameResult::Unknown,
            Decided::Decisive => game.result.is_decisive(),
        };
        let long_enough = game.moves.len() >= rules.min_plies as usize;
        let clocked = || game.clocks_cs.as_ref().is_some_and(|clocks| clocks.iter().all(Option::is_some));
        if !decided || !long_enough || (rules.clocks && !clocked()) {
            return 0.0;
        }
        rules.time_rate(game) * rules.rating_rate(game)
    }

    /// The plies to draw from a game in an epoch. The draw depends on seed, epoch and game alone. A game that
    /// cannot be replayed, which only a damaged file holds, gives none.
    pub fn pick(
        &self,
        game: &Game,
        seed: u64,
        epoch: u64,
        labelled: impl Fn(usize) -> bool,
        taught: impl Fn(usize) -> bool,
    ) -> Vec<u16> {
        let mut random = Random::keyed(seed.wrapping_add(epoch), xxh3_64(game.id.as_bytes()));
        if !random.chance(self.game_rate(game)) {
            return Vec::new();
        }
        let choose = |taken: Vec<bool>| self.choose(game, &taken, labelled, taught, &mut random);
        captures(game).map_or_else(Vec::new, choose)
    }

    /// Plies (from 0: moves played before) of the positions to draw. `captures[n]` tells whether the n-th
    /// move took something, `labelled(n)` and `taught(n)` whether a label and a teacher's opinion of the position exist.
    fn choose(
        &self,
        game: &Game,
        captures: &[bool],
        labelled: impl Fn(usize) -> bool,
        taught: impl Fn(usize) -> bool,
        random: &mut Random,
    ) -> Vec<u16> {
        let rules = &self.positions;
        let first = rules.first_ply.max(rules.window - 1) as usize;
        let mut plies: Vec<u16> = (first..game.moves.len())
            .filter(|&ply| taught(ply) || random.chance(rules.untaught_rate(ply)))
            .filter(|&ply| rules.after_capture || ply == 0 || !captures[ply - 1])
            .filter(|&ply| !rules.evaluated || game.eval_at(ply).is_some() || labelled(ply))
            .filter(|&ply| !rules.labelled || labelled(ply))
            .map(|ply| ply as u16)
            .collect();
        if rules.per_game > 0 && plies.len() > rules.per_game as usize {
            random.shuffle(&mut plies);
            plies.truncate(rules.per_game as usize);
            plies.sort_unstable();
        }
        plies
    }
}

impl GameRules {
    fn time_rate(&self, game: &Game) -> f64 {
        let any_time = self.min_base_s == 0 && self.max_base_s == u32::MAX;
        let Some(control) = game.control else {
            return match (any_time, game.is_over_the_board()) {
                (false, _) => 0.0,
                (true, true) => self.untimed,
                (true, false) => 1.0,
            };
        };
        let base = control.base_s;
        if base < self.min_base_s || base > self.max_base_s {
            return 0.0;
        }
        product(&self.base_times, |rate| rate.holds(base))
    }

    fn rating_rate(&self, game: &Game) -> f64 {
        let asks = self.min_rating > 0 || self.max_rating < u16::MAX || !self.gap_rates.is_empty();
        let (Some(white), Some(black)) = (game.white_elo, game.black_elo) else { return f64::from(!asks) };
        let range = self.min_rating..=self.max_rating;
        if !range.contains(&white) || !range.contains(&black) {
            return 0.0;
        }
        let class = |rating: u16| self.rating_edges.iter().filter(|&&edge| rating >= edge).count();
        let gap = class(white).abs_diff(class(black));
        let both = |rate: &Rate| rate.holds(white.into()) && rate.holds(black.into());
        self.gap_rates.get(gap).copied().unwrap_or(1.0) * product(&self.bands, both)
    }
}

impl Rate {
    fn holds(&self, value: u32) -> bool {
        (self.from..self.to).contains(&value)
    }
}

/// Which moves took something; `None` where one cannot be played.
fn captures(game: &Game) -> Option<Vec<bool>> {
    let mut position = game.start();
    let all = game.moves.iter().map(|packed| {
        let m = packed.unpack(&position)?;
        position.play_unchecked(m);
        Some(m.is_capture())
    });
    all.collect()
}

fn product(rates: &[Rate], applies: impl Fn(&Rate) -> bool) -> f64 {
    rates.iter().filter(|rate| applies(rate)).map(|rate| rate.rate).product()
}

impl PositionRules {
    fn untaught_rate(&self, ply: usize) -> f64 {
        self.untaught * self.early.map_or(1.0, |early| early.rate(ply + 1))
    }
}

impl Early {
    fn rate(&self, n: usize) -> f64 {
        (self.growth.powi(n.min(10_000) as i32) / self.divisor).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TimeControl, testing::game};

    fn rated(white: u16, black: u16, base_s: u32) -> Game {
        let mut game = game("abcdefgh", 40);
        (game.white_elo, game.black_elo) = (Some(white), Some(black));
        game.control = Some(TimeControl { base_s, increment_s: 0 });
        game
    }

    #[test]
    fn every_policy_of_the_program_reads_and_bears_its_name() {
        for (name, _) in POLICIES {
            assert_eq!(Policy::named(name).unwrap().name, *name);
        }
        assert!(Policy::named("maia").unwrap_err().to_string().contains("hc3"));
    }

    #[test]
    fn hc3_keeps_games_at_the_rates_of_its_source() {
        let policy = Policy::named("hc3").unwrap();
        let table = [
            (1100, 1150, 600, 0.125),
            (1100, 1250, 600, 0.5),
            (1100, 1450, 600, 1.0),
            (1250, 1350, 600, 0.125 * 0.8),
            (1450, 1550, 600, 0.125 * 0.55),
            (1650, 1900, 600, 0.5 * 0.5),
            (2050, 2150, 60, 0.125 * 0.7 * 0.35),
            (2300, 2500, 180, 0.125 * 0.35),
            (999, 1500, 600, 0.0),
            (1100, 1150, 1206, 0.0),
        ];
        for (white, black, base, rate) in table {
            let found = policy.game_rate(&rated(white, black, base));
            assert!((found - rate).abs() < 1e-9, "{white} {black} {base}: {found} not {rate}");
        }
    }

    #[test]
    fn early_plies_grow_as_in_the_source() {
        let early = Policy::named("hc3").unwrap().positions.early.unwrap();
        for (n, rate) in [(1, 0.0015), (10, 0.0577), (16, 0.657), (18, 1.0), (300, 1.0)] {
            assert!((early.rate(n) - rate).abs() < 1e-3, "{n}: {}", early.rate(n));
        }
    }

    #[test]
    fn deepchess_draws_ten_quiet_positions_beyond_move_five() {
        let policy = Policy::named("deepchess").unwrap();
        let game = game("abcdefgh", 80);
        let captures: Vec<bool> = (0..80).map(|ply| ply % 3 == 0).collect();
        let plies = policy.choose(&game, &captures, |_| false, |_| false, &mut Random::new(5));
        assert_eq!(plies.len(), 10);
        assert!(plies.iter().all(|&ply| ply >= 10 && !captures[usize::from(ply) - 1]), "{plies:?}");
    }

    #[test]
    fn batch_first_wants_an_evaluation() {
        let policy = Policy::named("batch-first").unwrap();
        let mut game = game("abcdefgh", 40);
        let choose =
            |game: &Game| policy.choose(game, &[false; 40], |_| false, |_| false, &mut Random::new(5));
        assert_eq!(choose(&game), Vec::<u16>::new());
        game.evals = Some((0..40).map(|ply| (ply == 19).then_some(30)).collect());
        assert_eq!(choose(&game), [20], "the evaluation after move 19 is that of position 20");
    }

    #[test]
    fn unknown_keys_and_impossible_windows_are_errors() {
        assert!(Policy::from_toml("x", "[games]\nmin-ply = 3").is_err());
        assert!(
            Policy::from_toml("x", "[positions]\nwindow = 10").unwrap_err().to_string().contains("1 to 9")
        );
    }
}
