//! Threads on which the mind thinks, one batch at a time, while the tree is searched on another. Batch-first and PUCT share it.
//!
//! A simulated device ([`Device`](crate::Device)) has one queue: a batch begins when it is asked for or when the one before is done. What the
//! mind answers is computed when it is asked, in no time, and handed out when the device would be done.

mod pace;

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, mpsc},
    thread,
    time::{Duration, Instant},
};

use chess::{
    Brain, Evaluated, Moment, PackedMove, Wants,
    shakmaty::{Chess, Position},
};

use self::pace::Pace;
use crate::stopwatch::Stopwatch;

/// Positions of a batch that keeps more than one processor busy: networks take sixteen at a time.
const LARGE: usize = 32;
/// The clock of a simulated device is read at every so many glances: it takes as long as a fair part of a visit.
const GLANCE: u32 = 8;

/// Positions of nodes that the tree wants to hear the mind on.
#[derive(Debug, Default)]
pub(crate) struct EvalBatch {
    ids: Vec<u32>,
    positions: Vec<Chess>,
    /// The same positions with their past, for a mind whose answers depend on it; else empty.
    moments: Vec<Moment>,
}

impl EvalBatch {
    pub(crate) fn push(&mut self, id: u32, position: &Chess) {
        self.ids.push(id);
        self.positions.push(position.clone());
    }

    /// All positions of a batch come with their past, or none.
    pub(crate) fn push_moment(&mut self, id: u32, moment: Moment) {
        self.push(id, &moment.position);
        self.moments.push(moment);
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn append(&mut self, mut more: EvalBatch) {
        self.ids.append(&mut more.ids);
        self.positions.append(&mut more.positions);
        self.moments.append(&mut more.moments);
    }

    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Takes out the oldest, `most` of them or all.
    pub(crate) fn take(&mut self, most: usize) -> EvalBatch {
        let most = most.min(self.len());
        let moments = self.moments.split_off(most.min(self.moments.len()));
        let rest =
            EvalBatch { ids: self.ids.split_off(most), positions: self.positions.split_off(most), moments };
        std::mem::replace(self, rest)
    }
}

/// What the mind thinks of a position.
#[derive(Debug)]
pub(crate) struct Judgement {
    pub(crate) value: f32,
    /// All legal moves with their scores, best first; none from a mind that does not score moves.
    pub(crate) moves: Vec<(PackedMove, f32)>,
}

/// The nodes that were asked about, and the answers in the same order.
pub(crate) type Answers = (Vec<u32>, Vec<Judgement>);

struct Job {
    search: u32,
    batch: EvalBatch,
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
pub(crate) struct Evaluator {
    brain: Arc<dyn Brain>,
    /// Whether the mind scores moves, and these scores are values of the positions after the moves.
    pub(crate) scores_moves: bool,
    pub(crate) scores_are_values: bool,
    inbox: Arc<Inbox>,
    answers: mpsc::Receiver<Answer>,
    threads: usize,
    /// Answers of an earlier search are dropped.
    search: u32,
    under_way: usize,
    /// Time that the threads spent thinking, and the tree waiting for them, in this search.
    pub(crate) busy: Duration,
    pub(crate) waited: Duration,
    /// How fast the mind is.
    pub(crate) pace: Pace,
    stopwatch: Arc<Stopwatch>,
    /// Answers of a simulated device, and when in the time of the search it gives them.
    on_device: VecDeque<(Duration, Answer)>,
    glances: u32,
}

impl Evaluator {
    /// The threads end when this is dropped.
    pub(crate) fn start(brain: &Arc<dyn Brain>, threads: usize) -> Evaluator {
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
            stopwatch: Arc::new(Stopwatch::start(None)),
            on_device: VecDeque::new(),
            glances: 0,
        }
    }

    pub(crate) fn begin_search(&mut self, stopwatch: Arc<Stopwatch>) {
        self.search = self.search.wrapping_add(1);
        (self.busy, self.waited) = (Duration::ZERO, Duration::ZERO);
        if stopwatch.device() != self.stopwatch.device() {
            self.pace = Pace::default();
        }
        self.stopwatch = stopwatch;
        self.under_way -= self.on_device.len();
        self.on_device.clear();
        // Nobody waits any more for what the last search did not get an answer to.
        let mut waiting = self.inbox.lock();
        self.under_way -= waiting.jobs.len();
        waiting.jobs.clear();
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Every thread at work, and one batch in reserve: more would only be asked too early. Without a reserve for single positions.
    pub(crate) fn is_full(&self, size: usize) -> bool {
        self.under_way >= self.threads + usize::from(size > 1)
    }

    /// Batches of `size` that may be under way at the same time. A single thread with single positions works one after the other, which
    /// makes a search repeatable.
    pub(crate) fn most_under_way(&self, size: usize) -> usize {
        // With a processor to spare the next batch is gathered while one is judged.
        let spare = size > 1 && thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
        self.threads + usize::from(spare) * self.threads
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.under_way == 0
    }

    pub(crate) fn under_way(&self) -> usize {
        self.under_way
    }

    pub(crate) fn ask(&mut self, batch: EvalBatch) {
        self.under_way += 1;
        if let Some(device) = self.stopwatch.device() {
            let took = device.cost(batch.len());
            let job = Job { search: self.search, batch };
            let answer = self.stopwatch.frozen(|| job.think(&*self.brain, self.scores_moves));
            let free = self.on_device.back().map_or(Duration::ZERO, |(done, _)| *done);
            let done = free.max(self.stopwatch.elapsed()) + took;
            return self.on_device.push_back((done, Answer { took, ..answer }));
        }
        self.inbox.lock().jobs.push_back(Job { search: self.search, batch });
        self.inbox.changed.notify_one();
    }

    /// An answer that is there.
    pub(crate) fn poll(&mut self) -> Option<Answers> {
        if let Some((done, _)) = self.on_device.front() {
            self.glances = self.glances.wrapping_add(1);
            if !self.glances.is_multiple_of(GLANCE) {
                return None;
            }
            return if *done <= self.stopwatch.elapsed() { self.wait_for_device() } else { None };
        }
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
    pub(crate) fn wait(&mut self) -> Option<Answers> {
        if !self.on_device.is_empty() {
            return self.wait_for_device();
        }
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
    pub(crate) fn wait_beside(&mut self) -> Option<Answers> {
        if !self.on_device.is_empty() {
            return self.wait_for_device();
        }
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

    /// The next answer of the device.
    fn wait_for_device(&mut self) -> Option<Answers> {
        let (done, answer) = self.on_device.pop_front()?;
        self.waited += self.stopwatch.wait_until(done);
        self.accept(answer)
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
        let think = || judge(brain, scores_moves, &self.batch);
        let judgements = catch_unwind(AssertUnwindSafe(think)).ok().flatten();
        Answer { search: self.search, ids: self.batch.ids, judgements, took: started.elapsed() }
    }
}

/// What the mind says of positions; `None` if it has no value for each, or leaves out moves.
pub(crate) fn judge(brain: &dyn Brain, scores_moves: bool, batch: &EvalBatch) -> Option<Vec<Judgement>> {
    let EvalBatch { positions, moments, .. } = batch;
    let wants = if scores_moves { Wants::POLICY_AND_VALUE } else { Wants::VALUE };
    let found = match moments.len() == positions.len() {
        true => Evaluated::of_moments(brain, moments, wants),
        false => brain.evaluate(positions, wants),
    };
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
