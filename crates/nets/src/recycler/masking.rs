//! Denoising: some squares of some boards are hidden, and the network says what stands on them.

use burn::{
    module::{Module, Param},
    tensor::{Tensor, TensorData},
};
use chess::encoding::recycler::CHANNELS;
use data::Random;

use super::RecyclerConfig;
use crate::{
    choice,
    layers::{Builder, indices},
    transformer::Head,
};

/// Nothing, and six kinds of pieces of two colours: the first channels of a square.
const PIECES: usize = 13;

/// Which squares of a batch are hidden.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    /// Whether squares of a board are hidden, for each board of the batch; empty where nothing is.
    pub(super) boards: Vec<bool>,
    /// Hidden squares, 64 to a board.
    squares: Vec<usize>,
    /// What stands on them.
    pieces: Vec<i32>,
}

impl Hidden {
    pub(super) fn draw([boards, squares]: [f32; 2], planes: &[f32], random: &mut Random) -> Hidden {
        let mut hidden = Hidden::default();
        for (row, board) in planes.chunks_exact(64 * CHANNELS).enumerate() {
            let is_hidden = random.chance(boards.into());
            hidden.boards.push(is_hidden);
            for (square, channels) in board.chunks_exact(CHANNELS).enumerate().filter(|_| is_hidden) {
                if random.chance(squares.into()) {
                    let piece = channels[..PIECES].iter().position(|&channel| channel == 1.0);
                    hidden.squares.push(64 * row + square);
                    hidden.pieces.push(piece.map_or(choice::UNKNOWN, |piece| piece as i32));
                }
            }
        }
        hidden
    }

    pub(super) fn is_empty(&self) -> bool {
        self.squares.is_empty()
    }

    /// The targets of boards that are seen as they are; others have none.
    pub(super) fn seen(&self, targets: &[i32], each: usize) -> Vec<i32> {
        let mut targets = targets.to_vec();
        for (targets, &hidden) in targets.chunks_exact_mut(each).zip(&self.boards) {
            if hidden {
                targets.fill(choice::UNKNOWN);
            }
        }
        targets
    }
}

impl Hidden {
    /// The same of chances over lists of these lengths.
    pub(super) fn seen_lists(&self, chances: &[f32], counts: &[usize]) -> Vec<f32> {
        let mut chances = chances.to_vec();
        let mut rest = &mut chances[..];
        for (&count, &hidden) in counts.iter().zip(&self.boards) {
            let list = rest.split_off_mut(..count).expect("a list for each board");
            if hidden {
                list.fill(0.0);
            }
        }
        chances
    }
}

#[derive(Module, Debug)]
pub(crate) struct Masking {
    /// What a hidden square looks like: [1, width].
    look: Param<Tensor<2>>,
    head: Head,
}

impl Masking {
    pub(super) fn new(config: &RecyclerConfig, builder: &mut Builder<'_>) -> Masking {
        let look = builder.normal([1, config.width], 0.1);
        Masking { look, head: Head::new(config.width, PIECES, builder) }
    }

    /// Squares as the network sees them: [batch, 64, width].
    pub(super) fn hide(&self, squares: Tensor<3>, hidden: &Hidden) -> Tensor<3> {
        if hidden.is_empty() {
            return squares;
        }
        let ([batch, tokens, _], device) = (squares.dims(), squares.device());
        let mut mask = vec![0.0f32; batch * tokens];
        hidden.squares.iter().for_each(|&square| mask[square] = 1.0);
        let mask: Tensor<3> = Tensor::from_data(TensorData::new(mask, [batch, tokens, 1]), &device);
        squares * (-mask.clone() + 1.0) + mask * self.look.val().unsqueeze()
    }

    /// Cross-entropy of what stands on hidden squares. `squares` are those of the network's output: [batch, 64, width].
    pub(super) fn loss(&self, squares: Tensor<3>, hidden: &Hidden) -> Option<Tensor<1>> {
        if hidden.is_empty() {
            return None;
        }
        let ([batch, tokens, width], device) = (squares.dims(), squares.device());
        let places = hidden.squares.iter().map(|&square| square as i32).collect();
        let found = squares.reshape([batch * tokens, width]).select(0, indices(places, &device));
        let [count, _] = found.dims();
        let logits = self.head.forward(found.reshape([count, 1, width])).squeeze_dim::<2>(1);
        Some(choice::cross_entropy(logits, &hidden.pieces))
    }
}
