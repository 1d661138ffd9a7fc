//! Perft: how many ways there are to play a number of plies, the usual check of move generation.

mod count;
mod table;

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    thread,
};

pub use count::legal_move_count;
use shakmaty::{Chess, Move, Position};
pub use table::Table;

/// Leaves of the tree of legal moves `depth` plies below `position`. The last ply is counted, not played.
pub fn perft(position: &Chess, depth: u32) -> u64 {
    leaves(position, depth, None)
}

/// The leaves behind each legal move of `position`, counted on `threads` threads that may share a table.
pub fn divide(position: &Chess, depth: u32, threads: usize, table: Option<&Table>) -> Vec<(Move, u64)> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let moves = position.legal_moves();
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let jobs = jobs(position, depth);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
                    counts[job.root].fetch_add(leaves(&job.position, job.depth, table), Relaxed);
                }
            });
        }
    });
    moves.into_iter().zip(counts).map(|(m, count)| (m, count.into_inner())).collect()
}

struct Job {
    /// Number of the root move that led here.
    root: usize,
    position: Chess,
    depth: u32,
}

/// Positions after two plies where the depth allows: after one there are too few to keep every thread busy to the end.
fn jobs(position: &Chess, depth: u32) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (root, child) in children(position).enumerate() {
        match depth.checked_sub(1) {
            Some(depth) => jobs.extend(children(&child).map(|position| Job { root, position, depth })),
            None => jobs.push(Job { root, position: child, depth }),
        }
    }
    jobs
}

fn leaves(position: &Chess, depth: u32, table: Option<&Table>) -> u64 {
    match (depth, table) {
        (0, _) => 1,
        (1, _) => u64::from(legal_move_count(position)),
        (2, _) | (_, None) => below(position, depth, table),
        (_, Some(known)) => known.get_or_count(position, depth, || below(position, depth, table)),
    }
}

fn below(position: &Chess, depth: u32, table: Option<&Table>) -> u64 {
    children(position).map(|child| leaves(&child, depth - 1, table)).sum()
}

fn children(position: &Chess) -> impl Iterator<Item = Chess> {
    position.legal_moves().into_iter().map(|m| {
        let mut child = position.clone();
        child.play_unchecked(m);
        child
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{random_chess960_game, random_game};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn all_ways_to_count_agree(
            game in prop_oneof![random_game(60), random_chess960_game(60)],
            depth in 0u32..4,
            threads in 0usize..5,
        ) {
            let position = &game.last().unwrap().position;
            let count = shakmaty::perft(position, depth);
            prop_assert_eq!(perft(position, depth), count);
            if depth > 0 {
                // Too small on purpose: most entries are overwritten.
                for table in [None, Some(Table::with_entries(50))] {
                    let parts = divide(position, depth, threads, table.as_ref());
                    prop_assert_eq!(parts.len(), position.legal_moves().len());
                    prop_assert_eq!(parts.iter().map(|(_, part)| part).sum::<u64>(), count);
                }
            }
        }
    }

    #[test]
    fn a_mated_side_has_no_leaves() {
        let mate =
            crate::Moment::from_fen("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", shakmaty::CastlingMode::Standard);
        let mate = mate.unwrap().position;
        assert_eq!((perft(&mate, 0), perft(&mate, 1), perft(&mate, 3)), (1, 0, 0));
        assert!(divide(&mate, 3, 2, None).is_empty());
    }
}
