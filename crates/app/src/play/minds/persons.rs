//! Minds that play like one person, made of games that somebody brought. They are read when they are first needed, and only a few stay in
//! memory.

use std::{
    collections::{HashMap, VecDeque},
    fs,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use chess::Brain;
use engine::Mind;
use nets::human::{Person, PersonBrain};

use super::{
    catalogue::{MindCard, Network},
    evaluator::Evaluator,
};

/// Networks of their own that stay in memory; each has some 60 MB.
const MOST_LOADED: usize = 4;

/// What people are called whose minds are named `person-ID` or lie in the models folder, for titles of games of old as well.
static TITLES: RwLock<Option<HashMap<String, String>>> = RwLock::new(None);

pub(crate) fn title_of_person(family: &str) -> Option<String> {
    TITLES.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(family).cloned()
}

pub(super) fn call(family: &str, title: &str) {
    let mut titles = TITLES.write().unwrap_or_else(PoisonError::into_inner);
    titles.get_or_insert_default().insert(family.to_owned(), title.to_owned());
}

#[derive(Debug, Default)]
pub(crate) struct Persons(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    files: HashMap<String, Kept>,
    /// The one that was needed last at the end.
    loaded: VecDeque<Network>,
}

#[derive(Clone, Debug)]
struct Kept {
    title: String,
    rating: u16,
    /// Of her choices; her own network lies beside it, if there is one.
    path: PathBuf,
}

impl Persons {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the mind `family:search` known.
    pub(crate) fn register(&self, mind: &str, title: &str, rating: u16, path: PathBuf) {
        let family = mind.split(':').next().unwrap_or(mind);
        call(family, title);
        self.lock().files.insert(family.to_owned(), Kept { title: title.to_owned(), rating, path });
    }

    pub(crate) fn forget(&self, family: &str) {
        let mut known = self.lock();
        known.files.remove(family);
        known.loaded.retain(|network| network.mind.name != family);
    }

    pub(super) fn rating(&self, family: &str) -> Option<u16> {
        self.lock().files.get(family).map(|kept| kept.rating)
    }

    pub(super) fn knows(&self, family: &str) -> bool {
        self.lock().files.contains_key(family)
    }

    /// The mind of a family `person-ID`; `people` play on where her games end and she has no network of her own.
    pub(super) fn network(&self, family: &str, people: Option<&Evaluator>) -> Option<Network> {
        let mut known = self.lock();
        if let Some(at) = known.loaded.iter().position(|network| network.mind.name == family) {
            let network = known.loaded.remove(at)?;
            known.loaded.push_back(network.clone());
            return Some(network);
        }
        let Kept { title, rating, path } = known.files.get(family)?.clone();
        let brain = brain(&path, people)?;
        let evaluator = Evaluator::start(brain);
        let mind = Mind::new(family, Arc::new(evaluator.clone()));
        let name = format!("{family}:instant");
        let card = MindCard {
            name,
            title,
            about: String::new(),
            rated: false,
            rating: Some(rating),
            insights: vec![],
        };
        let network = Network { evaluator, mind, card };
        known.loaded.push_back(network.clone());
        if known.loaded.len() > MOST_LOADED {
            known.loaded.pop_front();
        }
        Some(network)
    }
}

fn brain(path: &std::path::Path, people: Option<&Evaluator>) -> Option<Arc<dyn Brain>> {
    let own = path.with_extension("safetensors");
    if own.exists() {
        match nets::load(&own) {
            Ok(brain) => return Some(brain),
            Err(error) => tracing::warn!("{}: {error}", own.display()),
        }
    }
    let person: Person = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    Some(Arc::new(PersonBrain::new(Arc::new(people?.clone()), &person)))
}
