//! The minds that the page offers, and who thinks for them.

use std::sync::Arc;

use chess::{Brain, search_name};
use engine::{Mind, heuristic, searches_for};
use serde::Serialize;
use utoipa::ToSchema;

use crate::minds::{
    Names, PEOPLE,
    found::{self, Found},
};

use super::{
    analyses::{self, Analyses},
    evaluator::Evaluator,
    persons::{self, Persons},
    search_pool::SearchPool,
    trees::Trees,
    turns::Turns,
};

/// The engine that judges moves in a review.
pub(crate) const ENGINE: &str = "heuristic:alpha-beta";
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
    /// The rating of the person that it plays like, if it is one.
    pub(crate) rating: Option<u16>,
    /// In which ways it can be looked into.
    pub(crate) insights: Vec<Insight>,
}

/// A way to look into a mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Insight {
    /// The graph that it attends along.
    Web,
    /// How its opinion changes from pass to pass.
    Passes,
    /// The future that it imagines, as it forms.
    Imagination,
}

impl Insight {
    fn of(family: &str) -> Option<Insight> {
        match family {
            "graph" => Some(Insight::Web),
            "recycler" => Some(Insight::Passes),
            "planner" => Some(Insight::Imagination),
            _ => None,
        }
    }
}

/// A network that all games share.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) evaluator: Evaluator,
    /// The same as searches take it.
    pub(crate) mind: Mind,
    pub(crate) card: MindCard,
}

/// A family as players meet it.
struct Character {
    family: &'static str,
    /// The search with which it needs no further name.
    search: &'static str,
    title: &'static str,
    about: &'static str,
}

const CHARACTERS: &[Character] = &[
    Character {
        family: PEOPLE,
        search: search_name::INSTANT,
        title: "Robin",
        about: "Plays what people of the chosen rating play, and thinks as long as they do.",
    },
    Character {
        family: heuristic::NAME,
        search: search_name::ALPHA_BETA,
        title: "Ferrum",
        about: "The engine: an evaluation made by hand and a deep search, at full strength.",
    },
    Character {
        family: "ranker",
        search: search_name::PUCT,
        title: "Ordina",
        about: "A network that learned from analysed games which of two positions is better.",
    },
    Character {
        family: "recycler",
        search: search_name::INSTANT,
        title: "Echo",
        about: "A transformer that reads its own conclusions again before it answers.",
    },
    Character {
        family: "graph",
        search: search_name::INSTANT,
        title: "Webb",
        about: "Sees a position as a web of attacks, defences and lines between pieces.",
    },
    Character {
        family: "comparator",
        search: search_name::ALPHA_BETA,
        title: "Libra",
        about: "Weighs two positions against each other, and was taught nothing else.",
    },
    Character {
        family: "planner",
        search: search_name::INSTANT,
        title: "Delphi",
        about: "Imagines the moves to come and corrects what it imagined.",
    },
];

#[derive(Debug)]
pub(crate) struct Minds {
    pub(crate) networks: Vec<Network>,
    pub(crate) searches: SearchPool,
    pub(crate) analyses: Analyses,
    /// Places for networks that answer at once, and for those under a search, which hold theirs for a second and more.
    pub(crate) answering: Turns,
    pub(crate) searching: Turns,
    pub(crate) trees: Trees,
    /// Minds made of games that players brought.
    pub(crate) persons: Persons,
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
            analyses: Analyses::new(),
            answering: Turns::new(MOST_ANSWERING),
            searching: Turns::new(MOST_SEARCHING),
            trees: Trees::default(),
            persons: Persons::default(),
            cards,
        }
    }

    /// Threads that all who may think at once need, and a few for files.
    pub(crate) fn most_threads() -> usize {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        MOST_ANSWERING + MOST_SEARCHING + analyses::PLACES + cores + 2
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        let person = || name.strip_suffix(":instant").is_some_and(|family| self.persons.knows(family));
        self.cards.iter().any(|card| card.name == name) || person()
    }

    /// The rating of the person whom the mind called `name` plays like.
    pub(crate) fn rating_of(&self, name: &str) -> Option<u16> {
        let card = self.cards.iter().find(|card| card.name == name);
        card.map_or_else(|| self.persons.rating(name.split(':').next()?), |card| card.rating)
    }

    /// The network of a `family:search`, if it is one.
    pub(crate) fn network(&self, name: &str) -> Option<Network> {
        let family = name.split(':').next()?;
        let known = self.networks.iter().find(|network| network.mind.name == family);
        known.cloned().or_else(|| self.persons.network(family, self.people()))
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

fn card(mind: &Mind, search: &str) -> MindCard {
    let name = format!("{}:{search}", mind.name);
    let known = character(&mind.name);
    let found = found::named(&mind.name);
    let person = found.as_ref().and_then(Found::person);
    if let Some(person) = &person {
        persons::call(&mind.name, &person.name);
    }
    let about = || match &found {
        Some(found) => about_found(found),
        None => known.map_or("A network without a description.", |known| known.about).to_owned(),
    };
    let (title, about) = match search == mind.usual_search() {
        true => (
            known.map_or_else(
                || person.as_ref().map_or(mind.name.clone(), |p| p.name.clone()),
                |known| known.title.to_owned(),
            ),
            about(),
        ),
        false => (
            title_of(&name),
            format!("What `{}` thinks of positions, searched by {search}, at full strength.", mind.name),
        ),
    };
    let rating = person.and_then(|person| person.rating).map(|rating| rating.clamp(600, 2600));
    let family = found.as_ref().map_or_else(|| Some(mind.name.clone()), Found::family);
    let insights = family.as_deref().and_then(Insight::of).into_iter().collect();
    MindCard { title, about, rated: rating.is_none() && plays_at_rating(&name), rating, insights, name }
}

/// What players call the mind named `family:search`. A family that nobody has described yet is shown by its name.
pub(crate) fn title_of(name: &str) -> String {
    let (family, search) = name.split_once(':').unwrap_or((name, ""));
    if let Some(known) = character(family) {
        return match known.search == search {
            true => known.title.to_owned(),
            false => format!("{}, {search}", known.title),
        };
    }
    match persons::title_of_person(family) {
        Some(title) if search == search_name::INSTANT => title,
        Some(title) => format!("{title}, {search}"),
        None if family.starts_with("person-") => "A person".to_owned(),
        None => name.replace(':', ", "),
    }
}

fn character(family: &str) -> Option<&'static Character> {
    CHARACTERS.iter().find(|known| known.family == family)
}

/// Whether the mind called `family:search` plays at the rating that it is given. All others play as well as they can.
pub(crate) fn plays_at_rating(name: &str) -> bool {
    let Some((family, search_name::INSTANT)) = name.split_once(':') else { return false };
    family == PEOPLE
        || persons::title_of_person(family).is_some()
        || found::named(family).and_then(|found| found.ratings()).is_some_and(|(least, most)| least < most)
}

/// What the page says of a network of the models folder.
fn about_found(found: &Found) -> String {
    if let Some(person) = found.person() {
        let rating = person.rating.map_or(String::new(), |rating| format!(", rated {rating}"));
        return format!(
            "From your models folder: plays like {}{rating}, of {} games.",
            person.name, person.games
        );
    }
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
