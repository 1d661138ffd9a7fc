//! The transposition table: best moves, and the last answers to questions about a position.

use chess::PackedMove;

use super::judge::{Judge, Question, Value};

/// A bound that was asked about, and whether its answer counts it in.
#[derive(Clone, Debug)]
struct Asked {
    bound: Value,
    or_equal: bool,
}

/// What is known of a position.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    key: u64,
    pub(super) best: PackedMove,
    pub(super) depth: i32,
    /// The last bound that it leads to more than, and the last that it does not.
    yes: Option<Asked>,
    no: Option<Asked>,
}

#[derive(Debug)]
pub(super) struct Table {
    /// Where the answers about a position are, from 1; 0 is nowhere. Memory as the system gives it takes no time before it is written to.
    places: Vec<u32>,
    answers: Vec<Answers>,
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Table {
        // What is asked about is shared by many entries.
        let count = (megabytes.max(1) << 20) / (size_of::<Answers>() + size_of::<u32>());
        let count = count.clamp(1, u32::MAX as usize - 1);
        Table { places: vec![0; count], answers: Vec::with_capacity(count) }
    }

    pub(super) fn clear(&mut self) {
        let count = self.places.len();
        self.answers.clear();
        self.places = Vec::new();
        self.places = vec![0; count];
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.places.len() as u128) >> 64) as usize
    }

    fn at(&self, place: usize) -> Option<&Answers> {
        self.answers.get((self.places[place] as usize).checked_sub(1)?)
    }

    pub(super) fn get(&self, key: u64) -> Option<&Answers> {
        self.at(self.place(key)).filter(|answers| answers.key == key)
    }

    /// Adds an answer. Mates are counted from the root, so that answers about them hold for this path alone and are not kept.
    pub(super) fn put(&mut self, key: u64, depth: i32, best: PackedMove, said: Option<(Question<'_>, bool)>) {
        let place = self.place(key);
        let mut new = Answers { key, best, depth, yes: None, no: None };
        if let Some(old) = self.at(place).filter(|old| old.key == key).cloned() {
            if best.is_none() {
                new.best = old.best;
            }
            if old.depth == depth {
                (new.yes, new.no) = (old.yes, old.no);
            }
        }
        if let Some((question, yes)) = said.filter(|(question, _)| !question.bound.is_mate()) {
            let asked = Some(Asked { bound: question.bound.clone(), or_equal: question.or_equal });
            if yes { new.yes = asked } else { new.no = asked }
        }
        match (self.places[place] as usize).checked_sub(1) {
            Some(at) => self.answers[at] = new,
            None => {
                self.answers.push(new);
                self.places[place] = self.answers.len() as u32;
            }
        }
    }
}

impl Answers {
    /// The answer to a question, where an earlier one implies it.
    pub(super) fn answer(&self, judge: &mut Judge, question: Question<'_>) -> Option<bool> {
        let Question { bound, or_equal } = question;
        if let Some(yes) = &self.yes {
            let implied = match yes.bound.is(bound) {
                true => or_equal || !yes.or_equal,
                false => judge.better(&yes.bound, bound),
            };
            if implied {
                return Some(true);
            }
        }
        let no = self.no.as_ref()?;
        let implied = match no.bound.is(bound) {
            true => !or_equal || no.or_equal,
            false => judge.better(bound, &no.bound),
        };
        implied.then_some(false)
    }
}
