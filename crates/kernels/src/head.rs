//! Scores of moves, from the squares of a board and learned rows per move.
//!
//! A move is the sum of what its origin and its target say (products of the squares' numbers), of its bag of rows, and of one
//! row for its board; two layers turn it into a score. Origin and target have a score of their own, and the mean over the
//! squares comes out as well, because all of them read the same squares while these are in cache.

mod batch;
mod chunk;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use self::batch::{backward, forward};
use crate::{
    Aligned, Level,
    bags::Bags,
    product::{self, View},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Numbers per square.
    pub channels: usize,
    /// Numbers per move.
    pub hidden: usize,
}

/// The legal moves of all boards, one board after another; `ends` are the numbers of moves up to and with each board.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a> {
    pub ends: &'a [usize],
    /// Squares on the move's own board.
    pub origins: &'a [u8],
    pub targets: &'a [u8],
    pub bags: Bags<'a>,
}

impl Moves<'_> {
    /// Numbers in the result: scores of moves, of origins and of targets, and the mean of each board's squares.
    pub fn results(&self, shape: Shape) -> usize {
        self.origins.len() + self.ends.len() * (2 * 64 + shape.channels)
    }

    fn of(&self, boards: Range<usize>) -> Range<usize> {
        let end = |board: usize| if board == 0 { 0 } else { self.ends[board - 1] };
        end(boards.start)..end(boards.end)
    }

    fn check(&self) {
        let moves = self.origins.len();
        assert!(self.targets.len() == moves && self.bags.ends.len() == moves);
        assert!(self.ends.is_sorted() && self.ends.last().copied().unwrap_or(0) == moves);
        assert!(self.origins.iter().chain(self.targets).all(|&square| square < 64));
    }
}

impl Shape {
    /// Whether such heads can be computed here.
    pub fn fits(&self) -> bool {
        [self.channels, self.hidden].iter().all(|&width| width > 0 && width.is_multiple_of(16))
    }

    /// Places of the parts among the flat parameters; the last part is the table and goes on to the end.
    fn places(&self) -> Places {
        let (c, h) = (self.channels, self.hidden);
        let mut end = 0;
        let mut next = |len: usize| {
            end += len;
            end - len..end
        };
        Places {
            from: next(c * h),
            to: next(c * h),
            hidden: next(h * h),
            bias: next(h),
            score: next(h),
            origin: next(c),
            target: next(c),
        }
    }
}

struct Places {
    from: Range<usize>,
    to: Range<usize>,
    hidden: Range<usize>,
    bias: Range<usize>,
    score: Range<usize>,
    origin: Range<usize>,
    target: Range<usize>,
}

impl Places {
    fn table(&self) -> usize {
        self.target.end
    }
}

/// Parameters, packed but for the table: `from` and `to` `[channels, hidden]`, `hidden` `[hidden, hidden]` and its bias, the
/// weights of the score, of origins and of targets, and the table `[rows, hidden]`, in this order.
#[derive(Clone, Debug)]
pub struct PackedHead {
    level: Level,
    shape: Shape,
    /// `from` and `to` side by side.
    ends: Aligned,
    hidden: Aligned,
    back: Option<[Aligned; 2]>,
    bias: Vec<f32>,
    score: Vec<f32>,
    origin: Vec<f32>,
    target: Vec<f32>,
}

impl PackedHead {
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedHead {
        assert!(shape.fits(), "{shape:?}");
        let Shape { channels: c, hidden: h } = shape;
        let places = shape.places();
        let ends: Vec<f32> = parameters[places.from]
            .chunks_exact(h)
            .zip(parameters[places.to].chunks_exact(h))
            .flat_map(|(from, to)| from.iter().chain(to).copied())
            .collect();
        let (ends, hidden) = (View::new(&ends, c, 2 * h), View::new(&parameters[places.hidden], h, h));
        let ahead = |view: View<'_>| {
            let mut to = Aligned::zeros(product::words(level, view.columns, view.rows));
            product::right(level, view, &mut to);
            to
        };
        let back = |view: View<'_>| {
            let mut to = Aligned::zeros(product::words(level, view.rows, view.columns));
            product::right_transposed(level, view, &mut to);
            to
        };
        PackedHead {
            level,
            shape,
            ends: ahead(ends),
            hidden: ahead(hidden),
            back: train.then(|| [back(ends), back(hidden)]),
            bias: parameters[places.bias].to_vec(),
            score: parameters[places.score].to_vec(),
            origin: parameters[places.origin].to_vec(),
            target: parameters[places.target].to_vec(),
        }
    }
}
