//! Smolgen: attention biases that depend on the whole position.
//!
//! A vector of the position ([`BoardVector`]) goes through two dense layers, each with an activation (or none) and a norm; the second
//! gives a vector for each head, and a matrix that all blocks of a network may share spreads it to tokens x tokens biases.

use std::sync::Arc;

use super::{Shape, ShapeError, size};
use crate::{
    Activation, Aligned, Arithmetic, activation,
    dense::{Dense, DenseBuffer, Linear},
    int8::Base,
    norm::Norm,
    product::{self, View},
    simd::{self, Simd, Task},
};

/// How the tokens become one vector.
#[derive(Clone, Copy, Debug)]
pub enum BoardVector<'a> {
    /// The mean of all tokens.
    Mean,
    /// A few numbers of each token, one token after the other.
    Compress(Linear<'a>),
}

/// Parameters as a network stores them. Weights are `[inputs, outputs]`.
#[derive(Clone, Debug)]
pub struct SmolgenWeights<'a> {
    pub board: BoardVector<'a>,
    pub dense: Linear<'a>,
    pub dense_norm: Norm,
    /// Outputs are heads x vector of a head.
    pub heads: Linear<'a>,
    /// Of each head's vector, or of the vectors of all heads together.
    pub heads_norm: Norm,
    /// What stands after each of the two layers, before its norm. Not a gated one.
    pub activation: Option<Activation>,
    pub spread: SmolgenSpread,
}

/// The matrix from the vector of a head to tokens x tokens biases, by far the largest: clones share it.
#[derive(Clone, Debug)]
pub struct SmolgenSpread(pub(super) Arc<Dense>);

impl SmolgenSpread {
    pub fn new(arithmetic: Arithmetic, linear: Linear<'_>) -> SmolgenSpread {
        SmolgenSpread(Arc::new(Dense::new(arithmetic, linear)))
    }
}

/// A smolgen with its parameters laid out for the CPU.
#[derive(Clone, Debug)]
pub struct Smolgen {
    arithmetic: Arithmetic,
    compress: Option<Dense>,
    dense: Dense,
    dense_norm: Norm,
    heads: Dense,
    heads_norm: Norm,
    activation: Option<Activation>,
    spread: SmolgenSpread,
}

impl Smolgen {
    pub fn new(arithmetic: Arithmetic, weights: SmolgenWeights<'_>) -> Smolgen {
        let pack = |linear| Dense::new(arithmetic, linear);
        let compress = match weights.board {
            BoardVector::Mean => None,
            BoardVector::Compress(linear) => Some(pack(linear)),
        };
        Smolgen {
            arithmetic,
            compress,
            dense: pack(weights.dense),
            dense_norm: weights.dense_norm,
            heads: pack(weights.heads),
            heads_norm: weights.heads_norm,
            activation: weights.activation,
            spread: weights.spread,
        }
    }

    pub(super) fn check(&self, shape: &Shape) -> Result<(), ShapeError> {
        let Shape { tokens, width, heads, .. } = *shape;
        let found = |dense: &Dense| [dense.inputs(), dense.outputs()];
        let flat = match &self.compress {
            None => width,
            Some(compress) => {
                size("smolgen's first layer", found(compress), [width, compress.outputs()])?;
                tokens * compress.outputs()
            }
        };
        let hidden = self.dense.outputs().next_multiple_of(16);
        let each = (self.heads.outputs() / heads).next_multiple_of(16);
        size("smolgen's dense layer", found(&self.dense), [flat, hidden])?;
        size("smolgen's norm", [1, self.dense_norm.weight.len()], [1, hidden])?;
        size("smolgen's layer of heads", found(&self.heads), [hidden, heads * each])?;
        let normed = self.heads_norm.weight.len();
        size(
            "smolgen's norm of heads",
            [1, normed],
            [1, if normed == heads * each { normed } else { each }],
        )?;
        let square = (tokens * tokens).next_multiple_of(16);
        size("smolgen's last matrix", found(&self.spread.0), [each, square])
    }

    /// The vectors of all heads of each position, one after the other.
    pub(super) fn vectors(&self, shape: &Shape, x: &[f32]) -> Aligned {
        let positions = x.len() / shape.values();
        let mut buffer = DenseBuffer::default();
        let flat = self.board(shape, x, &mut buffer);
        let flat = View::new(&flat, positions, self.dense.inputs());
        let dense = self.layer(&self.dense, &self.dense_norm, flat, &mut buffer);
        let dense = View::new(&dense, positions, self.heads.inputs());
        self.layer(&self.heads, &self.heads_norm, dense, &mut buffer)
    }

    /// One vector for each position.
    fn board(&self, shape: &Shape, x: &[f32], buffer: &mut DenseBuffer) -> Aligned {
        let (positions, level) = (x.len() / shape.values(), self.arithmetic.level());
        let mut flat = Aligned::scratch(positions * self.dense.inputs());
        let each = x.chunks_exact(shape.values()).zip(flat.chunks_exact_mut(self.dense.inputs()));
        match &self.compress {
            None => each.for_each(|(x, flat)| simd::run(level, Mean { x, mean: flat })),
            Some(compress) => {
                let (columns, stride) = (compress.outputs(), product::rounded(compress.outputs()));
                let mut wide = Aligned::scratch(product::rounded(shape.tokens) * stride);
                for (x, flat) in each {
                    compress.rows(
                        View::new(x, shape.tokens, shape.width),
                        buffer,
                        &mut wide,
                        stride,
                        Base::Nothing,
                    );
                    for (to, from) in flat.chunks_exact_mut(columns).zip(wide.chunks_exact(stride)) {
                        to.copy_from_slice(&from[..columns]);
                    }
                }
            }
        }
        flat
    }

    /// A dense layer, its activation and its norm; rows of the norm may be parts of rows of the layer.
    fn layer(&self, dense: &Dense, norm: &Norm, x: View<'_>, buffer: &mut DenseBuffer) -> Aligned {
        let (level, columns) = (self.arithmetic.level(), dense.outputs());
        let len = x.rows * columns;
        let mut y = Aligned::scratch(product::rounded(x.rows) * columns);
        dense.rows(x, buffer, &mut y, columns, Base::Nothing);
        let mut normed = Aligned::scratch(len);
        if let Some(activation) = self.activation {
            activation::forward(level, activation, &y[..len], columns, &mut normed);
            std::mem::swap(&mut y, &mut normed);
            normed = Aligned::scratch(len);
        }
        norm.forward(level, &y[..len], &mut normed);
        normed
    }

    /// How many positions' biases are made together: few, so that they and the matrix are still in the cache when attention asks for
    /// them.
    pub(super) fn at_once(&self, shape: &Shape) -> usize {
        let rows = if self.arithmetic.int8().is_some() { 16 } else { 32 };
        (rows / shape.heads).max(1)
    }

    /// Heads x tokens x tokens biases of some positions, from their vectors.
    pub(super) fn biases(
        &self,
        shape: &Shape,
        vectors: &[f32],
        buffer: &mut DenseBuffer,
        biases: &mut Aligned,
    ) {
        let (spread, square) = (&*self.spread.0, shape.tokens * shape.tokens);
        let rows = vectors.len() / spread.inputs();
        let len = product::rounded(rows) * square;
        if biases.len() < len {
            *biases = Aligned::scratch(len);
        }
        spread.rows(View::new(vectors, rows, spread.inputs()), buffer, biases, square, Base::Nothing);
    }
}

/// The mean of rows as long as `mean`.
struct Mean<'a> {
    x: &'a [f32],
    mean: &'a mut [f32],
}

impl Task for Mean<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let width = self.mean.len();
        let share = S::splat(width as f32 / self.x.len() as f32);
        for at in (0..width).step_by(S::LANES) {
            let mut sum = S::splat(0.0);
            for row in self.x.chunks_exact(width) {
                sum = S::add(sum, S::load(&row[at..]));
            }
            S::store(S::mul(sum, share), &mut self.mean[at..]);
        }
    }
}
