//! The blunder guard: alpha-beta looks at the move that a human-like mind wants to play, and vetoes it if players of
//! that rating do not lose so much.

use std::{
    num::NonZero,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use chess::{Moment, shakmaty::Move};

use crate::{
    HumanSettings, Limits, Score, Search, Settings, Signals, Task,
    alpha_beta::AlphaBeta,
    chances::expected_score,
    human::{Effort, tolerated_loss},
};

/// Guards that nobody needs at the moment, and how many are at work. A guard's tables take some megabytes and its search a whole
/// processor, so there are never more of them than processors: a hundred games wait for their turn.
static GUARDS: Mutex<Guards> = Mutex::new(Guards { idle: Vec::new(), at_work: 0, waiting: 0 });
static RETURNED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Guards> {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where no clock runs, waiting is looked after this often.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

struct Guards {
    idle: Vec<AlphaBeta>,
    at_work: usize,
    waiting: usize,
}

#[derive(Debug)]
pub(crate) struct BlunderGuard {
    /// Taken away only when the guard is dropped.
    engine: Option<AlphaBeta>,
}

/// A position that is to be searched, and how long that may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) moment: &'a Moment,
    /// The moves that count; empty means all.
    pub(crate) only: &'a [Move],
    pub(crate) signals: &'a Signals,
    pub(crate) effort: Effort,
    /// The last resort, should the machine be much slower than the effort allows for: from then on nothing is vetoed.
    pub(crate) deadline: Option<Instant>,
}

/// What the engine thinks of one position, for as long as candidates are held against it.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    guard: &'a mut BlunderGuard,
    question: Question<'a>,
    nodes_left: u64,
    tolerated: f32,
    /// Found when it is first needed: most moves are passed without it.
    best: Option<Option<(Move, Score)>>,
}

impl Drop for BlunderGuard {
    fn drop(&mut self) {
        let mut guards = lock();
        guards.idle.extend(self.engine.take());
        guards.at_work -= 1;
        drop(guards);
        RETURNED.notify_one();
    }
}

impl BlunderGuard {
    /// Waits until one is free, but not beyond the deadline.
    pub(crate) fn take(deadline: Option<Instant>) -> Option<BlunderGuard> {
        let most = thread::available_parallelism().map_or(1, NonZero::get);
        let mut guards = lock();
        guards.waiting += 1;
        while guards.at_work >= most {
            let rest =
                deadline.map_or(LONGEST_WAIT, |deadline| deadline.saturating_duration_since(Instant::now()));
            if rest.is_zero() {
                guards.waiting -= 1;
                return None;
            }
            guards = RETURNED.wait_timeout(guards, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        guards.waiting -= 1;
        guards.at_work += 1;
        let idle = guards.idle.pop();
        drop(guards);
        let new = || AlphaBeta::new(Settings { hash_mb: 2, move_overhead_ms: 0, ..Settings::default() });
        Some(BlunderGuard { engine: Some(idle.unwrap_or_else(new)) })
    }

    /// Searches a position and its moves; `None` if the settings ask for no guard. The answer depends on the question alone,
    /// however many others wait, unless its deadline passes.
    pub(crate) fn check<'a>(
        &'a mut self,
        question: Question<'a>,
        settings: &HumanSettings,
    ) -> Option<Check<'a>> {
        let tolerated = tolerated_loss(settings.guard, settings.rating)?;
        self.engine.as_mut()?.new_game();
        Some(Check { guard: self, question, nodes_left: question.effort.total, tolerated, best: None })
    }
}

impl Check<'_> {
    /// The engine's own move and its score for the side to move.
    pub(crate) fn best(&mut self) -> Option<(Move, Score)> {
        if self.best.is_none() {
            self.best = Some(self.score(self.question.only.to_vec()));
        }
        self.best.flatten()
    }

    /// Whether `m` loses more than players of the rating lose. A search that was stopped vetoes nothing.
    pub(crate) fn vetoes(&mut self, m: Move) -> bool {
        let Some((_, score)) = self.score(vec![m]) else { return false };
        let kept = expected_score(score);
        // What is left after it is more than it could have lost, even from a won game.
        if 1.0 - kept <= self.tolerated {
            return false;
        }
        let Some((best, best_score)) = self.best() else { return false };
        let loss = expected_score(best_score) - kept;
        m != best && loss > self.tolerated && !self.question.signals.is_stopped()
    }

    /// Whether nothing more can be searched.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.nodes_left == 0
    }

    fn score(&mut self, only: Vec<Move>) -> Option<(Move, Score)> {
        let Question { moment, signals, effort, deadline, .. } = self.question;
        let nodes = effort.nodes.min(self.nodes_left);
        let rest = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if nodes == 0 || rest.is_some_and(|rest| rest.is_zero()) {
            return None;
        }
        self.nodes_left -= nodes;
        let limits = Limits { nodes: Some(nodes), search_moves: only, move_time: rest, ..Limits::default() };
        let task = Task { limits, signals, report: &mut |_| {} };
        let choice = self.guard.engine.as_mut()?.choose(moment, task);
        choice.best.zip(choice.score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Guard;

    #[test]
    fn a_guard_that_others_wait_for_searches_no_less() {
        let total = 60_000;
        let (moment, signals) = (Moment::default(), Signals::new());
        let effort = Effort { nodes: 20_000, total };
        let question = Question { moment: &moment, only: &[], signals: &signals, effort, deadline: None };
        let settings = HumanSettings { guard: Guard::Strict, ..HumanSettings::default() };
        let mut guard = BlunderGuard::take(None).unwrap();
        lock().waiting += 1;
        let mut check = guard.check(question, &settings).unwrap();
        let found = check.best();
        lock().waiting -= 1;
        assert!(found.is_some());
        assert_eq!(check.nodes_left, total - effort.nodes);
    }

    #[test]
    fn there_are_never_more_guards_than_processors_and_whoever_waits_gets_one() {
        let most = thread::available_parallelism().map_or(1, NonZero::get);
        let take = || BlunderGuard::take(None).unwrap();
        let mut all: Vec<BlunderGuard> = (0..most).map(|_| take()).collect();
        assert!(BlunderGuard::take(Some(Instant::now())).is_none(), "no guard is worth a lost clock");
        thread::scope(|threads| {
            let waiting = threads.spawn(take);
            while lock().waiting == 0 {
                thread::yield_now();
            }
            assert_eq!(lock().at_work, most);
            all.pop();
            drop(waiting.join().unwrap());
        });
    }
}
