//! The search below the horizon: captures and evasions until the position is quiet.

use std::cell::LazyCell;

use chess::{
    PackedMove,
    exchange::{exchange_value, wins_exchange},
    shakmaty::Move,
};

use super::{
    checks::Checks,
    history::Step,
    node::Node,
    picker::{Hints, Picker, is_noisy},
    table::Entry,
    value::{INFINITE, MATE_IN_REACH, MAX_PLY, SURE_WIN, UNKNOWN, mated_at},
    worker::{Shared, Worker},
};
use crate::Bound;

/// Margin by which a capture may fail to lift the evaluation above alpha and still be tried.
const CAPTURE_MARGIN: i32 = 160;

impl Worker {
    /// Value of a node when only forcing moves count. In the `first` ply quiet
    /// checks count too. `PV` nodes may lie on the principal variation.
    pub(crate) fn quiesce<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        mut alpha: i32,
        beta: i32,
        ply: usize,
        first: bool,
    ) -> i32 {
        if self.must_stop(shared) {
            return 0;
        }
        if PV {
            self.frame(ply).line.clear();
            self.deepest = self.deepest.max(ply);
        }
        if self.is_drawn(node, ply) {
            return 0;
        }
        if ply >= MAX_PLY - 1 {
            return if node.in_check() { 0 } else { self.evaluate(shared, node) };
        }

        let known = shared.table.get(node.key, ply);
        let on_line = PV || known.is_some_and(|entry| entry.on_line);
        if !PV && let Some(value) = known.and_then(|entry| cutoff(entry, alpha, beta)) {
            return value;
        }

        let remembered = known.and_then(|entry| node.recall(entry.best));
        let mut raw = UNKNOWN;
        let mut best = -INFINITE;
        let mut picker = if node.in_check() {
            Picker::new(Hints { remembered, earlier: self.earlier(ply), ..Hints::default() })
        } else {
            raw = match known {
                Some(entry) if entry.evaluation != UNKNOWN => entry.evaluation,
                _ => self.evaluate(shared, node),
            };
            best = (raw + self.correction.of(node)).clamp(1 - SURE_WIN, SURE_WIN - 1);
            if let Some(value) = known.and_then(|entry| sharpen(entry, best)) {
                best = value;
            }
            if best >= beta {
                if known.is_none() {
                    shared.table.put(node.key, ply, Entry::evaluation_only(raw, on_line));
                }
                return best;
            }
            alpha = alpha.max(best);
            if first { Picker::captures_and_checks(remembered) } else { Picker::captures(remembered, 0) }
        };
        let futile = best + CAPTURE_MARGIN;
        let checks = LazyCell::new(|| Checks::new(&node.chess));

        let mut best_move = None;
        let mut tried = 0;
        while let Some(m) = picker.next(node, &self.history) {
            tried += 1;
            if best > -MATE_IN_REACH && !node.in_check() {
                let forcing = || m.promotion().is_some() || checks.gives(&node.chess, m);
                if tried > 3 && !is_recapture(self, m, ply) && !forcing() {
                    continue;
                }
                let reach = futile + m.capture().map_or(0, exchange_value);
                if reach <= alpha && !wins_exchange(&node.chess, m, 1) && !forcing() {
                    best = best.max(reach);
                    continue;
                }
            } else if best > -MATE_IN_REACH && tried > 2 && !is_noisy(m) {
                // Once an evasion holds, quiet ones are not all searched.
                break;
            }
            let child = node.play(m);
            self.enter(shared, ply, Some(Step::new(node.turn(), m)), &child);
            let value = -self.quiesce::<PV>(shared, &child, -beta, -alpha, ply + 1, false);
            self.leave();
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(m);
                    if PV {
                        self.extend_line(ply, m);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        if node.in_check() && tried == 0 {
            return mated_at(ply);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let best_move = best_move.map_or(PackedMove::NONE, PackedMove::from);
        let entry = Entry { best: best_move, value: best, evaluation: raw, depth: 0, bound, on_line };
        shared.table.put(node.key, ply, entry);
        best
    }
}

/// Whether `m` takes back on the square of the last move.
fn is_recapture(worker: &Worker, m: Move, ply: usize) -> bool {
    worker.earlier(ply)[0].is_some_and(|step| step.target() == m.to())
}

/// The value by which an entry ends a node at once.
pub(crate) fn cutoff(entry: Entry, alpha: i32, beta: i32) -> Option<i32> {
    let holds = entry.value != UNKNOWN
        && match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.value >= beta,
            Bound::Upper => entry.value <= alpha,
        };
    holds.then_some(entry.value)
}

/// The entry's value where it tells more than the static evaluation.
pub(crate) fn sharpen(entry: Entry, evaluation: i32) -> Option<i32> {
    let tells = entry.value != UNKNOWN
        && match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.value > evaluation,
            Bound::Upper => entry.value < evaluation,
        };
    tells.then_some(entry.value)
}
