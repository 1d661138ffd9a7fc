//! Our own players by name: the one place where names turn into searches.

use anyhow::Context;
use engine::{Search, Settings};

use super::random_mover::RandomMover;

/// Whether `text` names a mind of ours (`family:search`, or `random`) and not an engine's command.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |word: &str| {
        word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    text == "random" || text.split_once(':').is_some_and(|(family, search)| plain(family) && plain(search))
}

/// The search behind a name, with its settings applied.
pub(crate) fn build(name: &str, settings: &Settings) -> anyhow::Result<Box<dyn Search>> {
    let mut search: Box<dyn Search> = match name {
        "random" => Box::new(RandomMover),
        _ => {
            let (brain, search) = name.split_once(':').with_context(|| format!("`{name}` is not a mind"))?;
            engine::build(brain, search)?
        }
    };
    search.configure(settings);
    Ok(search)
}
