//! What the user should know about his settings, once, and within a search: GUIs take words at other times for errors.

use std::collections::HashSet;

use super::{concern::Thinker, options::UciOption, output::Output};

#[derive(Default)]
pub(crate) struct Remarks {
    touched: Vec<&'static UciOption>,
    waiting: Vec<String>,
    said: HashSet<String>,
}

impl Remarks {
    /// Takes in options that were set on purpose, and a sentence of others.
    pub(crate) fn take(&mut self, touched: Vec<&'static UciOption>, word: Option<String>) {
        self.touched.extend(touched);
        self.waiting.extend(word);
    }

    pub(crate) fn threads(&mut self, wanted: usize, processors: usize) {
        if wanted > processors {
            self.waiting.push(format!("{processors} of {wanted} Threads are used, one for each processor"));
        }
    }

    pub(crate) fn hash(&mut self, wanted_mb: usize, present_mb: usize) {
        self.waiting.push(format!("no room for {wanted_mb} MiB of Hash, which stays at {present_mb}"));
    }

    /// Says what has not been said yet.
    pub(crate) fn say(&mut self, thinker: Option<&Thinker>, output: &Output) {
        for option in self.touched.drain(..) {
            if let Some(thinker) = thinker.filter(|thinker| !option.concern.includes(thinker)) {
                let Thinker { mind, search, .. } = thinker;
                self.waiting.push(format!("{} changes nothing for `{mind}` under `{search}`", option.name));
            }
        }
        for sentence in self.waiting.drain(..) {
            if !self.said.contains(&sentence) {
                output.say(&sentence);
                self.said.insert(sentence);
            }
        }
    }
}
