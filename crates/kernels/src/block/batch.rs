//! A batch of positions through the block, in chunks of fixed size.

use rayon::prelude::*;

use super::{
    PackedBlock,
    attention::{self, ToBias},
    feed,
    group::Group,
    saved::Saved,
    scratch::Scratch,
};
use crate::{Aligned, chunks, product::Into, rows, smolgen, softmax::GradientRow};

/// Tokens that go through one half of the block together in the backward pass, and share one update of its matrices' gradients.
const GROUP_TOKENS: usize = 1024;

/// What the backward pass needs of the forward pass.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    pub x: &'a [f32],
    /// What the forward pass left: [`Shape::saved`](super::Shape::saved) numbers for each position.
    pub saved: &'a [f32],
    /// For each position heads x tokens x tokens.
    pub bias: Option<&'a [f32]>,
}

/// `y` for every position of `x`, and what the backward pass will need ([`Shape::saved`](super::Shape::saved)) if it is asked for.
pub fn forward(
    packed: &PackedBlock,
    x: &[f32],
    bias: Option<&[f32]>,
    y: &mut [f32],
    saved: Option<&mut [f32]>,
) {
    forward_masked(packed, x, bias, None, y, saved);
}

/// Like [`forward`]; tokens that are not `present` (one truth value for each token of each position) are seen by none.
pub fn forward_masked(
    packed: &PackedBlock,
    x: &[f32],
    bias: Option<&[f32]>,
    present: Option<&[bool]>,
    y: &mut [f32],
    saved: Option<&mut [f32]>,
) {
    let shape = packed.shape;
    let (len, bias_len, saved_len) = (shape.values(), shape.bias_len(), shape.saved(packed.level));
    assert!(x.len() == y.len() && x.len().is_multiple_of(len));
    assert!(present.is_none_or(|present| present.len() == x.len() / shape.width));
    // Rows do not meet in the forward pass, so that the groups may follow the number of threads.
    let most = (GROUP_TOKENS / shape.tokens).max(1);
    let positions = (x.len() / len).div_ceil(rayon::current_num_threads()).clamp(1, most);
    let several = |i: usize, x: &[f32], y: &mut [f32], mut saved: Option<&mut [f32]>| {
        let count = x.len() / len;
        let smolgen = packed.smolgen.as_ref().map(|smolgen| (smolgen, smolgen.vectors(x)));
        let at_once = packed.smolgen.as_ref().map_or(1, smolgen::PackedSmolgen::at_once);
        let mut made = Aligned::default();
        for at in 0..count {
            let bias = match &smolgen {
                Some((smolgen, vectors)) => {
                    if at.is_multiple_of(at_once) {
                        made = smolgen.biases(vectors, at..count.min(at + at_once));
                    }
                    Some(cut(&made, at % at_once * bias_len, bias_len))
                }
                None => packed
                    .shared_bias
                    .as_deref()
                    .or(bias.map(|bias| cut(bias, (i * positions + at) * bias_len, bias_len))),
            };
            let here = at * len..(at + 1) * len;
            let saved = saved.as_mut().map(|saved| &mut saved[at * saved_len..][..saved_len]);
            let turn = (i * positions + at, present_at(packed, present, i * positions + at));
            one(packed, turn, &x[here.clone()], bias, &mut y[here], saved);
        }
    };
    let work = y.par_chunks_mut(positions * len).zip(x.par_chunks(positions * len)).enumerate();
    match saved {
        Some(saved) => {
            assert_eq!(saved.len(), x.len() / len * saved_len);
            let work = work.zip(saved.par_chunks_mut(positions * saved_len));
            work.for_each(|((i, (y, x)), saved)| several(i, x, y, Some(saved)));
        }
        None => work.for_each(|(i, (y, x))| several(i, x, y, None)),
    }
}

fn made_biases(packed: &PackedBlock, x: &[f32]) -> Option<Aligned> {
    let smolgen = packed.smolgen.as_ref()?;
    let mut biases = Aligned::scratch(x.len() / packed.shape.values() * packed.shape.bias_len());
    smolgen.forward(x, &mut biases);
    Some(biases)
}

fn present_at<'a>(packed: &PackedBlock, present: Option<&'a [bool]>, position: usize) -> Option<&'a [bool]> {
    let tokens = packed.shape.tokens;
    present.map(|present| &present[position * tokens..][..tokens])
}

fn one(
    packed: &PackedBlock,
    (position, present): (usize, Option<&[bool]>),
    x: &[f32],
    bias: Option<&[f32]>,
    y: &mut [f32],
    saved: Option<&mut [f32]>,
) {
    Scratch::lend(packed.level, packed.shape, |s| {
        s.turn_to(position, present);
        match saved {
            Some(saved) => {
                let Saved { middle, qkv, weights, up } = Saved::new(packed.level, &packed.shape, saved);
                attention::forward(packed, x, bias, Some((qkv, weights)), middle, s);
                feed::forward(packed, middle, Some(up), y, s);
            }
            None => {
                let mut middle = std::mem::take(&mut s.rows[0]);
                attention::forward(packed, x, bias, None, &mut middle[..x.len()], s);
                feed::forward(packed, &middle[..x.len()], None, y, s);
                s.rows[0] = middle;
            }
        }
    });
}

/// From the gradient of `y` to those of `x`, of the bias, and of all parameters (in the order of `Layout`, those of
/// the smolgen or of shared biases last).
pub fn backward(
    packed: &PackedBlock,
    kept: Kept<'_>,
    gradient: &[f32],
    to_x: &mut [f32],
    to_bias: Option<&mut [f32]>,
) -> Vec<f32> {
    backward_masked(packed, kept, None, gradient, to_x, to_bias)
}

/// The backward pass of [`forward_masked`].
pub fn backward_masked(
    packed: &PackedBlock,
    kept: Kept<'_>,
    present: Option<&[bool]>,
    gradient: &[f32],
    to_x: &mut [f32],
    to_bias: Option<&mut [f32]>,
) -> Vec<f32> {
    let shape = packed.shape;
    let (len, bias_len) = (shape.values(), shape.bias_len());
    let total = gradient.len();
    assert!(kept.x.len() == total && to_x.len() == total);
    assert_eq!(kept.saved.len(), total / len * shape.saved(packed.level));
    assert!(total.is_multiple_of(len));
    let positions = (chunks::summed_together(total / (64 * shape.width)) * 64 / shape.tokens).max(1);
    let to_bias: Vec<Option<&mut [f32]>> = match to_bias {
        Some(to_bias) => to_bias.chunks_mut(positions * bias_len).map(Some).collect(),
        None => (0..(total / len).div_ceil(positions)).map(|_| None).collect(),
    };
    let work = gradient.par_chunks(positions * len).zip(to_x.par_chunks_mut(positions * len));
    let parts: Vec<Aligned> = work
        .zip(to_bias)
        .enumerate()
        .map(|(i, ((gradient, to_x), to_bias))| {
            let x = cut(kept.x, i * positions * len, to_x.len());
            let saved = cut(
                kept.saved,
                i * positions * shape.saved(packed.level),
                to_x.len() / len * shape.saved(packed.level),
            );
            let bias = kept.bias.map(|bias| cut(bias, i * positions * bias_len, to_x.len() / len * bias_len));
            let kept = Kept { x, saved, bias };
            chunk(packed, kept, (i * positions, present), gradient, to_x, to_bias)
        })
        .collect();
    sum(packed, parts)
}

fn cut(values: &[f32], from: usize, len: usize) -> &[f32] {
    &values[from..][..len]
}

fn chunk(
    packed: &PackedBlock,
    kept: Kept<'_>,
    (start, present): (usize, Option<&[bool]>),
    gradient: &[f32],
    to_x: &mut [f32],
    mut to_bias: Option<&mut [f32]>,
) -> Aligned {
    let shape = packed.shape;
    let (len, bias_len) = (shape.values(), shape.bias_len());
    let mut parameters = Aligned::scratch(packed.parameters());
    let (own, rest) = parameters.split_at_mut(packed.layout.total());
    own.fill(0.0);
    match &packed.smolgen {
        Some(smolgen) => smolgen.clear(rest),
        None => rest.fill(0.0),
    }
    // One position's gradients of the shared biases.
    let mut to_shared = packed.shared_bias.as_ref().map(|_| Aligned::scratch(bias_len));
    let most = (GROUP_TOKENS / shape.tokens).max(1);
    let mut group = Group::new(packed, most);
    let positions = to_x.len() / len;
    // Gradients of all biases that the block makes itself, and a buffer for those of one position.
    let mut bias_gradients =
        packed.smolgen.as_ref().map(|smolgen| (smolgen.gradients(positions), Aligned::scratch(bias_len)));
    let saved = |at: usize| {
        Saved::of(
            packed.level,
            &shape,
            cut(kept.saved, at * shape.saved(packed.level), shape.saved(packed.level)),
        )
    };
    Scratch::lend(packed.level, shape, |s| {
        for first in (0..positions).step_by(most) {
            let members = first..positions.min(first + most);
            group.begin(packed, members.len());
            for (i, at) in members.clone().enumerate() {
                group.turn_to(packed, i);
                s.turn_to(start + at, present_at(packed, present, start + at));
                let Saved { middle, up, .. } = saved(at);
                let (gradient, to_x) = (cut(gradient, at * len, len), &mut to_x[at * len..][..len]);
                feed::backward(packed, middle, up, gradient, to_x, &mut parameters, &mut group, s);
            }
            group.add(packed, &group.feed, &mut parameters);
            let all = members.start * len..members.end * len;
            // Weights that were kept need no biases again.
            let made = if shape.keeps_weights() { None } else { made_biases(packed, &kept.x[all.clone()]) };
            for (i, at) in members.clone().enumerate() {
                group.turn_to(packed, i);
                s.turn_to(start + at, present_at(packed, present, start + at));
                let x = cut(kept.x, at * len, len);
                let made = made.as_deref().map(|made| cut(made, i * bias_len, bias_len));
                let bias = made.or(packed.shared_bias.as_deref());
                let bias = bias.or(kept.bias.map(|bias| cut(bias, at * bias_len, bias_len)));
                let to_made = match (&packed.smolgen, &mut bias_gradients) {
                    (Some(_), Some((gradients, _))) if shape.stays_packed(packed.level) => {
                        Some(ToBias::Packed(GradientRow { gradients, row: at * shape.heads }))
                    }
                    (Some(smolgen), Some((gradients, one))) => {
                        Some(ToBias::Plain(smolgen.gradients_at(gradients, at).unwrap_or(&mut one[..])))
                    }
                    _ => None,
                };
                let given = to_bias.as_mut().map(|to| ToBias::Plain(&mut to[at * bias_len..][..bias_len]));
                let shared = to_shared.as_mut().map(|to| ToBias::Plain(&mut to[..]));
                let to_bias = to_made.or(shared).or(given);
                let to_x = &mut to_x[at * len..][..len];
                let Saved { qkv, weights, .. } = saved(at);
                let left = (qkv, weights);
                attention::backward(packed, x, left, bias, to_x, to_bias, &mut parameters, &mut group, s);
                if let Some(to_shared) = &to_shared {
                    rows::add(packed.level, &mut parameters[packed.layout.total()..], to_shared);
                }
                if let (Some(smolgen), Some((gradients, one))) = (&packed.smolgen, &mut bias_gradients)
                    && packed.level.rounds()
                    && !shape.stays_packed(packed.level)
                {
                    smolgen.take_gradients(gradients, at, one);
                }
            }
            group.add(packed, &group.attention, &mut parameters);
        }
        if let (Some(smolgen), Some((gradients, _))) = (&packed.smolgen, &bias_gradients) {
            smolgen.backward_of(
                kept.x,
                gradients,
                to_x,
                &mut parameters[packed.layout.total()..],
                Into::Replace,
            );
        }
    });
    parameters
}

/// Adds the chunks' gradients in the order of the batch.
fn sum(packed: &PackedBlock, parts: Vec<Aligned>) -> Vec<f32> {
    const PIECE: usize = 16 * 1024;
    let mut total = vec![0.0; packed.parameters()];
    let Some((first, rest)) = parts.split_first() else { return total };
    total.par_chunks_mut(PIECE).enumerate().for_each(|(i, total)| {
        total.copy_from_slice(cut(first, i * PIECE, total.len()));
        for part in rest {
            rows::add(packed.level, total, cut(part, i * PIECE, total.len()));
        }
    });
    total
}
