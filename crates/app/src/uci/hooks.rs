//! Where the session meets what thinks.

use chess::Moment;
use engine::{Search, Settings, Signals};

use super::concern::Thinker;
use crate::{minds::Names, signature};

/// A search with a mind in it, and who that is; a test may not care.
pub(crate) struct Built {
    pub(crate) search: Box<dyn Search>,
    pub(crate) thinker: Option<Thinker>,
}

/// The search for a set of names, or a sentence that says why there is none.
pub(crate) type Build = fn(names: &Names) -> Result<Built, String>;

pub(crate) fn build(names: &Names) -> Result<Built, String> {
    let build = || {
        let mind = names.mind()?;
        let search = names.build_with(&mind, &Settings::default())?;
        let under = engine::find_search(&mind, &names.search)?.name;
        let thinker = Thinker { search: under, traits: mind.brain.traits().clone(), mind: mind.name };
        anyhow::Ok(Built { search, thinker: Some(thinker) })
    };
    build().map_err(|error| format!("{error:#}"))
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
