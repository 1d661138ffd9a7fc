//! The registry of minds: every name and every file that can play, and the one place where they turn into searches.

pub(crate) mod found;
mod paced;
mod random_mover;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail, ensure};
use chess::Brain;
use engine::{AUTO, Device, Mind, Search, Settings, heuristic};
use nets::{WeightFile, others};
use random_mover::RandomMover;

use crate::embedded;

/// Minds by name; the first is the default. All but `heuristic` are families of networks, the last ones those of others.
pub(crate) const MINDS: &[&str] = &names();

const fn names() -> [&'static str; nets::FAMILIES.len() + others::NAMES.len() + 1] {
    let mut names = [heuristic::NAME; nets::FAMILIES.len() + others::NAMES.len() + 1];
    let mut at = 0;
    while at + 1 < names.len() {
        names[at + 1] = match at.checked_sub(nets::FAMILIES.len()) {
            Some(other) => others::NAMES[other],
            None => nets::FAMILIES[at].name,
        };
        at += 1;
    }
    names
}

/// The mind that plays like people of a rating, says what they play, and how long they think.
pub(crate) const PEOPLE: &str = "human";

/// How long minds think that can think as long as they like; others do not mind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passes {
    /// Passes at most; 0 for as many as the network was made for.
    pub(crate) most: usize,
    /// Stop as soon as two passes in a row prefer the same move.
    pub(crate) until_settled: bool,
    /// Steps from noise to a future; 0 for as many as the network was made for.
    pub(crate) steps: usize,
    /// Futures that are imagined; 0 for as many as the network was made for.
    pub(crate) futures: usize,
}

impl Passes {
    fn load(self, bytes: &[u8]) -> Result<Arc<dyn Brain>, nets::WeightError> {
        let numbers = [("passes", self.most), ("steps", self.steps), ("futures", self.futures)];
        let given = numbers.into_iter().filter(|&(_, number)| number > 0);
        let mut settings: Vec<_> = given.map(|(name, number)| (name, number.into())).collect();
        if self.steps > 0 || self.futures > 0 {
            // Who names numbers wants those, whatever the clock says.
            settings.push(("uses-clock", false.into()));
        }
        if self.until_settled {
            settings.push(("until-settled", true.into()));
        }
        nets::load_bytes_with(bytes, &settings)
    }
}

/// The network in a file, and the name of its family.
fn load_file(path: &Path, passes: Passes) -> anyhow::Result<(String, Arc<dyn Brain>)> {
    let place = || path.display().to_string();
    if others::is_other(path) {
        let (family, brain) = others::load(path).with_context(place)?;
        return Ok((family.to_owned(), brain));
    }
    let bytes = fs::read(path).with_context(place)?;
    let family = WeightFile::card(&bytes).with_context(place)?.family;
    Ok((family, passes.load(&bytes).with_context(place)?))
}

/// Who is to play, and how it is to think.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Names {
    pub(crate) mind: String,
    pub(crate) search: String,
    /// A file with the network to use in place of the one that comes with the program.
    pub(crate) weights: Option<PathBuf>,
    /// A device to imagine the network on, in place of this machine.
    pub(crate) device: Option<Device>,
    pub(crate) passes: Passes,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            mind: MINDS[0].to_owned(),
            search: AUTO.to_owned(),
            weights: None,
            device: None,
            passes: Passes::default(),
        }
    }
}

impl Names {
    /// `family` or `family:search`, and after `@` a device such as `600+1.5`.
    pub(crate) fn parse(text: &str) -> Names {
        let (text, device) = match text.split_once('@').map(|(name, device)| (name, device.parse())) {
            Some((name, Ok(device))) => (name, Some(device)),
            _ => (text, None),
        };
        let (mind, search) = text.split_once(':').unwrap_or((text, AUTO));
        Names { mind: mind.to_owned(), search: search.to_owned(), device, ..Names::default() }
    }

    /// The mind alone. A file of weights stands for itself, unless another network was asked for by name.
    pub(crate) fn mind(&self) -> anyhow::Result<Mind> {
        if let Some(path) = &self.weights {
            let (family, brain) = load_file(path, self.passes)?;
            let fits = self.mind == MINDS[0] || self.mind == family;
            ensure!(fits, "{} holds a network `{family}`, not `{}`", path.display(), self.mind);
            return Ok(Mind::new(family, brain));
        }
        if self.mind == MINDS[0] {
            return Ok(Mind::heuristic());
        }
        if let Some(found) = found::named(&self.mind).or_else(|| found::of_kind(&self.mind)) {
            let (_, brain) = load_file(&found.path, self.passes)?;
            return Ok(Mind::new(self.mind.clone(), brain));
        }
        if others::NAMES.contains(&self.mind.as_str()) {
            bail!(
                "`{}` is a network of others, and no such file lies in the models folder; name one with Weights",
                self.mind
            );
        }
        let known = MINDS.contains(&self.mind.as_str());
        ensure!(known, "there is no mind `{}`; there are: {}", self.mind, MINDS.join(", "));
        let weights = embedded::WEIGHTS.iter().find(|weights| weights.name == self.mind);
        let weights = weights
            .with_context(|| format!("no weights for `{}` come with this program; name a file", self.mind))?;
        let brain = self.passes.load(weights.bytes).with_context(|| self.mind.clone())?;
        Ok(Mind::new(weights.name, brain))
    }

    /// Whether the mind is a network of others, which knows nothing of think time.
    fn of_others(&self) -> bool {
        let named = || others::NAMES.contains(&self.mind.as_str()) || found::named(&self.mind).is_some();
        self.weights.as_deref().map_or_else(named, others::is_other)
    }

    /// A search with the mind in it, and its settings applied.
    pub(crate) fn build(&self, settings: &Settings) -> anyhow::Result<Box<dyn Search>> {
        match self.mind.as_str() {
            "random" => Ok(Box::new(RandomMover)),
            _ => self.build_with(&self.mind()?, settings),
        }
    }

    /// The same with a mind that is there already.
    pub(crate) fn build_with(&self, mind: &Mind, settings: &Settings) -> anyhow::Result<Box<dyn Search>> {
        let settings = Settings { device: self.device.or(settings.device), ..settings.clone() };
        let mut search = match self.of_others() {
            true => {
                engine::build_with(&paced::with_think_time(mind.clone()), &self.search, settings.clone())?
            }
            false => engine::build_with(mind, &self.search, settings.clone())?,
        };
        search.configure(&settings);
        Ok(search)
    }
}

/// As [`Names::parse`] reads them, for people: a file of weights goes by its name.
impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.weights.as_deref().and_then(Path::file_name) {
            Some(name) => write!(f, "`{}`", name.to_string_lossy()),
            None if self.search == AUTO => write!(f, "`{}`", self.mind),
            None => write!(f, "`{}:{}`", self.mind, self.search),
        }
    }
}

/// The weight file of a mind by its name: one inside the program, or one of ours in the models folder.
pub(crate) fn bytes_of(name: &str) -> Option<Vec<u8>> {
    match found::named(name) {
        Some(found) => fs::read(found.path).ok(),
        None => {
            let inside = embedded::WEIGHTS.iter().find(|weights| weights.name == name);
            inside.map(|weights| weights.bytes.to_vec())
        }
    }
}

/// Whether the network in a file plays at the level that it is asked for.
pub(crate) fn knows_levels(path: &Path) -> bool {
    if nets::others::is_other(path) {
        return path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"));
    }
    let card = fs::read(path).ok().and_then(|bytes| WeightFile::card(&bytes).ok());
    card.is_some_and(|card| card.family == PEOPLE)
}

/// Whether `text` names a mind of ours (`family`, `family:search`, either with a device, or `random`) and not an engine's command.
pub(crate) fn is_name(text: &str) -> bool {
    let text = match text.split_once('@') {
        Some((name, device)) if device.parse::<Device>().is_ok() => name,
        _ => text,
    };
    let plain = |word: &str| {
        word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    text == "random"
        || MINDS.contains(&text)
        || found::named(text).is_some()
        || text.split_once(':').is_some_and(|(family, search)| plain(family) && plain(search))
}

#[cfg(test)]
mod tests {
    use chess::Moment;
    use engine::{Limits, Signals, Task};

    use super::*;

    #[test]
    fn minds_that_cannot_play_are_refused_in_a_sentence() {
        for (text, words) in [
            ("oracle", "there is no mind `oracle`; there are: heuristic, human, ranker"),
            (
                "heuristic:magic",
                "there is no search `magic`; there are: alpha-beta, batch-first, comparisons, instant, puct",
            ),
            ("heuristic:alpha-beta@fast", "there is no search `alpha-beta@fast`"),
            ("heuristic:instant", "`heuristic` does not go with `instant`"),
        ] {
            let error = Names::parse(text).build(&Settings::default()).err().unwrap();
            assert!(format!("{error:#}").starts_with(words), "{error:#}");
        }
        let file = Names { weights: Some("/nowhere/x.safetensors".into()), ..Names::default() };
        assert!(format!("{:#}", file.mind().unwrap_err()).starts_with("/nowhere/x.safetensors: "));
    }

    #[test]
    fn networks_of_others_play_under_every_search() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("residual.pb", others::samples::leela_residual(1)),
            ("attention.pb", others::samples::leela_attention(2)),
            ("maia3.onnx", others::samples::maia3_onnx(3)),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            let mind = Names { weights: Some(path), ..Names::default() }.mind().unwrap();
            let searches: Vec<&str> = engine::searches_for(&mind).map(|entry| entry.name).collect();
            assert_eq!(searches, ["alpha-beta", "batch-first", "comparisons", "instant", "puct"], "{name}");
            for search in searches {
                let mut search = engine::build(&mind, search).unwrap();
                let task = Task { limits: Limits::nodes(60), signals: &Signals::new(), report: &mut |_| {} };
                let best = search.choose(&Moment::default(), task).best;
                assert!(best.is_some_and(|best| Moment::default().legal_moves().contains(&best)), "{name}");
            }
        }
    }

    #[test]
    fn names_are_told_from_commands() {
        for (text, ours) in [
            ("heuristic", true),
            ("heuristic:alpha-beta", true),
            ("ranker:batch-first@600+1.5", true),
            ("ranker:batch-first@fast", false),
            ("random", true),
            ("stockfish", false),
            ("/usr/games/toga2", false),
            ("C:\\engines\\toga2.exe", false),
        ] {
            assert_eq!(is_name(text), ours, "{text}");
        }
    }

    #[test]
    fn every_embedded_network_is_listed_and_can_think() {
        for embedded::Embedded { name, .. } in embedded::WEIGHTS {
            assert!(MINDS.contains(name), "{name}");
            assert!(Names::parse(name).build(&Settings::default()).is_ok(), "{name}");
        }
    }
}
