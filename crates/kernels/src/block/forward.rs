//! One position through the block.

use super::{Packed, attention, scratch::Scratch};
use crate::{
    activation, norm,
    product::{self, Into, Size, View, product},
    rows,
};

/// Fills the scratch, from `s.x` to `s.y`.
pub(super) fn forward(packed: &Packed, bias: Option<&[f32]>, s: &mut Scratch) {
    let (level, shape, small) = (packed.level, packed.shape, &packed.small);
    let (tokens, width) = (shape.tokens, shape.width);
    let size = |n, k| Size { m: tokens, n, k };
    let used = ..tokens * width;

    let [weight, shift] = &small.norm1;
    norm::forward(level, &s.x[used], weight, Some(shift), &mut s.normed1[used], &mut s.moments1);
    product::left(level, View::new(&s.normed1, tokens, width), &mut s.left);
    let wide = size(3 * width, width);
    product(level, wide, &s.left, &packed.ahead.qkv, &mut s.qkv, 3 * width, Into::Replace);
    rows::add_bias(level, &mut s.qkv, &small.qkv_bias);
    attention::forward(packed, bias, s);

    product::left(level, View::new(&s.mixed, tokens, width), &mut s.left);
    s.x1[used].copy_from_slice(&s.x[used]);
    product(level, size(width, width), &s.left, &packed.ahead.out, &mut s.x1, width, Into::Add);
    rows::add_bias(level, &mut s.x1, &small.out_bias);

    let [weight, shift] = &small.norm2;
    norm::forward(level, &s.x1[used], weight, Some(shift), &mut s.normed2[used], &mut s.moments2);
    product::left(level, View::new(&s.normed2, tokens, width), &mut s.left);
    let up = shape.up();
    product(level, size(up, width), &s.left, &packed.ahead.up, &mut s.up, up, Into::Replace);
    rows::add_bias(level, &mut s.up, &small.up_bias);
    activation::forward(level, shape.activation, &s.up, shape.hidden, &mut s.active);
    product::left(level, View::new(&s.active, tokens, shape.hidden), &mut s.left);
    s.y[used].copy_from_slice(&s.x1[used]);
    product(level, size(width, shape.hidden), &s.left, &packed.ahead.down, &mut s.y, width, Into::Add);
    rows::add_bias(level, &mut s.y, &small.down_bias);
}
