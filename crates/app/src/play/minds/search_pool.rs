//! Searches for all games: a few threads, each with a search of every kind that was asked for.
//!
//! Searches need a processor each, so they queue. Nobody gets more work done than the limits here allow.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
};

use chess::{Moment, shakmaty::Move};
use engine::{Info, Limits, Score, Search, Settings, Signals, Task};
use tokio::sync::oneshot;

use crate::minds::Names;

const HASH_MB: usize = 16;

#[derive(Clone, Debug)]
pub(crate) struct SearchPool {
    jobs: Arc<Mutex<Sender<Job>>>,
}

#[derive(Debug)]
struct Job {
    mind: String,
    moment: Moment,
    limits: Limits,
    lines: usize,
    answer: oneshot::Sender<SearchResult>,
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

impl SearchPool {
    pub(crate) fn start(threads: usize) -> SearchPool {
        let (jobs, inbox) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        for _ in 0..threads.max(1) {
            let inbox = Arc::clone(&inbox);
            std::thread::spawn(move || serve(&inbox));
        }
        SearchPool { jobs: Arc::new(Mutex::new(jobs)) }
    }

    /// Lets the search called `mind` think; nothing if it broke down.
    pub(crate) async fn think(
        &self,
        mind: &str,
        moment: Moment,
        limits: Limits,
        lines: usize,
    ) -> Option<SearchResult> {
        let (answer, thought) = oneshot::channel();
        let job = Job { mind: mind.to_owned(), moment, limits, lines, answer };
        self.jobs.lock().expect("sending does not panic").send(job).ok()?;
        thought.await.ok()
    }
}

fn serve(inbox: &Mutex<Receiver<Job>>) {
    let mut built: HashMap<String, Box<dyn Search>> = HashMap::new();
    loop {
        let job = inbox.lock().expect("receiving does not panic").recv();
        let Ok(job) = job else { return };
        if job.answer.is_closed() {
            continue;
        }
        let mind = job.mind.clone();
        let search = built.remove(&mind).map_or_else(|| Names::parse(&mind).build(&settings(1)), Ok);
        let thought = search.map(|mut search| {
            let thought = think(&mut *search, &job);
            built.insert(mind, search);
            thought
        });
        match thought {
            // Someone who left in the meantime misses nothing.
            Ok(thought) => drop(job.answer.send(thought)),
            Err(error) => eprintln!("tabiya: {}: {error:#}", job.mind),
        }
    }
}

fn settings(lines: usize) -> Settings {
    Settings { hash_mb: HASH_MB, multipv: lines, ..Settings::default() }
}

fn think(search: &mut dyn Search, job: &Job) -> SearchResult {
    let mut thought = SearchResult::default();
    search.configure(&settings(job.lines));
    let mut report = |info: &Info| {
        let line = Line { score: info.score, moves: info.line.clone() };
        thought.depth = thought.depth.max(info.depth);
        match thought.lines.get_mut(info.multipv.saturating_sub(1)) {
            Some(known) => *known = line,
            None => thought.lines.push(line),
        }
    };
    let signals = Signals::new();
    let task = Task { limits: job.limits.clone(), signals: &signals, report: &mut report };
    let choice = search.choose(&job.moment, task);
    // A search that was cut short may have changed its mind after it last spoke.
    let chosen = thought.lines.iter().position(|line| line.moves.first() == choice.best.as_ref());
    if let Some(place) = chosen {
        thought.lines[..=place].rotate_right(1);
    }
    // Its last word stands where it was cut off before it had a value for its choice.
    let score = choice.score.or(thought.lines.first().map(|line| line.score));
    SearchResult { best: choice.best, score, ..thought }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn more_jobs_than_threads_all_get_their_answer() {
        let searches = SearchPool::start(2);
        let ask = |_| searches.think("heuristic:alpha-beta", Moment::default(), Limits::nodes(2000), 3);
        for thought in futures_util::future::join_all((0..8).map(ask)).await {
            let thought = thought.unwrap();
            assert_eq!(thought.lines.len(), 3);
            assert_eq!(thought.best, Some(thought.lines[0].moves[0]));
            assert!(thought.score.is_some());
        }
        assert!(searches.think("no:such", Moment::default(), Limits::nodes(1), 1).await.is_none());
    }
}
