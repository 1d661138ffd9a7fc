//! A batch of boards through a residual block.

use rayon::prelude::*;

#[cfg(target_arch = "x86_64")]
use super::many;
use super::{
    BEFORE, Between, PackedResidual, ROWS, SQUARES,
    board::{Board, Then, then},
    products::{convolve, weight_gradients},
    row,
};
use crate::{Aligned, Level, chunks, rows};

/// Boards that one task takes in the forward pass.
const MOST: usize = 64;
/// Gradients that one thread sums over all chunks.
const SUMMED: usize = 8192;

#[cfg(target_arch = "x86_64")]
/// Fewer boards go one by one even where tiles would take sixteen side by side.
const FEWEST_SIDE_BY_SIDE: usize = 6;

/// What the backward pass needs of the forward pass.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    pub x: &'a [f32],
    pub y: &'a [f32],
    /// Computed again where it was not kept.
    pub between: Option<&'a Between>,
}

struct Buffers {
    x: Board,
    middle: Board,
    to_y: Board,
    to_middle: Board,
    sums: Aligned,
}

impl Buffers {
    fn new(level: Level, channels: usize) -> Buffers {
        let board = || Board::new(level, channels);
        let sums = Aligned::scratch(ROWS * channels);
        Buffers { x: board(), middle: board(), to_y: board(), to_middle: board(), sums }
    }
}

/// `relu(x + second(relu(first(x))))` for boards of 64 squares x channels.
pub fn forward(packed: &PackedResidual, x: &[f32], y: &mut [f32]) {
    let len = 64 * packed.channels;
    assert!(x.len() == y.len() && x.len().is_multiple_of(len));
    #[cfg(target_arch = "x86_64")]
    if packed.level.rounds() && x.len() / len >= FEWEST_SIDE_BY_SIDE {
        return many::forward(packed, x, y);
    }
    by_board(packed, x, y, [&mut [], &mut []]);
}

/// Board by board. Fills what is kept of each, [`Between`]'s two parts, where there is room.
fn by_board(packed: &PackedResidual, x: &[f32], y: &mut [f32], kept: [&mut [f32]; 2]) {
    let len = 64 * packed.channels;
    let some = (x.len() / len).div_ceil(rayon::current_num_threads()).clamp(1, MOST) * len;
    let [middles, added] = kept.map(|kept| {
        let mut parts: Vec<&mut [f32]> = kept.chunks_mut(some).collect();
        parts.resize_with(x.len().div_ceil(some), Default::default);
        parts
    });
    let work = y.par_chunks_mut(some).zip(x.par_chunks(some)).zip(middles).zip(added);
    work.for_each(|(((y, x), middles), added)| {
        let mut buffers = Buffers::new(packed.level, packed.channels);
        let mut middles = middles.chunks_exact_mut(len);
        let mut added = added.chunks_exact_mut(len);
        for (x, y) in x.chunks_exact(len).zip(y.chunks_exact_mut(len)) {
            middle(packed, x, &mut buffers);
            if let Some(kept) = middles.next() {
                buffers.middle.read(kept);
            }
            convolve(packed.level, &buffers.middle, &packed.ahead[1], packed.channels, &mut buffers.sums);
            for square in 0..64 {
                let here = square * packed.channels..(square + 1) * packed.channels;
                let (bias, shortcut) = (&packed.biases[1], &x[here.clone()]);
                let what = match packed.squeeze {
                    None => Then::Join { bias, shortcut },
                    Some(_) => Then::Add { shortcut: bias },
                };
                then(packed.level, sum(&buffers.sums, square, packed.channels), what, &mut y[here]);
            }
            if let Some(squeeze) = &packed.squeeze {
                if let Some(kept) = added.next() {
                    kept.copy_from_slice(y);
                }
                squeeze.forward(packed.level, x, y);
            }
        }
    });
}

fn sum(sums: &[f32], square: usize, channels: usize) -> &[f32] {
    &sums[row(square) * channels..][..channels]
}

/// The boards of `x` and of what lies between the convolutions.
fn middle(packed: &PackedResidual, x: &[f32], buffers: &mut Buffers) {
    buffers.x.fill(x);
    buffers.x.pack(packed.level);
    convolve(packed.level, &buffers.x, &packed.ahead[0], packed.channels, &mut buffers.sums);
    for square in 0..64 {
        let what = Then::Rectify { bias: &packed.biases[0] };
        let sum = sum(&buffers.sums, square, packed.channels);
        then(packed.level, sum, what, buffers.middle.square(square));
    }
    buffers.middle.pack(packed.level);
}

/// The same, with what the backward pass is spared to compute again.
pub fn forward_keeping(packed: &PackedResidual, x: &[f32], y: &mut [f32]) -> Between {
    assert!(x.len() == y.len() && x.len().is_multiple_of(64 * packed.channels));
    #[cfg(target_arch = "x86_64")]
    if packed.level.rounds() {
        return many::forward_keeping(packed, x, y);
    }
    let added = if packed.squeeze.is_some() { x.len() } else { 0 };
    let mut between = Between { middle: Aligned::scratch(x.len()), added: Aligned::scratch(added) };
    by_board(packed, x, y, [&mut between.middle, &mut between.added]);
    between
}

/// From the gradient of `y` to those of `x` and of the parameters.
pub fn backward(packed: &PackedResidual, kept: Kept<'_>, gradient: &[f32], to_x: &mut [f32]) -> Vec<f32> {
    let len = 64 * packed.channels;
    let total = gradient.len();
    assert!(
        kept.x.len() == total && kept.y.len() == total && to_x.len() == total && total.is_multiple_of(len)
    );
    let boards = chunks::summed_together(total / len);
    let some = boards * len;
    let work = gradient.par_chunks(some).zip(to_x.par_chunks_mut(some));
    let work = work.zip(kept.x.par_chunks(some).zip(kept.y.par_chunks(some)));
    let parts = work.enumerate().map(|(i, ((gradient, to_x), (x, y)))| {
        let kept = Kept { x, y, between: kept.between };
        chunk(packed, kept, i * boards, gradient, to_x)
    });
    let parts: Vec<Aligned> = parts.collect();
    let mut total = vec![0.0; packed.parameters()];
    total.par_chunks_mut(SUMMED).enumerate().for_each(|(i, total)| {
        for part in &parts {
            rows::add(packed.level, total, &part[i * SUMMED..][..total.len()]);
        }
    });
    total
}

/// The boards from `start` on.
fn chunk(
    packed: &PackedResidual,
    kept: Kept<'_>,
    start: usize,
    gradient: &[f32],
    to_x: &mut [f32],
) -> Aligned {
    let (level, channels) = (packed.level, packed.channels);
    let len = 64 * channels;
    #[cfg(target_arch = "x86_64")]
    if level.rounds() {
        let between = kept.between.map(|between| many::between_from(between, start, channels));
        return many::backward(packed, kept, between, gradient, to_x);
    }
    let mut parameters = Aligned::zeros(packed.parameters());
    let mut buffers = Buffers::new(level, channels);
    let (convolutions, to_squeeze) = parameters.split_at_mut(super::parameters(channels));
    let (first, second) = convolutions.split_at_mut(super::parameters(channels) / 2);
    let boards = kept.x.chunks_exact(len).zip(kept.y.chunks_exact(len));
    let work = boards.zip(gradient.chunks_exact(len).zip(to_x.chunks_exact_mut(len)));
    for (i, ((x, y), (gradient, to_x))) in work.enumerate() {
        let between = kept.between.map(|between| {
            let here = (start + i) * len..(start + i + 1) * len;
            [between.middle.get(here.clone()), between.added.get(here)].map(Option::unwrap_or_default)
        });
        board_back(packed, [x, y], between, gradient, to_x, to_squeeze, &mut buffers);
        for (inputs, gradients, half) in
            [(&buffers.x, &buffers.to_middle, &mut *first), (&buffers.middle, &buffers.to_y, &mut *second)]
        {
            let (weight, bias) = half.split_at_mut(9 * channels * channels);
            weight_gradients(level, inputs, gradients, channels, weight);
            rows::add_rows(level, &gradients.plain[BEFORE * channels..][..SQUARES * channels], bias);
        }
    }
    parameters
}

/// Fills all boards of the buffers, and `to_x`; adds to the gradients of the squeeze's parameters. `between` is what was kept of this board.
fn board_back(
    packed: &PackedResidual,
    [x, y]: [&[f32]; 2],
    between: Option<[&[f32]; 2]>,
    gradient: &[f32],
    to_x: &mut [f32],
    to_squeeze: &mut [f32],
    buffers: &mut Buffers,
) {
    let (level, channels) = (packed.level, packed.channels);
    let back = packed.back.as_ref().expect("a block packed for training");
    match between {
        Some([kept, _]) => {
            buffers.x.fill(x);
            buffers.middle.fill(kept);
        }
        None => middle(packed, x, buffers),
    }
    match &packed.squeeze {
        None => {
            let squares = gradient.chunks_exact(channels).zip(y.chunks_exact(channels));
            for ((square, (gradient, shown)), to_x) in
                squares.enumerate().zip(to_x.chunks_exact_mut(channels))
            {
                then(level, gradient, Then::Gate { shown }, to_x);
                buffers.to_y.square(square).copy_from_slice(to_x);
            }
        }
        Some(squeeze) => {
            let mut z = Aligned::scratch(64 * channels);
            if let Some([_, added]) = between {
                z.copy_from_slice(added);
            } else {
                convolve(level, &buffers.middle, &packed.ahead[1], channels, &mut buffers.sums);
                for (square, z) in z.chunks_exact_mut(channels).enumerate() {
                    let sum = sum(&buffers.sums, square, channels);
                    then(level, sum, Then::Add { shortcut: &packed.biases[1] }, z);
                }
            }
            squeeze.backward(level, y, gradient, &mut z, to_x, to_squeeze);
            buffers.to_y.fill(&z);
        }
    }
    buffers.to_y.pack(level);
    convolve(level, &buffers.to_y, &back[1], channels, &mut buffers.sums);
    for square in 0..64 {
        let shown = &*buffers.middle.square(square);
        then(
            level,
            sum(&buffers.sums, square, channels),
            Then::Gate { shown },
            buffers.to_middle.square(square),
        );
    }
    buffers.to_middle.pack(level);
    convolve(level, &buffers.to_middle, &back[0], channels, &mut buffers.sums);
    for (square, to_x) in to_x.chunks_exact_mut(channels).enumerate() {
        rows::add(level, to_x, sum(&buffers.sums, square, channels));
    }
}
