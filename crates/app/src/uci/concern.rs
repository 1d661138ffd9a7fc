//! For whom an option counts: setting one that the present mind and search do not heed deserves a word.

use chess::{Traits, search_name};

/// Who thinks, and how.
#[derive(Clone, Debug)]
pub(crate) struct Thinker {
    pub(crate) mind: String,
    pub(crate) search: &'static str,
    pub(crate) traits: Traits,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Concern {
    Everybody,
    /// Minds that play like people of a rating.
    Levels,
    /// Minds that foresee how long a person thinks, asked without a tree.
    Timing,
    /// One family of networks.
    Family(&'static str),
    Searches(&'static [&'static str]),
}

/// Searches with a table, a tree, batches, threads, tablebases.
pub(super) const TABLE: Concern =
    Concern::Searches(&[search_name::ALPHA_BETA, search_name::BATCH_FIRST, search_name::COMPARISONS]);
pub(super) const TREE: Concern = Concern::Searches(&[search_name::PUCT, search_name::BATCH_FIRST]);
pub(super) const THREADS: Concern =
    Concern::Searches(&[search_name::ALPHA_BETA, search_name::PUCT, search_name::BATCH_FIRST]);
pub(super) const TABLEBASES: Concern = Concern::Searches(&[search_name::ALPHA_BETA, search_name::PUCT]);
pub(super) const PUCT: Concern = Concern::Searches(&[search_name::PUCT]);
/// Moves are drawn by their chances.
pub(super) const DRAWN: Concern = Concern::Searches(&[search_name::INSTANT]);

impl Concern {
    pub(crate) fn includes(self, thinker: &Thinker) -> bool {
        match self {
            Concern::Everybody => true,
            Concern::Levels => thinker.traits.context,
            Concern::Timing => thinker.traits.think && thinker.search == search_name::INSTANT,
            Concern::Family(name) => thinker.mind == name,
            Concern::Searches(names) => names.contains(&thinker.search),
        }
    }
}
