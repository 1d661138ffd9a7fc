//! The attention half of a block for one position: `y = x + out(attention(norm(x)))`, head by head.

use super::{
    PackedBlock, Part, Shape,
    feed::add_product,
    group::{Group, OUT, QUERY},
    half::{Which, normalise, normalise_back},
    scratch::Scratch,
};
use crate::{
    product::{
        self, Into, Out, Place, Size, View, product, product_of, product_of_transposed, product_ready,
    },
    rows,
    softmax::{self, GradientRow},
};

/// A buffer for what the backward pass needs: query, key and value, and the weights if they are kept.
pub(super) type Keep<'a> = (&'a mut [f32], &'a mut [f32]);

pub(super) fn forward(
    packed: &PackedBlock,
    x: &[f32],
    bias: Option<&[f32]>,
    keep: Option<Keep<'_>>,
    y: &mut [f32],
    s: &mut Scratch,
) {
    let (level, shape) = (packed.level, packed.shape);
    let (tokens, width, head) = (shape.tokens, shape.width, shape.head());
    let tall = product::rounded(tokens);
    normalise(packed, Which::Attention, x, s, None);
    let of = product::depth(level, width);
    let (mut kept_qkv, mut kept_weights) = keep.unzip();
    let Scratch { panels: [mixed, ..], heads: [left, right], narrow: [normed, joined], .. } = s;
    for first in (0..width).step_by(shape.panel()) {
        let columns = shape.panel().min(width - first);
        let qkv = match &mut kept_qkv {
            Some(kept) if !level.rounds() => &mut kept[3 * tall * first..][..3 * tall * columns],
            _ => &mut s.qkv[..3 * tall * columns],
        };
        project(packed, normed, first, columns, qkv);
        if let Some(kept) = kept_qkv.as_mut().filter(|_| level.rounds()) {
            let kept = &mut kept[shape.kept_qkv(level, first)..][..shape.kept_qkv(level, columns)];
            product::to_bf16(level, &s.qkv[..3 * tall * columns], kept);
        }
        let qkv = match &kept_qkv {
            Some(kept) if !level.rounds() => &kept[3 * tall * first..][..3 * tall * columns],
            _ => &s.qkv[..3 * tall * columns],
        };
        for at in (0..columns).step_by(head) {
            let [query, key, value] = parts(&shape, qkv, columns, at);
            let number = (first + at) / head;
            let kept = kept_weights.as_mut().filter(|_| shape.keeps_weights()).map(|weights| {
                let each = shape.kept_weights(level);
                &mut weights[number * each..][..each]
            });
            let bias = bias.map(|bias| &bias[number * tokens * tokens..][..tokens * tokens]);
            let size = Size { m: tokens, n: head, k: tokens };
            let out = Out { values: &mut mixed[at..], stride: columns, into: Into::Replace };
            if level.rounds() {
                score(packed, [query, key], [left, right], s.absent.as_deref(), &mut s.scores);
                product::right(level, value, right);
                let weights = kept.unwrap_or(left);
                softmax::packed(level, &mut s.scores[..tokens * tall], tokens, shape.scale(), bias, weights);
                product(level, size, weights, right, out.values, out.stride, out.into);
            } else {
                let scores = kept.unwrap_or(&mut s.scores);
                weigh(packed, [query, key], [left, right], s.absent.as_deref(), bias, scores);
                product::right(level, value, right);
                product_of(level, size, square(scores, tokens), left, right, out);
            }
        }
        product::left_at(level, View::new(mixed, tokens, columns), joined, Place { at: first, of });
    }
    let size = Size { m: tokens, n: width, k: width };
    let (right, bias) = (&packed.ahead.out, &packed.small.out_bias);
    let half = (Which::Attention, s.position);
    add_product(packed, half, size, joined, right, bias, x, y, mixed);
}

/// Queries, keys and values of some heads, one after the other.
fn project(packed: &PackedBlock, normed: &[f32], first: usize, columns: usize, qkv: &mut [f32]) {
    let (level, shape) = (packed.level, packed.shape);
    let size = Size { m: shape.tokens, n: columns, k: shape.width };
    let panel = product::rounded(shape.tokens) * columns;
    for (i, panel) in qkv.chunks_exact_mut(panel).enumerate() {
        let first = i * shape.width + first;
        let right = &packed.ahead.qkv[product::words(level, first, shape.width)..];
        product(level, size, normed, right, panel, columns, Into::Replace);
        if let Some(bias) = &packed.small.qkv_bias {
            rows::add_bias(level, panel, columns, shape.tokens, &bias[first..][..columns]);
        }
    }
}

/// Query, key and value of the head whose columns begin at `at` in panels of `columns`.
fn parts<'a>(shape: &Shape, qkv: &'a [f32], columns: usize, at: usize) -> [View<'a>; 3] {
    let panel = product::rounded(shape.tokens) * columns;
    [0, 1, 2].map(|i| View::new(&qkv[i * panel..], shape.tokens, columns).columns(at, shape.head()))
}

/// The scores of one head before they are scaled.
fn score(
    packed: &PackedBlock,
    [query, key]: [View<'_>; 2],
    [left, right]: [&mut [f32]; 2],
    absent: Option<&[f32]>,
    scores: &mut [f32],
) {
    let (level, shape) = (packed.level, packed.shape);
    let tokens = shape.tokens;
    let tall = product::rounded(tokens);
    product::right_transposed(level, key, right);
    let size = Size { m: tokens, n: tokens, k: shape.head() };
    product_of(level, size, query, left, right, Out { values: scores, stride: tall, into: Into::Replace });
    if let Some(absent) = absent {
        rows::add_bias(level, scores, tall, tokens, absent);
    }
}

/// The weights of one head.
fn weigh(
    packed: &PackedBlock,
    factors: [View<'_>; 2],
    left: [&mut [f32]; 2],
    absent: Option<&[f32]>,
    bias: Option<&[f32]>,
    scores: &mut [f32],
) {
    let (shape, tokens) = (packed.shape, packed.shape.tokens);
    let tall = product::rounded(tokens);
    score(packed, factors, left, absent, scores);
    softmax::forward(packed.level, &mut scores[..tokens * tall], tall, tokens, shape.scale(), bias);
}

/// From the gradient of `y`, which `to_x` holds, to that of `x`, which it then holds; and to the gradient of the bias. `kept` is
/// what the forward pass left; without weights in it the bias is needed.
#[expect(clippy::too_many_arguments, reason = "the backward pass has that many ends")]
pub(super) fn backward(
    packed: &PackedBlock,
    x: &[f32],
    (qkv, weights): (&[f32], &[f32]),
    bias: Option<&[f32]>,
    to_x: &mut [f32],
    mut to_bias: Option<ToBias<'_>>,
    parameters: &mut [f32],
    group: &mut Group,
    s: &mut Scratch,
) {
    let (level, shape, place) = (packed.level, packed.shape, group.place);
    let back = packed.back.as_ref().expect("a block packed for training");
    let (tokens, width, head) = (shape.tokens, shape.width, shape.head());
    let tall = product::rounded(tokens);
    normalise(packed, Which::Attention, x, s, Some((&mut group.attention[QUERY].left, place)));
    let dropped = &mut s.rows[1][..tokens * width];
    let gradient = if packed.dropout.is_some() {
        dropped.copy_from_slice(&to_x[..tokens * width]);
        Which::Attention.drop(packed, s.position, dropped, width, 0);
        &*dropped
    } else {
        &to_x[..tokens * width]
    };
    let all = View::new(gradient, tokens, width);
    let ready = product::ready(level, all, &mut s.narrow[1]);
    group.attention[OUT].gradients(level, place, 0, all);
    if packed.small.out_bias.is_some() {
        rows::add_rows(level, gradient, &mut parameters[packed.layout.range(Part::OutBias)]);
    }
    let deep = product::depth(level, width);
    for first in (0..width).step_by(shape.panel()) {
        let columns = shape.panel().min(width - first);
        let qkv = &qkv[shape.kept_qkv(level, first)..][..shape.kept_qkv(level, columns)];
        let qkv = if level.rounds() {
            product::from_bf16(level, qkv, &mut s.kept[..3 * tall * columns]);
            &s.kept[..3 * tall * columns]
        } else {
            qkv
        };
        let right = &back.out[product::words(level, first, width)..];
        let size = Size { m: tokens, n: columns, k: width };
        let out = Out { values: &mut s.panels[1], stride: columns, into: Into::Replace };
        product_ready(level, size, ready, right, out);
        for at in (0..columns).step_by(head) {
            let (number, square) = ((first + at) / head, tokens * tokens);
            let head = parts(&shape, qkv, columns, at);
            let each = shape.kept_weights(level);
            let work = (&mut s.panels, &mut s.heads, &mut *s.qkv, &mut *s.to_scores);
            if shape.stays_packed(level) && !matches!(to_bias, Some(ToBias::Plain(_))) {
                let gradients = to_bias.as_mut().and_then(|to_bias| to_bias.packed(number));
                let weights = Weights::Packed(&weights[number * each..][..each], gradients);
                head_backward(packed, at, columns, head, weights, work);
                continue;
            }
            let weights = if shape.keeps_weights() && level.rounds() {
                let kept = &weights[number * each..][..each];
                product::unpack_left(level, kept, tokens, tokens, &mut s.scores, tall);
                &*s.scores
            } else if shape.keeps_weights() {
                &weights[number * each..][..each]
            } else {
                let bias = bias.map(|bias| &bias[number * square..][..square]);
                let [left, right] = &mut *work.1;
                let (absent, scores) = (s.absent.as_deref(), &mut *s.scores);
                weigh(packed, [head[0], head[1]], [left, right], absent, bias, scores);
                &*s.scores
            };
            let to_bias = to_bias.as_mut().and_then(|to| to.plain(number, square));
            head_backward(packed, at, columns, head, Weights::Plain(weights, to_bias), work);
        }
        group.attention[OUT].inputs(level, place, first, View::new(&s.panels[0], tokens, columns));
        for (i, panel) in s.qkv[..3 * tall * columns].chunks_exact(tall * columns).enumerate() {
            let view = View::new(panel, tokens, columns);
            group.attention[QUERY + i].gradients(level, place, first, view);
            product::left_at(level, view, &mut s.triple, Place { at: i * deep + first, of: 3 * deep });
            if packed.small.qkv_bias.is_some() {
                let sum = &mut parameters[packed.layout.range(Part::QkvBias)][i * width + first..][..columns];
                rows::add_columns(level, view, sum);
            }
        }
    }
    let size = Size { m: tokens, n: width, k: 3 * deep };
    product(level, size, &s.triple, &back.qkv, &mut s.rows[0], width, Into::Replace);
    let to_normed = &s.rows[0][..tokens * width];
    normalise_back(packed, Which::Attention, x, &s.moments, to_normed, to_x, parameters);
}

/// Where the gradients of a position's biases go.
pub(super) enum ToBias<'a> {
    /// Heads x tokens x tokens.
    Plain(&'a mut [f32]),
    /// Rows of smolgen's packed factor, one for each head from here on.
    Packed(GradientRow<'a>),
}

impl ToBias<'_> {
    fn plain(&mut self, head: usize, square: usize) -> Option<&mut [f32]> {
        match self {
            ToBias::Plain(values) => Some(&mut values[head * square..][..square]),
            ToBias::Packed(_) => None,
        }
    }

    fn packed(&mut self, head: usize) -> Option<GradientRow<'_>> {
        match self {
            ToBias::Plain(_) => None,
            ToBias::Packed(GradientRow { gradients, row }) => {
                Some(GradientRow { gradients, row: *row + head })
            }
        }
    }
}

/// One head's weights, and where the gradients of its biases go.
enum Weights<'a> {
    Plain(&'a [f32], Option<&'a mut [f32]>),
    /// As a left factor.
    Packed(&'a [f32], Option<GradientRow<'a>>),
}

/// Panels, factors of a head, gradients of query, key and value, and gradients of scores.
type Work<'a> = (&'a mut [crate::Aligned; 4], &'a mut [crate::Aligned; 2], &'a mut [f32], &'a mut [f32]);

/// One head of the panels, from the gradient of the mixed values in the second: the gradients of query, key and value, and the
/// mixed values in the first.
fn head_backward(
    packed: &PackedBlock,
    at: usize,
    columns: usize,
    [query, key, value]: [View<'_>; 3],
    weights: Weights<'_>,
    ([mixed, to_mixed, ..], [left, right], to_qkv, to_scores): Work<'_>,
) {
    let (level, shape) = (packed.level, packed.shape);
    let (tokens, head) = (shape.tokens, shape.head());
    let tall = product::rounded(tokens);
    let by_tokens = Size { m: tokens, n: head, k: tokens };
    let to_mixed = View::new(to_mixed, tokens, columns).columns(at, head);
    let [to_query, to_key, to_value] = {
        let mut panels = to_qkv.chunks_exact_mut(tall * columns);
        [(); 3].map(|()| &mut panels.next().expect("three panels")[at..])
    };
    fn out(values: &mut [f32], stride: usize) -> Out<'_> {
        Out { values, stride, into: Into::Replace }
    }

    product::right_transposed(level, value, right);
    let by_head = Size { m: tokens, n: tokens, k: head };
    product_of(level, by_head, to_mixed, left, right, out(to_scores, tall));
    product::right(level, value, right);
    let used = ..tokens * tall;
    // The scale of the scores is kept out of the bias's gradient.
    match weights {
        Weights::Packed(weights, to_bias) => {
            product(level, by_tokens, weights, right, &mut mixed[at..], columns, Into::Replace);
            product::right(level, to_mixed, right);
            product::left_transposed_of_left(level, weights, (tokens, tokens), left);
            product::product_transposed(level, by_tokens, left, right, out(to_value, columns));
            softmax::backward_packed(level, weights, to_scores, shape.scale(), to_bias);
        }
        Weights::Plain(weights, to_bias) => {
            let all = square(weights, tokens);
            product_of(level, by_tokens, all, left, right, out(&mut mixed[at..], columns));
            product::right(level, to_mixed, right);
            product_of_transposed(level, by_tokens, all, left, right, out(to_value, columns));
            let (weights, to_scores) = (&weights[used], &mut to_scores[used]);
            softmax::backward(level, weights, to_scores, tall, tokens, shape.scale(), to_bias);
        }
    }
    product::right(level, key, right);
    product_of(level, by_tokens, square(to_scores, tokens), left, right, out(to_query, columns));
    product::right(level, query, right);
    product_of_transposed(level, by_tokens, square(to_scores, tokens), left, right, out(to_key, columns));
}

/// Scores or weights of attention, without what lies beyond the last token.
fn square(values: &[f32], tokens: usize) -> View<'_> {
    View { values, rows: tokens, columns: tokens, stride: product::rounded(tokens) }
}
