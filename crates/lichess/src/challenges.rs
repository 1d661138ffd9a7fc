//! Challenges and games that are done with: Lichess repeats what is open whenever the stream of events is opened, and a word may come late.

use std::collections::{HashSet, VecDeque};

/// As many as could still be open, and many more.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Remembered {
    known: HashSet<String>,
    /// Oldest first.
    order: VecDeque<String>,
}

impl Remembered {
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.known.contains(id)
    }

    /// Whether `id` comes for the first time.
    pub(crate) fn is_new(&mut self, id: &str) -> bool {
        if !self.known.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_known_and_memory_stays_small() {
        let mut remembered = Remembered::default();
        assert!(remembered.is_new("a") && !remembered.is_new("a"));
        (0..5000).for_each(|id| assert!(remembered.is_new(&id.to_string())));
        assert!(remembered.known.len() <= MOST && remembered.is_new("a"));
    }
}
