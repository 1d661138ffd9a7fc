//! Smolgen: attention biases that depend on the whole position.
//!
//! Every token is compressed to a few numbers, the numbers of all tokens become one vector, this one vector per head, and each
//! of those heads x tokens x tokens biases, by a matrix that all blocks may share; two norms stand between. A group of
//! positions goes through together, because the matrices are large and a position has only one row (then one per head).

mod backward;
mod forward;
mod layout;
mod spread;
#[cfg(test)]
mod tests;

pub use layout::{Layout, Part};

use std::sync::Arc;

use self::spread::Spread;
use crate::{
    Aligned, Level,
    product::{self, View},
};

/// Sizes of a smolgen. `hidden`, `per_head` and the square of `tokens` are multiples of sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub tokens: usize,
    pub width: usize,
    pub heads: usize,
    /// Numbers that each token is compressed to.
    pub compressed: usize,
    pub hidden: usize,
    pub per_head: usize,
}

impl Shape {
    pub fn fits(&self) -> bool {
        let Shape { tokens, width, hidden, per_head, .. } = *self;
        [tokens * tokens, width, hidden, per_head].iter().all(|n| n.is_multiple_of(16))
    }

    fn flat(&self) -> usize {
        self.tokens * self.compressed
    }

    fn square(&self) -> usize {
        self.tokens * self.tokens
    }
}

/// Parameters laid out for products.
#[derive(Clone, Debug)]
pub struct PackedSmolgen {
    level: Level,
    shape: Shape,
    layout: Layout,
    /// Biases and norms, in the order of the layout; the matrices are packed.
    plain: Vec<Vec<f32>>,
    /// Compress, dense and split.
    ahead: [Aligned; 3],
    back: Option<[Aligned; 3]>,
    spread: Arc<Spread>,
}

impl PackedSmolgen {
    /// From parameters in the order of [`Layout`]; `train` packs what the backward pass needs, too.
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedSmolgen {
        assert!(shape.fits(), "{shape:?}");
        let layout = Layout::of(&shape);
        assert_eq!(parameters.len(), layout.total());
        let matrices = [
            (Part::Compress, shape.width, shape.compressed),
            (Part::Dense, shape.flat(), shape.hidden),
            (Part::Split, shape.hidden, shape.heads * shape.per_head),
        ];
        let ahead = matrices.map(|(part, k, n)| {
            let mut to = Aligned::scratch(product::words(level, n, k));
            product::right(level, View::new(&parameters[layout.range(part)], k, n), &mut to);
            to
        });
        let back = train.then(|| {
            matrices.map(|(part, rows, columns)| {
                let mut to = Aligned::scratch(product::words(level, rows, columns));
                let view = View::new(&parameters[layout.range(part)], rows, columns);
                product::right_transposed(level, view, &mut to);
                to
            })
        });
        let spread = Spread::new(level, &shape, &parameters[layout.range(Part::Spread)], train);
        let is_matrix = |part| matches!(part, Part::Compress | Part::Dense | Part::Split | Part::Spread);
        let plain = Part::ALL
            .map(|part| if is_matrix(part) { Vec::new() } else { parameters[layout.range(part)].to_vec() });
        PackedSmolgen { level, shape, layout, plain: plain.into(), ahead, back, spread }
    }

    /// Numbers in all parameters.
    pub fn parameters(&self) -> usize {
        self.layout.total()
    }

    /// A bias or a norm.
    fn get(&self, part: Part) -> &[f32] {
        &self.plain[part as usize]
    }
}
