//! Who takes part: a player as the command line describes it, and how to bring it to life.
//!
//! `command or mind;key=value;...`, as in `"/usr/games/toga2;name=toga;option.Hash=64;tc=10+0.1"`.

use std::{sync::atomic::AtomicBool, time::Duration};

use anyhow::{Context, bail, ensure};
use engine::Settings;

use super::{mind::Mind, pace::Pace, player::Player, uci_process::UciProcess};
use crate::{
    minds::{self, Names},
    uci::Preferences,
};

/// What holds for all players unless they say otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common {
    pub(crate) hash_mb: usize,
    pub(crate) threads: usize,
    pub(crate) pace: Pace,
    pub(crate) chess960: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) pace: Pace,
    kind: Kind,
    /// Options beyond the common ones, as they were given.
    options: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Mind(String),
    Command(Vec<String>),
}

impl Entrant {
    pub(crate) fn parse(text: &str, common: &Common) -> anyhow::Result<Entrant> {
        let mut parts = text.split(';').map(str::trim);
        let what = parts.next().unwrap_or_default();
        ensure!(!what.is_empty(), "a player is a mind or an engine's command, not `{text}`");
        let kind = match minds::is_name(what) {
            true => Kind::Mind(what.to_owned()),
            false => {
                Kind::Command(shlex::split(what).with_context(|| format!("`{what}` has an open quote"))?)
            }
        };
        let mut entrant = Entrant { name: kind.name(), pace: Pace::default(), kind, options: Vec::new() };
        for part in parts.filter(|part| !part.is_empty()) {
            let (key, value) =
                part.split_once('=').with_context(|| format!("`{part}` in `{text}` is not key=value"))?;
            entrant.set(key, value).with_context(|| format!("in player `{text}`"))?;
        }
        if entrant.pace.is_unlimited() {
            entrant.pace = common.pace;
        }
        Ok(entrant)
    }

    fn set(&mut self, key: &str, value: &str) -> anyhow::Result<()> {
        let wrong = || format!("{key}={value} is not a number");
        match key {
            "name" => self.name = value.to_owned(),
            "tc" => self.pace.clock = Some(value.parse()?),
            "movetime" => {
                self.pace.move_time =
                    Some(Duration::from_millis(value.parse::<u32>().with_context(wrong)?.into()));
            }
            "nodes" => self.pace.nodes = Some(value.parse().with_context(wrong)?),
            "depth" => self.pace.depth = Some(value.parse().with_context(wrong)?),
            _ => match key.strip_prefix("option.") {
                Some(name) => self.options.push((name.to_owned(), value.to_owned())),
                None => bail!("`{key}` is none of name, tc, movetime, nodes, depth, option.NAME"),
            },
        }
        Ok(())
    }

    /// Brings the player to life.
    pub(crate) fn start(&self, common: &Common, abort: &AtomicBool) -> anyhow::Result<Box<dyn Player>> {
        match &self.kind {
            Kind::Mind(name) => {
                let preferences = self.preferences(common)?;
                let Preferences { settings, names, .. } = preferences.clone();
                let names = Names { weights: names.weights, passes: names.passes, ..Names::parse(name) };
                // With `UCI_LimitStrength` another mind may stand in.
                let names = Preferences { names, ..preferences }.names();
                Ok(Box::new(Mind::start(names.build(&settings)?, names.device.is_some())))
            }
            Kind::Command(command) => {
                // Openings are the arena's business: a private book would spoil the pairing of colours.
                let mut usual = vec![
                    ("Hash", common.hash_mb.to_string()),
                    ("Threads", common.threads.to_string()),
                    ("OwnBook", "false".to_owned()),
                ];
                let mut wanted = self.options.clone();
                if common.chess960 {
                    wanted.push(("UCI_Chess960".to_owned(), "true".to_owned()));
                } else {
                    usual.push(("UCI_Chess960", "false".to_owned()));
                }
                Ok(Box::new(UciProcess::start(command, &usual, &wanted, abort)?))
            }
        }
    }

    /// A mind of ours has the options of the UCI engine.
    fn preferences(&self, common: &Common) -> anyhow::Result<Preferences> {
        let settings = Settings { threads: common.threads, hash_mb: common.hash_mb, ..Settings::default() };
        let mut preferences = Preferences { settings, ..Preferences::default() };
        for (name, value) in &self.options {
            if let Some(sentence) = preferences.set(name, Some(value)) {
                bail!("{}: {sentence}", self.name);
            }
        }
        Ok(preferences)
    }

    /// All that decides how it plays, for the journal: two runs with the same words can be joined.
    pub(crate) fn fingerprint(&self) -> String {
        let what = match &self.kind {
            Kind::Mind(name) => name.clone(),
            Kind::Command(command) => shlex::try_join(command.iter().map(String::as_str)).unwrap_or_default(),
        };
        let options: String =
            self.options.iter().map(|(name, value)| format!(";option.{name}={value}")).collect();
        format!("{what};name={};pace={}{options}", self.name, self.pace)
    }
}

impl Kind {
    /// The mind's own name, or the last part of the program's path.
    fn name(&self) -> String {
        match self {
            Kind::Mind(name) => name.clone(),
            Kind::Command(command) => {
                let program = command.first().map(String::as_str).unwrap_or_default();
                program.rsplit('/').next().unwrap_or(program).to_owned()
            }
        }
    }
}

/// Gives equal names numbers, so that every row of the table has its own.
pub(crate) fn tell_apart(entrants: &mut [Entrant]) {
    for at in 1..entrants.len() {
        let name = entrants[at].name.clone();
        let taken = |name: &str| entrants[..at].iter().any(|other| other.name == name);
        let mut candidates =
            std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
        let free = candidates.find(|name| !taken(name)).expect("numbers do not end");
        entrants[at].name = free;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common() -> Common {
        let pace = Pace { clock: Some("8+0.08".parse().unwrap()), ..Pace::default() };
        Common { hash_mb: 64, threads: 1, pace, chess960: false }
    }

    #[test]
    fn players_are_read_with_their_settings() {
        let toga = Entrant::parse("/opt/toga2 'a b';name=toga; option.Hash=8;nodes=500", &common()).unwrap();
        assert_eq!(toga.name, "toga");
        assert_eq!(toga.kind, Kind::Command(vec!["/opt/toga2".to_owned(), "a b".to_owned()]));
        assert_eq!(toga.options, [("Hash".to_owned(), "8".to_owned())]);
        assert_eq!(
            toga.pace,
            Pace { nodes: Some(500), ..Pace::default() },
            "its own pace replaces the common one"
        );
        let mind = Entrant::parse("heuristic:alpha-beta", &common()).unwrap();
        assert_eq!((mind.name.as_str(), mind.pace), ("heuristic:alpha-beta", common().pace));
        assert_eq!(Entrant::parse("/usr/games/gnuchess --uci", &common()).unwrap().name, "gnuchess");
    }

    #[test]
    fn bad_players_are_refused_in_a_sentence() {
        for (text, words) in [
            ("", "a player is a mind or an engine's command"),
            ("toga2;name", "`name` in `toga2;name` is not key=value"),
            ("toga2;hash=4", "`hash` is none of name, tc"),
            ("toga2;nodes=many", "nodes=many is not a number"),
            ("toga2 'x", "has an open quote"),
        ] {
            let error = format!("{:#}", Entrant::parse(text, &common()).unwrap_err());
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn equal_names_get_numbers() {
        let mut entrants =
            ["random", "toga2", "random", "/x/random"].map(|text| Entrant::parse(text, &common()).unwrap());
        tell_apart(&mut entrants);
        assert_eq!(entrants.map(|entrant| entrant.name), ["random", "toga2", "random-2", "random-3"]);
    }
}
