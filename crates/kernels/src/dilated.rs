//! The ranker's first layers on the 64 squares of a board: nine dilated convolutions side by side, then a product per square.
//!
//! Boards are nearly empty, so nothing is multiplied by zeros: each piece adds one learned row to each square that it reaches.

mod batch;
mod reach;
#[cfg(test)]
mod tests;

pub use batch::{Kept, Ones, backward, forward};
pub use reach::{BRANCHES, Branch};

use crate::{
    Aligned, Level,
    product::{self, View},
};

/// Sizes: planes of a board, channels of each convolution, numbers per square in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub planes: usize,
    pub channels: [usize; BRANCHES.len()],
    pub width: usize,
}

impl Shape {
    /// Whether it can be computed here.
    pub fn fits(&self) -> bool {
        self.width > 0 && self.width.is_multiple_of(16) && self.total() > 0 && self.planes > 0
    }

    /// Channels of all convolutions.
    fn total(&self) -> usize {
        self.channels.iter().sum()
    }

    /// Where a branch's rows begin among the parameters, and after the last, where they end.
    fn starts(&self) -> [usize; BRANCHES.len() + 1] {
        let mut starts = [0; BRANCHES.len() + 1];
        for (at, branch) in BRANCHES.iter().enumerate() {
            starts[at + 1] = starts[at] + branch.taps() * self.planes * self.channels[at];
        }
        starts
    }

    /// Parameters in their flat order: rows `[taps x planes, channels]` of each branch, the bias of all channels,
    /// the product's weight `[channels, width]` and its bias.
    fn split<'a>(&self, parameters: &'a [f32]) -> [&'a [f32]; 4] {
        let (rows, rest) = parameters.split_at(self.starts()[BRANCHES.len()]);
        let (bias, rest) = rest.split_at(self.total());
        let (weight, mix_bias) = rest.split_at(self.total() * self.width);
        [rows, bias, weight, mix_bias]
    }

    /// Numbers in the parameters.
    pub fn parameters(&self) -> usize {
        self.starts()[BRANCHES.len()] + self.total() + (self.total() + 1) * self.width
    }
}

/// Parameters of `relu(product(relu(convolutions)))`, packed.
#[derive(Clone, Debug)]
pub struct PackedDilated {
    level: Level,
    shape: Shape,
    rows: Vec<f32>,
    bias: Vec<f32>,
    mix_bias: Vec<f32>,
    ahead: Aligned,
    back: Option<Aligned>,
}

impl PackedDilated {
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedDilated {
        assert!(shape.fits(), "{shape:?}");
        assert_eq!(parameters.len(), shape.parameters());
        let [rows, bias, weight, mix_bias] = shape.split(parameters);
        let (total, width) = (shape.total(), shape.width);
        let weight = View::new(weight, total, width);
        let mut ahead = Aligned::scratch(product::words(level, width, total));
        product::right(level, weight, &mut ahead);
        let back = train.then(|| {
            let mut back = Aligned::scratch(product::words(level, total, width));
            product::right_transposed(level, weight, &mut back);
            back
        });
        let [rows, bias, mix_bias] = [rows, bias, mix_bias].map(<[f32]>::to_vec);
        PackedDilated { level, shape, rows, bias, mix_bias, ahead, back }
    }
}
