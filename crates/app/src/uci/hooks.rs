//! Where the session meets what thinks: the only file here that names brains and searches.

use chess::Moment;
use engine::{Search, Settings, Signals};

/// What can be chosen; the first of each is the default.
pub(crate) use engine::{BRAINS, SEARCHES};

use crate::bench;

/// The search for a pair of names, or a sentence that says why there is none.
pub(crate) type Build = fn(brain: &str, search: &str) -> Result<Box<dyn Search>, String>;

pub(crate) fn build(brain: &str, search: &str) -> Result<Box<dyn Search>, String> {
    engine::build(brain, search).map_err(|error| error.to_string())
}

/// The parts of the hand-made evaluation, as a table for a person.
pub(crate) fn explain(moment: &Moment) -> String {
    engine::heuristic::explain(&moment.position).trim_end().to_owned()
}

/// Does the work of `tabiya bench` and tells what it took; half of the work would be a wrong signature.
pub(crate) fn bench(signals: &Signals, tell: &mut dyn FnMut(String)) {
    let settings = Settings { hash_mb: bench::HASH_MB, ..Settings::default() };
    let summary = bench::summary(bench::DEPTH, settings, signals);
    if !signals.is_stopped() {
        tell(summary);
    }
}
