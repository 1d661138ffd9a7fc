//! Moves in the order in which they are likely to be good, each stage worked out only when it is reached.

use arrayvec::ArrayVec;
use chess::{
    exchange::{exchange_value, wins_exchange},
    shakmaty::{Color, Move, Position, Role},
};

use super::{
    checks::Checks,
    history::{History, Step},
    node::Node,
};

/// As many as a list of legal moves holds: boards full of queens have more than the 218 of any game.
const MOST_MOVES: usize = 270;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Remembered,
    Generate,
    GoodCaptures,
    Refutations,
    Quiets,
    BadCaptures,
    Done,
}

#[derive(Clone, Copy, Debug)]
struct Scored {
    m: Move,
    value: i32,
}

/// What the tree around the node says about its moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hints {
    /// Best move by the transposition table.
    pub(crate) remembered: Option<Move>,
    /// Quiet moves that refuted siblings, and the usual answer to the last move.
    pub(crate) refutations: [Option<Move>; 3],
    /// Steps one, two and four plies back.
    pub(crate) earlier: [Option<Step>; 3],
}

/// Hands out the moves of a node one by one.
#[derive(Debug)]
pub(crate) struct Picker {
    hints: Hints,
    stage: Stage,
    /// Captures and quiet moves are sorted lazily, best first.
    captures: ArrayVec<Scored, MOST_MOVES>,
    quiets: ArrayVec<Scored, MOST_MOVES>,
    bad_captures: ArrayVec<Move, MOST_MOVES>,
    next: usize,
    /// Captures must win at least this much to come before the quiet moves.
    threshold: i32,
    /// End with the good captures.
    captures_only: bool,
    /// After the captures, hand out quiet moves that give check.
    quiet_checks: bool,
    /// The other quiet moves have been dropped.
    checks_kept: bool,
}

impl Picker {
    /// All legal moves.
    pub(crate) fn new(hints: Hints) -> Picker {
        Picker {
            hints,
            stage: Stage::Remembered,
            captures: ArrayVec::new(),
            quiets: ArrayVec::new(),
            bad_captures: ArrayVec::new(),
            next: 0,
            threshold: 0,
            captures_only: false,
            quiet_checks: false,
            checks_kept: false,
        }
    }

    /// Captures and queen promotions that lose nothing, then quiet checks that are safe.
    pub(crate) fn captures_and_checks(remembered: Option<Move>) -> Picker {
        Picker { quiet_checks: true, ..Picker::captures(remembered, 0) }
    }

    /// Captures and queen promotions that win at least `threshold`.
    pub(crate) fn captures(remembered: Option<Move>, threshold: i32) -> Picker {
        let hints = Hints { remembered: remembered.filter(|&m| is_noisy(m)), ..Hints::default() };
        Picker { threshold, captures_only: true, ..Picker::new(hints) }
    }

    /// Of the quiet moves that are still to come, keeps those that give check.
    pub(crate) fn keep_checks(&mut self, node: &Node, checks: &Checks) {
        if self.stage <= Stage::Quiets && !self.checks_kept {
            self.checks_kept = true;
            let from = if self.stage == Stage::Quiets { self.next } else { 0 };
            let mut kept = from;
            for index in from..self.quiets.len() {
                if checks.gives(&node.chess, self.quiets[index].m) {
                    self.quiets.swap(kept, index);
                    kept += 1;
                }
            }
            self.quiets.truncate(kept);
        }
    }

    pub(crate) fn next(&mut self, node: &Node, history: &History) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Remembered => {
                    self.stage = Stage::Generate;
                    if self.hints.remembered.is_some() {
                        return self.hints.remembered;
                    }
                }
                Stage::Generate => {
                    self.generate(node, history);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => {
                    while let Some(m) = best_of(&mut self.captures, &mut self.next) {
                        if wins_exchange(&node.chess, m, self.threshold) {
                            return Some(m);
                        }
                        self.bad_captures.push(m);
                    }
                    self.next = 0;
                    self.stage = Stage::Refutations;
                }
                Stage::Refutations => {
                    while !self.captures_only && self.next < self.hints.refutations.len() {
                        self.next += 1;
                        if let Some(m) = self.take_refutation(self.next - 1) {
                            return Some(m);
                        }
                    }
                    self.next = 0;
                    self.stage = Stage::Quiets;
                    if !self.captures_only {
                        self.score_quiets(node.turn(), history);
                    }
                }
                Stage::Quiets => {
                    if self.quiet_checks {
                        while let Some(m) = best_of(&mut self.quiets, &mut self.next) {
                            if wins_exchange(&node.chess, m, 0) {
                                return Some(m);
                            }
                        }
                    }
                    if !self.captures_only
                        && let Some(m) = best_of(&mut self.quiets, &mut self.next)
                    {
                        return Some(m);
                    }
                    self.next = 0;
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if !self.captures_only
                        && let Some(&m) = self.bad_captures.get(self.next)
                    {
                        self.next += 1;
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Whether the moves handed out now are captures that lose material.
    pub(crate) fn in_bad_captures(&self) -> bool {
        self.stage == Stage::BadCaptures
    }

    fn generate(&mut self, node: &Node, history: &History) {
        let side = node.turn();
        let checks = self.quiet_checks.then(|| Checks::new(&node.chess));
        for m in node.chess.legal_moves() {
            if Some(m) == self.hints.remembered {
                continue;
            }
            if is_noisy(m) {
                let gained = m.capture().map_or(0, exchange_value);
                let promoted = m.promotion().map_or(0, exchange_value);
                let value = 16 * (gained + promoted) + history.capture(side, m);
                self.captures.push(Scored { m, value });
            } else if !self.captures_only || checks.is_some_and(|checks| checks.gives(&node.chess, m)) {
                self.quiets.push(Scored { m, value: 0 });
            }
        }
    }

    /// A refutation that is legal here; it is taken off the list of quiet moves.
    fn take_refutation(&mut self, index: usize) -> Option<Move> {
        let m = self.hints.refutations[index]?;
        let at = self.quiets.iter().position(|scored| scored.m == m)?;
        self.quiets.swap_remove(at);
        Some(m)
    }

    fn score_quiets(&mut self, side: Color, history: &History) {
        for scored in &mut self.quiets {
            scored.value = history.quiet(side, scored.m, self.hints.earlier);
        }
    }
}

/// Moves that change the material at once. Under-promotions are quiet: they are seldom good.
pub(crate) fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

/// Swaps the best of the moves that are left to the front and hands it out.
fn best_of(moves: &mut ArrayVec<Scored, MOST_MOVES>, next: &mut usize) -> Option<Move> {
    let rest = &mut moves[*next..];
    let mut best = 0;
    let mut most = rest.first()?.value;
    for (index, scored) in rest.iter().enumerate().skip(1) {
        if scored.value > most {
            (best, most) = (index, scored.value);
        }
    }
    rest.swap(0, best);
    *next += 1;
    Some(moves[*next - 1].m)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random_game;

    fn all(mut picker: Picker, node: &Node) -> Vec<Move> {
        let history = History::default();
        std::iter::from_fn(|| picker.next(node, &history)).collect()
    }

    #[test]
    fn there_is_a_place_for_every_move_of_a_board_full_of_queens() {
        let fen = "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1";
        let moment = chess::Moment::from_fen(fen, chess::shakmaty::CastlingMode::Standard).unwrap();
        assert_eq!(moment.legal_moves().len(), MOST_MOVES);
        assert_eq!(all(Picker::new(Hints::default()), &Node::new(&moment.position)).len(), MOST_MOVES);
    }

    proptest! {
        #[test]
        fn every_legal_move_comes_once(game in random_game(100), hint: prop::sample::Index, refutation: prop::sample::Index) {
            for moment in game {
                let moves = moment.legal_moves();
                if moves.is_empty() {
                    continue;
                }
                let hints = Hints {
                    remembered: Some(moves[hint.index(moves.len())]),
                    refutations: [Some(moves[refutation.index(moves.len())]), None, Some(moves[0])],
                    ..Hints::default()
                };
                let picked = all(Picker::new(hints), &Node::new(&moment.position));
                prop_assert_eq!(picked.len(), moves.len());
                prop_assert!(moves.iter().all(|m| picked.contains(m)));
                prop_assert_eq!(picked[0], hints.remembered.unwrap());
            }
        }

        #[test]
        fn the_list_of_captures_holds_no_quiet_move(game in random_game(100)) {
            for moment in game {
                let picked = all(Picker::captures(None, 0), &Node::new(&moment.position));
                prop_assert!(picked.iter().all(|&m| is_noisy(m)));
            }
        }
    }
}
