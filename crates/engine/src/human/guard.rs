//! The blunder guard: alpha-beta looks at the move that a human-like mind wants to play, and vetoes it if players of
//! that rating do not lose so much.

use std::{
    num::NonZero,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use chess::{Moment, shakmaty::Move};

use super::{HumanSettings, tolerated_loss};
use crate::{Limits, Score, Search, Settings, Signals, Task, alpha_beta::AlphaBeta, chances::expected_score};

/// Enough to see short tactics, in a few hundredths of a second.
const NODES: u64 = 20_000;
/// Enough for most of them, where others wait for the guard. docs/human.md has what each sees.
const HURRIED_NODES: u64 = 5_000;

/// Guards that nobody needs at the moment, and how many are at work. A guard's tables take some megabytes and its search a whole
/// processor, so there are never more of them than processors: a hundred games wait for their turn.
static GUARDS: Mutex<Guards> = Mutex::new(Guards { idle: Vec::new(), at_work: 0, waiting: 0 });
static RETURNED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Guards> {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Guards {
    idle: Vec<AlphaBeta>,
    at_work: usize,
    waiting: usize,
}

#[derive(Debug)]
pub struct BlunderGuard {
    /// Taken away only when the guard is dropped.
    engine: Option<AlphaBeta>,
}

/// What the engine thinks of one position, for as long as candidates are held against it.
#[derive(Debug)]
pub struct Check<'a> {
    guard: &'a mut BlunderGuard,
    moment: &'a Moment,
    only: &'a [Move],
    signals: &'a Signals,
    tolerated: f32,
    /// Found when it is first needed: most moves are passed without it.
    best: Option<Option<(Move, Score)>>,
}

/// Waits until one is free.
impl Default for BlunderGuard {
    fn default() -> BlunderGuard {
        let most = thread::available_parallelism().map_or(1, NonZero::get);
        let mut guards = lock();
        guards.waiting += 1;
        let mut guards = RETURNED
            .wait_while(guards, |guards| guards.at_work >= most)
            .unwrap_or_else(PoisonError::into_inner);
        guards.waiting -= 1;
        guards.at_work += 1;
        let idle = guards.idle.pop();
        drop(guards);
        let new = || AlphaBeta::new(Settings { hash_mb: 2, ..Settings::default() });
        BlunderGuard { engine: Some(idle.unwrap_or_else(new)) }
    }
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
    /// Looks at a position and its moves, or `only` some of them; `None` if the settings ask for no guard. The answer depends on
    /// the position and what is asked about it alone, unless others wait for a guard: then it looks less deep.
    pub fn check<'a>(
        &'a mut self,
        moment: &'a Moment,
        settings: &HumanSettings,
        only: &'a [Move],
        signals: &'a Signals,
    ) -> Option<Check<'a>> {
        let tolerated = tolerated_loss(settings.guard, settings.rating)?;
        self.engine.as_mut()?.new_game();
        Some(Check { guard: self, moment, only, signals, tolerated, best: None })
    }

    fn score(&mut self, moment: &Moment, only: Vec<Move>, signals: &Signals) -> Option<(Move, Score)> {
        let nodes = if lock().waiting > 0 { HURRIED_NODES } else { NODES };
        let limits = Limits { nodes: Some(nodes), search_moves: only, ..Limits::default() };
        let choice = self.engine.as_mut()?.choose(moment, Task { limits, signals, report: &mut |_| {} });
        choice.best.zip(choice.score)
    }
}

impl Check<'_> {
    /// The engine's own move and its score for the side to move.
    pub fn best(&mut self) -> Option<(Move, Score)> {
        *self.best.get_or_insert_with(|| self.guard.score(self.moment, self.only.to_vec(), self.signals))
    }

    /// Whether `m` loses more than players of the rating lose. A search that was stopped vetoes nothing.
    pub fn vetoes(&mut self, m: Move) -> bool {
        let Some((_, score)) = self.guard.score(self.moment, vec![m], self.signals) else { return false };
        let kept = expected_score(score);
        // What is left after it is more than it could have lost, even from a won game.
        if 1.0 - kept <= self.tolerated {
            return false;
        }
        let Some((best, best_score)) = self.best() else { return false };
        let loss = expected_score(best_score) - kept;
        m != best && loss > self.tolerated && !self.signals.is_stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_more_guards_than_processors_and_whoever_waits_gets_one() {
        let most = thread::available_parallelism().map_or(1, NonZero::get);
        let mut all: Vec<BlunderGuard> = (0..most).map(|_| BlunderGuard::default()).collect();
        thread::scope(|threads| {
            let waiting = threads.spawn(BlunderGuard::default);
            while lock().waiting == 0 {
                thread::yield_now();
            }
            assert_eq!(lock().at_work, most);
            all.pop();
            drop(waiting.join().unwrap());
        });
    }
}
