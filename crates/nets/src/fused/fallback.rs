//! Says once of each part of a network that it is computed by burn's own operations, and why.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use tracing::warn;

static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Whether this is the first time.
pub(crate) fn tell(what: &str) -> bool {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let is_new = told.insert(what.to_owned());
    if is_new {
        warn!("{what} does not fit the fused kernels: burn's own operations compute it, which are slower");
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::{super::Operation, *};

    #[test]
    fn a_fallback_is_told_once_with_its_sizes() {
        let odd = || Operation::Residual { channels: 23, reduced: 0 };
        assert!(odd().describe().contains("23 channels"), "{}", odd().describe());
        assert!(odd().possible().is_none());
        assert!(!tell(&odd().describe()), "`possible` has told it already");
    }
}
