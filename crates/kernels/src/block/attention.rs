//! The attention half of a block for one position: `y = x + out(attention(norm(x)))`, head by head.

use super::{
    Packed, Part,
    feed::add_product,
    group::{Group, OUT, QUERY},
    half::{Which, normalise, normalise_back},
    scratch::Scratch,
};
use crate::{
    product::{self, Into, Place, Size, View, product},
    rows, softmax,
};

pub(super) fn forward(packed: &Packed, x: &[f32], bias: Option<&[f32]>, y: &mut [f32], s: &mut Scratch) {
    let (level, shape) = (packed.level, packed.shape);
    let (tokens, width, head) = (shape.tokens, shape.width, shape.head());
    let tall = product::rounded(tokens);
    normalise(packed, Which::Attention, x, s, None);
    let of = product::depth(level, width);
    for first in (0..width).step_by(shape.panel()) {
        let columns = shape.panel().min(width - first);
        project(packed, first, columns, s);
        for at in (0..columns).step_by(head) {
            let [query, key, value, mixed] = &mut s.panels;
            let part = |panel| View::new(panel, tokens, columns).columns(at, head);
            let [left, keys, values, ..] = &mut s.head;
            product::left(level, part(query), left);
            product::right_transposed(level, part(key), keys);
            product::right(level, part(value), values);
            let size = Size { m: tokens, n: tokens, k: head };
            product(level, size, left, keys, &mut s.scores, tall, Into::Replace);
            if let Some(absent) = &s.absent {
                rows::add_bias(level, &mut s.scores, tall, tokens, absent);
            }
            let bias = bias.map(|bias| &bias[(first + at) / head * tokens * tokens..][..tokens * tokens]);
            softmax::forward(level, &mut s.scores[..tokens * tall], tall, tokens, shape.scale(), bias);
            product::left(level, square(&s.scores, tokens), left);
            let size = Size { m: tokens, n: head, k: tokens };
            product(level, size, left, values, &mut mixed[at..], columns, Into::Replace);
        }
        let mixed = View::new(&s.panels[3], tokens, columns);
        product::left_at(level, mixed, &mut s.narrow[1], Place { at: first, of });
    }
    let size = Size { m: tokens, n: width, k: width };
    add_product(
        packed,
        (Which::Attention, s.position),
        size,
        &s.narrow[1],
        &packed.ahead.out,
        &packed.small.out_bias,
        x,
        y,
        &mut s.panels[0],
    );
}

/// Queries, keys and values of some heads, into the first three panels.
fn project(packed: &Packed, first: usize, columns: usize, s: &mut Scratch) {
    let (level, shape) = (packed.level, packed.shape);
    let size = Size { m: shape.tokens, n: columns, k: shape.width };
    for (i, panel) in s.panels[..3].iter_mut().enumerate() {
        let first = i * shape.width + first;
        let right = &packed.ahead.qkv[product::words(level, first, shape.width)..];
        product(level, size, &s.narrow[0], right, panel, columns, Into::Replace);
        if let Some(bias) = &packed.small.qkv_bias {
            rows::add_bias(level, panel, columns, shape.tokens, &bias[first..][..columns]);
        }
    }
}

/// From the gradient of `y`, which `to_x` holds, to that of `x`, which it then holds; and to the gradient of the bias.
#[expect(clippy::too_many_arguments, reason = "the way back has that many ends")]
pub(super) fn backward(
    packed: &Packed,
    x: &[f32],
    bias: Option<&[f32]>,
    to_x: &mut [f32],
    mut to_bias: Option<&mut [f32]>,
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
    product::left(level, all, &mut s.narrow[1]);
    group.attention[OUT].gradients(level, place, 0, all);
    if packed.small.out_bias.is_some() {
        rows::add_rows(level, gradient, &mut parameters[packed.layout.range(Part::OutBias)]);
    }
    let deep = product::depth(level, width);
    for first in (0..width).step_by(shape.panel()) {
        let columns = shape.panel().min(width - first);
        project(packed, first, columns, s);
        let right = &back.out[product::words(level, first, width)..];
        let size = Size { m: tokens, n: columns, k: width };
        product(level, size, &s.narrow[1], right, &mut s.panels[3], columns, Into::Replace);
        for at in (0..columns).step_by(head) {
            let square = tokens * tokens;
            let from = (first + at) / head * square;
            let bias = bias.map(|bias| &bias[from..][..square]);
            head_backward(packed, at, columns, bias, s);
            if let Some(to_bias) = &mut to_bias {
                let to_bias = to_bias[from..][..square].chunks_exact_mut(tokens);
                for (to, from) in to_bias.zip(s.to_scores.chunks_exact(tall)) {
                    to.copy_from_slice(&from[..tokens]);
                }
            }
        }
        // The panels now hold the gradients of query, key and value, and the mixed values.
        let [to_qkv @ .., mixed] = &s.panels;
        group.attention[OUT].inputs(level, place, first, View::new(mixed, tokens, columns));
        for (i, panel) in to_qkv.iter().enumerate() {
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

/// One head of the panels: query, key, value and the gradient of the mixed values become the gradients of query, key and
/// value, and the mixed values. The gradient of the scores stays in the scratch.
fn head_backward(packed: &Packed, at: usize, columns: usize, bias: Option<&[f32]>, s: &mut Scratch) {
    let (level, shape) = (packed.level, packed.shape);
    let (tokens, head) = (shape.tokens, shape.head());
    let tall = product::rounded(tokens);
    let [query, key, value, mixed] = &mut s.panels;
    let [left, right, queries, keys, gradient_right, gradient_left] = &mut s.head;
    let part = |panel| View::new(panel, tokens, columns).columns(at, head);
    let by_head = Size { m: tokens, n: tokens, k: head };
    let by_tokens = Size { m: tokens, n: head, k: tokens };

    product::left(level, part(query), left);
    product::right_transposed(level, part(key), right);
    product(level, by_head, left, right, &mut s.scores, tall, Into::Replace);
    if let Some(absent) = &s.absent {
        rows::add_bias(level, &mut s.scores, tall, tokens, absent);
    }
    product::right(level, part(query), queries);
    product::right(level, part(key), keys);
    product::left(level, part(mixed), gradient_left);
    product::right(level, part(mixed), gradient_right);
    softmax::forward(level, &mut s.scores[..tokens * tall], tall, tokens, shape.scale(), bias);
    product::right_transposed(level, part(value), right);
    product(level, by_head, gradient_left, right, &mut s.to_scores, tall, Into::Replace);
    product::right(level, part(value), right);
    product::left(level, square(&s.scores, tokens), left);
    product(level, by_tokens, left, right, &mut mixed[at..], columns, Into::Replace);
    product::left_transposed(level, square(&s.scores, tokens), left);
    product(level, by_tokens, left, gradient_right, &mut value[at..], columns, Into::Replace);

    let used = ..tokens * tall;
    softmax::backward(level, &s.scores[used], &mut s.to_scores[used], tall);
    // The scale of the scores is kept out of the bias's gradient: the factors carry it.
    rows::scale_into(level, &s.to_scores[used], shape.scale(), &mut s.scores[used]);
    product::left(level, square(&s.scores, tokens), left);
    product(level, by_tokens, left, keys, &mut query[at..], columns, Into::Replace);
    product::left_transposed(level, square(&s.scores, tokens), left);
    product(level, by_tokens, left, queries, &mut key[at..], columns, Into::Replace);
}

/// Scores or weights of attention, without the room beyond the last token.
fn square(values: &[f32], tokens: usize) -> View<'_> {
    View { values, rows: tokens, columns: tokens, stride: product::rounded(tokens) }
}
