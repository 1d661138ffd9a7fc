//! What a run of self-play is made of: a TOML file.

use std::path::PathBuf;

use anyhow::ensure;
use engine::{PuctSettings, puct::SimulSettings};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SelfplayConfig {
    /// A mind that comes with the program, or a file of weights.
    pub(crate) start: String,
    #[serde(default = "ten")]
    pub(crate) generations: usize,
    #[serde(default)]
    pub(crate) seed: u64,
    #[serde(default)]
    pub(crate) games: GamesConfig,
    #[serde(default)]
    pub(crate) learn: LearnConfig,
}

fn ten() -> usize {
    10
}

/// How the games of a generation are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct GamesConfig {
    /// Games of a generation.
    pub(crate) count: usize,
    /// Games that are played side by side.
    pub(crate) at_once: usize,
    /// Positions that a search adds to its tree for a move.
    pub(crate) visits: u64,
    /// Leaves of a tree in one batch.
    pub(crate) leaves: usize,
    pub(crate) c_puct: f32,
    /// Share of noise in the priors of each search, and how even it is.
    pub(crate) noise: f32,
    pub(crate) noise_evenness: f32,
    /// Plies from the opening on in which moves are drawn by their visits. After them the most visited move is played.
    pub(crate) drawn_plies: usize,
    /// Share of the games against an earlier generation.
    pub(crate) past: f64,
    /// Games that take longer are drawn.
    pub(crate) longest_plies: usize,
    /// Openings, as for the arena; left out, the program's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) book: Option<PathBuf>,
}

/// How the next generation comes of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LearnConfig {
    /// Generations whose games are learned from, the newest included.
    pub(crate) generations: usize,
    /// Settings of `[train]` for each generation.
    pub(crate) train: toml::Table,
}

impl Default for GamesConfig {
    fn default() -> GamesConfig {
        GamesConfig {
            count: 1024,
            at_once: 256,
            visits: 32,
            leaves: 2,
            c_puct: PuctSettings::default().c_puct,
            noise: 0.25,
            noise_evenness: 0.3,
            drawn_plies: 24,
            past: 0.2,
            longest_plies: 240,
            book: None,
        }
    }
}

impl Default for LearnConfig {
    fn default() -> LearnConfig {
        LearnConfig { generations: 4, train: toml::Table::new() }
    }
}

impl SelfplayConfig {
    pub(crate) fn parse(text: &str) -> anyhow::Result<SelfplayConfig> {
        let config: SelfplayConfig = toml::from_str(text)?;
        let GamesConfig {
            count, at_once, visits, leaves, noise, noise_evenness, past, longest_plies, ..
        } = config.games;
        for (name, number) in [
            ("generations", config.generations),
            ("games.count", count),
            ("games.at-once", at_once),
            ("games.leaves", leaves),
            ("games.longest-plies", longest_plies),
            ("learn.generations", config.learn.generations),
        ] {
            ensure!((1..=1 << 20).contains(&number), "{name} is {number}, not between 1 and 1,048,576");
        }
        ensure!(visits > 0, "games.visits is 0");
        ensure!((0.0..=1.0).contains(&noise), "games.noise is {noise}, not between 0 and 1");
        ensure!(noise_evenness > 0.0, "games.noise-evenness is {noise_evenness}, not above 0");
        ensure!((0.0..=1.0).contains(&past), "games.past is {past}, not between 0 and 1");
        Ok(config)
    }
}

impl GamesConfig {
    pub(crate) fn simul(&self) -> SimulSettings {
        SimulSettings {
            puct: PuctSettings { c_puct: self.c_puct, ..PuctSettings::default() },
            visits: self.visits,
            leaves: self.leaves,
            noise: (self.noise > 0.0).then_some((self.noise, self.noise_evenness)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_a_default_and_what_is_wrong_is_named() {
        let config = SelfplayConfig::parse("start = \"recycler\"\n[learn.train]\nsteps = 5").unwrap();
        assert_eq!((config.generations, config.games.at_once), (10, 256));
        assert_eq!(config.learn.train["steps"].as_integer(), Some(5));
        for (text, words) in [
            ("generations = 3", "missing field `start`"),
            ("start = \"x\"\n[games]\ncuont = 3", "unknown field `cuont`"),
            ("start = \"x\"\n[games]\ncount = 0", "games.count is 0"),
            ("start = \"x\"\n[games]\npast = 2.0", "games.past is 2"),
        ] {
            let error = SelfplayConfig::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
