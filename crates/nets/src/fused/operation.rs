//! The operations, on plain slices.

use std::sync::Arc;

use kernels::{Aligned, Level, block, conv, smolgen};

/// What is computed in one go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    /// A transformer block, which may make its attention biases itself.
    Block { shape: block::Shape, smolgen: Option<smolgen::Shape> },
    /// Two 3x3 convolutions around a shortcut on boards of 64 squares.
    Residual { channels: usize },
}

/// An operation with its parameters packed for the CPU.
#[derive(Clone, Debug)]
pub(crate) enum Ready {
    Block { packed: Arc<block::Packed> },
    Residual { packed: Arc<conv::Packed> },
}

/// What the way there leaves for the way back, besides input and output.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    ready: Ready,
    middle: Option<Arc<Aligned>>,
}

impl Operation {
    /// Whether `kernels` can compute it.
    pub(crate) fn fits(&self) -> bool {
        match self {
            Operation::Block { shape, smolgen } => {
                shape.check().is_ok() && smolgen.as_ref().is_none_or(smolgen::Shape::fits)
            }
            Operation::Residual { channels } => conv::fits(*channels),
        }
    }

    /// Packs the parameters; `train` if the way back will be asked for.
    pub(crate) fn ready(&self, level: Level, parameters: &[f32], train: bool) -> Ready {
        match self {
            Operation::Block { shape, smolgen } => {
                let (own, rest) = parameters.split_at(block::Layout::of(shape).total());
                let packed = block::Packed::new(level, *shape, own, train);
                let packed = match smolgen {
                    Some(shape) => packed.with_smolgen(smolgen::Packed::new(level, *shape, rest, train)),
                    None => packed,
                };
                Ready::Block { packed: Arc::new(packed) }
            }
            Operation::Residual { channels } => {
                Ready::Residual { packed: Arc::new(conv::Packed::new(level, *channels, parameters, train)) }
            }
        }
    }
}

impl Ready {
    pub(crate) fn forward(&self, x: &[f32]) -> Vec<f32> {
        let mut y = vec![0.0; x.len()];
        match self {
            Ready::Block { packed } => block::forward(packed, x, None, &mut y, None),
            Ready::Residual { packed } => conv::forward(packed, x, &mut y),
        }
        y
    }

    /// With what the way back needs.
    pub(super) fn forward_keeping(self, x: &[f32]) -> (Vec<f32>, Kept) {
        let mut y = vec![0.0; x.len()];
        let mut middle = None;
        match &self {
            Ready::Block { packed } => {
                let mut between = Aligned::room(x.len());
                block::forward(packed, x, None, &mut y, Some(&mut between));
                middle = Some(Arc::new(between));
            }
            Ready::Residual { packed } => conv::forward(packed, x, &mut y),
        }
        (y, Kept { ready: self, middle })
    }
}

impl Kept {
    /// From the gradient of `y` to those of `x` and of the parameters.
    pub(super) fn backward(&self, x: &[f32], y: &[f32], gradient: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let mut to_x = vec![0.0; x.len()];
        let to_parameters = match &self.ready {
            Ready::Block { packed } => {
                let middle = self.middle.as_ref().expect("blocks keep what lies between their halves");
                let kept = block::Kept { x, middle, bias: None };
                block::backward(packed, kept, gradient, &mut to_x, None)
            }
            Ready::Residual { packed } => conv::backward(packed, conv::Kept { x, y }, gradient, &mut to_x),
        };
        (to_x, to_parameters)
    }
}
