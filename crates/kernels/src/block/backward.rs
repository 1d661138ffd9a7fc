//! The way back through the block, for one position; products that give the gradients of matrices wait for a group of
//! positions, so that those gradients are not read and written for each.

use super::{Packed, Part, attention, scratch::Scratch};
use crate::{
    Aligned, Level, activation, norm,
    product::{self, Into, Place, Size, View, product},
    rows,
};

/// Both factors of each matrix's gradient, packed position after position.
#[derive(Debug)]
pub(super) struct Group {
    positions: usize,
    filled: usize,
    pairs: [Pair; 4],
}

#[derive(Debug)]
struct Pair {
    inputs: usize,
    outputs: usize,
    /// Inputs of the matrix, transposed.
    left: Aligned,
    /// Gradients of its outputs.
    right: Aligned,
}

const QKV: usize = 0;
const OUT: usize = 1;
const UP: usize = 2;
const DOWN: usize = 3;

impl Group {
    pub(super) fn new(packed: &Packed, positions: usize) -> Group {
        let shape = packed.shape;
        let sum = positions * product::depth(packed.level, shape.tokens);
        let pair = |inputs, outputs| {
            let room = |outer| Aligned::zeros(product::words(packed.level, outer, sum));
            Pair { inputs, outputs, left: room(inputs), right: room(outputs) }
        };
        let width = shape.width;
        let pairs =
            [pair(width, 3 * width), pair(width, width), pair(width, shape.up()), pair(shape.hidden, width)];
        Group { positions, filled: 0, pairs }
    }

    fn keep(&mut self, level: Level, which: usize, tokens: usize, inputs: &[f32], gradients: &[f32]) {
        let depth = product::depth(level, tokens);
        let place = Place { at: self.filled * depth, of: self.positions * depth };
        let pair = &mut self.pairs[which];
        product::left_transposed_at(level, View::new(inputs, tokens, pair.inputs), &mut pair.left, place);
        product::right_at(level, View::new(gradients, tokens, pair.outputs), &mut pair.right, place);
    }

    /// Ends a position. When the group is full, adds to the gradients of the matrices.
    pub(super) fn step(&mut self, packed: &Packed, gradients: &mut [f32]) {
        self.filled += 1;
        if self.filled == self.positions {
            self.flush(packed, gradients);
        }
    }

    /// Adds what the group holds to the gradients of the matrices.
    pub(super) fn flush(&mut self, packed: &Packed, gradients: &mut [f32]) {
        if self.filled == 0 {
            return;
        }
        let (level, width) = (packed.level, packed.shape.width);
        let depth = product::depth(level, packed.shape.tokens);
        let of = self.positions * depth;
        for pair in &mut self.pairs {
            // The places of positions that did not come must not count.
            for unused in self.filled..self.positions {
                let place = Place { at: unused * depth, of };
                let zeros = vec![0.0; packed.shape.tokens * pair.inputs];
                let view = View::new(&zeros, packed.shape.tokens, pair.inputs);
                product::left_transposed_at(level, view, &mut pair.left, place);
            }
        }
        self.filled = 0;
        let mut add = |part, left: &[f32], right: &[f32], m, n| {
            let out = &mut gradients[packed.layout.range(part)];
            product(level, Size { m, n, k: of }, left, right, out, n, Into::Add);
        };
        let [qkv, out, up, down] = &self.pairs;
        let one = product::words(level, width, of);
        for (i, part) in [Part::Query, Part::Key, Part::Value].into_iter().enumerate() {
            add(part, &qkv.left, &qkv.right[i * one..][..one], width, width);
        }
        for (part, pair) in [(Part::Out, out), (Part::Up, up), (Part::Down, down)] {
            add(part, &pair.left, &pair.right, pair.inputs, pair.outputs);
        }
    }
}

/// From the gradient of `y` (`gradient`) to that of `x` (`to_x`), after [`super::forward`] has filled the scratch.
pub(super) fn backward(
    packed: &Packed,
    s: &mut Scratch,
    group: &mut Group,
    gradient: &[f32],
    to_x: &mut [f32],
    to_bias: Option<&mut [f32]>,
    parameters: &mut [f32],
) {
    let (level, shape, small) = (packed.level, packed.shape, &packed.small);
    let back = packed.back.as_ref().expect("a block packed for training");
    let (tokens, width, hidden, up) = (shape.tokens, shape.width, shape.hidden, shape.up());
    let size = |n, k| Size { m: tokens, n, k };
    let used = tokens * width;
    let layout = packed.layout;

    group.keep(level, DOWN, tokens, &s.active, gradient);
    rows::add_rows(level, gradient, &mut parameters[layout.range(Part::DownBias)]);
    product::left(level, View::new(gradient, tokens, width), &mut s.left);
    let [to_active, to_up] = &mut s.wide;
    product(level, size(hidden, width), &s.left, &back.down, to_active, hidden, Into::Replace);
    let active = ..tokens * hidden;
    let (before, to_up) = (&s.up[..tokens * up], &mut to_up[..tokens * up]);
    activation::backward(level, shape.activation, before, hidden, &to_active[active], to_up);
    group.keep(level, UP, tokens, &s.normed2, to_up);
    rows::add_rows(level, to_up, &mut parameters[layout.range(Part::UpBias)]);
    product::left(level, View::new(to_up, tokens, up), &mut s.left);
    let [to_normed, to_mixed] = &mut s.narrow;
    product(level, size(width, up), &s.left, &back.up, to_normed, width, Into::Replace);

    // From here on `to_x` holds the gradient of x1, and of x once the attention's share is added.
    to_x.copy_from_slice(gradient);
    norm_backward(
        level,
        packed,
        (Part::Norm2, Part::Norm2Bias),
        &s.x1[..used],
        &s.moments2,
        &small.norm2[0],
        &to_normed[..used],
        to_x,
        parameters,
    );

    group.keep(level, OUT, tokens, &s.mixed, to_x);
    rows::add_rows(level, to_x, &mut parameters[layout.range(Part::OutBias)]);
    product::left(level, View::new(to_x, tokens, width), &mut s.left);
    product(level, size(width, width), &s.left, &back.out, to_mixed, width, Into::Replace);
    let to_mixed = std::mem::take(to_mixed);
    let mut to_qkv = std::mem::take(&mut s.wide[0]);
    attention::backward(packed, s, &to_mixed, &mut to_qkv, to_bias);
    s.narrow[1] = to_mixed;
    let wide = &to_qkv[..tokens * 3 * width];
    group.keep(level, QKV, tokens, &s.normed1, wide);
    for (i, part) in [Part::QueryBias, Part::KeyBias, Part::ValueBias].into_iter().enumerate() {
        let sum = &mut parameters[layout.range(part)];
        for row in wide.chunks_exact(3 * width) {
            rows::add(level, sum, &row[i * width..][..width]);
        }
    }
    product::left(level, View::new(wide, tokens, 3 * width), &mut s.left);
    product(level, size(width, 3 * width), &s.left, &back.qkv, &mut s.narrow[0], width, Into::Replace);
    s.wide[0] = to_qkv;
    norm_backward(
        level,
        packed,
        (Part::Norm1, Part::Norm1Bias),
        &s.x[..used],
        &s.moments1,
        &small.norm1[0],
        &s.narrow[0][..used],
        to_x,
        parameters,
    );
}

#[expect(clippy::too_many_arguments, reason = "called twice, right above")]
fn norm_backward(
    level: Level,
    packed: &Packed,
    (weight_part, bias_part): (Part, Part),
    x: &[f32],
    moments: &[norm::Moments],
    weight: &[f32],
    gradient: &[f32],
    to_x: &mut [f32],
    parameters: &mut [f32],
) {
    // The bias follows the weight.
    let all = packed.layout.range(weight_part).start..packed.layout.range(bias_part).end;
    let (to_weight, to_bias) = parameters[all].split_at_mut(weight.len());
    norm::backward(level, x, moments, weight, gradient, to_x, to_weight, Some(to_bias));
}
