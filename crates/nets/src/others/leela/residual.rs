//! Leela's residual networks: a convolution over the planes, then blocks of two convolutions, with or without squeeze and excitation.

use chess::{Moment, encoding::leela::CHANNELS};
use kernels::{Aligned, Arithmetic, conv};

use super::{
    DEEPEST, WIDEST,
    board_input::BoardInput,
    filter::{self, Filter},
    layer::weights,
    proto::{self, Residual, Squeeze, Weights},
};
use crate::others::OtherError;

/// Channels come in whole groups of so many; those that a file does not have are zero.
const CHANNEL_GROUP: usize = 32;
/// The same for the numbers between the two layers of squeeze and excitation.
const REDUCED_GROUP: usize = 16;

#[derive(Debug)]
pub(super) struct ResidualBody {
    width: usize,
    input: BoardInput,
    blocks: Vec<Block>,
}

#[derive(Debug)]
enum Block {
    Floats(conv::PackedResidual),
    Bytes(conv::int8::PackedResidualInt8),
}

impl ResidualBody {
    pub(super) fn new(arithmetic: Arithmetic, from: &Weights) -> Result<ResidualBody, OtherError> {
        let (channels, blocks) = (filter::outputs(from.input.as_ref()), &from.residual);
        if channels == 0 || channels > WIDEST || blocks.len() > DEEPEST {
            let count = blocks.len();
            let text = format!("{count} residual blocks of {channels} channels are no network's");
            return Err(OtherError::Unknown(text));
        }
        let width = channels.next_multiple_of(CHANNEL_GROUP);
        let input = Filter::read(from.input.as_ref(), "input", 9, CHANNELS)?;
        Ok(ResidualBody {
            width,
            input: BoardInput::new(arithmetic.level(), &input.padded(CHANNELS, width)),
            blocks: blocks
                .iter()
                .map(|block| Block::new(arithmetic, block, channels, width))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Channels of a square, in whole groups.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Squares of every moment, [64, width] each.
    pub(super) fn forward(&self, moments: &[&Moment]) -> Aligned {
        let mut x = self.input.forward(moments);
        let mut y = Aligned::scratch(x.len());
        for block in &self.blocks {
            match block {
                Block::Floats(packed) => conv::forward(packed, &x, &mut y),
                Block::Bytes(packed) => conv::int8::forward(packed, &x, &mut y),
            }
            std::mem::swap(&mut x, &mut y);
        }
        x
    }
}

impl Block {
    fn new(
        arithmetic: Arithmetic,
        from: &Residual,
        channels: usize,
        width: usize,
    ) -> Result<Block, OtherError> {
        let mut parameters = Vec::new();
        for (half, name) in [(&from.conv1, "residual.conv1"), (&from.conv2, "residual.conv2")] {
            if filter::outputs(half.as_ref()) != channels {
                let found = vec![filter::outputs(half.as_ref())];
                return Err(OtherError::Shape { name: name.to_owned(), found, expected: vec![channels] });
            }
            let filter = Filter::read(half.as_ref(), name, 9, channels)?.padded(width, width);
            parameters.extend(filter.weights);
            parameters.extend(filter.bias);
        }
        let reduced = match &from.se {
            Some(squeeze) => push(squeeze, channels, width, &mut parameters)?,
            None => 0,
        };
        let level = arithmetic.level();
        Ok(match (arithmetic.int8().filter(|_| conv::int8::is_fast()), reduced) {
            (Some(_), _) => {
                Block::Bytes(conv::int8::PackedResidualInt8::new(level, width, reduced, &parameters))
            }
            (None, 0) => Block::Floats(conv::PackedResidual::new(level, width, &parameters, false)),
            _ => Block::Floats(conv::PackedResidual::with_squeeze(level, width, reduced, &parameters, false)),
        })
    }
}

/// Adds the layers of squeeze and excitation; gives the numbers between them, in whole groups.
fn push(
    from: &Squeeze,
    channels: usize,
    width: usize,
    parameters: &mut Vec<f32>,
) -> Result<usize, OtherError> {
    let given = proto::len(&from.b1);
    if given == 0 || given > WIDEST {
        return Err(OtherError::Unknown(format!("squeeze and excitation through {given} numbers")));
    }
    let reduced = given.next_multiple_of(REDUCED_GROUP);
    let first = weights(&from.w1, "se.w1", channels, given)?;
    let first = Filter { weights: first, bias: proto::numbers(&from.b1, "se.b1", given)?, inputs: channels };
    let first = first.padded(width, reduced);
    parameters.extend(first.weights);
    parameters.extend(first.bias);
    let both = weights(&from.w2, "se.w2", given, 2 * channels)?;
    let bias = proto::numbers(&from.b2, "se.b2", 2 * channels)?;
    // Gates, then shifts.
    for half in [0..channels, channels..2 * channels] {
        let columns = both.chunks_exact(2 * channels).flat_map(|row| &row[half.clone()]);
        let layer =
            Filter { weights: columns.copied().collect(), bias: bias[half.clone()].to_vec(), inputs: given };
        let layer = layer.padded(reduced, width);
        parameters.extend(layer.weights);
        parameters.extend(layer.bias);
    }
    Ok(reduced)
}
