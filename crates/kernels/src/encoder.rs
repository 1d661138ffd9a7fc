//! One transformer block of a network that no longer learns, in int8, bf16 or f32, for the shapes that chess networks have:
//! norms before or after ([`Order`]), LayerNorm or RMSNorm, with or without biases, with or without smolgen.
//!
//! Pre-norm: `a = x + attention(norm1(x))`, then `y = a + feed_forward(norm2(a))`.
//! Post-norm: `a = norm1(x + attention(x))`, then `y = norm2(a + feed_forward(a))`.
//!
//! In int8 the products with weights are [`crate::int8`]'s; norms, softmax and activations are in f32, and attention multiplies
//! queries, keys, weights and values as the level does (bf16 where the CPU has it). A position gives the same bits alone and among
//! others.
//!
//! ```
//! use kernels::{Activation, Arithmetic, dense::Linear, encoder::*, norm::Norm};
//!
//! let (width, hidden) = (32, 64);
//! let shape = Shape { tokens: 64, width, heads: 2, hidden, activation: Activation::Gelu, order: Order::Post };
//! let zeros = vec![0.0; width * hidden];
//! let square = Linear::new(&zeros[..width * width], width, width, None);
//! let weights = Weights {
//!     query: square,
//!     key: square,
//!     value: square,
//!     output: square,
//!     up: Linear::new(&zeros, width, hidden, None),
//!     down: Linear::new(&zeros, hidden, width, None),
//!     norms: [Norm::rms(1e-6, &vec![1.0; width]), Norm::rms(1e-6, &vec![1.0; width])],
//!     smolgen: None,
//!     residual: 1.0,
//! };
//! let block = Encoder::new(Arithmetic::best(), shape, weights)?;
//! let (x, mut y) = (vec![0.5; 64 * width], vec![0.0; 64 * width]);
//! block.forward(&x, Extra::default(), &mut y);
//! # assert!(y.iter().all(|y| (y - 1.0).abs() < 1e-3));
//! # Ok::<(), kernels::encoder::ShapeError>(())
//! ```

mod attention;
mod forward;
mod from_block;
mod smolgen;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::{
    Activation, Arithmetic,
    dense::{Dense, Linear},
    norm::Norm,
    product::View,
};

pub use forward::Extra;
pub use smolgen::{BoardVector, Smolgen, SmolgenSpread, SmolgenWeights};

/// Where the norms stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Pre,
    Post,
}

/// Sizes of a block. Width, hidden width and width per head are multiples of sixteen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub tokens: usize,
    pub width: usize,
    pub heads: usize,
    /// Width between the two products of the feed-forward layer.
    pub hidden: usize,
    pub activation: Activation,
    pub order: Order,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    #[error(
        "a block of {tokens} tokens, width {width}, {heads} heads and hidden width {hidden}: widths, and the width of a head, must be multiples of 16"
    )]
    Widths { tokens: usize, width: usize, heads: usize, hidden: usize },
    #[error("{name} of a block has {found:?} numbers where {expected:?} are needed")]
    Size { name: &'static str, found: [usize; 2], expected: [usize; 2] },
}

/// A block's parameters as a network stores them. Weights are `[inputs, outputs]`.
#[derive(Clone, Debug)]
pub struct Weights<'a> {
    pub query: Linear<'a>,
    pub key: Linear<'a>,
    pub value: Linear<'a>,
    pub output: Linear<'a>,
    /// For SwiGLU twice as wide as the hidden width: gates, then values.
    pub up: Linear<'a>,
    pub down: Linear<'a>,
    /// Of attention, and of the feed-forward layer.
    pub norms: [Norm; 2],
    /// Makes attention's biases.
    pub smolgen: Option<Smolgen>,
    /// What the results of attention and of the feed-forward layer are multiplied by before they are added; usually 1.
    pub residual: f32,
}

/// A block with its parameters laid out for the CPU.
#[derive(Clone, Debug)]
pub struct Encoder {
    arithmetic: Arithmetic,
    shape: Shape,
    /// Query, key and value side by side.
    qkv: Dense,
    output: Dense,
    up: Dense,
    down: Dense,
    norms: [Norm; 2],
    smolgen: Option<Smolgen>,
    /// The same for all positions.
    shared_bias: Option<Vec<f32>>,
}

impl Shape {
    /// Values of one position.
    pub fn values(&self) -> usize {
        self.tokens * self.width
    }

    /// Values of one position's attention bias: heads x tokens x tokens.
    pub fn bias_len(&self) -> usize {
        self.heads * self.tokens * self.tokens
    }

    fn head(&self) -> usize {
        self.width / self.heads
    }

    fn check(&self) -> Result<(), ShapeError> {
        let Shape { tokens, width, heads, hidden, .. } = *self;
        let whole = tokens > 0 && heads > 0 && hidden > 0 && width.is_multiple_of(heads);
        if whole && (width / heads).is_multiple_of(16) && width > 0 && hidden.is_multiple_of(16) {
            Ok(())
        } else {
            Err(ShapeError::Widths { tokens, width, heads, hidden })
        }
    }
}

impl Encoder {
    pub fn new(arithmetic: Arithmetic, shape: Shape, weights: Weights<'_>) -> Result<Encoder, ShapeError> {
        shape.check()?;
        let Shape { width, hidden, .. } = shape;
        let raised = hidden * shape.activation.inputs();
        let Weights { query, key, value, output, up, down, norms, smolgen, residual } = weights;
        let sizes = [
            ("query", query, [width, width]),
            ("key", key, [width, width]),
            ("value", value, [width, width]),
            ("output", output, [width, width]),
            ("up", up, [width, raised]),
            ("down", down, [hidden, width]),
        ];
        for (name, linear, expected) in sizes {
            size(name, [linear.weights.rows, linear.weights.columns], expected)?;
        }
        for norm in &norms {
            size("norm", [1, norm.weight.len()], [1, width])?;
            size("norm", [1, norm.bias.as_ref().map_or(width, Vec::len)], [1, width])?;
        }
        if let Some(smolgen) = &smolgen {
            smolgen.check(&shape)?;
        }
        let (joined, joined_bias) = beside([query, key, value]);
        let qkv = Linear::new(&joined, width, 3 * width, joined_bias.as_deref());
        let scaled = |linear: Linear<'_>| {
            let (values, bias) = times(linear, residual);
            let View { rows, columns, .. } = linear.weights;
            Dense::new(arithmetic, Linear::new(&values, rows, columns, bias.as_deref()))
        };
        Ok(Encoder {
            arithmetic,
            shape,
            qkv: Dense::new(arithmetic, qkv),
            output: scaled(output),
            up: Dense::new(arithmetic, up),
            down: scaled(down),
            norms,
            smolgen,
            shared_bias: None,
        })
    }

    /// The block with attention biases that all positions share, heads x tokens x tokens; not for blocks with a smolgen.
    pub fn with_shared_bias(self, bias: &[f32]) -> Result<Encoder, ShapeError> {
        size("shared bias", [1, bias.len()], [1, self.shape.bias_len()])?;
        Ok(Encoder { shared_bias: Some(bias.to_vec()), ..self })
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }
}

fn size(name: &'static str, found: [usize; 2], expected: [usize; 2]) -> Result<(), ShapeError> {
    if found == expected { Ok(()) } else { Err(ShapeError::Size { name, found, expected }) }
}

/// Matrices with as many inputs, outputs one after the other; a bias if any of them has one.
fn beside(parts: [Linear<'_>; 3]) -> (Vec<f32>, Option<Vec<f32>>) {
    let rows = parts[0].weights.rows;
    let row = |row: usize| {
        parts
            .into_iter()
            .flat_map(move |part| &part.weights.values[row * part.weights.stride..][..part.weights.columns])
    };
    let values = (0..rows).flat_map(row).copied().collect();
    let bias = parts.iter().any(|part| part.bias.is_some()).then(|| {
        let bias = |part: &Linear<'_>| match part.bias {
            Some(bias) => bias.to_vec(),
            None => vec![0.0; part.weights.columns],
        };
        parts.iter().flat_map(bias).collect()
    });
    (values, bias)
}

/// Weights and bias times a number.
fn times<'a>(linear: Linear<'a>, factor: f32) -> (Cow<'a, [f32]>, Option<Cow<'a, [f32]>>) {
    let View { values, rows, columns, stride } = linear.weights;
    if factor == 1.0 && columns == stride {
        return (Cow::Borrowed(&values[..rows * columns]), linear.bias.map(Cow::Borrowed));
    }
    let scaled = values.chunks(stride).take(rows).flat_map(|row| row[..columns].iter().map(|x| x * factor));
    (scaled.collect(), linear.bias.map(|bias| bias.iter().map(|x| x * factor).collect()))
}
