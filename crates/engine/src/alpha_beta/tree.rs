//! The tree above the horizon: principal-variation search with what lets it skip nearly everything.

use arrayvec::ArrayVec;
use chess::{
    PackedMove,
    shakmaty::{Move, Position},
};

use super::{
    checks::Checks,
    history::Step,
    node::Node,
    picker::{Hints, Picker, is_noisy},
    quiescence::{cutoff, sharpen},
    reductions::reduction,
    see::wins_exchange,
    table::Entry,
    value::{INFINITE, MATE_IN_REACH, MAX_PLY, SURE_WIN, UNKNOWN, is_decisive, mated_at, mates_at},
    worker::{Shared, Worker},
};
use crate::Bound;

/// A node's window and what is expected of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    pub(crate) fn zero(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    pub(crate) fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// What is known of a node before its moves are looked at.
struct Outlook {
    known: Option<Entry>,
    /// Static evaluation before correction.
    raw: i32,
    /// Static evaluation, corrected.
    evaluation: i32,
    /// The best guess: the evaluation, or the table's value where that tells more.
    guess: i32,
    /// Whether we stand better than two plies ago.
    improving: bool,
    on_line: bool,
}

impl Worker {
    /// Value of a node to `depth`. `PV` nodes have an open window; the others ask one yes-or-no question.
    pub(crate) fn search<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        mut window: Window,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> i32 {
        if depth <= 0 && !self.plain {
            return self.quiesce::<PV>(shared, node, window.alpha, window.beta, ply, true);
        }
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
        if depth <= 0 {
            return self.plain_leaf(node, ply);
        }
        if ply >= MAX_PLY - 1 {
            return if node.in_check() { 0 } else { self.evaluate(node) };
        }
        if !self.plain {
            window.alpha = window.alpha.max(mated_at(ply));
            window.beta = window.beta.min(mates_at(ply + 1));
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }

        let excluded = self.frame(ply).excluded;
        let known = if excluded.is_some() || self.plain { None } else { shared.table.get(node.key, ply) };
        if !PV
            && let Some(entry) = known
            && entry.depth >= depth
            && node.chess.halfmoves() < 90
            && let Some(value) = cutoff(entry, window.alpha, window.beta)
        {
            return value;
        }
        if excluded.is_none()
            && let Some(value) = self.ask_tablebase(shared, node, ply, window, depth)
        {
            return value;
        }

        let outlook = self.look(shared, node, known, ply, PV, excluded.is_some());
        self.frame(ply + 1).killers = [None; 2];
        self.frame(ply + 2).cutoffs = 0;
        if !PV
            && !node.in_check()
            && excluded.is_none()
            && !self.plain
            && let Some(value) = self.prune_node(shared, node, window, depth, ply, cut_node, &outlook)
        {
            return value;
        }

        let remembered = known.and_then(|entry| node.recall(entry.best));
        // Without a move to begin with the node is not worth its whole depth.
        if depth >= 4 && remembered.is_none() && (PV || cut_node) && !self.plain {
            depth -= 1;
        }
        self.search_moves::<PV>(shared, node, window, depth, ply, cut_node, remembered, &outlook)
    }

    /// Mate, stalemate or the bare evaluation.
    fn plain_leaf(&mut self, node: &Node, ply: usize) -> i32 {
        match (node.chess.legal_moves().is_empty(), node.in_check()) {
            (true, true) => mated_at(ply),
            (true, false) => 0,
            (false, _) => self.evaluate(node),
        }
    }

    fn look(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        known: Option<Entry>,
        ply: usize,
        pv: bool,
        excluding: bool,
    ) -> Outlook {
        let on_line = pv || known.is_some_and(|entry| entry.on_line);
        if node.in_check() {
            self.frame(ply).evaluation = UNKNOWN;
            return Outlook {
                known,
                raw: UNKNOWN,
                evaluation: UNKNOWN,
                guess: UNKNOWN,
                improving: false,
                on_line,
            };
        }
        let raw = match known {
            Some(entry) if entry.evaluation != UNKNOWN => entry.evaluation,
            _ => self.evaluate(node),
        };
        let evaluation = match excluding {
            true => self.frame(ply).evaluation,
            false => (raw + self.correction.of(node)).clamp(1 - SURE_WIN, SURE_WIN - 1),
        };
        if known.is_none() && !excluding && !self.plain {
            shared.table.put(node.key, ply, Entry::evaluation_only(raw, on_line));
        }
        self.frame(ply).evaluation = evaluation;
        let guess = known.and_then(|entry| sharpen(entry, evaluation)).unwrap_or(evaluation);
        let before = |back: usize| {
            if ply >= back {
                self.frames[ply + super::worker::BEFORE_ROOT - back].evaluation
            } else {
                UNKNOWN
            }
        };
        let improving = [before(2), before(4)]
            .into_iter()
            .find(|&value| value != UNKNOWN)
            .is_some_and(|value| evaluation > value);
        Outlook { known, raw, evaluation, guess, improving, on_line }
    }

    /// Ways to judge a whole node without looking at its moves.
    #[expect(clippy::too_many_arguments, reason = "a node is its window, depth, ply and outlook")]
    fn prune_node(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
        outlook: &Outlook,
    ) -> Option<i32> {
        let Window { alpha, beta } = window;
        let &Outlook { guess, evaluation, improving, .. } = outlook;

        // Razoring: so far below alpha that only a capture could help.
        if depth <= 5 && guess + 250 + 190 * depth * depth < alpha && !is_decisive(alpha) {
            let value = self.quiesce::<false>(shared, node, alpha, alpha + 1, ply, true);
            if value <= alpha {
                return Some(value);
            }
        }
        // Reverse futility: so far above beta that a quiet opponent cannot bring it down.
        let margin = 90 * depth - 80 * i32::from(improving);
        if depth <= 8 && !is_decisive(guess) && !is_decisive(beta) && guess - margin >= beta {
            return Some((guess + beta) / 2);
        }
        if let Some(value) = self.try_passing(shared, node, beta, depth, ply, cut_node, outlook) {
            return Some(value);
        }
        // A capture that beats beta by a margin at low depth will beat it at full depth too.
        let bar = beta + 180 - 50 * i32::from(improving);
        let refuted = outlook
            .known
            .is_some_and(|entry| entry.value != UNKNOWN && entry.depth >= depth - 3 && entry.value < bar);
        if depth >= 5 && !is_decisive(beta) && !refuted {
            return self.try_captures(shared, node, bar, depth, ply, cut_node, outlook, bar - evaluation);
        }
        None
    }

    /// Null move: if even passing keeps us above beta, a move will.
    #[expect(clippy::too_many_arguments, reason = "a node is its window, depth, ply and outlook")]
    fn try_passing(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        beta: i32,
        depth: i32,
        ply: usize,
        cut_node: bool,
        outlook: &Outlook,
    ) -> Option<i32> {
        let &Outlook { guess, evaluation, improving, .. } = outlook;
        let allowed = depth >= 3
            && guess >= beta
            && evaluation >= beta - 18 * depth + 120 - 40 * i32::from(improving)
            && !is_decisive(beta)
            && ply >= self.no_pass_until
            && self.earlier(ply)[0].is_some()
            && node.has_pieces();
        if !allowed {
            return None;
        }
        let child = node.pass()?;
        let reduced = depth - (4 + depth / 4 + ((guess - beta) / 180).min(3));
        self.enter(shared, ply, None, &child);
        let value = -self.search::<false>(shared, &child, Window::zero(-beta), reduced, ply + 1, !cut_node);
        self.leave();
        if self.stopped {
            return Some(0);
        }
        if value < beta {
            return None;
        }
        let value = if is_decisive(value) { beta } else { value };
        if depth < 14 || self.no_pass_until > 0 {
            return Some(value);
        }
        // Zugzwang is rare, but a deep search can afford to ask.
        self.no_pass_until = ply + (3 * reduced.max(0) / 4) as usize + 1;
        let verified = self.search::<false>(shared, node, Window::zero(beta - 1), reduced, ply, false);
        self.no_pass_until = 0;
        (verified >= beta).then_some(value)
    }

    #[expect(clippy::too_many_arguments, reason = "a node is its window, depth, ply and outlook")]
    fn try_captures(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        bar: i32,
        depth: i32,
        ply: usize,
        cut_node: bool,
        outlook: &Outlook,
        gain: i32,
    ) -> Option<i32> {
        let remembered = outlook.known.and_then(|entry| node.recall(entry.best));
        let remembered = remembered.filter(|&m| is_noisy(m) && wins_exchange(&node.chess, m, gain));
        let mut picker = Picker::captures(remembered, gain);
        while let Some(m) = picker.next(node, &self.history) {
            let child = node.play(m);
            self.enter(shared, ply, Some(Step::new(node.turn(), m)), &child);
            let mut value = -self.quiesce::<false>(shared, &child, -bar, 1 - bar, ply + 1, true);
            if value >= bar {
                value =
                    -self.search::<false>(shared, &child, Window::zero(-bar), depth - 4, ply + 1, !cut_node);
            }
            self.leave();
            if self.stopped {
                return Some(0);
            }
            if value >= bar {
                let entry = Entry {
                    best: m.into(),
                    value,
                    evaluation: outlook.raw,
                    depth: depth - 3,
                    bound: Bound::Lower,
                    on_line: outlook.on_line,
                };
                shared.table.put(node.key, ply, entry);
                return Some(value);
            }
        }
        None
    }

    #[expect(clippy::too_many_arguments, reason = "a node is its window, depth, ply and outlook")]
    fn search_moves<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
        remembered: Option<Move>,
        outlook: &Outlook,
    ) -> i32 {
        let side = node.turn();
        let excluded = self.frame(ply).excluded;
        let earlier = self.earlier(ply);
        let [killer, second] = self.frame(ply).killers;
        let counter = self.history.counter(earlier[0]);
        let counter = counter.filter(|&m| Some(m) != killer && Some(m) != second);
        let mut picker = Picker::new(Hints { remembered, refutations: [killer, second, counter], earlier });

        let check_squares = Checks::new(&node.chess);
        let Window { mut alpha, beta } = window;
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut count = 0;
        let mut quiets: ArrayVec<Move, 64> = ArrayVec::new();
        let mut captures: ArrayVec<Move, 32> = ArrayVec::new();

        while let Some(m) = picker.next(node, &self.history) {
            if Some(m) == excluded {
                continue;
            }
            count += 1;
            let quiet = !is_noisy(m);
            let experience = match quiet {
                true => self.history.quiet(side, m, earlier),
                false => self.history.capture(side, m),
            };
            let base = reduction(depth, count);
            let checks = check_squares.gives(&node.chess, m);

            if best > -MATE_IN_REACH && !self.plain && node.has_pieces() {
                let left = (depth - base / 1024).max(0);
                if quiet && !checks {
                    // Late moves: after so many, the rest will not do better.
                    if count >= (4 + depth * depth) / (2 - i32::from(outlook.improving)) {
                        picker.keep_checks(node, &check_squares);
                        continue;
                    }
                    if depth <= 5 && experience < -4200 * depth {
                        continue;
                    }
                    // Futility: a quiet move will not lift the evaluation this much.
                    let hopeless =
                        outlook.evaluation != UNKNOWN && outlook.evaluation + 110 + 95 * left <= alpha;
                    if left <= 7 && !node.in_check() && hopeless {
                        continue;
                    }
                    if left <= 8 && !wins_exchange(&node.chess, m, -24 * left * left) {
                        continue;
                    }
                } else if depth <= 7
                    && picker.in_bad_captures()
                    && !wins_exchange(&node.chess, m, -(if checks { 190 } else { 95 }) * depth)
                {
                    continue;
                }
            }

            let extension =
                match self.extend::<PV>(shared, node, m, remembered, outlook, window, depth, ply, cut_node) {
                    Extension::By(plies) => plies,
                    Extension::Refuted(value) => return value,
                    Extension::Stopped => return 0,
                };
            let child = node.play(m);
            let extension = match extension {
                // A check that loses nothing is worth a ply.
                0 if checks && depth <= 8 && !self.plain && wins_exchange(&node.chess, m, 0) => 1,
                plies => plies,
            };
            let full = depth - 1 + extension;
            self.enter(shared, ply, Some(Step::new(side, m)), &child);
            let mut value = -INFINITE;
            let reducible = depth >= 2 && count > 1 + i32::from(PV) && !self.plain;
            if reducible && (quiet || picker.in_bad_captures() || count > 4) {
                let mut less = base;
                less += if quiet { -(experience / 9) } else { -512 - experience / 12 };
                less += 1024 * i32::from(cut_node) + 512 * i32::from(cut_node && remembered.is_none());
                less += 900 * i32::from(!outlook.improving);
                less -= 1000 * i32::from(PV) + 700 * i32::from(outlook.on_line);
                less -= 900 * i32::from(checks);
                less -= 1000 * i32::from([killer, second, counter].contains(&Some(m)));
                less += 800 * i32::from(remembered.is_some_and(is_noisy));
                less += 700 * i32::from(self.frame(ply + 1).cutoffs > 3);
                let reduced = (full - less / 1024).clamp(1.min(full), full);
                value =
                    -self.search::<false>(shared, &child, Window::zero(-alpha - 1), reduced, ply + 1, true);
                if value > alpha && reduced < full {
                    // Deeper or shallower than planned, as the surprise is large or small.
                    let again = full + i32::from(value > best + 60) - i32::from(value < best + 10);
                    if reduced < again {
                        value = -self.search::<false>(
                            shared,
                            &child,
                            Window::zero(-alpha - 1),
                            again,
                            ply + 1,
                            !cut_node,
                        );
                    }
                }
            } else if !PV || count > 1 {
                value =
                    -self.search::<false>(shared, &child, Window::zero(-alpha - 1), full, ply + 1, !cut_node);
            }
            if PV && (count == 1 || value > alpha) {
                value = -self.search::<true>(
                    shared,
                    &child,
                    Window { alpha, beta }.flipped(),
                    full,
                    ply + 1,
                    false,
                );
            }
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
                        self.frame(ply).cutoffs += 1;
                        break;
                    }
                    alpha = value;
                }
            }
            if Some(m) != best_move {
                if quiet {
                    quiets.try_push(m).ok()
                } else {
                    captures.try_push(m).ok()
                };
            }
        }
        if count == 0 {
            return match (excluded, node.in_check()) {
                (Some(_), _) => window.alpha,
                (None, true) => mated_at(ply),
                (None, false) => 0,
            };
        }
        if best == -INFINITE {
            // Every move was skipped: at least nothing was found that is better.
            best = window.alpha;
        }
        if let Some(m) = best_move
            && best >= beta
        {
            self.learn(m, &quiets, &captures, depth, ply, side);
        }
        if excluded.is_none() && !self.plain {
            self.remember(shared, node, window, best, best_move, depth, ply, outlook);
        }
        best
    }

    /// Learns from a cutoff: what refuted, and what was tried before it in vain.
    fn learn(
        &mut self,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
        depth: i32,
        ply: usize,
        side: chess::shakmaty::Color,
    ) {
        let earlier = self.earlier(ply);
        let bonus = (160 * depth - 80).min(1800);
        let malus = -(150 * depth - 60).min(1500);
        if is_noisy(best) {
            self.history.learn_capture(side, best, bonus);
        } else {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.history.learn_counter(earlier[0], best);
            self.history.learn_quiet(side, best, earlier, bonus);
            for &m in quiets {
                self.history.learn_quiet(side, m, earlier, malus);
            }
        }
        for &m in captures {
            self.history.learn_capture(side, m, malus);
        }
    }

    /// Stores the result, and corrects the evaluation by it.
    #[expect(clippy::too_many_arguments, reason = "a node is its window, depth, ply and outlook")]
    fn remember(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        window: Window,
        best: i32,
        best_move: Option<Move>,
        depth: i32,
        ply: usize,
        outlook: &Outlook,
    ) {
        let bound = if best >= window.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: best_move.map_or(PackedMove::NONE, PackedMove::from),
            value: best,
            evaluation: outlook.raw,
            depth,
            bound,
            on_line: outlook.on_line,
        };
        shared.table.put(node.key, ply, entry);
        let tells = match bound {
            Bound::Lower => best > outlook.evaluation,
            Bound::Upper => best < outlook.evaluation,
            Bound::Exact => true,
        };
        if !node.in_check() && tells && !best_move.is_some_and(is_noisy) && !is_decisive(best) {
            self.correction.learn(node, best - outlook.raw, depth);
        }
    }

    /// How much deeper a move is looked at. The remembered move is asked whether it is the only good one.
    #[expect(clippy::too_many_arguments, reason = "a node is its window, depth, ply and outlook")]
    fn extend<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        m: Move,
        remembered: Option<Move>,
        outlook: &Outlook,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Extension {
        let Some(entry) = outlook.known else { return Extension::By(0) };
        let candidate = Some(m) == remembered
            && depth >= 7
            && !self.plain
            && self.frame(ply).excluded.is_none()
            && (ply as i32) < 2 * (self.completed_depth + 1)
            && entry.depth >= depth - 3
            && entry.bound != Bound::Upper
            && entry.value != UNKNOWN
            && !is_decisive(entry.value);
        if !candidate {
            return Extension::By(0);
        }
        let bar = entry.value - 2 * depth;
        let kept = (self.frame(ply).killers, self.frame(ply).cutoffs);
        self.frame(ply).excluded = Some(m);
        let value = self.search::<false>(shared, node, Window::zero(bar - 1), (depth - 1) / 2, ply, cut_node);
        self.frame(ply).excluded = None;
        (self.frame(ply).killers, self.frame(ply).cutoffs) = kept;
        if self.stopped {
            return Extension::Stopped;
        }
        if value < bar {
            let alone = !PV && value < bar - 18;
            return Extension::By(1 + i32::from(alone));
        }
        if bar >= window.beta && !is_decisive(bar) {
            return Extension::Refuted(bar);
        }
        if entry.value >= window.beta {
            return Extension::By(-2);
        }
        Extension::By(-i32::from(cut_node))
    }

    /// Puts `m` before the best line of the child.
    pub(crate) fn extend_line(&mut self, ply: usize, m: Move) {
        let at = ply + super::worker::BEFORE_ROOT;
        let (here, below) = self.frames.split_at_mut(at + 1);
        let line = &mut here[at].line;
        line.clear();
        line.push(m);
        let room = line.remaining_capacity();
        line.extend(below[0].line.iter().copied().take(room));
    }

    /// What the endgame tables say, where they can be asked.
    fn ask_tablebase(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        ply: usize,
        window: Window,
        depth: i32,
    ) -> Option<i32> {
        let value = shared.syzygy.value(&node.chess, ply)?;
        self.tablebase_hits += 1;
        let bound = match value {
            0 => Bound::Exact,
            _ if value > 0 => Bound::Lower,
            _ => Bound::Upper,
        };
        let entry = Entry {
            best: PackedMove::NONE,
            value,
            evaluation: UNKNOWN,
            depth: (depth + 6).min(MAX_PLY as i32 - 1),
            bound,
            on_line: false,
        };
        let value = cutoff(entry, window.alpha, window.beta)?;
        shared.table.put(node.key, ply, entry);
        Some(value)
    }
}

enum Extension {
    By(i32),
    /// Several moves beat beta: the node is settled.
    Refuted(i32),
    Stopped,
}
