//! Several best lines: in each iteration a search of its own for every line, without the moves that the lines before begin with. What they
//! find out about positions they share by the table.

use chess::{PackedMove, shakmaty::Move};

use super::{
    deepen::{Deepening, Standing},
    walker::Walker,
};
use crate::{Bound, Choice, Stats, alpha_beta::Node as Board, evaluator::Batch};

impl Deepening<'_, '_> {
    pub(super) fn run_lines(mut self, allowed: &[Move], lines: usize) -> (Choice, Stats) {
        let mut standings: Vec<Standing> = allowed[..lines].iter().map(|&m| Standing::new(Some(m))).collect();
        for depth in 1..=self.deepest() {
            let before = standings[0].clone();
            let mut fresh: Vec<Standing> = Vec::with_capacity(lines);
            for rank in 0..lines {
                let taken = |m: &&Move| fresh.iter().any(|line: &Standing| line.best == Some(**m));
                let left: Vec<Move> = allowed.iter().filter(|m| !taken(m)).copied().collect();
                self.nodes_before += self.walker.tree.made;
                self.walker.begin_line(Board::new(&self.moment.position), &left);
                // The guess of the iteration before; its move may be another line's now.
                let mut standing = Standing { best: left.first().copied(), ..standings[rank].clone() };
                if !self.iterate(depth as i16, &mut standing) {
                    // What was not finished counts only as long as there is nothing else.
                    if depth == 1 && rank == 0 {
                        standings[0] = standing;
                    }
                    return self.conclude(standings.swap_remove(0));
                }
                fresh.push(standing);
            }
            // Each line was searched on its own, so a later one may have come out better.
            fresh.sort_by(|a, b| b.value.total_cmp(&a.value));
            fresh[0].count_unchanged(&before);
            standings = fresh;
            for (rank, standing) in standings.iter().enumerate() {
                self.report(standing, Bound::Exact, rank + 1);
            }
            if self.has_enough(&standings[0], before.value) {
                break;
            }
        }
        self.conclude(standings.swap_remove(0))
    }
}

impl Walker<'_> {
    /// An empty tree for some of the root's moves.
    fn begin_line(&mut self, root: Board, wanted: &[Move]) {
        while self.evaluator.wait().is_some() {}
        self.gathered = Batch::default();
        self.spare = Batch::default();
        self.leaves.clear();
        self.tree.begin_anew(root);
        self.tree.made = 1;
        self.wanted = wanted.iter().map(|&m| PackedMove::from(m)).collect();
    }
}
