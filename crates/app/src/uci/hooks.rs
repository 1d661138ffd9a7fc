//! Where the session meets what thinks: the only file here that names brains and searches.

use chess::Moment;
use engine::{Search, Signals};

use super::stand_in::FirstMove;

/// What can be chosen; the first of each is the default.
pub(crate) const BRAINS: &[&str] = &["heuristic"];
pub(crate) const SEARCHES: &[&str] = &["alpha-beta"];

/// The search for a pair of names, or a sentence that says why there is none.
pub(crate) type Build = fn(brain: &str, search: &str) -> Result<Box<dyn Search>, String>;

pub(crate) fn build(_brain: &str, _search: &str) -> Result<Box<dyn Search>, String> {
    Ok(Box::new(FirstMove::default()))
}

/// The parts of the hand-made evaluation, as a table for a person.
pub(crate) fn explain(moment: &Moment) -> String {
    engine::heuristic::explain(&moment.position).trim_end().to_owned()
}

/// Does a fixed amount of work and tells what it took, line by line.
pub(crate) fn bench(_signals: &Signals, tell: &mut dyn FnMut(String)) {
    tell("info string bench is not connected yet".to_owned());
}
