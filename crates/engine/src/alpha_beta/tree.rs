//! The tree above the horizon: principal-variation search.

use arrayvec::ArrayVec;
use chess::shakmaty::{Move, Position};

use super::{
    checks::Checks,
    effort::{Candidate, Extension, Skip, skip},
    history::Step,
    node::Node,
    picker::{Hints, Picker, is_noisy},
    quest::{Outlook, Quest, Window},
    quiescence::cutoff,
    reductions::reduction,
    value::{INFINITE, MATE_IN_REACH, MAX_PLY, mated_at, mates_at},
    worker::{BEFORE_ROOT, Shared, Worker},
};

impl Worker {
    /// The answer to a quest. `PV` nodes have an open window; the others ask one yes-or-no question.
    pub(crate) fn search<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        mut quest: Quest,
    ) -> i32 {
        let Quest { depth, ply, cut_node, .. } = quest;
        let window = &mut quest.window;
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
            return if node.in_check() { 0 } else { self.evaluate(shared, node) };
        }
        if !self.plain {
            // No line from here is better than mate at once or worse than being mated now.
            window.alpha = window.alpha.max(mated_at(ply));
            window.beta = window.beta.min(mates_at(ply + 1));
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }

        let excluding = self.frame(ply).excluded.is_some();
        let known = if excluding || self.plain { None } else { shared.table.get(node.key, ply) };
        if !PV
            && let Some(entry) = known
            && entry.depth >= depth
            && node.chess.halfmoves() < 90
            && let Some(value) = cutoff(entry, window.alpha, window.beta)
        {
            return value;
        }
        if !excluding && let Some(value) = self.ask_tablebase(shared, node, quest) {
            return value;
        }

        let outlook = self.survey(shared, node, known, ply, PV);
        self.frame(ply + 1).killers = [None; 2];
        self.frame(ply + 2).cutoffs = 0;
        if !PV
            && !node.in_check()
            && !excluding
            && !self.plain
            && let Some(value) = self.prune_node(shared, node, quest, &outlook)
        {
            return value;
        }
        // Without a move to begin with the node is not worth its whole depth.
        if depth >= 4 && outlook.remembered.is_none() && (PV || cut_node) && !self.plain {
            quest.depth -= 1;
        }
        self.search_moves::<PV>(shared, node, quest, &outlook)
    }

    /// Mate, stalemate or the bare evaluation.
    fn plain_leaf(&mut self, node: &Node, ply: usize) -> i32 {
        match (node.chess.legal_moves().is_empty(), node.in_check()) {
            (true, true) => mated_at(ply),
            (true, false) => 0,
            (false, _) => self.static_value(node),
        }
    }

    fn search_moves<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
    ) -> i32 {
        let Quest { window: Window { mut alpha, beta }, depth, ply, .. } = quest;
        let side = node.turn();
        let excluded = self.frame(ply).excluded;
        let earlier = self.earlier(ply);
        let refutations = self.refutations(ply);
        let mut picker = Picker::new(Hints { remembered: outlook.remembered, refutations, earlier });
        let check_squares = Checks::new(&node.chess);
        let selective = !self.plain && node.has_pieces();

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
            let candidate = Candidate {
                m,
                count,
                quiet,
                checks: check_squares.gives(&node.chess, m),
                bad_capture: picker.in_bad_captures(),
                refutation: refutations.contains(&Some(m)),
                experience: match quiet {
                    true => self.history.quiet(side, m, earlier),
                    false => self.history.capture(side, m),
                },
                base: reduction(depth, count),
            };
            let narrowed = Quest { window: Window { alpha, beta }, ..quest };
            if selective && best > -MATE_IN_REACH {
                match skip(node, narrowed, outlook, &candidate) {
                    None => {}
                    Some(Skip::This) => continue,
                    Some(Skip::QuietsToCome) => {
                        picker.keep_checks(node, &check_squares);
                        continue;
                    }
                }
            }
            let extension = match self.extension::<PV>(shared, node, quest, outlook, &candidate) {
                Extension::By(plies) => plies,
                Extension::Refuted(value) => return value,
                Extension::Stopped => return 0,
            };
            let value = self.follow::<PV>(shared, node, narrowed, outlook, &candidate, extension, best);
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
                // Lists that are full lose nothing: so late a move taught little.
                let _ = if quiet { quiets.try_push(m) } else { captures.try_push(m) };
            }
        }
        if count == 0 {
            return match (excluded, node.in_check()) {
                (Some(_), _) => quest.window.alpha,
                (None, true) => mated_at(ply),
                (None, false) => 0,
            };
        }
        if let Some(m) = best_move
            && best >= beta
        {
            self.learn(side, m, &quiets, &captures, quest);
        }
        if excluded.is_none() && !self.plain {
            self.remember(shared, node, quest, outlook, best, best_move);
        }
        best
    }

    /// Plays the move and asks the child: late moves first with less depth and a closed window, and again with
    /// more only if they surprise.
    #[expect(clippy::too_many_arguments, reason = "the move, its effort and the best so far belong together")]
    fn follow<const PV: bool>(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        quest: Quest,
        outlook: &Outlook,
        candidate: &Candidate,
        extension: i32,
        best: i32,
    ) -> i32 {
        let Quest { window: Window { alpha, .. }, depth, ply, cut_node } = quest;
        let &Candidate { m, count, quiet, bad_capture, .. } = candidate;
        let closed = Window::zero(-alpha - 1);
        let full = depth - 1 + extension;
        let child = node.play(m);
        self.enter(shared, ply, Some(Step::new(node.turn(), m)), &child);
        let mut value = -INFINITE;
        let reducible = depth >= 2 && count > 1 + i32::from(PV) && !self.plain;
        if reducible && (quiet || bad_capture || count > 4) {
            let less = self.reduction::<PV>(quest, outlook, candidate);
            let reduced = (full - less).clamp(1.min(full), full);
            value = -self.search::<false>(shared, &child, quest.below(closed, reduced, true));
            if value > alpha && reduced < full {
                // Deeper or shallower than planned, as the surprise is large or small.
                let again = full + i32::from(value > best + 60) - i32::from(value < best + 10);
                if reduced < again {
                    value = -self.search::<false>(shared, &child, quest.below(closed, again, !cut_node));
                }
            }
        } else if !PV || count > 1 {
            value = -self.search::<false>(shared, &child, quest.below(closed, full, !cut_node));
        }
        if PV && (count == 1 || value > alpha) {
            value = -self.search::<true>(shared, &child, quest.below(quest.window.flipped(), full, false));
        }
        self.leave();
        value
    }

    /// Killers, and the usual answer to the last move.
    fn refutations(&mut self, ply: usize) -> [Option<Move>; 3] {
        let [killer, second] = self.frame(ply).killers;
        let counter = self.history.counter(self.earlier(ply)[0]);
        [killer, second, counter.filter(|&m| Some(m) != killer && Some(m) != second)]
    }

    /// Puts `m` before the best line of the child.
    pub(crate) fn extend_line(&mut self, ply: usize, m: Move) {
        let at = ply + BEFORE_ROOT;
        let (here, below) = self.frames.split_at_mut(at + 1);
        let line = &mut here[at].line;
        line.clear();
        line.push(m);
        let capacity = line.remaining_capacity();
        line.extend(below[0].line.iter().copied().take(capacity));
    }
}
