//! Trees of the games that were thought about last. Each takes megabytes and a thread, so only so many are kept; a game that comes
//! back to its opponent later finds a new one.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use engine::Search;

/// All of them together stay below 150 MB.
const MOST: usize = 4;
/// Nobody thinks about a move for longer while the opponent's memory is worth its place.
const IDLE: Duration = Duration::from_secs(180);

/// The number of a game's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeId(u64);

struct Kept {
    id: TreeId,
    since: Instant,
    search: Box<dyn Search>,
}

#[derive(Default)]
pub(crate) struct Trees {
    /// The oldest first.
    kept: Mutex<VecDeque<Kept>>,
    given: AtomicU64,
}

impl Trees {
    pub(crate) fn new_id(&self) -> TreeId {
        TreeId(self.given.fetch_add(1, Ordering::Relaxed))
    }

    /// The search that thought about this game last, if it is still there.
    pub(crate) fn take(&self, id: TreeId) -> Option<Box<dyn Search>> {
        let mut kept = self.lock();
        let at = kept.iter().position(|kept| kept.id == id)?;
        kept.remove(at).map(|kept| kept.search)
    }

    pub(crate) fn keep(&self, id: TreeId, search: Box<dyn Search>) {
        let now = Instant::now();
        let mut kept = self.lock();
        kept.push_back(Kept { id, since: now, search });
        let late = kept.iter().filter(|kept| now.duration_since(kept.since) > IDLE).count();
        let dropped: Vec<Kept> = {
            let count = late.max(kept.len().saturating_sub(MOST));
            kept.drain(..count).collect()
        };
        // Trees take a while to be freed; others need not wait for that.
        drop(kept);
        drop(dropped);
    }

    pub(crate) fn forget(&self, id: TreeId) {
        let dropped = self.take(id);
        drop(dropped);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Trees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} trees", self.lock().len())
    }
}

#[cfg(test)]
mod tests {
    use engine::alpha_beta::AlphaBeta;

    use super::*;

    #[test]
    fn only_the_latest_trees_are_kept_and_each_belongs_to_its_game() {
        let trees = Trees::default();
        let ids: Vec<TreeId> = (0..MOST + 2).map(|_| trees.new_id()).collect();
        let small = || Box::new(AlphaBeta::new(engine::Settings { hash_mb: 1, ..Default::default() }));
        ids.iter().for_each(|&id| trees.keep(id, small()));
        let there: Vec<bool> = ids.iter().map(|&id| trees.take(id).is_some()).collect();
        assert_eq!(there.iter().filter(|&&is| is).count(), MOST);
        assert!(!there[0] && !there[1] && there[2]);
        trees.keep(ids[0], small());
        trees.forget(ids[0]);
        assert!(trees.take(ids[0]).is_none());
    }
}
