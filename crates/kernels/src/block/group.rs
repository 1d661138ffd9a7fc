//! The gradients of matrices, for a group of positions at once: a matrix's gradient is large, and reading and writing it for
//! every position would cost more than the product.

use super::{PackedBlock, Part};
use crate::{
    Aligned, Level,
    product::{self, Into, Out, Place, Size, View, product_transposed},
};

/// Both factors of a matrix's gradient, packed position after position.
#[derive(Debug)]
pub(super) struct Pair {
    part: Part,
    /// First of the matrix's columns that this pair is for.
    first: usize,
    inputs: usize,
    outputs: usize,
    /// Inputs of the matrix, transposed.
    pub(super) left: Aligned,
    /// Gradients of its outputs.
    right: Aligned,
}

#[derive(Debug)]
pub(super) struct Group {
    level: Level,
    pub(super) place: Place,
    /// Query, key, value and out.
    pub(super) attention: [Pair; 4],
    /// Up and down.
    pub(super) feed: [Pair; 2],
}

pub(super) const QUERY: usize = 0;
pub(super) const OUT: usize = 3;

impl Group {
    pub(super) fn new(packed: &PackedBlock, positions: usize) -> Group {
        let (level, shape) = (packed.level, packed.shape);
        let of = summed(level, positions, shape.tokens);
        let buffer = |outer| Aligned::scratch(product::words(level, outer, of));
        let pair = |part, inputs, outputs| {
            let (left, right) = (buffer(inputs), buffer(outputs));
            Pair { part, first: 0, inputs, outputs, left, right }
        };
        let width = shape.width;
        // Query, key and value have the same inputs: kept once, with the query.
        let other = |first| {
            let (left, right) = (Aligned::default(), buffer(width));
            Pair { part: Part::Qkv, first, inputs: width, outputs: width, left, right }
        };
        Group {
            level,
            place: Place { at: 0, of },
            attention: [
                pair(Part::Qkv, width, width),
                other(width),
                other(2 * width),
                pair(Part::Out, width, width),
            ],
            feed: [pair(Part::Up, width, shape.up()), pair(Part::Down, shape.hidden, width)],
        }
    }

    /// Begins a group of so many positions.
    pub(super) fn begin(&mut self, packed: &PackedBlock, positions: usize) {
        self.place = Place { at: 0, of: summed(self.level, positions, packed.shape.tokens) };
    }

    /// Chooses the position in the group whose factors come next; positions come in order.
    pub(super) fn turn_to(&mut self, packed: &PackedBlock, position: usize) {
        self.place.at = position * product::step(self.level, packed.shape.tokens);
    }

    /// Adds the gradients of a half's matrices.
    pub(super) fn add(&self, packed: &PackedBlock, pairs: &[Pair], parameters: &mut [f32]) {
        for pair in pairs {
            let left = if pair.left.is_empty() { &pairs[QUERY].left } else { &pair.left };
            let out = &mut parameters[packed.layout.range(pair.part)];
            let size = Size { m: pair.inputs, n: pair.outputs, k: self.place.of };
            let stride = out.len() / pair.inputs;
            let out = Out { values: &mut out[pair.first..], stride, into: Into::Add };
            product_transposed(self.level, size, left, &pair.right, out);
        }
    }
}

/// The length of a sum over the tokens of some positions.
fn summed(level: Level, positions: usize, tokens: usize) -> usize {
    product::depth(level, positions * product::step(level, tokens))
}

impl Pair {
    /// Packs inputs of the matrix, `columns` of them from `first` on.
    pub(super) fn inputs(&mut self, level: Level, place: Place, first: usize, from: View<'_>) {
        let skip = product::words(level, first, place.of);
        product::left_transposed_at(level, from, &mut self.left[skip..], place);
    }

    /// Packs gradients of outputs of the matrix from `first` on.
    pub(super) fn gradients(&mut self, level: Level, place: Place, first: usize, from: View<'_>) {
        let skip = product::words(level, first, place.of);
        product::right_at(level, from, &mut self.right[skip..], place);
    }
}
