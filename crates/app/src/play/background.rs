//! Long work on what players brought: one at a time, whoever brought it, so that games that are played go first; with the share that is done.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt::Display,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Semaphore;
use tracing::warn;

#[derive(Debug)]
pub(crate) struct Background {
    /// What the work is called in the log.
    what: &'static str,
    place: Semaphore,
    running: Mutex<HashMap<String, f32>>,
}

impl Background {
    pub(crate) fn new(what: &'static str) -> Arc<Background> {
        Arc::new(Background { what, place: Semaphore::new(1), running: Mutex::default() })
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, f32>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a piece of work when its turn comes, unless it waits or goes on already.
    pub(crate) fn start<Work, Fault>(self: &Arc<Background>, id: &str, work: Work)
    where
        Work: Future<Output = Result<(), Fault>> + Send + 'static,
        Fault: Display + Send + 'static,
    {
        match self.running().entry(id.to_owned()) {
            Entry::Occupied(_) => return,
            Entry::Vacant(place) => drop(place.insert(0.0)),
        }
        let (background, id) = (Arc::clone(self), id.to_owned());
        tokio::spawn(async move {
            let _place = background.place.acquire().await;
            if let Err(error) = work.await {
                warn!("{} {id}: {error:#}", background.what);
            }
            background.running().remove(&id);
        });
    }

    /// Notes how far a piece of work is.
    pub(crate) fn tell(&self, id: &str, share: f32) {
        if let Some(known) = self.running().get_mut(id) {
            *known = share;
        }
    }

    /// The share that is done of what has not ended yet.
    pub(crate) fn share(&self, id: &str) -> f32 {
        self.running().get(id).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible, sync::atomic::AtomicUsize, sync::atomic::Ordering::SeqCst, time::Duration,
    };

    use super::*;

    #[tokio::test]
    async fn work_is_done_once_and_one_at_a_time() {
        let background = Background::new("work");
        let (now, most, all) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        for id in ["a", "b", "a", "c", "b"] {
            let (now, most, all) = (Arc::clone(&now), Arc::clone(&most), Arc::clone(&all));
            background.start(id, async move {
                most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                tokio::time::sleep(Duration::from_millis(2)).await;
                now.fetch_sub(1, SeqCst);
                all.fetch_add(1, SeqCst);
                Ok::<(), Infallible>(())
            });
        }
        background.tell("b", 0.5);
        assert_eq!((background.share("b"), background.share("nothing")), (0.5, 0.0));
        while all.load(SeqCst) < 3 || background.share("b") > 0.0 {
            tokio::task::yield_now().await;
        }
        assert_eq!((most.load(SeqCst), all.load(SeqCst)), (1, 3));
    }
}
