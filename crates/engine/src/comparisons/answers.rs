//! The transposition table: best moves, and the last answers to questions about a position.

use chess::PackedMove;

use super::judge::{Judge, Question, Worth};

/// A bound that was asked about, and whether its answer counts it in.
#[derive(Clone, Debug)]
struct Asked {
    bound: Worth,
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
    slots: Vec<Option<Answers>>,
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Table {
        // What is asked about is shared by many entries.
        Table { slots: vec![None; ((megabytes.max(1) << 20) / size_of::<Option<Answers>>()).max(1)] }
    }

    /// Forgets everything, in the same memory.
    pub(super) fn clear(&mut self) {
        self.slots.fill(None);
    }

    fn slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.slots.len() as u128) >> 64) as usize
    }

    pub(super) fn get(&self, key: u64) -> Option<&Answers> {
        self.slots[self.slot(key)].as_ref().filter(|answers| answers.key == key)
    }

    /// Adds an answer. Mates are counted from the root, so that answers about them hold for this path alone and are not kept.
    pub(super) fn put(&mut self, key: u64, depth: i32, best: PackedMove, said: Option<(Question<'_>, bool)>) {
        let slot = self.slot(key);
        let old = self.slots[slot].take().filter(|old| old.key == key);
        let mut new = Answers { key, best, depth, yes: None, no: None };
        if let Some(old) = old {
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
        self.slots[slot] = Some(new);
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
