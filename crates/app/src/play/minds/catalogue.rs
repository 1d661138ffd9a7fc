//! The minds that the page offers, and who thinks for them.

use std::sync::Arc;

use chess::{Brain, search_name};
use engine::{Mind, heuristic, searches_for};
use serde::Serialize;
use utoipa::ToSchema;

use crate::minds::{
    Names,
    found::{self, Found},
};

use super::{evaluator::Evaluator, search_pool::SearchPool, trees::Trees, turns::Turns};

/// The engine that judges moves in a review.
pub(crate) const ENGINE: &str = "heuristic:alpha-beta";
/// The network that says what people play.
const PEOPLE: &str = "human";
/// Opponents that think at the same time, without a tree and with one. More of them would share the same processors, each with
/// a thread and its stack; fewer would leave the shared networks half-empty batches.
const MOST_ANSWERING: usize = 6;
const MOST_SEARCHING: usize = 4;

/// A way to play, as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Mind)]
pub(crate) struct MindCard {
    /// `family:search`.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) about: String,
    /// Whether it plays at the rating that it is given.
    pub(crate) rated: bool,
}

/// A network that all games share.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) evaluator: Evaluator,
    /// The same as searches take it.
    pub(crate) mind: Mind,
    pub(crate) card: MindCard,
}

#[derive(Debug)]
pub(crate) struct Minds {
    pub(crate) networks: Vec<Network>,
    pub(crate) searches: SearchPool,
    /// Places for networks that answer at once, and for those under a search, which hold theirs for a second and more.
    pub(crate) answering: Turns,
    pub(crate) searching: Turns,
    pub(crate) trees: Trees,
    /// Every pair of a mind and a search that works; the first is the one that a player meets.
    pub(crate) cards: Vec<MindCard>,
}

impl Minds {
    /// All that come with the program, and those of the user's models folder.
    pub(crate) fn all() -> Minds {
        let networks = nets::FAMILIES.iter().filter_map(|family| Names::parse(family.name).mind().ok());
        Minds::start(networks.map(|mind| (mind.name, mind.brain)).chain(found::opponents()).collect())
    }

    pub(crate) fn start(networks: Vec<(String, Arc<dyn Brain>)>) -> Minds {
        let mut cards = Vec::new();
        let mut shared = Vec::new();
        for (name, brain) in networks {
            let evaluator = Evaluator::start(brain);
            let mind = Mind::new(name, Arc::new(evaluator.clone()));
            cards.extend(pairs(&mind));
            shared.push(Network { card: card(&mind, mind.usual_search()), evaluator, mind });
        }
        cards.extend(pairs(&Mind::heuristic()));
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Minds {
            networks: shared,
            searches: SearchPool::start(cores),
            answering: Turns::new(MOST_ANSWERING),
            searching: Turns::new(MOST_SEARCHING),
            trees: Trees::default(),
            cards,
        }
    }

    /// Threads that all who may think at once need, and a few for files.
    pub(crate) fn most_threads() -> usize {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        MOST_ANSWERING + MOST_SEARCHING + cores + 2
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        self.cards.iter().any(|card| card.name == name)
    }

    /// The network of a `family:search`, if it is one.
    pub(crate) fn network(&self, name: &str) -> Option<&Network> {
        let family = name.split(':').next()?;
        self.networks.iter().find(|network| network.mind.name == family)
    }

    pub(crate) fn people(&self) -> Option<&Evaluator> {
        self.networks.iter().find(|network| network.mind.name == PEOPLE).map(|network| &network.evaluator)
    }
}

fn pairs(mind: &Mind) -> Vec<MindCard> {
    let usual = mind.usual_search();
    let mut searches: Vec<&str> = searches_for(mind).map(|entry| entry.name).collect();
    searches.sort_by_key(|search| *search != usual);
    searches.into_iter().map(|search| card(mind, search)).collect()
}

/// A family that nobody has described yet is shown by its name.
fn card(mind: &Mind, search: &str) -> MindCard {
    let (title, about) = match mind.name.as_str() {
        PEOPLE => {
            ("Human-like", "Plays what people of the chosen rating play, and thinks as long as they do.")
        }
        heuristic::NAME => ("Engine", "Hand-made evaluation, at full strength."),
        "ranker" => {
            ("Ranker", "A network that learned from analysed games which of two positions is better.")
        }
        other => (other, "A network without a description."),
    };
    let found = found::named(&mind.name);
    let told = found.as_ref().map(about_found);
    let about = told.as_deref().unwrap_or(about);
    let name = format!("{}:{search}", mind.name);
    let rated = plays_at_rating(&name);
    let (title, about) = match search == mind.usual_search() {
        true => (title.to_owned(), about.to_owned()),
        false => {
            let about =
                format!("What `{}` thinks of positions, searched by {search}, at full strength.", mind.name);
            (format!("{title}, {search}"), about)
        }
    };
    MindCard { name, title, about, rated }
}

/// Whether the mind called `family:search` plays at the rating that it is given. All others play as well as they can.
pub(crate) fn plays_at_rating(name: &str) -> bool {
    let Some((family, search_name::INSTANT)) = name.split_once(':') else { return false };
    family == PEOPLE
        || found::named(family).and_then(|found| found.ratings()).is_some_and(|(least, most)| least < most)
}

/// What the page says of a network of the models folder.
fn about_found(found: &Found) -> String {
    match found.ratings() {
        Some((least, most)) if least < most => {
            format!(
                "From your models folder: plays what people of the chosen rating play, {least} to {most}."
            )
        }
        Some((rating, _)) => format!("From your models folder: plays what people rated {rating} play."),
        None => "A network from your models folder.".to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{super::test_brain::TestBrain, *};

    /// The engine, and a mind that costs nothing in the place of the human one.
    pub(crate) fn minds() -> Minds {
        Minds::start(vec![(PEOPLE.to_owned(), Arc::new(TestBrain::default()))])
    }

    #[test]
    fn networks_come_first_and_only_pairs_that_work() {
        let names = |minds: &Minds| minds.cards.iter().map(|card| card.name.clone()).collect::<Vec<_>>();
        let minds = minds();
        assert_eq!(names(&minds)[0], "human:instant");
        assert!(minds.knows(ENGINE) && !minds.knows("heuristic:instant") && minds.people().is_some());
        let alone = Minds::start(vec![]);
        assert_eq!((names(&alone)[0].as_str(), alone.people().is_none()), (ENGINE, true));
        assert!(alone.cards.iter().all(|card| card.name.starts_with("heuristic:")));
    }
}
