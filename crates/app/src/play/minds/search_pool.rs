//! Searches for all players: each is lent to one question at a time, and all of them wait for a processor in one line.
//!
//! Nobody gets more work done than the limits allow, a search ends when nobody waits for it any more, and one that fails is
//! thrown away.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chess::{Moment, shakmaty::Move};
use engine::{Info, Limits, Score, Search, Settings, Signals, Task};
use tracing::warn;

use super::turns::{Asker, Turns};
use crate::minds::Names;

const HASH_MB: usize = 16;
const TREE_MB: usize = 24;
/// Thought that is worth waiting for, however many others wait.
const SHORTEST: Duration = Duration::from_millis(50);

type Idle = Arc<Mutex<HashMap<String, Vec<Box<dyn Search>>>>>;

#[derive(Clone)]
pub(crate) struct SearchPool {
    turns: Turns,
    /// Searches that nobody needs at the moment, by the names of their minds: never more of a kind than places.
    idle: Idle,
}

/// What a search found: its move, and its best lines as they stood last.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchResult {
    pub(crate) best: Option<Move>,
    pub(crate) score: Option<Score>,
    pub(crate) lines: Vec<Line>,
    pub(crate) depth: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) score: Score,
    pub(crate) moves: Vec<Move>,
}

/// Stops a search whose answer nobody waits for any more.
pub(crate) struct StopWhenDropped(pub(crate) Arc<Signals>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl SearchPool {
    pub(crate) fn start(places: usize) -> SearchPool {
        SearchPool { turns: Turns::new(places), idle: Idle::default() }
    }

    /// Lets the search called `mind` think; nothing if it broke down. The more wait, the shorter each may think.
    pub(crate) async fn think(
        &self,
        asker: &Asker,
        mind: &str,
        moment: Moment,
        limits: Limits,
        lines: usize,
    ) -> Option<SearchResult> {
        self.lend(asker, mind, move |search, signals, crowd| {
            think(search, &moment, shared(limits, crowd), signals, lines)
        })
        .await
    }

    /// The same without a memory of what was thought before: equal questions get equal answers, whoever asked in between.
    pub(crate) async fn think_anew(
        &self,
        asker: &Asker,
        mind: &str,
        moment: Moment,
        nodes: u64,
        lines: usize,
    ) -> Option<SearchResult> {
        self.lend(asker, mind, move |search, signals, _| {
            search.new_game();
            think(search, &moment, Limits::nodes(nodes), signals, lines)
        })
        .await
    }

    /// Lends a search to `work` when it is its turn, on a thread that may wait.
    async fn lend<T: Send + 'static>(
        &self,
        asker: &Asker,
        mind: &str,
        work: impl FnOnce(&mut dyn Search, &Signals, u32) -> T + Send + 'static,
    ) -> Option<T> {
        let turn = self.turns.take(asker).await;
        let crowd = self.turns.crowd();
        let (idle, mind) = (Arc::clone(&self.idle), mind.to_owned());
        let signals = Arc::new(Signals::new());
        let _stop = StopWhenDropped(Arc::clone(&signals));
        let thinking = tokio::task::spawn_blocking(move || {
            // Kept until the thread is done, even if nobody waits for it any more.
            let _turn = turn;
            let known = lock(&idle).get_mut(&mind).and_then(Vec::pop);
            let search = known.map_or_else(|| Names::parse(&mind).build(&settings(1)), Ok);
            let mut search = search.inspect_err(|error| warn!("{mind}: {error:#}")).ok()?;
            let found = work(&mut *search, &signals, crowd);
            lock(&idle).entry(mind).or_default().push(search);
            Some(found)
        });
        thinking.await.inspect_err(|error| warn!("a search failed: {error}")).ok()?
    }
}

/// A share of the time, where others wait for theirs.
pub(crate) fn shared(limits: Limits, crowd: u32) -> Limits {
    let move_time = limits.move_time.map(|time| (time / crowd).max(SHORTEST.min(time)));
    Limits { move_time, ..limits }
}

fn lock(idle: &Idle) -> std::sync::MutexGuard<'_, HashMap<String, Vec<Box<dyn Search>>>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

fn settings(lines: usize) -> Settings {
    Settings { hash_mb: HASH_MB, tree_mb: TREE_MB, multipv: lines, ..Settings::default() }
}

fn think(
    search: &mut dyn Search,
    moment: &Moment,
    limits: Limits,
    signals: &Signals,
    lines: usize,
) -> SearchResult {
    let mut thought = SearchResult::default();
    search.configure(&settings(lines));
    let mut report = |info: &Info| {
        let line = Line { score: info.score, moves: info.line.clone() };
        thought.depth = thought.depth.max(info.depth);
        match thought.lines.get_mut(info.multipv.saturating_sub(1)) {
            Some(known) => *known = line,
            None => thought.lines.push(line),
        }
    };
    let choice = search.choose(moment, Task { limits, signals, report: &mut report });
    // A search that was cut short may have changed its mind after it last spoke.
    let chosen = thought.lines.iter().position(|line| line.moves.first() == choice.best.as_ref());
    if let Some(place) = chosen {
        thought.lines[..=place].rotate_right(1);
    }
    // Its last word stands where it was cut off before it had a value for its choice.
    let score = choice.score.or(thought.lines.first().map(|line| line.score));
    SearchResult { best: choice.best, score, ..thought }
}

impl fmt::Debug for SearchPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SearchPool with {:?}", self.turns)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::turns::Urgency, *};

    const ENGINE: &str = "heuristic:alpha-beta";

    fn anyone() -> Asker {
        Asker::new("anyone", Urgency::Game)
    }

    #[tokio::test]
    async fn more_jobs_than_places_all_get_their_answer() {
        let searches = SearchPool::start(2);
        let anyone = anyone();
        let ask = |_| searches.think(&anyone, ENGINE, Moment::default(), Limits::nodes(2000), 3);
        for thought in futures_util::future::join_all((0..8).map(ask)).await {
            let thought = thought.unwrap();
            assert_eq!(thought.lines.len(), 3);
            assert_eq!(thought.best, Some(thought.lines[0].moves[0]));
            assert!(thought.score.is_some());
        }
        assert_eq!(lock(&searches.idle)[ENGINE].len(), 2, "no more searches than places are kept");
        let none = searches.think(&anyone, "no:such", Moment::default(), Limits::nodes(1), 1).await;
        assert!(none.is_none());
    }

    #[tokio::test]
    async fn a_search_that_nobody_waits_for_ends_and_its_place_is_free() {
        let searches = SearchPool::start(1);
        let anyone = anyone();
        // Without limits it thinks for ever.
        let asked = searches.think(&anyone, ENGINE, Moment::default(), Limits::default(), 1);
        assert!(tokio::time::timeout(Duration::from_millis(30), asked).await.is_err());
        let next = searches.think(&anyone, ENGINE, Moment::default(), Limits::nodes(100), 1).await;
        assert!(next.unwrap().best.is_some());
    }

    #[tokio::test]
    async fn thoughts_without_a_memory_are_the_same_every_time() {
        let searches = SearchPool::start(1);
        let anyone = anyone();
        let anew = || searches.think_anew(&anyone, ENGINE, Moment::default(), 20_000, 1);
        let first = anew().await.unwrap();
        searches.think(&anyone, ENGINE, Moment::default(), Limits::nodes(50_000), 1).await.unwrap();
        let again = anew().await.unwrap();
        assert_eq!((first.best, first.score, first.depth), (again.best, again.score, again.depth));
    }

    struct Failing;

    impl Search for Failing {
        fn choose(&mut self, _: &Moment, _: Task<'_>) -> engine::Choice {
            panic!("as the test wants")
        }

        fn configure(&mut self, _: &Settings) {}

        fn new_game(&mut self) {}
    }

    #[tokio::test]
    async fn a_search_that_panics_is_replaced_and_its_place_is_free() {
        let searches = SearchPool::start(1);
        lock(&searches.idle).insert(ENGINE.to_owned(), vec![Box::new(Failing)]);
        let anyone = anyone();
        let ask = || searches.think(&anyone, ENGINE, Moment::default(), Limits::nodes(100), 1);
        assert!(ask().await.is_none());
        assert!(ask().await.unwrap().best.is_some());
    }

    #[test]
    fn a_crowd_shortens_thought_down_to_a_least() {
        let second = Limits::move_time(Duration::from_secs(1));
        let time = |crowd| shared(second.clone(), crowd).move_time.unwrap().as_millis();
        assert_eq!([1, 4, 1000].map(time), [1000, 250, 50]);
        assert_eq!(shared(Limits::nodes(9), 1000).nodes, Some(9));
    }
}
