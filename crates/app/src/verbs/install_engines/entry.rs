//! One engine in a program's list.

use std::path::Path;

use engine::heuristic;

use crate::minds::PEOPLE;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// UCI options that make it what it is.
    pub(super) options: Vec<(&'static str, String)>,
}

impl Entry {
    /// A person of a rating, who takes her time.
    pub(super) fn level(rating: u16) -> Entry {
        let options = [("Brain", PEOPLE.to_owned()), ("UCI_Elo", rating.to_string()), timing()];
        Entry { name: format!("Tabiya human {rating}"), options: options.into() }
    }

    pub(super) fn calculating() -> Entry {
        Entry { name: "Tabiya heuristic".to_owned(), options: vec![("Brain", heuristic::NAME.to_owned())] }
    }

    pub(super) fn network(path: &Path, level: Option<u16>) -> Entry {
        let stem = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = stem.split('.').next().unwrap_or(&stem).to_owned();
        let mut options = vec![("Weights", path.to_string_lossy().into_owned())];
        options.extend(level.map(|level| ("UCI_Elo", level.to_string())));
        let name = level.map_or_else(|| format!("Tabiya {stem}"), |level| format!("Tabiya {stem} {level}"));
        Entry { name, options }
    }

    /// The words after the program's name that make it this entry.
    pub(super) fn arguments(&self) -> Vec<String> {
        let options =
            self.options.iter().flat_map(|(name, value)| ["--option".to_owned(), format!("{name}={value}")]);
        let name = ["--name".to_owned(), self.name.clone()];
        ["uci".to_owned()].into_iter().chain(name).chain(options).collect()
    }
}

fn timing() -> (&'static str, String) {
    ("HumanTiming", "true".to_owned())
}
