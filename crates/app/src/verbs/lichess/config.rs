//! The settings of a bot account, in one TOML file.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::bail;
use lichess::{Chat, Level, Manners, Policy};
use serde::Deserialize;

use crate::{
    minds::PEOPLE,
    uci::{Defaults, Preferences},
};

/// Every setting at its default, with what it means.
pub(super) const EXAMPLE: &str = include_str!("example.toml");

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Config {
    pub(super) url: String,
    pub(super) token_file: Option<PathBuf>,
    pub(super) mind: MindConfig,
    pub(super) challenges: Policy,
    pub(super) play: Manners,
    pub(super) chat: Chat,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            url: "https://lichess.org".to_owned(),
            token_file: None,
            mind: MindConfig::default(),
            challenges: Policy::default(),
            play: Manners::default(),
            chat: Chat::default(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MindConfig {
    pub(super) brain: String,
    pub(super) search: String,
    pub(super) weights: Option<PathBuf>,
    pub(super) level: Level,
    pub(super) human_timing: bool,
    /// Options of the UCI engine by name.
    pub(super) options: BTreeMap<String, toml::Value>,
}

impl Default for MindConfig {
    fn default() -> MindConfig {
        MindConfig {
            brain: PEOPLE.to_owned(),
            search: engine::AUTO.to_owned(),
            weights: None,
            level: Level::OPPONENT,
            human_timing: true,
            options: BTreeMap::new(),
        }
    }
}

impl MindConfig {
    /// What the options of the UCI engine would be.
    pub(super) fn preferences(&self, overhead_ms: u64) -> anyhow::Result<Preferences> {
        let mut defaults = Defaults::default();
        let weights = self.weights.as_ref().map(|path| path.to_string_lossy().into_owned());
        let named = [
            ("Brain", Some(self.brain.clone()).filter(|_| weights.is_none() || self.brain != PEOPLE)),
            ("Search", Some(self.search.clone())),
            ("Weights", weights),
            ("HumanTiming", Some(self.human_timing.to_string())),
            ("Move Overhead", Some(overhead_ms.to_string())),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let others = self.options.iter().map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (name.as_str(), text)
        });
        for (name, value) in named.chain(others) {
            if let Err(sentence) = defaults.set(name, &value) {
                bail!("[mind] {sentence}");
            }
        }
        Ok(defaults.preferences)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_says_what_the_defaults_are() {
        assert_eq!(toml::from_str::<Config>(EXAMPLE).unwrap(), Config::default());
        assert_eq!(toml::from_str::<Config>("").unwrap(), Config::default());
    }

    #[test]
    fn the_example_names_every_setting() {
        let settings: toml::Table = EXAMPLE.parse().unwrap();
        let section = |name: &str| settings[name].as_table().unwrap().keys().cloned().collect::<Vec<_>>();
        let policy = toml::Table::try_from(Policy::default()).unwrap();
        let manners = toml::Table::try_from(Manners::default()).unwrap();
        assert_eq!(section("challenges"), policy.keys().cloned().collect::<Vec<_>>());
        assert_eq!(section("play"), manners.keys().cloned().collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (text, words) in [
            ("[mind]\nlevel = \"strong\"", "level"),
            ("[play]\ntakebaks = 1", "takebaks"),
            ("token = \"x\"", "token"),
        ] {
            assert!(toml::from_str::<Config>(text).unwrap_err().to_string().contains(words), "{text}");
        }
        let options = |text: &str| {
            let config: Config = toml::from_str(text).unwrap();
            config.mind.preferences(100)
        };
        let set = options("[mind]\nbrain = \"heuristic\"\noptions = { Threads = 2, BlunderGuard = \"Off\" }")
            .unwrap();
        assert_eq!((set.settings.threads, set.settings.move_overhead_ms), (2, 100));
        let wrong = options("[mind]\noptions = { Contempt = 5 }").unwrap_err().to_string();
        assert_eq!(wrong, "[mind] there is no option `Contempt`");
    }
}
