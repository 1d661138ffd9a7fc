//! Threads on which the mind thinks, one batch at a time, while the tree is walked on another.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, mpsc},
    thread,
    time::{Duration, Instant},
};

use chess::{Brain, shakmaty::Chess};

/// Positions of nodes whose value, or the scores of whose moves, the tree wants to know.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) ids: Vec<u32>,
    pub(super) positions: Vec<Chess>,
}

impl Batch {
    pub(super) fn push(&mut self, id: u32, position: &Chess) {
        self.ids.push(id);
        self.positions.push(position.clone());
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Values,
    Scores,
}

#[derive(Debug)]
pub(super) enum Opinions {
    Values(Vec<f32>),
    Scores(Vec<Vec<f32>>),
}

/// The nodes that were asked about, and the answers in the same order.
pub(super) type Answers = (Vec<u32>, Opinions);

struct Job {
    search: u32,
    wish: Wish,
    batch: Batch,
}

struct Answer {
    search: u32,
    ids: Vec<u32>,
    /// `None` if the mind broke down.
    opinions: Option<Opinions>,
    took: Duration,
}

/// Jobs that no thread has taken up yet.
#[derive(Default)]
struct Inbox {
    state: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// The tree's end of the line.
pub(super) struct Evaluator {
    brain: Arc<dyn Brain>,
    inbox: Arc<Inbox>,
    answers: mpsc::Receiver<Answer>,
    threads: usize,
    /// Answers of an earlier search are dropped.
    search: u32,
    under_way: usize,
    /// Time that the threads spent thinking, and the tree waiting for them, in this search.
    pub(super) busy: Duration,
    pub(super) waited: Duration,
    /// Seconds that the mind takes for a position, of late.
    pace: f64,
}

impl Evaluator {
    /// The threads end when this is dropped.
    pub(super) fn start(brain: &Arc<dyn Brain>, threads: usize) -> Evaluator {
        let threads = threads.max(1);
        let inbox = Arc::new(Inbox::default());
        let (outbox, answers) = mpsc::channel();
        for _ in 0..threads {
            let (brain, inbox, outbox) = (Arc::clone(brain), Arc::clone(&inbox), outbox.clone());
            thread::spawn(move || {
                while let Some(job) = inbox.take() {
                    if outbox.send(job.think(&*brain)).is_err() {
                        return;
                    }
                }
            });
        }
        let (busy, waited) = (Duration::ZERO, Duration::ZERO);
        Evaluator {
            brain: Arc::clone(brain),
            inbox,
            answers,
            threads,
            search: 0,
            under_way: 0,
            busy,
            waited,
            pace: 0.0,
        }
    }

    pub(super) fn begin_search(&mut self) {
        self.search = self.search.wrapping_add(1);
        (self.busy, self.waited) = (Duration::ZERO, Duration::ZERO);
        // Nobody waits any more for what the last search did not get an answer to.
        let mut waiting = self.inbox.lock();
        self.under_way -= waiting.jobs.len();
        waiting.jobs.clear();
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Every thread at work, and one batch in reserve: more would only be asked too early.
    pub(super) fn is_full(&self) -> bool {
        self.under_way > self.threads
    }

    /// Positions that the mind gets through in this time.
    pub(super) fn reach(&self, time: Duration) -> usize {
        (time.as_secs_f64() / self.pace.max(1e-9)) as usize
    }

    pub(super) fn is_idle(&self) -> bool {
        self.under_way == 0
    }

    pub(super) fn ask(&mut self, wish: Wish, batch: Batch) {
        self.under_way += 1;
        self.inbox.lock().jobs.push_back(Job { search: self.search, wish, batch });
        self.inbox.changed.notify_one();
    }

    /// An answer that is there.
    pub(super) fn poll(&mut self) -> Option<Answers> {
        while self.under_way > 0 {
            let answer = self.answers.try_recv().ok()?;
            if let Some(found) = self.accept(answer) {
                return Some(found);
            }
        }
        None
    }

    /// The next answer; `None` if nothing was asked. A batch that no thread has taken up is thought about here, which
    /// is sooner than waiting for a thread to wake up.
    pub(super) fn wait(&mut self) -> Option<Answers> {
        while self.under_way > 0 {
            let job = self.inbox.lock().jobs.pop_front();
            let answer = match job {
                Some(job) => job.think(&*self.brain),
                None => {
                    let started = Instant::now();
                    let answer = self.answers.recv().expect("evaluator threads answer");
                    self.waited += started.elapsed();
                    answer
                }
            };
            if let Some(found) = self.accept(answer) {
                return Some(found);
            }
        }
        None
    }

    fn accept(&mut self, answer: Answer) -> Option<Answers> {
        self.under_way -= 1;
        if answer.search != self.search {
            return None;
        }
        self.busy += answer.took;
        let pace = answer.took.as_secs_f64() / answer.ids.len().max(1) as f64;
        self.pace += (pace - self.pace) / 4.0;
        Some((answer.ids, answer.opinions.expect("the mind has an answer")))
    }
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        self.inbox.lock().closed = true;
        self.inbox.changed.notify_all();
    }
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().expect("nobody panics with the inbox in hand")
    }

    /// Waits for a job; `None` when no more will come.
    fn take(&self) -> Option<Job> {
        let idle = |waiting: &mut Waiting| waiting.jobs.is_empty() && !waiting.closed;
        let mut waiting =
            self.changed.wait_while(self.lock(), idle).expect("nobody panics with the inbox in hand");
        if waiting.closed { None } else { waiting.jobs.pop_front() }
    }
}

impl Job {
    fn think(self, brain: &dyn Brain) -> Answer {
        let started = Instant::now();
        let positions = &self.batch.positions;
        let think = || match self.wish {
            Wish::Values => brain.values(positions).map(Opinions::Values),
            Wish::Scores => brain.move_scores(positions).map(Opinions::Scores),
        };
        let opinions = catch_unwind(AssertUnwindSafe(think)).ok().flatten();
        Answer { search: self.search, ids: self.batch.ids, opinions, took: started.elapsed() }
    }
}
