//! Attention within one position, head by head.

use super::{Packed, scratch::Scratch};
use crate::{
    product::{self, Into, Size, View, product},
    softmax,
};

/// Queries, keys and values to mixed values; leaves the attention weights in the scratch.
pub(super) fn forward(packed: &Packed, bias: Option<&[f32]>, s: &mut Scratch) {
    let (level, shape) = (packed.level, packed.shape);
    let (tokens, width, head) = (shape.tokens, shape.width, shape.head());
    let rows = product::rounded(tokens);
    let [left, keys, values, _] = &mut s.head;
    let qkv = View { values: &s.qkv, rows: tokens, columns: 3 * width, stride: 3 * width };
    for (h, weights) in s.attention.chunks_exact_mut(rows * rows).enumerate() {
        product::left(level, qkv.columns(h * head, head), left);
        product::right_transposed(level, qkv.columns(width + h * head, head), keys);
        product::right(level, qkv.columns(2 * width + h * head, head), values);
        let size = Size { m: tokens, n: tokens, k: head };
        product(level, size, left, keys, weights, rows, Into::Replace);
        let square = tokens * tokens;
        let bias = bias.map(|bias| &bias[h * square..][..square]);
        softmax::forward(level, &mut weights[..tokens * rows], rows, tokens, shape.scale(), bias);
        product::left(level, View { values: weights, rows: tokens, columns: tokens, stride: rows }, left);
        let size = Size { m: tokens, n: head, k: tokens };
        product(level, size, left, values, &mut s.mixed[h * head..], width, Into::Replace);
    }
}

/// The gradient of the mixed values (`to_mixed`) to that of queries, keys and values (`to_qkv`), and of the bias.
pub(super) fn backward(
    packed: &Packed,
    s: &mut Scratch,
    to_mixed: &[f32],
    to_qkv: &mut [f32],
    mut to_bias: Option<&mut [f32]>,
) {
    let (level, shape) = (packed.level, packed.shape);
    let (tokens, width, head) = (shape.tokens, shape.width, shape.head());
    let rows = product::rounded(tokens);
    let [left, right, turned, _] = &mut s.head;
    let qkv = View { values: &s.qkv, rows: tokens, columns: 3 * width, stride: 3 * width };
    let to_mixed = View { values: to_mixed, rows: tokens, columns: width, stride: width };
    for (h, weights) in s.attention.chunks_exact(rows * rows).enumerate() {
        let [query, key, value] = [0, 1, 2].map(|i| qkv.columns(i * width + h * head, head));
        let gradient = to_mixed.columns(h * head, head);
        let [to_query, to_key, to_value] = [0, 1, 2].map(|i| i * width + h * head);
        let square = |values| View { values, rows: tokens, columns: tokens, stride: rows };
        let by_tokens = Size { m: tokens, n: head, k: tokens };

        product::left_transposed(level, square(weights), turned);
        product::right(level, gradient, right);
        product(level, by_tokens, turned, right, &mut to_qkv[to_value..], 3 * width, Into::Replace);

        product::left(level, gradient, left);
        product::right_transposed(level, value, right);
        let size = Size { m: tokens, n: tokens, k: head };
        product(level, size, left, right, &mut s.to_attention, rows, Into::Replace);
        let to_scores = &mut s.to_attention[..tokens * rows];
        softmax::backward(level, &weights[..tokens * rows], to_scores, rows);
        if let Some(to_bias) = &mut to_bias {
            let to_bias = to_bias[h * tokens * tokens..][..tokens * tokens].chunks_exact_mut(tokens);
            for (to, from) in to_bias.zip(to_scores.chunks_exact(rows)) {
                to.copy_from_slice(&from[..tokens]);
            }
        }
        crate::rows::scale(level, to_scores, shape.scale());

        product::left(level, square(to_scores), left);
        product::right(level, key, right);
        product(level, by_tokens, left, right, &mut to_qkv[to_query..], 3 * width, Into::Replace);
        product::left_transposed(level, square(to_scores), turned);
        product::right(level, query, right);
        product(level, by_tokens, turned, right, &mut to_qkv[to_key..], 3 * width, Into::Replace);
    }
}
