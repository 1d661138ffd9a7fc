//! The feed-forward half of a block for one position: `y = x + down(activation(up(norm(x))))`.
//!
//! Between the two products 32 columns at a time are computed, activated and packed while they are in the nearest cache.

use super::{
    PackedBlock, Part,
    group::Group,
    half::{Which, normalise, normalise_back},
    scratch::Scratch,
};
use crate::{
    activation,
    product::{self, Into, Out, Place, Size, View, product, product_ready},
    rows,
};

const PANEL: usize = 32;

/// `keep` is a buffer for the inputs of the activation, if the backward pass needs them.
pub(super) fn forward(
    packed: &PackedBlock,
    x: &[f32],
    mut keep: Option<&mut [f32]>,
    y: &mut [f32],
    s: &mut Scratch,
) {
    let (level, shape) = (packed.level, packed.shape);
    let (tokens, width, hidden) = (shape.tokens, shape.width, shape.hidden);
    normalise(packed, Which::Feed, x, s, None);
    let of = product::depth(level, hidden);
    for first in (0..hidden).step_by(PANEL) {
        let columns = PANEL.min(hidden - first);
        let [up, active, ..] = &mut s.panels;
        let up = match &mut keep {
            Some(keep) => keep_at(packed, keep, first),
            None => &mut *up,
        };
        raise(packed, first, columns, &s.narrow[0], up);
        let up = &up[..tokens * columns * shape.activation.inputs()];
        activation::forward(level, shape.activation, up, columns, &mut active[..tokens * columns]);
        product::left_at(level, View::new(active, tokens, columns), &mut s.hidden, Place { at: first, of });
    }
    let size = Size { m: tokens, n: width, k: hidden };
    let (right, bias) = (&packed.ahead.down, &packed.small.down_bias);
    let half = (Which::Feed, s.position);
    add_product(packed, half, size, &s.hidden, right, bias, x, y, &mut s.panels[0]);
}

/// The place of a panel among those that are kept.
fn keep_at<'a>(packed: &PackedBlock, keep: &'a mut [f32], first: usize) -> &'a mut [f32] {
    &mut keep[product::rounded(packed.shape.tokens) * first * packed.shape.activation.inputs()..]
}

/// `columns` inputs of the activation from `first` on; a gate's and its value's side by side.
fn raise(packed: &PackedBlock, first: usize, columns: usize, normed: &[f32], panel: &mut [f32]) {
    let (level, shape) = (packed.level, packed.shape);
    let size = Size { m: shape.tokens, n: columns, k: shape.width };
    let inputs = shape.activation.inputs();
    for i in 0..inputs {
        let first = i * shape.hidden + first;
        let right = &packed.ahead.up[product::words(level, first, shape.width)..];
        let out = &mut panel[i * columns..];
        product(level, size, normed, right, out, inputs * columns, Into::Replace);
        if let Some(bias) = &packed.small.up_bias {
            rows::add_bias(level, out, inputs * columns, shape.tokens, &bias[first..][..columns]);
        }
    }
}

/// `y = x + left * right + bias`, 32 columns at a time, with the dropout of this half of the position.
#[expect(clippy::too_many_arguments, reason = "all of them are the sum's terms or places")]
pub(super) fn add_product(
    packed: &PackedBlock,
    (half, position): (Which, usize),
    size: Size,
    left: &[f32],
    right: &[f32],
    bias: &Option<Vec<f32>>,
    x: &[f32],
    y: &mut [f32],
    panel: &mut [f32],
) {
    let (level, width) = (packed.level, packed.shape.width);
    // Sums may begin with what they are added to.
    let plain = bias.is_none() && packed.dropout.is_none() && product::rows_written(level, size.m) == size.m;
    if plain {
        return product(level, size, left, right, y, width, Into::Onto(x));
    }
    for first in (0..size.n).step_by(PANEL) {
        let columns = PANEL.min(size.n - first);
        let right = &right[product::words(level, first, size.k)..];
        product(level, Size { n: columns, ..size }, left, right, panel, columns, Into::Replace);
        if let Some(bias) = bias {
            rows::add_bias(level, panel, columns, size.m, &bias[first..][..columns]);
        }
        half.drop(packed, position, &mut panel[..size.m * columns], columns, first);
        rows::add_panel(level, &x[first..], width, &panel[..size.m * columns], columns, &mut y[first..]);
    }
}

/// From the gradient of `y` to that of `x`; `kept` are the inputs of the activation.
#[expect(clippy::too_many_arguments, reason = "the backward pass has that many ends")]
pub(super) fn backward(
    packed: &PackedBlock,
    x: &[f32],
    kept: &[f32],
    gradient: &[f32],
    to_x: &mut [f32],
    parameters: &mut [f32],
    group: &mut Group,
    s: &mut Scratch,
) {
    let (level, shape, place) = (packed.level, packed.shape, group.place);
    let back = packed.back.as_ref().expect("a block packed for training");
    let (tokens, width, hidden) = (shape.tokens, shape.width, shape.hidden);
    let inputs = shape.activation.inputs();
    let [up_pair, down_pair] = &mut group.feed;
    normalise(packed, Which::Feed, x, s, Some((&mut up_pair.left, place)));
    let to_y = &gradient[..tokens * width];
    let dropped = &mut s.rows[1][..tokens * width];
    let gradient = if packed.dropout.is_some() {
        dropped.copy_from_slice(to_y);
        Which::Feed.drop(packed, s.position, dropped, width, 0);
        &*dropped
    } else {
        to_y
    };
    let all = View::new(gradient, tokens, width);
    let ready = product::ready(level, all, &mut s.narrow[1]);
    down_pair.gradients(level, place, 0, all);
    if packed.small.down_bias.is_some() {
        rows::add_rows(level, gradient, &mut parameters[packed.layout.range(Part::DownBias)]);
    }
    let deep = product::depth(level, hidden);
    for first in (0..hidden).step_by(PANEL) {
        let columns = PANEL.min(hidden - first);
        let [_, active, to_active, to_up] = &mut s.panels;
        let up = &kept[product::rounded(tokens) * first * inputs..];
        let right = &back.down[product::words(level, first, width)..];
        let size = Size { m: tokens, n: columns, k: width };
        let out = Out { values: to_active, stride: columns, into: Into::Replace };
        product_ready(level, size, ready, right, out);
        let used = ..tokens * columns;
        let (up, to_up) = (&up[..tokens * columns * inputs], &mut to_up[..tokens * columns * inputs]);
        let active = &mut active[used];
        activation::backward(level, shape.activation, up, columns, &to_active[used], active, to_up);
        down_pair.inputs(level, place, first, View::new(active, tokens, columns));
        for i in 0..inputs {
            let whole = View::new(to_up, tokens, inputs * columns);
            let part = View { columns, ..whole.columns(i * columns, columns) };
            let at = i * hidden + first;
            up_pair.gradients(level, place, at, part);
            product::left_at(level, part, &mut s.hidden, Place { at: i * deep + first, of: inputs * deep });
            if packed.small.up_bias.is_some() {
                let sum = &mut parameters[packed.layout.range(Part::UpBias)][at..][..columns];
                rows::add_columns(level, part, sum);
            }
        }
    }
    let size = Size { m: tokens, n: width, k: inputs * deep };
    product(level, size, &s.hidden, &back.up, &mut s.rows[0], width, Into::Replace);
    to_x.copy_from_slice(to_y);
    let to_normed = &s.rows[0][..tokens * width];
    normalise_back(packed, Which::Feed, x, &s.moments, to_normed, to_x, parameters);
}
