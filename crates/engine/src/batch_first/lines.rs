//! Several best lines: in each iteration a search of its own for every line, without the moves that the lines before begin with. What they
//! find out about positions they share by the table.

use chess::{PackedMove, shakmaty::Move};

use super::{
    deepen::{Deepening, Standing},
    walker::Walker,
};
use crate::{Bound, Choice, Stats, alpha_beta::Node as Board, evaluator::EvalBatch};

impl Deepening<'_, '_> {
    pub(super) fn run_lines(mut self, allowed: &[Move], lines: usize) -> (Choice, Stats) {
        let mut standings: Vec<Standing> = allowed[..lines].iter().map(|&m| Standing::new(Some(m))).collect();
        for depth in 1..=self.deepest() {
            let before = standings[0].clone();
            let mut fresh: Vec<Standing> = Vec::with_capacity(lines);
            for guess in &standings {
                let taken = |m: &&Move| fresh.iter().any(|line: &Standing| line.best == Some(**m));
                let left: Vec<Move> = allowed.iter().filter(|m| !taken(m)).copied().collect();
                self.nodes_before += self.walker.tree.made;
                self.walker.begin_line(Board::new(&self.moment.position), &left);
                // The guess of the iteration before; its move may be another line's now.
                let mut standing = Standing { best: left.first().copied(), ..guess.clone() };
                if !self.iterate(depth as i16, &mut standing) {
                    return self.conclude_lines(fresh, if depth == 1 { standing } else { before });
                }
                fresh.push(standing);
            }
            self.report_lines(&mut fresh);
            fresh[0].count_unchanged(&before);
            standings = fresh;
            if self.has_enough(&standings[0], before.value) {
                break;
            }
        }
        self.conclude(standings.swap_remove(0))
    }

    /// Lines of one iteration in their order. Each was searched on its own, so a later one may have come out better.
    fn report_lines(&mut self, lines: &mut [Standing]) {
        lines.sort_by(|a, b| b.value.total_cmp(&a.value));
        for (rank, standing) in lines.iter().enumerate() {
            self.report(standing, Bound::Exact, rank + 1);
        }
    }

    /// The answer of an iteration that was stopped: its best finished line, or else what there was before.
    fn conclude_lines(mut self, mut fresh: Vec<Standing>, mut before: Standing) -> (Choice, Stats) {
        if !fresh.is_empty() {
            self.report_lines(&mut fresh);
            return self.conclude(fresh.swap_remove(0));
        }
        if before.depth == 0 && before.line.is_empty() {
            before.best = self.likeliest().or(before.best);
        }
        self.conclude(before)
    }
}

impl Walker<'_> {
    /// An empty tree for some of the root's moves.
    fn begin_line(&mut self, root: Board, wanted: &[Move]) {
        while self.evaluator.wait().is_some() {}
        self.gathered = EvalBatch::default();
        self.spare = EvalBatch::default();
        self.leaves.clear();
        self.tree.begin_anew(root);
        self.tree.made = 1;
        self.wanted = wanted.iter().map(|&m| PackedMove::from(m)).collect();
    }
}
