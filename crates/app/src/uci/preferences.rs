//! What the options have set.

use chess::search_name;
use engine::{AUTO, HumanSettings, Settings};

use super::options;
use crate::minds::{self, Names, PEOPLE};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preferences {
    pub(crate) settings: Settings,
    /// As they were named; [`Preferences::names`] is who plays.
    pub(crate) names: Names,
    /// Play like a person of a rating, whatever mind and search are named.
    pub(crate) limit_strength: bool,
    pub(crate) chess960: bool,
    pub(crate) show_wdl: bool,
    /// How often a fresh start without old memories was asked for.
    pub(crate) clearings: usize,
}

impl Preferences {
    pub(crate) fn human(&mut self) -> &mut HumanSettings {
        &mut self.settings.human
    }

    /// Who is to play. A GUI that limits the strength wants an opponent of a rating: the mind `human` without a tree, or a network of
    /// the user's that knows levels too.
    pub(crate) fn names(&self) -> Names {
        if !self.limit_strength {
            return self.names.clone();
        }
        let passes = self.names.passes;
        match self.names.weights.as_deref().filter(|path| minds::knows_levels(path)) {
            Some(path) => {
                Names { passes, search: AUTO.to_owned(), weights: Some(path.to_owned()), ..Names::default() }
            }
            None => Names { passes, ..Names::parse(PEOPLE) },
        }
    }

    /// A word to who named a mind or a search and gets another.
    pub(crate) fn stands_in(&self) -> Option<String> {
        let usual = self.names == Names { passes: self.names.passes, ..Names::default() };
        let by_level = self.names.mind == PEOPLE
            && (self.names.search == AUTO || self.names.search == search_name::INSTANT);
        let replaced = self.limit_strength && !usual && !by_level && self.names().weights.is_none();
        replaced.then(|| {
            let rating = self.settings.human.rating;
            format!(
                "UCI_LimitStrength is on, so `{PEOPLE}` plays, at {rating}; {} thinks without it",
                self.names
            )
        })
    }

    /// Carries out `setoption`, see [`options::UciOption::set`].
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Option<String> {
        match options::find(name) {
            Some(option) => option.set(self, value),
            None => Some(format!("there is no option `{name}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limited_strength_is_a_level_of_the_human_mind_whatever_is_named() {
        for (mind, search, told) in [
            ("heuristic", "auto", false),
            ("heuristic", "alpha-beta", true),
            ("ranker", "auto", true),
            ("ranker", "batch-first", true),
            ("human", "auto", false),
            ("human", "instant", false),
            ("human", "puct", true),
        ] {
            let mut preferences = Preferences::default();
            for (name, value) in [("Brain", mind), ("Search", search)] {
                assert_eq!(preferences.set(name, Some(value)), None);
            }
            assert_eq!(preferences.stands_in(), None, "not limited");
            assert_eq!(
                (preferences.names().mind.as_str(), preferences.names().search.as_str()),
                (mind, search)
            );
            preferences.set("UCI_LimitStrength", Some("true"));
            assert_eq!(
                (preferences.names().mind.as_str(), preferences.names().search.as_str()),
                ("human", "auto")
            );
            assert_eq!(preferences.stands_in().is_some(), told, "{mind}:{search}");
        }
    }
}
