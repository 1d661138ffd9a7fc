//! The network: the stem, a trunk of residual blocks, a value for the board and a score for each legal move.

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Device, Tensor, activation::relu},
};
use chess::encoding::ranker::STEPS;

use super::{
    RankerConfig,
    batch::{Moves, RankerBatch},
    calibration::BINS,
    ready::ReadyRanker,
    stem::Stem,
};
use crate::{
    layers::{Builder, indices},
    residual::Residual,
    weights::values,
};

#[derive(Module, Debug)]
pub(crate) struct Ranker {
    stem: Stem,
    mixers: Vec<Linear>,
    blocks: Vec<Residual>,
    board: Linear,
    value: Linear,
    /// For each kind of step, what is looked for on the squares of origin and target: [73, width].
    origin: Param<Tensor<2>>,
    goal: Param<Tensor<2>>,
    step: Param<Tensor<2>>,
    /// Not learned but measured, see [`super::calibration`]: the output for equality, ...
    pub(super) zero: Param<Tensor<1>>,
    /// ... how fast the odds of winning grow with the output, ...
    pub(super) odds: Param<Tensor<1>>,
    /// ... the usual score of a move, ...
    pub(super) shift: Param<Tensor<1>>,
    /// ... and edges of bins of the distance from it.
    pub(super) bins: Param<Tensor<1>>,
}

/// What lies behind the trunk, as plain numbers.
pub(super) struct Parts {
    pub(super) board: Vec<f32>,
    pub(super) board_bias: Vec<f32>,
    pub(super) value: Vec<f32>,
    pub(super) origin: Vec<f32>,
    pub(super) goal: Vec<f32>,
    pub(super) step: Vec<f32>,
}

impl Ranker {
    pub(super) fn new(config: &RankerConfig, builder: &mut Builder<'_>) -> Ranker {
        let width = *config.mixers.last().expect("checked when read");
        let pairs = config.mixers.windows(2);
        Ranker {
            stem: Stem::new(config.branches, config.mixers[0], builder),
            mixers: pairs.map(|pair| builder.linear(pair[0], pair[1], true)).collect(),
            blocks: (0..config.blocks).map(|_| Residual::new(width, config.squeeze, builder)).collect(),
            board: builder.linear(64 * width, config.hidden, true),
            value: builder.linear(config.hidden, 1, false),
            origin: builder.normal([STEPS, width], 0.02),
            goal: builder.normal([STEPS, width], 0.02),
            step: builder.constant([STEPS, 1], 0.0),
            zero: builder.constant([1], 0.0),
            odds: builder.constant([1], 1.0),
            shift: builder.constant([1], 0.0),
            bins: builder.constant([BINS], 0.0),
        }
    }

    /// [boards, 64, width].
    pub(super) fn trunk(&self, batch: &RankerBatch) -> Tensor<3> {
        let x = self.stem.forward(&batch.ones);
        let x = self.mixers.iter().fold(x, |x, mixer| relu(mixer.forward(x)));
        self.blocks.iter().fold(x, |x, block| block.forward(x))
    }

    /// What each board is worth to the side to move, before the zero point is taken off: [boards].
    pub(super) fn values(&self, trunk: Tensor<3>) -> Tensor<1> {
        let [boards, squares, width] = trunk.dims();
        let board = relu(self.board.forward(trunk.reshape([boards, squares * width]))); // [boards, hidden]
        self.value.forward(board).squeeze_dim::<1>(1)
    }

    /// The same for every legal move: [moves].
    pub(super) fn moves(&self, trunk: Tensor<3>, values: Tensor<1>, moves: &Moves) -> Tensor<1> {
        let device = values.device();
        let [boards, squares, width] = trunk.dims();
        let flat = trunk.reshape([boards * squares, width]);
        let pick = |from: Tensor<2>, rows: &[i32]| from.select(0, indices(rows.to_vec(), &device));
        let origins = pick(flat.clone(), &moves.origins) * pick(self.origin.val(), &moves.steps);
        let goals = pick(flat, &moves.goals) * pick(self.goal.val(), &moves.steps);
        let scores = (origins + goals).sum_dim(1) + pick(self.step.val(), &moves.steps); // [moves, 1]
        scores.squeeze_dim::<1>(1) + values.select(0, indices(moves.owners.clone(), &device))
    }

    /// Packed for the CPU once and for all, when the weights no longer change; nothing where that does not fit.
    pub(super) fn ready(&self) -> Option<ReadyRanker> {
        let packed = |block: &Residual| Some((block.operation()?, block.packed()?));
        let blocks = self.blocks.iter().map(packed).collect::<Option<_>>()?;
        let stem = self.stem.ready().filter(|_| self.mixers.is_empty())?;
        let bias = self.board.bias.as_ref().expect("made with a bias");
        let parts = Parts {
            board: values(self.board.weight.val()),
            board_bias: values(bias.val()),
            value: values(self.value.weight.val()),
            origin: values(self.origin.val()),
            goal: values(self.goal.val()),
            step: values(self.step.val()),
        };
        Some(ReadyRanker::new(stem, blocks, parts))
    }

    pub(super) fn device(&self) -> Device {
        self.origin.val().device()
    }
}
