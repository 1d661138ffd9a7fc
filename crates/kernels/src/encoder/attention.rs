//! Attention of one position, head by head: `softmax(query * key^T / sqrt(width of a head) + bias) * value`.

#[cfg(target_arch = "x86_64")]
mod pairs;

use super::Shape;
use crate::{
    Aligned, Level,
    product::{self, Into, Out, Size, View, product, product_of},
    rows, softmax,
};

/// Memory for the work on one head.
#[derive(Debug)]
pub(super) struct AttentionBuffers {
    scores: Aligned,
    left: Aligned,
    right: Aligned,
    #[cfg(target_arch = "x86_64")]
    pairs: Option<pairs::PairBuffers>,
}

impl AttentionBuffers {
    pub(super) fn new(level: Level, shape: &Shape) -> AttentionBuffers {
        let tall = product::rounded(shape.tokens);
        let (head, deep) = (shape.head(), product::depth(level, shape.tokens));
        AttentionBuffers {
            scores: Aligned::scratch(tall * tall),
            left: Aligned::zeros(product::words(level, tall, deep.max(head))),
            right: Aligned::zeros(product::words(level, tall, head).max(product::words(level, head, deep))),
            #[cfg(target_arch = "x86_64")]
            pairs: (level == Level::BF16 && shape.tokens <= pairs::MOST_TOKENS)
                .then(|| pairs::PairBuffers::new(shape)),
        }
    }
}

/// What is added to scores: for each pair of tokens of each head, and for each token as a key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScoreBias<'a> {
    pub(super) pairs: Option<&'a [f32]>,
    pub(super) keys: Option<&'a [f32]>,
}

/// Rows of `mixed` from rows of queries, keys and values, which lie side by side in `qkv`. With AMX tiles whole groups of sixteen rows are
/// written.
pub(super) fn attention(
    level: Level,
    shape: &Shape,
    qkv: &[f32],
    bias: ScoreBias<'_>,
    buffers: &mut AttentionBuffers,
    mixed: &mut [f32],
) {
    let Shape { tokens, width, heads, .. } = *shape;
    assert!(qkv.len() >= 3 * width * tokens && mixed.len() >= width * tokens);
    assert!(bias.pairs.is_none_or(|pairs| pairs.len() >= shape.bias_len()));
    assert!(bias.keys.is_none_or(|keys| keys.len() >= tokens));
    #[cfg(target_arch = "x86_64")]
    if let Some(pairs) = &mut buffers.pairs {
        // SAFETY: only the level of AVX-512 with bf16 has such buffers; lengths were checked.
        return unsafe { pairs::attention(shape, qkv, bias, pairs, mixed) };
    }
    let (head, tall) = (shape.head(), product::rounded(tokens));
    let scale = 1.0 / (head as f32).sqrt();
    let AttentionBuffers { scores, left, right, .. } = buffers;
    for number in 0..heads {
        let part = |which: usize| View {
            values: &qkv[which * width + number * head..],
            rows: tokens,
            columns: head,
            stride: 3 * width,
        };
        let [query, key, value] = [0, 1, 2].map(part);
        product::right_transposed(level, key, right);
        let size = Size { m: tokens, n: tokens, k: head };
        let out = Out { values: &mut *scores, stride: tall, into: Into::Replace };
        product_of(level, size, query, left, right, out);
        if let Some(keys) = bias.keys {
            rows::add_bias(level, scores, tall, tokens, keys);
        }
        let pairs = bias.pairs.map(|pairs| &pairs[number * tokens * tokens..][..tokens * tokens]);
        product::right(level, value, right);
        let size = Size { m: tokens, n: head, k: tokens };
        let scores = &mut scores[..tokens * tall];
        let (out, stride) = (&mut mixed[number * head..], width);
        if level.rounds() {
            softmax::packed(level, scores, tokens, scale, pairs, left);
            product(level, size, left, right, out, stride, Into::Replace);
        } else {
            softmax::forward(level, scores, tall, tokens, scale, pairs);
            let weights = View { values: scores, rows: tokens, columns: tokens, stride: tall };
            product_of(level, size, weights, left, right, Out { values: out, stride, into: Into::Replace });
        }
    }
}
