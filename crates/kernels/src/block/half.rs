//! What both halves of a block do: normalise rows into factors, in the forward and the backward pass.

use super::{PackedBlock, Part, scratch::Scratch};
use crate::{
    norm,
    product::{self, Place, View},
};

/// Rows that are normalised and packed while they are in the nearest cache; whole steps of every product.
pub(super) const STRIP: usize = 32;

/// Which of the block's two norms.
#[derive(Clone, Copy)]
pub(super) enum Which {
    Attention,
    Feed,
}

impl Which {
    /// Drops from what this half of the position at hand adds to its input, as [`Dropout::apply`] does.
    ///
    /// [`Dropout::apply`]: super::Dropout::apply
    pub(super) fn drop(
        self,
        packed: &PackedBlock,
        position: usize,
        values: &mut [f32],
        columns: usize,
        first: usize,
    ) {
        if let Some(dropout) = packed.dropout {
            let which = 2 * position as u64 + matches!(self, Which::Feed) as u64;
            dropout.apply(which, values, columns, first, packed.shape.width);
        }
    }

    fn parts(self) -> (Part, Part) {
        match self {
            Which::Attention => (Part::Norm1, Part::Norm1Bias),
            Which::Feed => (Part::Norm2, Part::Norm2Bias),
        }
    }

    fn values(self, packed: &PackedBlock) -> &[Vec<f32>; 2] {
        match self {
            Which::Attention => &packed.small.norm1,
            Which::Feed => &packed.small.norm2,
        }
    }
}

/// Normalises `x` into the left factor `s.narrow[0]`; in the backward pass also into its place in a transposed one.
pub(super) fn normalise(
    packed: &PackedBlock,
    which: Which,
    x: &[f32],
    s: &mut Scratch,
    mut turned: Option<(&mut [f32], Place)>,
) {
    let (level, width) = (packed.level, packed.shape.width);
    let [weight, bias] = which.values(packed);
    let one = product::words(level, STRIP, width);
    let strips = x.chunks(STRIP * width).zip(s.moments.chunks_mut(STRIP));
    for (i, ((x, moments), left)) in strips.zip(s.narrow[0].chunks_mut(one)).enumerate() {
        // Without rounding the packed factor is the matrix itself.
        let view = if level.rounds() {
            let strip = &mut s.strip[..x.len()];
            norm::forward(level, x, weight, Some(bias), strip, moments);
            product::left(level, View::new(strip, moments.len(), width), left);
            View::new(strip, moments.len(), width)
        } else {
            norm::forward(level, x, weight, Some(bias), &mut left[..x.len()], moments);
            View::new(left, moments.len(), width)
        };
        if let Some((turned, place)) = &mut turned {
            let place = Place { at: place.at + i * STRIP, ..*place };
            product::left_transposed_at(level, view, turned, place);
        }
    }
}

/// The backward pass through the norm: adds to the gradients of `x` and of the norm's parameters.
pub(super) fn normalise_back(
    packed: &PackedBlock,
    which: Which,
    x: &[f32],
    moments: &[norm::Moments],
    gradient: &[f32],
    to_x: &mut [f32],
    parameters: &mut [f32],
) {
    let (weight_part, bias_part) = which.parts();
    let [weight, _] = which.values(packed);
    // The bias follows the weight.
    let all = packed.layout.range(weight_part).start..packed.layout.range(bias_part).end;
    let (to_weight, to_bias) = parameters[all].split_at_mut(weight.len());
    norm::backward(packed.level, x, moments, weight, gradient, to_x, to_weight, Some(to_bias));
}
