//! Scores of all 64 x 64 moves from an origin to a target, for tokens that each point into a board: what a token makes of its board's
//! squares as origins and as targets, and of every pair of them.
//!
//! Of a square come four times `rank` numbers: as an origin and as a target of a pair, alone as an origin, alone as a target. Of a token
//! come three times: how much each number of an origin counts in pairs beyond 1, and what origins and targets alone are multiplied by.

use std::cell::RefCell;

use rayon::prelude::*;

use crate::{
    Aligned, Level,
    product::{self, Into, Out, Size, View},
    simd::{self, Simd, Task},
};

const SQUARES: usize = 64;
/// Scores of one token: origin + 64 x target.
pub const SCORES: usize = SQUARES * SQUARES;
/// Numbers of a square and of a token, in ranks.
const OF_SQUARE: usize = 4;
const OF_TOKEN: usize = 3;

/// Whether scores by so many numbers can be computed here.
pub fn fits(rank: usize) -> bool {
    rank > 0 && rank.is_multiple_of(16)
}

/// Scores of tokens: `[tokens, SCORES]`, from squares `[boards x 64, 4 x rank]` and tokens `[tokens, 3 x rank]`. `boards` says which board a
/// token points into, in order.
pub fn forward(level: Level, rank: usize, boards: &[i32], squares: &[f32], tokens: &[f32]) -> Vec<f32> {
    check(rank, boards, squares, tokens);
    let mut y = vec![0.0; boards.len() * SCORES];
    let all = y.par_chunks_exact_mut(SCORES).zip(tokens.par_chunks_exact(OF_TOKEN * rank)).zip(boards);
    all.for_each(|((y, token), &board)| {
        let board = of_board(squares, board, rank);
        Buffers::lend(level, rank, |buffers| {
            simd::run(level, Origins { rank, board, token, buffers });
            let Buffers { from, alone, packed: [left, right], .. } = buffers;
            product::left(level, target(board, rank), left);
            product::right_transposed(level, View::new(from, SQUARES, rank), right);
            let size = Size { m: SQUARES, n: SQUARES, k: rank };
            product::product(level, size, left, right, y, SQUARES, Into::Row(&alone[..SQUARES]));
            simd::run(level, AddToRows { rows: y, to_each: &alone[SQUARES..] });
        });
    });
    y
}

/// From the gradient of the scores to those of squares and tokens.
pub fn backward(
    level: Level,
    rank: usize,
    boards: &[i32],
    (squares, tokens): (&[f32], &[f32]),
    gradient: &[f32],
    (to_squares, to_tokens): (&mut [f32], &mut [f32]),
) {
    check(rank, boards, squares, tokens);
    assert_eq!(gradient.len(), boards.len() * SCORES);
    assert!(to_squares.len() == squares.len() && to_tokens.len() == tokens.len());
    // The tokens of a board side by side: each board is one task, so that sums have one order.
    let (mut tasks, mut to_tokens, mut first) = (Vec::new(), to_tokens, 0);
    for (board, to_board) in to_squares.chunks_exact_mut(OF_SQUARE * SQUARES * rank).enumerate() {
        let count = boards[first..].iter().take_while(|&&own| own as usize == board).count();
        let (own, rest) = to_tokens.split_at_mut(count * OF_TOKEN * rank);
        to_tokens = rest;
        tasks.push((board, first, to_board, own));
        first += count;
    }
    tasks.into_par_iter().for_each(|(board, first, to_board, to_tokens)| {
        let board = of_board(squares, board as i32, rank);
        for (at, to_token) in to_tokens.chunks_exact_mut(OF_TOKEN * rank).enumerate() {
            let gradient = &gradient[(first + at) * SCORES..][..SCORES];
            let token = &tokens[(first + at) * OF_TOKEN * rank..][..OF_TOKEN * rank];
            Buffers::lend(level, rank, |buffers| {
                simd::run(level, Origins { rank, board, token, buffers });
                simd::run(level, Sums { gradient, to: &mut buffers.alone });
                let Buffers { from, alone, packed: [left, right], to_from, to_target, .. } = buffers;
                let gradients = View::new(gradient, SQUARES, SQUARES);
                let size = Size { m: SQUARES, n: rank, k: SQUARES };
                product::left(level, gradients, left);
                product::right(level, View::new(from, SQUARES, rank), right);
                product::product(level, size, left, right, to_target, rank, Into::Replace);
                product::left_transposed(level, gradients, left);
                product::right(level, target(board, rank), right);
                let out = Out { values: to_from, stride: rank, into: Into::Replace };
                product::product_transposed(level, size, left, right, out);
                let to = (&mut *to_board, to_token);
                simd::run(level, Share { rank, board, token, alone, to_from, to_target, to });
            });
        }
    });
}

fn check(rank: usize, boards: &[i32], squares: &[f32], tokens: &[f32]) {
    let board = OF_SQUARE * SQUARES * rank;
    assert!(fits(rank) && squares.len().is_multiple_of(board));
    assert_eq!(tokens.len(), boards.len() * OF_TOKEN * rank);
    assert!(
        boards.is_sorted() && boards.iter().all(|&own| own >= 0 && (own as usize) < squares.len() / board)
    );
}

fn of_board(squares: &[f32], board: i32, rank: usize) -> &[f32] {
    let len = OF_SQUARE * SQUARES * rank;
    &squares[board as usize * len..][..len]
}

/// What squares are as targets of pairs.
fn target(board: &[f32], rank: usize) -> View<'_> {
    View { values: &board[rank..], rows: SQUARES, columns: rank, stride: OF_SQUARE * rank }
}

fn scale(rank: usize) -> f32 {
    1.0 / (rank as f32).sqrt()
}

/// Buffers for the work on one token, kept by each thread.
#[derive(Debug)]
struct Buffers {
    key: (Level, usize),
    /// Origins as a token sees them: [64, rank].
    from: Aligned,
    /// Scores of origins alone, then of targets alone; or their gradients.
    alone: Aligned,
    packed: [Aligned; 2],
    to_from: Aligned,
    to_target: Aligned,
}

impl Buffers {
    fn lend<T>(level: Level, rank: usize, work: impl FnOnce(&mut Buffers) -> T) -> T {
        thread_local! { static KEPT: RefCell<Option<Buffers>> = const { RefCell::new(None) }; }
        let kept = KEPT.with_borrow_mut(|kept| kept.take().filter(|buffers| buffers.key == (level, rank)));
        let mut buffers = kept.unwrap_or_else(|| {
            let words =
                product::words(level, SQUARES, SQUARES.max(rank)).max(product::words(level, rank, SQUARES));
            let matrix = || Aligned::zeros(SQUARES * rank);
            Buffers {
                key: (level, rank),
                from: matrix(),
                alone: Aligned::zeros(2 * SQUARES),
                packed: [Aligned::zeros(words), Aligned::zeros(words)],
                to_from: matrix(),
                to_target: matrix(),
            }
        });
        let result = work(&mut buffers);
        KEPT.with_borrow_mut(|kept| *kept = Some(buffers));
        result
    }
}

/// Origins as a token sees them, and what origins and targets score alone.
struct Origins<'a> {
    rank: usize,
    board: &'a [f32],
    token: &'a [f32],
    buffers: &'a mut Buffers,
}

impl Task for Origins<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let rank = self.rank;
        let scale = S::splat(scale(rank));
        let rows = self.board.chunks_exact(OF_SQUARE * rank).zip(self.buffers.from.chunks_exact_mut(rank));
        for (at, (square, from)) in rows.enumerate() {
            let (mut origin, mut target) = (S::splat(0.0), S::splat(0.0));
            for i in (0..rank).step_by(S::LANES) {
                let by = S::fma(S::load(&self.token[i..]), scale, scale);
                S::store(S::mul(S::load(&square[i..]), by), &mut from[i..]);
                origin = S::fma(S::load(&square[2 * rank + i..]), S::load(&self.token[rank + i..]), origin);
                target =
                    S::fma(S::load(&square[3 * rank + i..]), S::load(&self.token[2 * rank + i..]), target);
            }
            self.buffers.alone[at] = S::sum(S::mul(origin, scale));
            self.buffers.alone[SQUARES + at] = S::sum(S::mul(target, scale));
        }
    }
}

struct AddToRows<'a> {
    rows: &'a mut [f32],
    to_each: &'a [f32],
}

impl Task for AddToRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for (row, &by) in self.rows.chunks_exact_mut(SQUARES).zip(self.to_each) {
            for i in (0..SQUARES).step_by(S::LANES) {
                S::store(S::add(S::load(&row[i..]), S::splat(by)), &mut row[i..]);
            }
        }
    }
}

/// Sums over targets for each origin, then over origins for each target.
struct Sums<'a> {
    gradient: &'a [f32],
    to: &'a mut [f32],
}

impl Task for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let (origins, targets) = self.to.split_at_mut(SQUARES);
        origins.fill(0.0);
        for (row, target) in self.gradient.chunks_exact(SQUARES).zip(targets) {
            let mut sum = S::splat(0.0);
            for i in (0..SQUARES).step_by(S::LANES) {
                let delta = S::load(&row[i..]);
                sum = S::add(sum, delta);
                S::store(S::add(delta, S::load(&origins[i..])), &mut origins[i..]);
            }
            *target = S::sum(sum);
        }
    }
}

/// Adds gradients of what a token and its board's squares were made into.
struct Share<'a> {
    rank: usize,
    board: &'a [f32],
    token: &'a [f32],
    alone: &'a [f32],
    to_from: &'a [f32],
    to_target: &'a [f32],
    to: (&'a mut [f32], &'a mut [f32]),
}

impl Task for Share<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let rank = self.rank;
        let all = S::splat(scale(rank));
        let (to_board, to_token) = self.to;
        to_token.fill(0.0);
        let squares =
            self.board.chunks_exact(OF_SQUARE * rank).zip(to_board.chunks_exact_mut(OF_SQUARE * rank));
        for (at, (square, to)) in squares.enumerate() {
            let origin = S::mul(S::splat(self.alone[at]), all);
            let target = S::mul(S::splat(self.alone[SQUARES + at]), all);
            for i in (0..rank).step_by(S::LANES) {
                let delta = S::mul(S::load(&self.to_from[at * rank + i..]), all);
                let token = S::load(&self.token[i..]);
                let own = S::add(S::fma(delta, token, delta), S::load(&to[i..]));
                S::store(own, &mut to[i..]);
                let by = S::fma(delta, S::load(&square[i..]), S::load(&to_token[i..]));
                S::store(by, &mut to_token[i..]);
                let pairs = S::add(S::load(&self.to_target[at * rank + i..]), S::load(&to[rank + i..]));
                S::store(pairs, &mut to[rank + i..]);
                for (part, delta) in [(2, origin), (3, target)] {
                    let (there, here) = (part * rank + i, (part - 1) * rank + i);
                    let by = S::fma(delta, S::load(&self.token[here..]), S::load(&to[there..]));
                    S::store(by, &mut to[there..]);
                    let by = S::fma(delta, S::load(&square[there..]), S::load(&to_token[here..]));
                    S::store(by, &mut to_token[here..]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{differences, random};

    fn plain(rank: usize, boards: &[i32], squares: &[f64], tokens: &[f64]) -> Vec<f64> {
        let scale = 1.0 / (rank as f64).sqrt();
        let mut scores = Vec::new();
        for (&board, token) in boards.iter().zip(tokens.chunks(OF_TOKEN * rank)) {
            let of = |square: usize, part: usize| {
                &squares[(board as usize * SQUARES + square) * OF_SQUARE * rank + part * rank..][..rank]
            };
            for target in 0..SQUARES {
                for origin in 0..SQUARES {
                    let sum = |i: usize| {
                        of(origin, 0)[i] * (token[i] + 1.0) * of(target, 1)[i]
                            + of(origin, 2)[i] * token[rank + i]
                            + of(target, 3)[i] * token[2 * rank + i]
                    };
                    scores.push(scale * (0..rank).map(sum).sum::<f64>());
                }
            }
        }
        scores
    }

    #[test]
    fn scores_and_gradients_are_those_of_plain_code() {
        for (rank, count, boards) in [(16, 2, vec![0, 0, 1]), (48, 3, vec![2]), (32, 1, vec![])] {
            let [squares, tokens] =
                [random(1, count * OF_SQUARE * SQUARES * rank), random(2, boards.len() * OF_TOKEN * rank)];
            let factors = random(3, boards.len() * SCORES);
            let wide = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            let all = [wide(&squares), wide(&tokens)];
            let expected = plain(rank, &boards, &all[0], &all[1]);
            let gradients: Vec<(Vec<usize>, Vec<f64>)> = (0..2)
                .map(|which| {
                    let at: Vec<usize> =
                        (0..all[which].len()).step_by((all[which].len() / 40).max(1)).collect();
                    let gradients = differences(&all[which], &at, |values| {
                        let mut all = all.clone();
                        all[which] = values.to_vec();
                        let scores = plain(rank, &boards, &all[0], &all[1]);
                        scores.iter().zip(&factors).map(|(score, f)| score * f64::from(*f)).sum()
                    });
                    (at, gradients)
                })
                .collect();
            for level in Level::all() {
                let allowed = if level.rounds() { 0.03 } else { 1e-4 };
                let close = |found: &[f32], expected: &[f64], what: &str| {
                    assert_eq!(found.len(), expected.len());
                    let squares: f64 =
                        found.iter().zip(expected).map(|(f, e)| (f64::from(*f) - e).powi(2)).sum();
                    let size: f64 = expected.iter().map(|e| e * e).sum();
                    let error = (squares / size.max(1e-9)).sqrt();
                    assert!(error < allowed, "{level}, rank {rank}, {what}: {error}");
                };
                close(&forward(level, rank, &boards, &squares, &tokens), &expected, "scores");
                let (mut to_squares, mut to_tokens) = (vec![0.0; squares.len()], vec![9.0; tokens.len()]);
                let to = (&mut to_squares[..], &mut to_tokens[..]);
                backward(level, rank, &boards, (&squares, &tokens), &factors, to);
                for (found, (at, gradients)) in [&to_squares, &to_tokens].into_iter().zip(&gradients) {
                    close(&at.iter().map(|&at| found[at]).collect::<Vec<_>>(), gradients, "gradients");
                }
            }
        }
    }
}
