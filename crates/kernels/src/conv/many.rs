//! Many boards through a residual block with AMX tiles, sixteen at a time in the forward pass and thirty-two in the backward pass.

use rayon::prelude::*;

use super::{
    Between, Kept, PackedResidual,
    sixteen::{self, BOARDS, Then, convolve, words},
};
use crate::{Aligned, rows};

pub(super) fn forward(packed: &PackedResidual, x: &[f32], y: &mut [f32]) {
    let some = BOARDS * 64 * packed.channels;
    y.par_chunks_mut(some).zip(x.par_chunks(some)).for_each_init(
        || [(); 2].map(|()| Aligned::scratch(words(packed.channels))),
        |[boards, middle], (y, x)| group_forward(packed, x, boards, middle, &mut [], y),
    );
}

/// The part of what was kept for the boards from `first` on, a multiple of sixteen.
pub(super) fn between_from(between: &Between, first: usize, channels: usize) -> [&[f32]; 2] {
    let added = if between.added.is_empty() { 0 } else { first * 64 * channels };
    [&between.middle[first / BOARDS * words(channels)..], &between.added[added..]]
}

pub(super) fn forward_keeping(packed: &PackedResidual, x: &[f32], y: &mut [f32]) -> Between {
    let (each, some) = (words(packed.channels), BOARDS * 64 * packed.channels);
    let groups = x.len().div_ceil(some);
    let added = if packed.squeeze.is_some() { x.len() } else { 0 };
    let mut between = Between { middle: Aligned::scratch(groups * each), added: Aligned::scratch(added) };
    let mut added: Vec<&mut [f32]> = between.added.chunks_mut(some).collect();
    added.resize_with(groups, Default::default);
    let boards = y.par_chunks_mut(some).zip(x.par_chunks(some));
    boards.zip(between.middle.par_chunks_mut(each).zip(added)).for_each_init(
        || Aligned::scratch(each),
        |boards, ((y, x), (middle, added))| group_forward(packed, x, boards, middle, added, y),
    );
    between
}

/// Up to sixteen boards. Fills `added` where there is room.
fn group_forward(
    packed: &PackedResidual,
    x: &[f32],
    boards: &mut [f32],
    middle: &mut [f32],
    added: &mut [f32],
    y: &mut [f32],
) {
    let (level, channels) = (packed.level, packed.channels);
    let ([first, second], [first_bias, second_bias]) = (&packed.ahead, &packed.biases);
    // SAFETY: a level that rounds means that the CPU has all it takes.
    unsafe {
        sixteen::pack(x, channels, boards);
        convolve(level, boards, first, channels, Then::Rectify { bias: first_bias, to: &mut *middle });
        let then = match packed.squeeze {
            None => Then::Join { bias: second_bias, shortcut: x, to: &mut *y },
            Some(_) => Then::Plain { bias: second_bias, to: &mut *y },
        };
        convolve(level, middle, second, channels, then);
    }
    if let Some(squeeze) = &packed.squeeze {
        if !added.is_empty() {
            added.copy_from_slice(y);
        }
        let boards = x.chunks_exact(64 * channels).zip(y.chunks_exact_mut(64 * channels));
        boards.for_each(|(x, y)| squeeze.forward(level, x, y));
    }
}

/// The boards of one group of sixteen in the backward pass.
struct Buffers {
    x: Aligned,
    middle: Aligned,
    to_y: Aligned,
    to_middle: Aligned,
}

/// The gradients of the parameters; fills `to_x`. `between` is what [`between_from`] gives for these boards.
pub(super) fn backward(
    packed: &PackedResidual,
    kept: Kept<'_>,
    between: Option<[&[f32]; 2]>,
    gradient: &[f32],
    to_x: &mut [f32],
) -> Aligned {
    let (level, channels) = (packed.level, packed.channels);
    let back = packed.back.as_ref().expect("a block packed for training");
    let some = BOARDS * 64 * channels;
    let mut parameters = Aligned::zeros(packed.parameters());
    let (convolutions, to_squeeze) = parameters.split_at_mut(super::parameters(channels));
    let (first, second) = convolutions.split_at_mut(super::parameters(channels) / 2);
    let (first, first_bias) = first.split_at_mut(9 * channels * channels);
    let (second, second_bias) = second.split_at_mut(9 * channels * channels);
    let buffer = || Aligned::scratch(words(channels));
    let mut both =
        [(); 2].map(|()| Buffers { x: buffer(), middle: buffer(), to_y: buffer(), to_middle: buffer() });
    let [mut inputs, mut gradients] = [(); 2].map(|()| Aligned::scratch(2 * words(channels)));
    for from in (0..gradient.len()).step_by(2 * some) {
        // SAFETY: a level that rounds means that the CPU has all it takes.
        unsafe {
            for (i, buffers) in both.iter_mut().enumerate() {
                let here = (from + i * some).min(gradient.len())..(from + (i + 1) * some).min(gradient.len());
                let (x, y, gradient) =
                    (&kept.x[here.clone()], &kept.y[here.clone()], &gradient[here.clone()]);
                let to_x = &mut to_x[here.clone()];
                sixteen::pack(x, channels, &mut buffers.x);
                let known = between.filter(|_| !here.is_empty());
                match known {
                    Some([middle, _]) => {
                        let group = (from / some + i) * words(channels);
                        buffers.middle.copy_from_slice(&middle[group..][..words(channels)]);
                    }
                    None => {
                        let then = Then::Rectify { bias: &packed.biases[0], to: &mut buffers.middle };
                        convolve(level, &buffers.x, &packed.ahead[0], channels, then);
                    }
                }
                if let Some(squeeze) = &packed.squeeze {
                    let mut z = Aligned::scratch(gradient.len());
                    match known {
                        Some([_, added]) => z.copy_from_slice(&added[here]),
                        None => {
                            let then = Then::Plain { bias: &packed.biases[1], to: &mut z };
                            convolve(level, &buffers.middle, &packed.ahead[1], channels, then);
                        }
                    }
                    for at in (0..z.len()).step_by(64 * channels) {
                        let board = at..at + 64 * channels;
                        let (y, gradient) = (&y[board.clone()], &gradient[board.clone()]);
                        let (z, to_x) = (&mut z[board.clone()], &mut to_x[board]);
                        squeeze.backward(packed.level, y, gradient, z, to_x, to_squeeze);
                    }
                    sixteen::pack(&z, channels, &mut buffers.to_y);
                    rows::add_rows(packed.level, &z, second_bias);
                } else {
                    sixteen::pack_gated(gradient, y, channels, to_x, &mut buffers.to_y, second_bias);
                }
                let then =
                    Then::Gate { shown: &buffers.middle, to: &mut buffers.to_middle, sums: first_bias };
                convolve(level, &buffers.to_y, &back[1], channels, then);
                convolve(level, &buffers.to_middle, &back[0], channels, Then::Add { to: to_x });
            }
            sixteen::factor([&both[0].middle, &both[1].middle], channels, true, &mut inputs);
            sixteen::factor([&both[0].to_y, &both[1].to_y], channels, false, &mut gradients);
            sixteen::weight_gradients(level, &inputs, &gradients, channels, second);
            sixteen::factor([&both[0].x, &both[1].x], channels, true, &mut inputs);
            sixteen::factor([&both[0].to_middle, &both[1].to_middle], channels, false, &mut gradients);
            sixteen::weight_gradients(level, &inputs, &gradients, channels, first);
        }
    }
    parameters
}
