//! Cross-attention that learns: the few tokens of a board look at its 64 encoded squares, `y = x + mix(attention(norm(x), squares))`, forward
//! and backward, some boards at a time.

mod boards;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rayon::prelude::*;

use self::boards::{Boards, Sums};
use crate::{
    Aligned, Level, chunks,
    product::{self, View},
    rows,
};

/// Boards that go through together.
const CHUNK: usize = 8;
const SQUARES: usize = 64;

/// Sizes: width, numbers of a square and width per head are multiples of sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Of each board.
    pub tokens: usize,
    pub width: usize,
    pub heads: usize,
    /// Numbers per square.
    pub channels: usize,
}

impl Shape {
    /// Whether such attention can be computed here.
    pub fn fits(self) -> bool {
        let Shape { tokens, width, heads, channels } = self;
        let whole = tokens > 0 && heads > 0 && width > 0 && channels > 0 && width.is_multiple_of(heads);
        whole && (width / heads).is_multiple_of(16) && channels.is_multiple_of(16)
    }

    /// Weight and bias of the norm; then matrices with their biases: query `[width, width]`, keys and values `[channels, 2 x width]`, mix
    /// `[width, width]`.
    pub fn parameters(self) -> usize {
        self.places().mix_bias.end
    }

    fn head(self) -> usize {
        self.width / self.heads
    }

    fn scale(self) -> f32 {
        1.0 / (self.head() as f32).sqrt()
    }

    fn places(self) -> Places {
        let (width, mut end) = (self.width, 0);
        let mut next = |len: usize| {
            end += len;
            end - len..end
        };
        Places {
            norm: next(width),
            norm_bias: next(width),
            query: next(width * width),
            query_bias: next(width),
            squares: next(self.channels * 2 * width),
            squares_bias: next(2 * width),
            mix: next(width * width),
            mix_bias: next(width),
        }
    }
}

struct Places {
    norm: Range<usize>,
    norm_bias: Range<usize>,
    query: Range<usize>,
    query_bias: Range<usize>,
    squares: Range<usize>,
    squares_bias: Range<usize>,
    mix: Range<usize>,
    mix_bias: Range<usize>,
}

/// A matrix laid out for the CPU, with its bias; the transpose is for the backward pass.
#[derive(Clone, Debug)]
struct Matrix {
    ahead: Aligned,
    back: Aligned,
    bias: Vec<f32>,
    inputs: usize,
}

/// The parameters laid out for the CPU.
#[derive(Clone, Debug)]
pub struct PackedCross {
    level: Level,
    shape: Shape,
    norm: [Vec<f32>; 2],
    query: Matrix,
    squares: Matrix,
    mix: Matrix,
}

impl PackedCross {
    /// `train` if the backward pass will be asked for.
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedCross {
        assert!(shape.fits() && parameters.len() == shape.parameters(), "{shape:?}");
        let places = shape.places();
        let matrix = |weights: Range<usize>, bias: Range<usize>| {
            let (inputs, outputs) = (weights.len() / bias.len(), bias.len());
            let view = View::new(&parameters[weights], inputs, outputs);
            let mut ahead = Aligned::zeros(product::words(level, outputs, inputs));
            product::right(level, view, &mut ahead);
            let mut back = Aligned::default();
            if train {
                back = Aligned::zeros(product::words(level, inputs, outputs));
                product::right_transposed(level, view, &mut back);
            }
            Matrix { ahead, back, bias: parameters[bias].to_vec(), inputs }
        };
        PackedCross {
            level,
            shape,
            norm: [parameters[places.norm].to_vec(), parameters[places.norm_bias].to_vec()],
            query: matrix(places.query, places.query_bias),
            squares: matrix(places.squares, places.squares_bias),
            mix: matrix(places.mix, places.mix_bias),
        }
    }
}

/// Tokens `[boards x tokens, width]` that have looked at squares `[boards x 64, channels]`.
pub fn forward(packed: &PackedCross, squares: &[f32], x: &[f32], y: &mut [f32]) {
    let [of_tokens, of_squares] = check(packed.shape, squares, x);
    assert_eq!(x.len(), y.len());
    let all = y.par_chunks_mut(CHUNK * of_tokens).zip(x.par_chunks(CHUNK * of_tokens));
    all.zip(squares.par_chunks(CHUNK * of_squares)).for_each(|((y, x), squares)| {
        let boards = Boards::new(packed, squares, x, false);
        boards.mix(packed, x, y);
    });
}

/// From the gradient of `y` to those of squares and tokens; returns that of the parameters.
pub fn backward(
    packed: &PackedCross,
    (squares, x): (&[f32], &[f32]),
    gradient: &[f32],
    (to_squares, to_x): (&mut [f32], &mut [f32]),
) -> Vec<f32> {
    let [of_tokens, of_squares] = check(packed.shape, squares, x);
    assert!(gradient.len() == x.len() && to_x.len() == x.len() && to_squares.len() == squares.len());
    let some = chunks::summed_together(x.len() / of_tokens);
    let groups = to_x.par_chunks_mut(some * of_tokens).zip(to_squares.par_chunks_mut(some * of_squares));
    let sums: Vec<Sums> = groups
        .enumerate()
        .map(|(group, (to_x, to_squares))| {
            let mut sums = Sums::new(packed.shape);
            let chunks = to_x.chunks_mut(CHUNK * of_tokens).zip(to_squares.chunks_mut(CHUNK * of_squares));
            for (at, (to_x, to_squares)) in chunks.enumerate() {
                let first = group * some + at * CHUNK;
                let (x, gradient) = (&x[first * of_tokens..], &gradient[first * of_tokens..]);
                let (x, gradient) = (&x[..to_x.len()], &gradient[..to_x.len()]);
                let squares = &squares[first * of_squares..][..to_squares.len()];
                let boards = Boards::new(packed, squares, x, true);
                boards.back(packed, (squares, x), gradient, (to_squares, to_x), &mut sums);
            }
            sums
        })
        .collect();
    let mut total = vec![0.0; packed.shape.parameters()];
    sums.iter().for_each(|sums| rows::add(packed.level, &mut total, &sums.0));
    total
}

fn check(shape: Shape, squares: &[f32], x: &[f32]) -> [usize; 2] {
    let (of_tokens, of_squares) = (shape.tokens * shape.width, SQUARES * shape.channels);
    assert!(x.len().is_multiple_of(of_tokens) && squares.len().is_multiple_of(of_squares));
    assert_eq!(x.len() / of_tokens, squares.len() / of_squares);
    [of_tokens, of_squares]
}
