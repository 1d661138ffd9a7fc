//! A batch of positions through the block, in chunks of fixed size.

use rayon::prelude::*;

use super::{Packed, backward as back, forward as ahead, scratch::Scratch};
use crate::Aligned;

/// Tokens whose gradients are summed before they meet those of other chunks. Fixed, so that sums have one order.
const CHUNK_TOKENS: usize = 4096;
/// Tokens that share one update of the matrices' gradients.
const GROUP_TOKENS: usize = 256;

/// `y` for every position of `x`; `bias` holds heads x tokens x tokens for each position.
pub fn forward(packed: &Packed, x: &[f32], bias: Option<&[f32]>, y: &mut [f32]) {
    let shape = packed.shape;
    assert!(x.len() == y.len() && x.len().is_multiple_of(shape.len()));
    y.par_chunks_mut(shape.len()).zip(x.par_chunks(shape.len())).enumerate().for_each(|(i, (y, x))| {
        let bias = bias.map(|bias| &bias[i * shape.bias_len()..][..shape.bias_len()]);
        Scratch::lend(packed.level, shape, |s| {
            s.x[..x.len()].copy_from_slice(x);
            ahead::forward(packed, bias, s);
            y.copy_from_slice(&s.y[..y.len()]);
        });
    });
}

/// From the gradient of `y` to those of `x`, of the bias, and of all parameters (in the order of `Layout`).
pub fn backward(
    packed: &Packed,
    x: &[f32],
    bias: Option<&[f32]>,
    gradient: &[f32],
    to_x: &mut [f32],
    to_bias: Option<&mut [f32]>,
) -> Vec<f32> {
    let (level, shape) = (packed.level, packed.shape);
    let (len, bias_len) = (shape.len(), shape.bias_len());
    assert!(x.len() == gradient.len() && x.len() == to_x.len() && x.len().is_multiple_of(len));
    let positions = (CHUNK_TOKENS / shape.tokens).max(1);
    let chunks = (x.len() / len).div_ceil(positions);
    let to_bias: Vec<Option<&mut [f32]>> = match to_bias {
        Some(to_bias) => to_bias.chunks_mut(positions * bias_len).map(Some).collect(),
        None => (0..chunks).map(|_| None).collect(),
    };
    let work = x.par_chunks(positions * len).zip(gradient.par_chunks(positions * len));
    let work = work.zip(to_x.par_chunks_mut(positions * len)).zip(to_bias).enumerate();
    let parts: Vec<Aligned> = work
        .map(|(chunk, (((x, gradient), to_x), mut to_bias))| {
            let mut parameters = Aligned::zeros(packed.layout.total());
            let mut group = back::Group::new(packed, (GROUP_TOKENS / shape.tokens).max(1));
            Scratch::lend(level, shape, |s| {
                let each =
                    x.chunks_exact(len).zip(gradient.chunks_exact(len)).zip(to_x.chunks_exact_mut(len));
                for (i, ((x, gradient), to_x)) in each.enumerate() {
                    let at = (chunk * positions + i) * bias_len;
                    let bias = bias.map(|bias| &bias[at..][..bias_len]);
                    let to_bias = to_bias.as_mut().map(|to| &mut to[i * bias_len..][..bias_len]);
                    s.x[..len].copy_from_slice(x);
                    ahead::forward(packed, bias, s);
                    back::backward(packed, s, &mut group, gradient, to_x, to_bias, &mut parameters);
                    group.step(packed, &mut parameters);
                }
                group.flush(packed, &mut parameters);
            });
            parameters
        })
        .collect();
    sum(parts)
}

/// Adds the chunks' gradients in the order of the batch.
fn sum(parts: Vec<Aligned>) -> Vec<f32> {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Vec::new() };
    let mut total = first.to_vec();
    let rest: Vec<Aligned> = parts.collect();
    total.par_chunks_mut(16 * 1024).enumerate().for_each(|(i, total)| {
        for part in &rest {
            crate::rows::add(crate::Level::best(), total, &part[i * 16 * 1024..][..total.len()]);
        }
    });
    total
}
