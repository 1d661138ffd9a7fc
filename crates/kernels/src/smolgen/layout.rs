//! The parameters of a smolgen in one flat slice.

use std::ops::Range;

use super::Shape;

/// A parameter; matrices are `[inputs, outputs]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Compress,
    Dense,
    DenseBias,
    DenseNorm,
    DenseNormBias,
    Split,
    SplitBias,
    SplitNorm,
    SplitNormBias,
    Spread,
    SpreadBias,
}

impl Part {
    pub const ALL: [Part; 11] = [
        Part::Compress,
        Part::Dense,
        Part::DenseBias,
        Part::DenseNorm,
        Part::DenseNormBias,
        Part::Split,
        Part::SplitBias,
        Part::SplitNorm,
        Part::SplitNormBias,
        Part::Spread,
        Part::SpreadBias,
    ];
}

/// Where each parameter lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    starts: [usize; 12],
}

impl Layout {
    pub fn of(shape: &Shape) -> Layout {
        let mut starts = [0; 12];
        for (i, part) in Part::ALL.into_iter().enumerate() {
            starts[i + 1] = starts[i] + len(shape, part);
        }
        Layout { starts }
    }

    /// Numbers in all parameters.
    pub fn total(&self) -> usize {
        self.starts[11]
    }

    pub fn range(&self, part: Part) -> Range<usize> {
        self.starts[part as usize]..self.starts[part as usize + 1]
    }
}

fn len(shape: &Shape, part: Part) -> usize {
    let Shape { width, heads, compressed, hidden, per_head, .. } = *shape;
    match part {
        Part::Compress => width * compressed,
        Part::Dense => shape.flat() * hidden,
        Part::DenseBias | Part::DenseNorm | Part::DenseNormBias => hidden,
        Part::Split => hidden * heads * per_head,
        Part::SplitBias => heads * per_head,
        Part::SplitNorm | Part::SplitNormBias => per_head,
        Part::Spread => per_head * shape.square(),
        Part::SpreadBias => shape.square(),
    }
}
