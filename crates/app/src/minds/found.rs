//! Networks in the user's models folder: weights of ours, files of others, folders of Maia-1's networks.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::Brain;
use nets::{WeightFile, human::Person, others};

use super::{MINDS, Names, paced};

const VARIABLE: &str = "TABIYA_MODELS";

/// A network by the name that it goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// `$TABIYA_MODELS`, else `models` beside the user's games.
pub(crate) fn folder() -> Option<PathBuf> {
    match env::var_os(VARIABLE) {
        Some(folder) if !folder.is_empty() => Some(folder.into()),
        _ => {
            directories::ProjectDirs::from("", "", "tabiya").map(|folders| folders.data_dir().join("models"))
        }
    }
}

/// All networks of the models folder, by name.
pub(crate) fn all() -> Vec<Found> {
    folder().map_or(Vec::new(), |folder| inside(&folder))
}

pub(crate) fn named(name: &str) -> Option<Found> {
    all().into_iter().find(|found| found.name == name)
}

/// The first network of a kind of others.
pub(super) fn of_kind(kind: &str) -> Option<Found> {
    all().into_iter().find(|found| others::kind(&found.path) == Some(kind))
}

/// Those that can play, with the think time of our own network; of the others the user is told.
pub(crate) fn opponents() -> Vec<(String, Arc<dyn Brain>)> {
    let load = |found: Found| match (Names { weights: Some(found.path), ..Names::default() }).mind() {
        Ok(mind) => Some((found.name, paced::with_think_time(mind).brain)),
        Err(error) => {
            tracing::warn!("`{}` of the models folder cannot play: {error:#}", found.name);
            None
        }
    };
    all().into_iter().filter_map(load).collect()
}

impl Found {
    /// The lowest and the highest rating that it plays at, if it was made to play like people.
    pub(crate) fn ratings(&self) -> Option<(u16, u16)> {
        match self.person() {
            Some(person) => person.rating.map(|rating| (rating, rating)),
            None => others::ratings(&self.path),
        }
    }

    /// Its family, if it is a network of ours.
    pub(crate) fn family(&self) -> Option<String> {
        let ours = !others::is_other(&self.path);
        ours.then(|| WeightFile::card_of(&self.path).ok()).flatten().map(|card| card.family)
    }

    /// Whom it plays like, if it was made of one person's games.
    pub(crate) fn person(&self) -> Option<Person> {
        if others::is_other(&self.path) {
            return None;
        }
        let card = WeightFile::card_of(&self.path).ok()?;
        serde_json::from_value(card.network.get("person")?.clone()).ok()
    }
}

/// What a path holds: itself, or the networks in a folder and in the folders there.
pub(crate) fn inside(path: &Path) -> Vec<Found> {
    let mut paths = Vec::new();
    collect(path, 2, &mut paths);
    paths.sort();
    let mut found: Vec<Found> = Vec::new();
    for path in paths {
        let mut name = name_of(&path);
        if MINDS.contains(&name.as_str()) || name == "random" {
            name = format!("my-{name}");
        }
        // The first of two files with one name has it.
        if !name.is_empty() && found.iter().all(|other| other.name != name) {
            found.push(Found { name, path });
        }
    }
    found
}

fn collect(path: &Path, depth: usize, to: &mut Vec<PathBuf>) {
    if is_network(path) {
        to.push(path.to_owned());
    } else if path.is_dir() && depth > 0 {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| collect(&entry.path(), depth - 1, to));
    }
}

fn is_network(path: &Path) -> bool {
    // A run's checkpoint is no mind: the best weights lie beside it.
    let ours = path.extension().is_some_and(|ext| ext == "safetensors") && !path.ends_with(nets::CHECKPOINT);
    ours || others::is_other(path)
}

/// The name of a file without what tells its format, in small letters, digits and hyphens.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ends = [".safetensors", ".pb.gz", ".pb", ".onnx", ".pth", ".pt"];
    let stem = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    stem.chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_of_networks_are_found_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        write("notes.txt", b"");
        write("Maia3 5M/maia3-5m.onnx", &others::samples::maia3_onnx(1));
        write("Maia3 5M/maia3-5m.onnx.data", b"");
        write("Maia-1/maia-1100.pb", &others::samples::leela_residual(1));
        write("Maia-1/maia-1900.pb", &others::samples::leela_residual(2));
        write("human.safetensors", b"");
        write("run/checkpoint.safetensors", b"");
        let found = inside(folder.path());
        let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["maia-1", "maia3-5m", "my-human"]);
        let ratings: Vec<_> = found.iter().map(Found::ratings).collect();
        assert_eq!(ratings, [Some((1100, 1900)), Some((600, 2600)), None]);
    }
}
