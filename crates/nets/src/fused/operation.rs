//! The operations, on plain slices.

use std::sync::Arc;

use burn::tensor::Shape;
use kernels::{
    Aligned, Arithmetic, Level, bags, block, choice, conv, cross,
    encoder::{Encoder, Extra},
    graph, head, layer, meet, perceptron, pointer, smolgen, squares,
};

use super::{
    graphs::GraphLists,
    lookups::{Choices, Lookups, Meetings, MoveLookups},
};

/// What is computed in one go, with what it looks up.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A transformer block, which may make its attention biases itself.
    Block { shape: block::Shape, smolgen: Option<smolgen::Shape> },
    /// A transformer block as training disturbs it, with attention biases that all positions share if it is `biased`.
    Tokens { shape: block::Shape, biased: bool, dropout: Option<block::Dropout> },
    /// Two 3x3 convolutions around a shortcut on boards of 64 squares, with gates that see `reduced` numbers, or none.
    Residual { channels: usize, reduced: usize },
    /// Sums of rows of a table, `[bags, width]`. Nothing goes through.
    Sums { lookups: Arc<Lookups>, width: usize },
    /// A dense layer on rows.
    Layer { shape: layer::Shape },
    /// Squares looked up, with what goes through added to each of its board's, and rectified: `[boards, 64, width]`.
    Squares { lookups: Arc<Lookups>, width: usize },
    /// Scores of moves, origins and targets, and mean squares, in one row; see [`head`].
    Head { moves: Arc<MoveLookups>, shape: head::Shape },
    /// Mean cross-entropy of choices among lists of scores. There are no parameters.
    Choice { choices: Arc<Choices> },
    /// Norm, product, GELU, product on rows.
    Perceptron { shape: perceptron::Shape },
    /// Tokens at the side that look at the squares of their boards, which go through; see [`cross`].
    Cross { shape: cross::Shape },
    /// Scores of squares by tokens that are asked about them: what goes through are squares, at the side are tokens; see [`meet`].
    Meet { asked: Arc<Meetings>, shape: meet::Shape },
    /// Scores of all pairs of origin and target for tokens at the side that point into boards; see [`pointer`]. There are no parameters.
    Pointer { boards: Arc<Vec<i32>>, rank: usize },
    /// A layer of graph attention on the nodes of graphs.
    Graph { graphs: Arc<GraphLists>, shape: graph::Shape },
}

/// An operation with its parameters packed for the CPU, or as they are where it looks them up.
#[derive(Clone, Debug)]
pub(crate) enum Ready<P> {
    Block {
        packed: Arc<block::PackedBlock>,
    },
    /// A transformer block from which nothing learns, in int8 where the CPU has that.
    Encoder {
        encoder: Arc<Encoder>,
    },
    Residual {
        packed: Arc<conv::PackedResidual>,
    },
    /// A residual block in int8, from which nothing learns.
    ResidualInt8 {
        packed: Arc<conv::int8::PackedResidualInt8>,
    },
    Table {
        table: P,
        width: usize,
    },
    Head {
        packed: Arc<head::PackedHead>,
        parameters: P,
    },
    Graph {
        packed: Arc<graph::PackedGraphLayer>,
    },
    Layer {
        packed: Arc<layer::PackedLayer>,
    },
    Perceptron {
        packed: Arc<perceptron::PackedPerceptron>,
    },
    Cross {
        packed: Arc<cross::PackedCross>,
    },
    Meet {
        packed: Arc<meet::PackedMeet>,
    },
    Nothing,
}

/// What the forward pass leaves for the backward pass, besides inputs and output.
#[derive(Clone, Debug)]
pub(super) enum Saved {
    Nothing,
    /// Of a transformer block.
    Tokens(Arc<Aligned>),
    /// Of a residual block.
    Boards(Arc<conv::Between>),
}

/// Gradients of what goes through, of what is added at its side, and of the parameters.
pub(super) type Gradients = (Vec<f32>, Vec<f32>, Vec<f32>);

impl Operation {
    /// Whether `kernels` can compute it.
    pub(crate) fn fits(&self) -> bool {
        match self {
            Operation::Block { shape, smolgen } => {
                shape.check().is_ok() && smolgen.as_ref().is_none_or(smolgen::Shape::fits)
            }
            Operation::Tokens { shape, .. } => shape.check().is_ok(),
            Operation::Residual { channels, reduced } => conv::fits(*channels) && reduced.is_multiple_of(16),
            Operation::Sums { .. } | Operation::Squares { .. } | Operation::Choice { .. } => true,
            Operation::Layer { .. } => true,
            Operation::Head { shape, .. } => shape.fits(),
            Operation::Graph { shape, .. } => shape.fits(),
            Operation::Perceptron { shape } => shape.fits(),
            Operation::Cross { shape } => shape.fits(),
            Operation::Meet { shape, .. } => shape.fits(),
            Operation::Pointer { rank, .. } => pointer::fits(*rank),
        }
    }

    /// What it is, for those who wonder why it does not fit.
    pub(super) fn describe(&self) -> String {
        match self {
            Operation::Block { shape, smolgen } => format!("a block of {shape:?} with smolgen {smolgen:?}"),
            Operation::Tokens { shape, .. } => format!("a block of {shape:?}"),
            Operation::Residual { channels, reduced } => {
                format!("a residual block of {channels} channels, {reduced} squeezed")
            }
            Operation::Sums { width, .. } | Operation::Squares { width, .. } => {
                format!("a lookup of rows of {width}")
            }
            Operation::Head { shape, .. } => format!("a head of {shape:?}"),
            Operation::Choice { .. } => "a choice among lists".to_owned(),
            Operation::Graph { shape, .. } => format!("a graph layer of {shape:?}"),
            Operation::Layer { shape } => format!("a dense layer of {shape:?}"),
            Operation::Perceptron { shape } => format!("a head of {shape:?}"),
            Operation::Cross { shape } => format!("attention to squares of {shape:?}"),
            Operation::Meet { shape, .. } => format!("scores of squares of {shape:?}"),
            Operation::Pointer { rank, .. } => format!("scores of origins and targets by {rank} numbers"),
        }
    }

    /// The shape of the result, from that of what goes through.
    pub(super) fn shape(&self, x: Shape) -> Shape {
        match self {
            Operation::Block { .. }
            | Operation::Tokens { .. }
            | Operation::Residual { .. }
            | Operation::Graph { .. } => x,
            Operation::Sums { lookups, width } => Shape::new([lookups.len(), *width]),
            Operation::Layer { shape } => Shape::new([x[0], shape.outputs]),
            Operation::Squares { lookups, width } => Shape::new([lookups.len() / 64, 64, *width]),
            Operation::Head { moves, shape } => Shape::new([moves.moves().results(*shape)]),
            Operation::Choice { .. } => Shape::new([1]),
            Operation::Perceptron { shape } => {
                let rows = x.num_elements() / shape.inputs;
                Shape::new([rows, shape.outputs])
            }
            Operation::Cross { shape } => {
                let boards = x.num_elements() / (64 * shape.channels);
                Shape::new([boards * shape.tokens, shape.width])
            }
            Operation::Meet { asked, shape } => Shape::new([asked.squares.len(), shape.classes]),
            Operation::Pointer { boards, .. } => Shape::new([boards.len(), pointer::SCORES]),
        }
    }

    /// Packs the parameters; `train` if the backward pass will be asked for.
    pub(crate) fn ready<P: AsRef<[f32]>>(&self, level: Level, parameters: P, train: bool) -> Ready<P> {
        match self {
            Operation::Block { shape, smolgen } => {
                let (own, rest) = parameters.as_ref().split_at(block::Layout::of(shape).total());
                let packed = block::PackedBlock::new(level, *shape, own, train);
                let packed = match smolgen {
                    Some(shape) => {
                        packed.with_smolgen(smolgen::PackedSmolgen::new(level, *shape, rest, train))
                    }
                    None => packed,
                };
                Ready::Block { packed: Arc::new(packed) }
            }
            Operation::Tokens { shape, biased, dropout } => {
                let (own, biases) = parameters.as_ref().split_at(block::Layout::of(shape).total());
                let packed = block::PackedBlock::new(level, *shape, own, train);
                let packed = if *biased { packed.with_shared_bias(biases) } else { packed };
                let packed = match dropout {
                    Some(dropout) => packed.with_dropout(*dropout),
                    None => packed,
                };
                Ready::Block { packed: Arc::new(packed) }
            }
            Operation::Residual { channels, reduced } => {
                let (channels, reduced, parameters) = (*channels, *reduced, parameters.as_ref());
                let packed = match reduced {
                    0 => conv::PackedResidual::new(level, channels, parameters, train),
                    _ => conv::PackedResidual::with_squeeze(level, channels, reduced, parameters, train),
                };
                Ready::Residual { packed: Arc::new(packed) }
            }
            Operation::Sums { width, .. } | Operation::Squares { width, .. } => {
                Ready::Table { table: parameters, width: *width }
            }
            Operation::Layer { shape } => {
                let packed = layer::PackedLayer::new(level, *shape, parameters.as_ref(), train);
                Ready::Layer { packed: Arc::new(packed) }
            }
            Operation::Head { shape, .. } => {
                let packed = head::PackedHead::new(level, *shape, parameters.as_ref(), train);
                Ready::Head { packed: Arc::new(packed), parameters }
            }
            Operation::Perceptron { shape } => {
                let packed = perceptron::PackedPerceptron::new(level, *shape, parameters.as_ref(), train);
                Ready::Perceptron { packed: Arc::new(packed) }
            }
            Operation::Cross { shape } => {
                let packed = cross::PackedCross::new(level, *shape, parameters.as_ref(), train);
                Ready::Cross { packed: Arc::new(packed) }
            }
            Operation::Meet { shape, .. } => {
                let packed = meet::PackedMeet::new(level, *shape, parameters.as_ref(), train);
                Ready::Meet { packed: Arc::new(packed) }
            }
            Operation::Choice { .. } | Operation::Pointer { .. } => Ready::Nothing,
            Operation::Graph { shape, .. } => {
                let packed = graph::PackedGraphLayer::new(level, shape, parameters.as_ref(), train);
                Ready::Graph { packed: Arc::new(packed) }
            }
        }
    }

    /// Packs the parameters for inference, in int8 where `arithmetic` and this operation have that.
    pub(crate) fn ready_for_inference<P: AsRef<[f32]>>(
        &self,
        arithmetic: Arithmetic,
        parameters: P,
    ) -> Ready<P> {
        let level = arithmetic.level();
        match self {
            Operation::Block { shape, smolgen } => {
                match Encoder::of_block(arithmetic, shape, smolgen.as_ref(), parameters.as_ref()) {
                    Ok(encoder) => Ready::Encoder { encoder: Arc::new(encoder) },
                    Err(_) => self.ready(level, parameters, false),
                }
            }
            Operation::Tokens { shape, biased, dropout: None } => {
                let (own, biases) = parameters.as_ref().split_at(block::Layout::of(shape).total());
                let encoder = Encoder::of_block(arithmetic, shape, None, own);
                let encoder = encoder.and_then(|encoder| match biased {
                    true => encoder.with_shared_bias(biases),
                    false => Ok(encoder),
                });
                match encoder {
                    Ok(encoder) => Ready::Encoder { encoder: Arc::new(encoder) },
                    Err(_) => self.ready(level, parameters, false),
                }
            }
            Operation::Residual { channels, reduced }
                if arithmetic.int8().is_some() && conv::int8::is_fast() =>
            {
                let packed =
                    conv::int8::PackedResidualInt8::new(level, *channels, *reduced, parameters.as_ref());
                Ready::ResidualInt8 { packed: Arc::new(packed) }
            }
            _ => self.ready(level, parameters, false),
        }
    }

    /// The result, and what the backward pass needs of it where `keep` says so.
    pub(super) fn forward<P: AsRef<[f32]>>(
        &self,
        level: Level,
        ready: &Ready<P>,
        (x, side): (&[f32], &[f32]),
        keep: bool,
    ) -> (Vec<f32>, Saved) {
        let mut kept = Saved::Nothing;
        let y = match (self, ready) {
            (Operation::Block { shape, .. } | Operation::Tokens { shape, .. }, Ready::Block { packed }) => {
                let mut y = vec![0.0; x.len()];
                let mut saved = keep.then(|| Aligned::scratch(x.len() / shape.values() * shape.saved(level)));
                block::forward(packed, x, None, &mut y, saved.as_deref_mut());
                kept = saved.map_or(Saved::Nothing, |saved| Saved::Tokens(Arc::new(saved)));
                y
            }
            (Operation::Block { .. } | Operation::Tokens { .. }, Ready::Encoder { encoder }) if !keep => {
                let mut y = vec![0.0; x.len()];
                encoder.forward(x, Extra::default(), &mut y);
                y
            }
            (Operation::Residual { .. }, Ready::Residual { packed }) => {
                let mut y = vec![0.0; x.len()];
                if keep {
                    kept = Saved::Boards(Arc::new(conv::forward_keeping(packed, x, &mut y)));
                } else {
                    conv::forward(packed, x, &mut y);
                }
                y
            }
            (Operation::Residual { .. }, Ready::ResidualInt8 { packed }) if !keep => {
                let mut y = vec![0.0; x.len()];
                conv::int8::forward(packed, x, &mut y);
                y
            }
            (Operation::Sums { lookups, .. }, Ready::Table { table, width }) => {
                let mut y = vec![0.0; lookups.len() * width];
                bags::forward(level, lookups.bags(), table.as_ref(), *width, &mut y);
                y
            }
            (Operation::Layer { shape }, Ready::Layer { packed }) => {
                let mut y = vec![0.0; x.len() / shape.inputs * shape.outputs];
                layer::forward(packed, x, &mut y);
                y
            }
            (Operation::Squares { lookups, .. }, Ready::Table { table, width }) => {
                let mut y = vec![0.0; lookups.len() * width];
                squares::forward(level, lookups.bags(), table.as_ref(), x, *width, &mut y);
                y
            }
            (Operation::Head { moves, .. }, Ready::Head { packed, parameters }) => {
                head::forward(packed, parameters.as_ref(), moves.moves(), x, side)
            }
            (Operation::Choice { choices }, Ready::Nothing) => {
                vec![choice::forward(level, choices.lists(), x)]
            }
            (Operation::Perceptron { shape }, Ready::Perceptron { packed }) => {
                let mut y = vec![0.0; x.len() / shape.inputs * shape.outputs];
                perceptron::forward(packed, x, &mut y);
                y
            }
            (Operation::Cross { .. }, Ready::Cross { packed }) => {
                let mut y = vec![0.0; side.len()];
                cross::forward(packed, x, side, &mut y);
                y
            }
            (Operation::Meet { asked, .. }, Ready::Meet { packed }) => {
                meet::forward(packed, asked.asked(), x, side)
            }
            (Operation::Pointer { boards, rank }, Ready::Nothing) => {
                pointer::forward(level, *rank, boards, x, side)
            }
            (Operation::Graph { graphs, .. }, Ready::Graph { packed }) => {
                let mut y = vec![0.0; x.len()];
                graph::forward(packed, &graphs.view(), x, &mut y);
                y
            }
            _ => unreachable!("an operation is given what it made ready"),
        };
        (y, kept)
    }

    /// From the gradient of `y` to those of the inputs.
    pub(super) fn backward<P: AsRef<[f32]>>(
        &self,
        level: Level,
        ready: &Ready<P>,
        (x, side, y): (&[f32], &[f32], &[f32]),
        saved: &Saved,
        gradient: &[f32],
    ) -> Gradients {
        let mut to_x = vec![0.0; x.len()];
        let mut to_side = vec![0.0; side.len()];
        let to_parameters = match (self, ready) {
            (Operation::Block { .. } | Operation::Tokens { .. }, Ready::Block { packed }) => {
                let Saved::Tokens(saved) = saved else { unreachable!("blocks save activations") };
                let kept = block::Kept { x, saved, bias: None };
                block::backward(packed, kept, gradient, &mut to_x, None)
            }
            (Operation::Residual { .. }, Ready::Residual { packed }) => {
                let between = match saved {
                    Saved::Boards(between) => Some(&**between),
                    _ => None,
                };
                conv::backward(packed, conv::Kept { x, y, between }, gradient, &mut to_x)
            }
            (Operation::Sums { lookups, .. }, Ready::Table { table, width }) => {
                let mut to_table = vec![0.0; table.as_ref().len()];
                bags::backward(level, lookups.bags(), gradient, *width, &mut to_table);
                to_table
            }
            (Operation::Layer { .. }, Ready::Layer { packed }) => {
                layer::backward(packed, (x, y), gradient, &mut to_x)
            }
            (Operation::Squares { lookups, .. }, Ready::Table { table, width }) => {
                let mut to_table = vec![0.0; table.as_ref().len()];
                squares::backward(level, lookups.bags(), y, gradient, *width, &mut to_x, &mut to_table);
                to_table
            }
            (Operation::Head { moves, .. }, Ready::Head { packed, parameters }) => {
                let to = (&mut to_x[..], &mut to_side[..]);
                head::backward(packed, parameters.as_ref(), moves.moves(), (x, side), gradient, to)
            }
            (Operation::Choice { choices }, Ready::Nothing) => {
                choice::backward(level, choices.lists(), x, gradient[0], &mut to_x);
                vec![0.0]
            }
            (Operation::Perceptron { .. }, Ready::Perceptron { packed }) => {
                perceptron::backward(packed, x, gradient, &mut to_x)
            }
            (Operation::Cross { .. }, Ready::Cross { packed }) => {
                cross::backward(packed, (x, side), gradient, (&mut to_x, &mut to_side))
            }
            (Operation::Meet { asked, .. }, Ready::Meet { packed }) => {
                let to = (&mut to_x[..], &mut to_side[..]);
                meet::backward(packed, asked.asked(), (x, side), gradient, to)
            }
            (Operation::Pointer { boards, rank }, Ready::Nothing) => {
                let to = (&mut to_x[..], &mut to_side[..]);
                pointer::backward(level, *rank, boards, (x, side), gradient, to);
                vec![0.0]
            }
            (Operation::Graph { graphs, .. }, Ready::Graph { packed }) => {
                graph::backward(packed, &graphs.view(), x, gradient, &mut to_x)
            }
            _ => unreachable!("an operation is given what it made ready"),
        };
        (to_x, to_side, to_parameters)
    }
}
