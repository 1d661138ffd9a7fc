//! Searches that think for as long as somebody listens. They have places of their own, so that games do not wait for them.

use std::{fmt, sync::Arc};

use chess::Moment;
use engine::{AUTO, Info, Limits, Mind, Search, Settings, Signals, Task};
use tracing::warn;

use super::{
    catalogue::Minds,
    search_pool::StopWhenDropped,
    turns::{Asker, Turns},
};

/// At once; more would take the processor from those who play.
pub(crate) const PLACES: usize = 2;
const HASH_MB: usize = 64;
const TREE_MB: usize = 64;

pub(crate) struct Analyses(Turns);

impl Analyses {
    pub(crate) fn new() -> Analyses {
        Analyses(Turns::new(PLACES))
    }

    /// Lets `mind` think within `limits` and tells what it finds. Whoever drops this stops it.
    #[expect(clippy::too_many_arguments, reason = "a question with everything that belongs to it")]
    pub(crate) async fn analyse(
        &self,
        asker: &Asker,
        mind: &str,
        minds: &Minds,
        moment: Moment,
        limits: Limits,
        lines: usize,
        mut hear: impl FnMut(&Info) + Send + 'static,
    ) -> Option<()> {
        let (family, search) = mind.split_once(':').unwrap_or((mind, AUTO));
        let search = search.to_owned();
        // The network that the games use as well: its batches take in the questions of all.
        let mind = minds.network(family).map_or_else(Mind::heuristic, |network| network.mind);
        let turn = self.0.take(asker).await;
        let signals = Arc::new(Signals::new());
        let _stop = StopWhenDropped(Arc::clone(&signals));
        let thinking = tokio::task::spawn_blocking(move || {
            // Kept until the thread is done, even if nobody waits for it any more.
            let _turn = turn;
            let mut search: Box<dyn Search> = engine::build(&mind, &search).ok()?;
            search.configure(&Settings {
                hash_mb: HASH_MB,
                tree_mb: TREE_MB,
                multipv: lines,
                ..Settings::default()
            });
            search.choose(&moment, Task { limits, signals: &signals, report: &mut hear });
            Some(())
        });
        thinking.await.inspect_err(|error| warn!("an analysis failed: {error}")).ok()?
    }
}

impl fmt::Debug for Analyses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Analyses with {:?}", self.0)
    }
}
