//! The blunder guard: alpha-beta looks at the move that a human-like mind wants to play, and vetoes it if players of
//! that rating do not lose so much.

use std::sync::{Mutex, PoisonError};

use chess::{Moment, shakmaty::Move};

use super::{HumanSettings, tolerated_loss};
use crate::{Limits, Score, Search, Settings, Signals, Task, alpha_beta::AlphaBeta, chances::expected_score};

/// Enough to see short tactics, in a few hundredths of a second.
const NODES: u64 = 20_000;

/// Guards that nobody needs at the moment. A guard's tables take some megabytes, and a hundred games need but one or two at a time.
static IDLE: Mutex<Vec<AlphaBeta>> = Mutex::new(Vec::new());

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
    signals: &'a Signals,
    tolerated: f32,
    best: Option<(Move, Score)>,
}

impl Default for BlunderGuard {
    fn default() -> BlunderGuard {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || AlphaBeta::new(Settings { hash_mb: 2, ..Settings::default() });
        BlunderGuard { engine: Some(idle.unwrap_or_else(new)) }
    }
}

impl Drop for BlunderGuard {
    fn drop(&mut self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(self.engine.take());
    }
}

impl BlunderGuard {
    /// Looks at a position and its moves, or `only` some of them; `None` if the settings ask for no guard. The answer depends on
    /// the position alone.
    pub fn check<'a>(
        &'a mut self,
        moment: &'a Moment,
        settings: &HumanSettings,
        only: &[Move],
        signals: &'a Signals,
    ) -> Option<Check<'a>> {
        let tolerated = tolerated_loss(settings.guard, settings.rating)?;
        self.engine.as_mut()?.new_game();
        let best = self.score(moment, only.to_vec(), signals);
        Some(Check { guard: self, moment, signals, tolerated, best })
    }

    fn score(&mut self, moment: &Moment, only: Vec<Move>, signals: &Signals) -> Option<(Move, Score)> {
        let limits = Limits { nodes: Some(NODES), search_moves: only, ..Limits::default() };
        let choice = self.engine.as_mut()?.choose(moment, Task { limits, signals, report: &mut |_| {} });
        choice.best.zip(choice.score)
    }
}

impl Check<'_> {
    /// The engine's own move and its score for the side to move.
    pub fn best(&self) -> Option<(Move, Score)> {
        self.best
    }

    /// Whether `m` loses more than players of the rating lose. A search that was stopped vetoes nothing.
    pub fn vetoes(&mut self, m: Move) -> bool {
        let Some((best, best_score)) = self.best else { return false };
        // Who has little to lose cannot lose much.
        if m == best || expected_score(best_score) <= self.tolerated {
            return false;
        }
        let score = self.guard.score(self.moment, vec![m], self.signals);
        let loss = score.map_or(0.0, |(_, score)| expected_score(best_score) - expected_score(score));
        loss > self.tolerated && !self.signals.is_stopped()
    }
}
