//! Threads on which the mind thinks, one batch at a time, while the tree is walked on another.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, mpsc},
    thread,
    time::{Duration, Instant},
};

use chess::{
    Brain, PackedMove, Wants,
    shakmaty::{Chess, Position},
};

use super::pace::Pace;

/// Positions of a batch that keeps more than one processor busy: networks take sixteen at a time.
const LARGE: usize = 32;

/// Positions of nodes that the tree wants to hear the mind on.
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

    /// Takes out the oldest, `most` of them or all.
    pub(super) fn take(&mut self, most: usize) -> Batch {
        let most = most.min(self.len());
        let rest = Batch { ids: self.ids.split_off(most), positions: self.positions.split_off(most) };
        std::mem::replace(self, rest)
    }
}

/// What the mind thinks of a position.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) value: f32,
    /// All legal moves with their scores, best first; none from a mind that does not score moves.
    pub(super) moves: Vec<(PackedMove, f32)>,
}

/// The nodes that were asked about, and the answers in the same order.
pub(super) type Answers = (Vec<u32>, Vec<Judgement>);

struct Job {
    search: u32,
    batch: Batch,
}

struct Answer {
    search: u32,
    ids: Vec<u32>,
    /// `None` if the mind broke down.
    judgements: Option<Vec<Judgement>>,
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
    /// Whether the mind scores moves, and these scores are values of the positions after the moves.
    pub(super) scores_moves: bool,
    pub(super) scores_are_values: bool,
    inbox: Arc<Inbox>,
    answers: mpsc::Receiver<Answer>,
    threads: usize,
    /// Answers of an earlier search are dropped.
    search: u32,
    under_way: usize,
    /// Time that the threads spent thinking, and the tree waiting for them, in this search.
    pub(super) busy: Duration,
    pub(super) waited: Duration,
    /// How fast the mind is.
    pub(super) pace: Pace,
}

impl Evaluator {
    /// The threads end when this is dropped.
    pub(super) fn start(brain: &Arc<dyn Brain>, threads: usize) -> Evaluator {
        let scores_moves = brain.traits().policy.is_some();
        let threads = threads.max(1);
        let inbox = Arc::new(Inbox::default());
        let (outbox, answers) = mpsc::channel();
        for _ in 0..threads {
            let (brain, inbox, outbox) = (Arc::clone(brain), Arc::clone(&inbox), outbox.clone());
            thread::spawn(move || {
                while let Some(job) = inbox.take() {
                    if outbox.send(job.think(&*brain, scores_moves)).is_err() {
                        return;
                    }
                }
            });
        }
        let (busy, waited) = (Duration::ZERO, Duration::ZERO);
        Evaluator {
            brain: Arc::clone(brain),
            scores_moves,
            scores_are_values: brain.traits().scores_are_values(),
            inbox,
            answers,
            threads,
            search: 0,
            under_way: 0,
            busy,
            waited,
            pace: Pace::default(),
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

    /// Every thread at work, and one batch in reserve: more would only be asked too early. Without a reserve for single positions.
    pub(super) fn is_full(&self, size: usize) -> bool {
        self.under_way >= self.threads + usize::from(size > 1)
    }

    /// Batches of `size` that may be under way at the same time. A single thread with single positions works one after the other, which
    /// makes a search repeatable.
    pub(super) fn most_under_way(&self, size: usize) -> usize {
        // With a processor to spare the next batch is gathered while one is judged.
        let spare = size > 1 && thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
        self.threads + usize::from(spare) * self.threads
    }

    pub(super) fn is_idle(&self) -> bool {
        self.under_way == 0
    }

    pub(super) fn under_way(&self) -> usize {
        self.under_way
    }

    pub(super) fn ask(&mut self, batch: Batch) {
        self.under_way += 1;
        self.inbox.lock().jobs.push_back(Job { search: self.search, batch });
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
            let found = match job {
                Some(job) => {
                    let answer = job.think(&*self.brain, self.scores_moves);
                    self.accept(answer)
                }
                None => self.hear(),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Like [`wait`](Evaluator::wait), for a tree that has work of its own as soon as an answer comes: large batches keep all processors busy
    /// and are left to the threads, so that the next one is gathered while they think.
    pub(super) fn wait_beside(&mut self) -> Option<Answers> {
        let next = self.inbox.lock().jobs.front().map_or(0, |job| job.batch.len());
        if next < LARGE {
            return self.wait();
        }
        while self.under_way > 0 {
            if let Some(found) = self.hear() {
                return Some(found);
            }
        }
        None
    }

    /// The next answer of a thread, unless it is one to an earlier search.
    fn hear(&mut self) -> Option<Answers> {
        let started = Instant::now();
        let answer = self.answers.recv().expect("evaluator threads answer");
        self.waited += started.elapsed();
        self.accept(answer)
    }

    fn accept(&mut self, answer: Answer) -> Option<Answers> {
        self.under_way -= 1;
        if answer.search != self.search {
            return None;
        }
        self.busy += answer.took;
        self.pace.add(answer.ids.len(), answer.took);
        Some((answer.ids, answer.judgements.expect("the mind has an answer")))
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
    fn think(self, brain: &dyn Brain, scores_moves: bool) -> Answer {
        let started = Instant::now();
        let think = || judge(brain, scores_moves, &self.batch.positions);
        let judgements = catch_unwind(AssertUnwindSafe(think)).ok().flatten();
        Answer { search: self.search, ids: self.batch.ids, judgements, took: started.elapsed() }
    }
}

/// What the mind says of positions; `None` if it has no value for each, or leaves out moves.
fn judge(brain: &dyn Brain, scores_moves: bool, positions: &[Chess]) -> Option<Vec<Judgement>> {
    let wants = if scores_moves { Wants::POLICY_AND_VALUE } else { Wants::VALUE };
    let found = brain.evaluate(positions, wants);
    let complete =
        found.values.len() == positions.len() && (!scores_moves || found.scores.len() == positions.len());
    let mut scores = found.scores.into_iter();
    let judgement = |(value, position): (f32, &Chess)| {
        let moves = scores.next().map_or(Vec::new(), |scores| ranked(position, &scores));
        Judgement { value, moves }
    };
    complete.then(|| found.values.into_iter().zip(positions).map(judgement).collect())
}

/// Legal moves by their scores, best first.
fn ranked(position: &Chess, scores: &[f32]) -> Vec<(PackedMove, f32)> {
    let sound = |score: f32| if score.is_nan() { 0.0 } else { score };
    let moves = position.legal_moves();
    let mut ranked: Vec<_> =
        moves.into_iter().map(PackedMove::from).zip(scores.iter().copied().map(sound)).collect();
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    ranked
}
