//! Where the session meets what thinks.

use chess::Moment;
use engine::{Search, Settings, Signals};

use crate::{minds::Names, signature};

/// The search for a set of names, or a sentence that says why there is none.
pub(crate) type Build = fn(names: &Names) -> Result<Box<dyn Search>, String>;

pub(crate) fn build(names: &Names) -> Result<Box<dyn Search>, String> {
    names.build(&Settings::default()).map_err(|error| format!("{error:#}"))
}

/// The parts of the hand-made evaluation, as a table for a person.
pub(crate) fn explain(moment: &Moment) -> String {
    engine::heuristic::explain(&moment.position).trim_end().to_owned()
}

/// Does the work of `tabiya bench` and tells what it took; half of the work would be a wrong signature.
pub(crate) fn bench(signals: &Signals, tell: &mut dyn FnMut(String)) {
    let settings = Settings { hash_mb: signature::HASH_MB, ..Settings::default() };
    let summary = signature::summary(signature::DEPTH, settings, signals);
    if !signals.is_stopped() {
        tell(summary);
    }
}
