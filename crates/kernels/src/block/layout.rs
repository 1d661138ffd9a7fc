//! The parameters of a block in one flat slice.

use std::ops::Range;

use super::Shape;

/// A parameter of the block. Matrices are `[inputs, outputs]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Norm1,
    Norm1Bias,
    /// Query, key and value side by side.
    Qkv,
    QkvBias,
    Out,
    OutBias,
    Norm2,
    Norm2Bias,
    Up,
    UpBias,
    Down,
    DownBias,
}

impl Part {
    pub const ALL: [Part; 12] = [
        Part::Norm1,
        Part::Norm1Bias,
        Part::Qkv,
        Part::QkvBias,
        Part::Out,
        Part::OutBias,
        Part::Norm2,
        Part::Norm2Bias,
        Part::Up,
        Part::UpBias,
        Part::Down,
        Part::DownBias,
    ];
}

/// Where each parameter lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    starts: [usize; 13],
}

impl Layout {
    pub fn of(shape: &Shape) -> Layout {
        let mut starts = [0; 13];
        for (i, part) in Part::ALL.into_iter().enumerate() {
            starts[i + 1] = starts[i] + len(shape, part);
        }
        Layout { starts }
    }

    /// Numbers in all parameters.
    pub fn total(&self) -> usize {
        self.starts[12]
    }

    pub fn range(&self, part: Part) -> Range<usize> {
        self.starts[part as usize]..self.starts[part as usize + 1]
    }
}

fn len(shape: &Shape, part: Part) -> usize {
    let Shape { width, hidden, .. } = *shape;
    match part {
        Part::Qkv => 3 * width * width,
        Part::QkvBias => 3 * width,
        Part::Out => width * width,
        Part::Up => width * shape.up(),
        Part::UpBias => shape.up(),
        Part::Down => hidden * width,
        _ => width,
    }
}
