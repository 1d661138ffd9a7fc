//! A batch of boards through the first layers.

use rayon::prelude::*;

use super::{
    BRANCHES, PackedDilated, Shape,
    reach::{SEEN, Seen},
};
use crate::{
    Aligned, chunks,
    product::{self, Into, Out, Place, Size, View, product},
    rows::{self, add_to},
    simd::{self, Simd, Task},
};

/// Boards that one task takes in the forward pass.
const MOST: usize = 64;
/// Boards that share one update of the product's gradient.
const GROUP: usize = 4;

/// The ones of all boards as `planes x square + plane`, one board after another; board `i` has `places[ends[i - 1]..ends[i]]`.
#[derive(Clone, Copy, Debug)]
pub struct Ones<'a> {
    pub places: &'a [u16],
    pub ends: &'a [usize],
}

impl<'a> Ones<'a> {
    fn board(&self, i: usize) -> &'a [u16] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.places[start..self.ends[i]]
    }
}

/// What the backward pass needs of the forward pass.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    pub ones: Ones<'a>,
    pub y: &'a [f32],
}

struct Buffers {
    /// What the convolutions give, after the rectifier: [64, channels].
    sums: Aligned,
    left: Aligned,
}

impl Buffers {
    fn new(packed: &PackedDilated) -> Buffers {
        let Shape { width, .. } = packed.shape;
        let total = packed.shape.total();
        let words = |k| product::words(packed.level, 64, k);
        let left = Aligned::scratch(words(total).max(words(width)));
        Buffers { sums: Aligned::scratch(64 * product::rounded(total)), left }
    }
}

/// Boards of 64 squares x width.
///
/// # Panics
/// If a place lies beyond the board, or `y` is not as large as the result.
pub fn forward(packed: &PackedDilated, ones: Ones<'_>, y: &mut [f32]) {
    let len = 64 * packed.shape.width;
    let boards = ones.ends.len();
    assert_eq!(y.len(), boards * len);
    let some = boards.div_ceil(rayon::current_num_threads()).clamp(1, MOST);
    y.par_chunks_mut(some * len).enumerate().for_each(|(chunk, y)| {
        let mut buffers = Buffers::new(packed);
        for (i, y) in y.chunks_exact_mut(len).enumerate() {
            sums(packed, ones.board(chunk * some + i), &mut buffers);
            let (level, width, k) = (packed.level, packed.shape.width, packed.shape.total());
            product::left(level, View::new(&buffers.sums, 64, k), &mut buffers.left);
            product(
                level,
                Size { m: 64, n: width, k },
                &buffers.left,
                &packed.ahead,
                y,
                width,
                Into::Replace,
            );
            simd::run(level, Rectify { rows: y, bias: &packed.mix_bias });
        }
    });
}

/// Fills the sums of the buffers.
fn sums(packed: &PackedDilated, ones: &[u16], buffers: &mut Buffers) {
    let sums = &mut buffers.sums[..64 * packed.shape.total()];
    sums.chunks_exact_mut(packed.bias.len()).for_each(|square| square.copy_from_slice(&packed.bias));
    simd::run(packed.level, Spread { shape: packed.shape, ones, rows: &packed.rows, sums });
    simd::run(packed.level, Clip(sums));
}

/// From the gradient of `y` to that of the parameters.
pub fn backward(packed: &PackedDilated, kept: Kept<'_>, gradient: &[f32]) -> Vec<f32> {
    let len = 64 * packed.shape.width;
    assert!(gradient.len() == kept.y.len() && gradient.len() == kept.ones.ends.len() * len);
    let boards = chunks::summed_together(kept.ones.ends.len());
    let work = gradient.par_chunks(boards * len).zip(kept.y.par_chunks(boards * len)).enumerate();
    let parts: Vec<Aligned> =
        work.map(|(at, (gradient, y))| chunk(packed, kept.ones, at * boards, y, gradient)).collect();
    let mut total = vec![0.0; packed.shape.parameters()];
    for part in &parts {
        rows::add(packed.level, &mut total, part);
    }
    total
}

/// Gradient of the parameters from the boards from `first` on.
fn chunk(packed: &PackedDilated, ones: Ones<'_>, first: usize, y: &[f32], gradient: &[f32]) -> Aligned {
    let (level, shape) = (packed.level, packed.shape);
    let (width, total) = (shape.width, shape.total());
    let back = packed.back.as_ref().expect("layers packed for training");
    let mut parameters = Aligned::zeros(shape.parameters());
    let (to_rows, rest) = parameters.split_at_mut(packed.rows.len());
    let (to_bias, rest) = rest.split_at_mut(total);
    let (to_weight, to_mix_bias) = rest.split_at_mut(total * width);
    let mut buffers = Buffers::new(packed);
    let mut to_y = Aligned::scratch(64 * width);
    let mut to_sums = Aligned::scratch(64 * product::rounded(total));
    let mut to_mix = Aligned::zeros(product::rounded(total) * width);
    let boards = gradient.len() / (64 * width);
    for group in (0..boards).step_by(GROUP) {
        let of = GROUP.min(boards - group) * product::depth(level, 64);
        let mut left = Aligned::scratch(product::words(level, total, of));
        let mut right = Aligned::scratch(product::words(level, width, of));
        for at in 0..GROUP.min(boards - group) {
            let here = (group + at) * 64 * width..(group + at + 1) * 64 * width;
            simd::run(level, Gate { from: &gradient[here.clone()], shown: &y[here], to: &mut to_y });
            sums(packed, ones.board(first + group + at), &mut buffers);
            let place = Place { at: at * product::depth(level, 64), of };
            product::left_transposed_at(level, View::new(&buffers.sums, 64, total), &mut left, place);
            product::right_at(level, View::new(&to_y, 64, width), &mut right, place);
            rows::add_rows(level, &to_y, to_mix_bias);
            product::left(level, View::new(&to_y, 64, width), &mut buffers.left);
            let stride = product::rounded(total);
            product(
                level,
                Size { m: 64, n: total, k: width },
                &buffers.left,
                back,
                &mut to_sums,
                stride,
                Into::Replace,
            );
            let seen = ones.board(first + group + at);
            simd::run(
                level,
                Collect { shape, ones: seen, sums: &buffers.sums, to_sums: &mut to_sums, to_rows, to_bias },
            );
        }
        let size = Size { m: total, n: width, k: of };
        let out = Out { values: &mut to_mix, stride: width, into: Into::Add };
        product::product_transposed(level, size, &left, &right, out);
    }
    to_weight.copy_from_slice(&to_mix[..total * width]);
    parameters
}

/// Adds the row of every one to every square that sees it.
struct Spread<'a> {
    shape: Shape,
    ones: &'a [u16],
    rows: &'a [f32],
    sums: &'a mut [f32],
}

impl Task for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let places = Places::new(&self.shape, self.shape.total());
        for &one in self.ones {
            let (square, plane) = places.square_and_plane(one);
            for &seen in &SEEN[square] {
                let (row, sum, channels) = places.of(seen, plane);
                add_to::<S>(&mut self.sums[sum..sum + channels], &self.rows[row..row + channels]);
            }
        }
    }
}

/// The backward pass of [`Spread`], of the rectifier behind it and of the bias before it.
struct Collect<'a> {
    shape: Shape,
    ones: &'a [u16],
    sums: &'a [f32],
    to_sums: &'a mut [f32],
    to_rows: &'a mut [f32],
    to_bias: &'a mut [f32],
}

impl Task for Collect<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let total = self.shape.total();
        let stride = product::rounded(total);
        for square in 0..64 {
            let to = &mut self.to_sums[square * stride..][..total];
            for (to, shown) in to.iter_mut().zip(&self.sums[square * total..][..total]) {
                *to = if *shown > 0.0 { *to } else { 0.0 };
            }
            add_to::<S>(self.to_bias, to);
        }
        let places = Places::new(&self.shape, stride);
        for &one in self.ones {
            let (square, plane) = places.square_and_plane(one);
            for &seen in &SEEN[square] {
                let (row, sum, channels) = places.of(seen, plane);
                add_to::<S>(&mut self.to_rows[row..row + channels], &self.to_sums[sum..sum + channels]);
            }
        }
    }
}

/// Where rows of parameters and channels of squares lie.
struct Places {
    planes: usize,
    channels: [usize; BRANCHES.len()],
    rows: [usize; BRANCHES.len() + 1],
    firsts: [usize; BRANCHES.len()],
    stride: usize,
}

impl Places {
    /// With `stride` numbers from square to square.
    #[inline(always)]
    fn new(shape: &Shape, stride: usize) -> Places {
        let mut firsts = [0; BRANCHES.len()];
        for at in 1..BRANCHES.len() {
            firsts[at] = firsts[at - 1] + shape.channels[at - 1];
        }
        Places { planes: shape.planes, channels: shape.channels, rows: shape.starts(), firsts, stride }
    }

    #[inline(always)]
    fn square_and_plane(&self, one: u16) -> (usize, usize) {
        (usize::from(one) / self.planes, usize::from(one) % self.planes)
    }

    /// The beginnings of a row and of the sum that it belongs to, and their length.
    #[inline(always)]
    fn of(&self, seen: Seen, plane: usize) -> (usize, usize, usize) {
        let branch = usize::from(seen.branch);
        let channels = self.channels[branch];
        let row = self.rows[branch] + (usize::from(seen.tap) * self.planes + plane) * channels;
        (row, usize::from(seen.from) * self.stride + self.firsts[branch], channels)
    }
}

/// `max(x, 0)`, in place.
struct Clip<'a>(&'a mut [f32]);

impl Task for Clip<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for x in self.0 {
            *x = if *x > 0.0 { *x } else { 0.0 };
        }
    }
}

/// `max(row + bias, 0)` for every row, in place.
struct Rectify<'a> {
    rows: &'a mut [f32],
    bias: &'a [f32],
}

impl Task for Rectify<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for row in self.rows.chunks_exact_mut(self.bias.len()) {
            for i in (0..row.len()).step_by(S::LANES) {
                let sum = S::add(S::load(&row[i..]), S::load(&self.bias[i..]));
                S::store(S::max(S::splat(0.0), sum), &mut row[i..]);
            }
        }
    }
}

/// `to = from` where `shown` is above zero, else 0.
struct Gate<'a> {
    from: &'a [f32],
    shown: &'a [f32],
    to: &'a mut [f32],
}

impl Task for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let zero = S::splat(0.0);
        for i in (0..self.from.len()).step_by(S::LANES) {
            let passed = S::if_less(zero, S::load(&self.shown[i..]), S::load(&self.from[i..]), zero);
            S::store(passed, &mut self.to[i..]);
        }
    }
}
