//! Contrast: from a board the network foresees what it will make of the position after the move, and tells it from those after other
//! moves and on other boards.

use burn::{module::Module, tensor::Tensor};
use chess::shakmaty::{Chess, Move, Position};
use data::{Random, Sample};

use super::{Recycler, RecyclerConfig, batch::boards};
use crate::{choice, layers::Builder, transformer::Head};

/// Positions after moves on the first boards of a batch.
#[derive(Debug, Default)]
pub(super) struct NextBoards {
    /// Number of boards.
    len: usize,
    /// After the played moves, then after another legal move of each board: [2 x len, 64, 21].
    board: Vec<f32>,
}

impl NextBoards {
    pub(super) fn draw(share: f32, samples: &[Sample], random: &mut Random) -> NextBoards {
        let len = ((share * samples.len() as f32).ceil() as usize).min(samples.len());
        let after = |sample: &Sample, m: Move| {
            let mut position = sample.moment.position.clone();
            position.play_unchecked(m);
            position
        };
        let played = samples[..len].iter().map(|sample| after(sample, sample.played));
        let mut other = |sample: &Sample| {
            let legal = sample.moment.legal_moves();
            let others: Vec<Move> = legal.into_iter().filter(|&m| m != sample.played).collect();
            match others.is_empty() {
                // The position before the move is another one, too.
                true => sample.moment.position.clone(),
                false => after(sample, others[random.below(others.len())]),
            }
        };
        let mut positions: Vec<Chess> = played.collect();
        positions.extend(samples[..len].iter().map(&mut other));
        NextBoards { len, board: boards(&positions.iter().collect::<Vec<_>>()) }
    }
}

#[derive(Module, Debug)]
pub(crate) struct Next {
    foresee: Head,
    recognise: Head,
}

impl Next {
    pub(super) fn new(config: &RecyclerConfig, builder: &mut Builder<'_>) -> Next {
        let width = config.width;
        Next { foresee: Head::new(width, width, builder), recognise: Head::new(width, width, builder) }
    }

    /// Cross-entropy of the right position among all. What the network makes of positions is not changed by it, only what it foresees.
    pub(super) fn loss(
        &self,
        network: &Recycler,
        tokens: &Tensor<3>,
        boards: &NextBoards,
    ) -> Option<Tensor<1>> {
        let (len, [_, _, width]) = (boards.len, tokens.dims());
        if len == 0 {
            return None;
        }
        let seen = network.each_pass(&boards.board, 1).remove(0);
        let seen = if tokens.is_autodiff() { seen.autodiff() } else { seen };
        let value = |tokens: Tensor<3>| tokens.narrow(1, 0, 1);
        let foreseen = self.foresee.forward(value(tokens.clone().narrow(0, 0, len))).squeeze_dim::<2>(1); // [len, width]
        let found = self.recognise.forward(value(seen)).squeeze_dim::<2>(1); // [2 x len, width]
        let logits = foreseen.matmul(found.transpose()) / (width as f32).sqrt(); // [len, 2 x len]
        Some(choice::cross_entropy(logits, &(0..len as i32).collect::<Vec<_>>()))
    }
}
