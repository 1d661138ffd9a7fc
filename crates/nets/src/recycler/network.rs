//! The network: squares and a value token through the same blocks again and again, each time with what came out added to what goes
//! in; then the heads.

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Tensor, TensorData},
};
use chess::encoding::recycler::{CHANNELS, CLASSES};

use super::{
    EvalForm, Feed, RecyclerConfig,
    batch::{Batch, LegalMoves, MOST_CHANGES},
    masking::{Hidden, Masking},
    next::Next,
};
use crate::{
    layers::{Builder, indices},
    transformer::{Block, BlockSizes, Drop, Head},
};

/// The value token and the squares.
pub(super) const TOKENS: usize = 65;

#[derive(Module, Debug)]
pub(crate) struct Recycler {
    pub(super) embed: Linear,
    /// What is learned about the value token and each square by itself: [65, width].
    pub(super) tokens: Param<Tensor<2>>,
    pub(super) blocks: Vec<Block>,
    pub(super) recycle: Head,
    pub(super) eval: Head,
    pub(super) moves: Head,
    pub(super) check: Head,
    pub(super) threat: Head,
    pub(super) masking: Option<Masking>,
    pub(super) next: Option<Next>,
}

/// What disturbs the network in training: the share of dropout and its seed, and which squares are hidden.
#[derive(Clone, Copy)]
pub(super) struct Disturbance<'a> {
    pub(super) dropout: f32,
    pub(super) seed: u64,
    pub(super) hidden: &'a Hidden,
}

impl Recycler {
    pub(super) fn new(config: &RecyclerConfig, builder: &mut Builder<'_>) -> Recycler {
        let width = config.width;
        let RecyclerConfig { layers, heads, hidden, geometry, .. } = *config;
        let gated = config.feed == Feed::SwiGlu;
        let sizes = BlockSizes { layers, tokens: TOKENS, width, heads, hidden, gated, geometry };
        let outcomes = match config.eval {
            EvalForm::WinProbability => 1,
            EvalForm::WinDrawLoss => 3,
        };
        Recycler {
            embed: builder.linear(CHANNELS, width, true),
            tokens: builder.normal([TOKENS, width], 0.1),
            blocks: (0..layers).map(|_| Block::new(sizes, builder)).collect(),
            recycle: Head::new(width, width, builder),
            eval: Head::new(width, outcomes, builder),
            moves: Head::new(width, CLASSES, builder),
            check: Head::new(width, 1, builder),
            threat: Head::new(width, 2, builder),
            masking: (config.weights.masked > 0.0).then(|| Masking::new(config, builder)),
            next: (config.weights.next > 0.0).then(|| Next::new(config, builder)),
        }
    }

    /// The tokens after `passes` passes: [batch, 65, width]. Only the last pass takes part in learning.
    pub(super) fn forward(
        &self,
        board: &[f32],
        passes: usize,
        disturbance: Option<Disturbance<'_>>,
    ) -> Tensor<3> {
        let drop = disturbance.filter(|it| it.dropout > 0.0).map(|it| (it.dropout, it.seed));
        let hidden = disturbance.map(|it| it.hidden);
        let x = self.embed(board, hidden);
        if passes == 1 {
            return self.pass(x, drop);
        }
        let still = self.valid();
        let before = x.clone().inner();
        let mut y = still.pass(before.clone(), None);
        for _ in 2..passes {
            y = still.pass(before.clone() + still.recycle.forward(y), None);
        }
        let y = if x.is_autodiff() { y.autodiff() } else { y };
        self.pass(x + self.recycle.forward(y), drop)
    }

    /// The tokens after each pass, for comparisons; nothing is learned from them.
    pub(super) fn each_pass(&self, board: &[f32], passes: usize) -> Vec<Tensor<3>> {
        let still = self.valid();
        let x = still.embed(board, None);
        let mut all = vec![still.pass(x.clone(), None)];
        for at in 1..passes {
            let again = still.recycle.forward(all[at - 1].clone());
            all.push(still.pass(x.clone() + again, None));
        }
        all
    }

    /// What goes into the first pass: [batch, 65, width].
    fn embed(&self, board: &[f32], hidden: Option<&Hidden>) -> Tensor<3> {
        let device = self.tokens.val().device();
        let batch = board.len() / (64 * CHANNELS);
        let board: Tensor<3> =
            Tensor::from_data(TensorData::new(board.to_vec(), [batch, 64, CHANNELS]), &device);
        let mut squares = self.embed.forward(board); // [batch, 64, width]
        if let (Some(masking), Some(hidden)) = (&self.masking, hidden) {
            squares = masking.hide(squares, hidden);
        }
        let [_, _, width] = squares.dims();
        let value = Tensor::zeros([batch, 1, width], &device);
        Tensor::cat(vec![value, squares], 1) + self.tokens.val().unsqueeze() // [batch, 65, width]
    }

    fn pass(&self, x: Tensor<3>, drop: Option<(f32, u64)>) -> Tensor<3> {
        self.blocks.iter().zip(0u64..).fold(x, |x, (block, number)| {
            // Another seed for each block; dropout mixes them well.
            let drop: Drop =
                drop.map(|(rate, seed)| kernels::block::Dropout { rate, seed: seed ^ (number << 56) });
            block.forward(x, drop)
        })
    }

    /// Of the result of the game, from the value token: [batch, 1 or 3].
    pub(super) fn eval(&self, tokens: &Tensor<3>) -> Tensor<2> {
        self.eval.forward(tokens.clone().narrow(1, 0, 1)).squeeze_dim(1)
    }

    /// What will stand on each square: [batch, 64, 7].
    pub(super) fn pieces(&self, tokens: &Tensor<3>) -> Tensor<3> {
        self.moves.forward(squares(tokens))
    }

    /// Whether pieces will be attacked: [batch, 64, 2].
    pub(super) fn threat(&self, tokens: &Tensor<3>) -> Tensor<3> {
        self.threat.forward(squares(tokens))
    }

    /// Whether the opponent will be in check, from the token of his king's square: [batch].
    pub(super) fn check(&self, tokens: &Tensor<3>, king_squares: &[u8]) -> Tensor<1> {
        let [batch, _, width] = tokens.dims();
        let places =
            king_squares.iter().enumerate().map(|(row, &king)| (row * TOKENS + 1 + usize::from(king)) as i32);
        let places = indices(places.collect(), &tokens.device());
        let kings = tokens.clone().reshape([batch * TOKENS, width]).select(0, places);
        self.check.forward(kings.reshape([batch, 1, width])).reshape([batch])
    }
}

/// The tokens of the squares: [batch, 64, width].
pub(super) fn squares(tokens: &Tensor<3>) -> Tensor<3> {
    tokens.clone().narrow(1, 1, 64)
}

/// Scores of the legal moves, one list after another: the mean logit of what each puts on the squares that it changes.
pub(super) fn move_scores(pieces: Tensor<3>, moves: &LegalMoves) -> Tensor<1> {
    let device = pieces.device();
    let [batch, squares, classes] = pieces.dims();
    let count = moves.counts.iter().sum();
    let places = indices(moves.places.clone(), &device);
    let logits = pieces.reshape([batch * squares * classes]).select(0, places);
    let shares: Tensor<2> =
        Tensor::from_data(TensorData::new(moves.shares.clone(), [count, MOST_CHANGES]), &device);
    (logits.reshape([count, MOST_CHANGES]) * shares).sum_dim(1).squeeze_dim(1)
}

impl Batch {
    pub(super) fn disturbance(&self, config: &RecyclerConfig) -> Disturbance<'_> {
        Disturbance { dropout: config.dropout, seed: self.draws.seed, hidden: &self.draws.hidden }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::{Weights, values};

    /// A gradient through another pass would be apart by about as much as it is long.
    const ROUNDING: f32 = 0.05;

    /// Length of the difference beside the length of what is expected.
    fn distance(found: &[f32], expected: &[f32]) -> f32 {
        let length = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>().sqrt();
        let apart = length(&mut found.iter().zip(expected).map(|(found, expected)| found - expected));
        apart / length(&mut expected.iter().copied()).max(1e-3)
    }

    #[test]
    fn only_the_last_pass_learns() {
        let device = Device::flex().autodiff();
        let config = &RecyclerConfig::all_tiny()[1];
        let mut builder = Builder::new(3, &device);
        let mut network = Recycler::new(config, &mut builder);
        network.recycle.outer = builder.linear_spread(config.width, config.width, true, 0.2);
        let board: Vec<f32> = (0..2 * 64 * CHANNELS).map(|at| f32::from(u8::from(at % 7 == 2))).collect();
        let factors = builder.normal([2, TOKENS, config.width], 1.0).val();
        let gradients = |y: Tensor<3>| {
            let found = Weights::gradients(&network, &(y.clone() * factors.clone()).sum().backward());
            (values(y), found)
        };
        // The same with every pass in the graph, cut by hand.
        let x = network.embed(&board, None);
        let first = network.pass(x.clone(), None).detach();
        let second = network.pass(x.clone() + network.recycle.forward(first), None).detach();
        let (y, expected) = gradients(network.pass(x + network.recycle.forward(second), None));
        let (same, found) = gradients(network.forward(&board, 3, None));
        // Passes that do not learn are computed by the blocks of inference, which round more.
        let apart = distance(&same, &y);
        assert!(apart < ROUNDING, "{apart}");
        assert!(found.0.keys().eq(expected.0.keys()));
        for (name, array) in &expected.0 {
            let apart = distance(&found.0[name].values, &array.values);
            assert!(apart < ROUNDING, "{name}: {apart}");
        }
        assert!(expected.0["recycle.inner.weight"].values.iter().any(|&slope| slope != 0.0));
        let (_, one) = gradients(network.forward(&board, 1, None));
        assert!(!one.0.contains_key("recycle.inner.weight"), "one pass recycles nothing");
    }

    #[test]
    fn each_pass_is_what_that_many_passes_give() {
        let config = &RecyclerConfig::all_tiny()[0];
        let network = Recycler::new(config, &mut Builder::new(3, &Device::flex()));
        let board: Vec<f32> = (0..64 * CHANNELS).map(|at| f32::from(u8::from(at % 5 == 1))).collect();
        for (before, tokens) in network.each_pass(&board, 3).into_iter().enumerate() {
            assert_eq!(values(tokens), values(network.forward(&board, before + 1, None)));
        }
    }
}
