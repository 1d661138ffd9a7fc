//! A batch of boards through the head, in chunks that stay in cache.

use rayon::prelude::*;

use super::{
    Moves, PackedHead,
    chunk::{Chunk, Results},
};
use crate::{Aligned, bags, chunks, rows};

/// Boards that go through together.
const CHUNK: usize = 8;

/// Scores of all moves, then of the origins and of the targets of all boards, then the mean squares of all boards. `x` is
/// `[boards x 64, channels]`, `side` `[boards, hidden]`.
///
/// # Panics
/// If a bag names a row that the table does not have.
pub fn forward(
    packed: &PackedHead,
    parameters: &[f32],
    moves: Moves<'_>,
    x: &[f32],
    side: &[f32],
) -> Vec<f32> {
    let boards = check(packed, moves, x, side);
    let starts: Vec<usize> = (0..boards).step_by(CHUNK).collect();
    let results: Vec<Results> = starts
        .into_par_iter()
        .map(|start| {
            let chunk = Chunk::new(packed, parameters, moves, start..boards.min(start + CHUNK), x, side);
            chunk.results()
        })
        .collect();
    let parts: [fn(&Results) -> &[f32]; 4] = [|r| &r.scores, |r| &r.origins, |r| &r.targets, |r| &r.means];
    let mut all = Vec::with_capacity(moves.results(packed.shape));
    for part in parts {
        results.iter().for_each(|results| all.extend_from_slice(part(results)));
    }
    all
}

/// From the gradient of the results to those of `x`, of `side` and of the parameters, which are returned.
///
/// # Panics
/// If a bag names a row that the table does not have.
pub fn backward(
    packed: &PackedHead,
    parameters: &[f32],
    moves: Moves<'_>,
    (x, side): (&[f32], &[f32]),
    gradient: &[f32],
    (to_x, to_side): (&mut [f32], &mut [f32]),
) -> Vec<f32> {
    let boards = check(packed, moves, x, side);
    assert!(to_x.len() == x.len() && to_side.len() == side.len());
    assert_eq!(gradient.len(), moves.results(packed.shape));
    let (c, h) = (packed.shape.channels, packed.shape.hidden);
    let table = packed.shape.places().table();
    let some = chunks::summed_together(boards);
    let groups = to_x.par_chunks_mut(some * 64 * c).zip(to_side.par_chunks_mut(some * h)).enumerate();
    let parts: Vec<(Aligned, Vec<Aligned>)> = groups
        .map(|(group, (to_x, to_side))| {
            let mut sums = Aligned::zeros(table);
            let chunks = to_x.chunks_mut(CHUNK * 64 * c).zip(to_side.chunks_mut(CHUNK * h)).enumerate();
            let to_moves = chunks.map(|(at, (to_x, to_side))| {
                let start = group * some + at * CHUNK;
                let range = start..boards.min(start + CHUNK);
                let gradient = Results::part(gradient, packed.shape, moves, range.clone());
                let chunk = Chunk::new(packed, parameters, moves, range, x, side);
                chunk.back(&gradient, to_x, to_side, &mut sums)
            });
            let to_moves = to_moves.collect();
            (sums, to_moves)
        })
        .collect();
    let mut total = vec![0.0; parameters.len()];
    let mut to_moves = Aligned::scratch(moves.origins.len() * h);
    let mut at = 0;
    for (sums, to_some) in &parts {
        rows::add(packed.level, &mut total[..table], sums);
        for some in to_some {
            to_moves[at..at + some.len()].copy_from_slice(some);
            at += some.len();
        }
    }
    bags::backward(packed.level, moves.bags, &to_moves, h, &mut total[table..]);
    total
}

fn check(packed: &PackedHead, moves: Moves<'_>, x: &[f32], side: &[f32]) -> usize {
    moves.check();
    let boards = moves.ends.len();
    assert_eq!(x.len(), boards * 64 * packed.shape.channels);
    assert_eq!(side.len(), boards * packed.shape.hidden);
    boards
}
