//! What the command line sets before the GUI says a word, so that one program can stand in a GUI's list several times.

use super::{options, preferences::Preferences};

/// Options that stand at other values than usual, and the name under which the engine introduces itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    name: Option<String>,
    options: Vec<(&'static str, String)>,
    pub(crate) preferences: Preferences,
}

impl Defaults {
    pub(crate) fn named(name: Option<String>) -> Defaults {
        Defaults { name, ..Defaults::default() }
    }

    /// Sets an option; what is wrong with it comes back as a sentence.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        if let Some(sentence) = self.preferences.set(name, Some(value)) {
            return Err(sentence);
        }
        if let Some(option) = options::find(name) {
            self.options.retain(|(set, _)| *set != option.name);
            self.options.push((option.name, value.to_owned()));
        }
        Ok(())
    }

    /// What an option stands at, where that is not the usual value.
    pub(crate) fn value(&self, option: &str) -> Option<&str> {
        self.options.iter().find(|(name, _)| *name == option).map(|(_, value)| value.as_str())
    }

    /// What the engine calls itself: the name that was given, or one after who plays.
    pub(crate) fn title(&self, preferences: &Preferences) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let version = env!("CARGO_PKG_VERSION");
        let names = preferences.names();
        if *preferences == Preferences::default() {
            return format!("Tabiya {version}");
        }
        let mind = match names.weights.as_deref().and_then(|path| path.file_stem()) {
            Some(stem) => stem.to_string_lossy().into_owned(),
            None => names.mind.clone(),
        };
        let mut title = format!("Tabiya {mind}");
        if names.search != engine::AUTO {
            title += &format!(":{}", names.search);
        }
        let rated = self.value("UCI_Elo").is_some() || preferences.limit_strength;
        if rated && names.search == engine::AUTO {
            title += &format!(" {}", preferences.settings.human.rating);
        }
        title
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_says_who_plays() {
        for (options, title) in [
            (&[][..], concat!("Tabiya ", env!("CARGO_PKG_VERSION"))),
            (&[("Brain", "human"), ("UCI_Elo", "1500")], "Tabiya human 1500"),
            (&[("Brain", "human")], "Tabiya human"),
            (&[("Brain", "Ranker")], "Tabiya ranker"),
            (&[("Brain", "ranker"), ("Search", "batch-first")], "Tabiya ranker:batch-first"),
            (&[("UCI_LimitStrength", "true"), ("UCI_Elo", "1800")], "Tabiya human 1800"),
        ] {
            let mut defaults = Defaults::default();
            for (name, value) in options {
                defaults.set(name, value).unwrap();
            }
            assert_eq!(defaults.title(&defaults.preferences), title);
        }
        assert_eq!(
            Defaults::default().set("Brain", "oracle").unwrap_err().split(',').next(),
            Some("Brain has no `oracle`")
        );
    }
}
