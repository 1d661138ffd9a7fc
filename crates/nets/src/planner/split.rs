//! The architecture `split`: the known position goes through the trunk of `swift` once, since noise never touches it; a small denoiser works
//! on few tokens, one for each action and one for each future position, and looks at the encoded squares.

use std::sync::Arc;

use burn::{
    module::{Module, Param},
    nn::{LayerNorm, Linear},
    tensor::{Tensor, TensorData, activation::relu},
};
use kernels::Level;

use super::{
    SplitConfig,
    batch::Known,
    block::{Block, Board},
    future::{CHANGES, Layout, PAIRS},
    prompt::{Asked, Prompt, TOKEN_ROWS},
    stream::own,
};
use crate::{
    fused::{self, Flat, Lookups, Operation, Ready},
    human::{PackedSwift, Seen, Swift},
    layers::{Builder, indices, plain_sums},
};

#[derive(Module, Debug)]
pub(crate) struct Split {
    trunk: Swift,
    /// Rows of tokens: see `prompt`.
    tokens: Param<Tensor<2>>,
    /// What the squares say to an action that leaves them or goes to them.
    from: Linear,
    to: Linear,
    blocks: Vec<Block>,
    norm: LayerNorm,
    /// From the token of the first action to what all legal moves have in common.
    first: Linear,
    /// From all tokens to the value.
    end: Linear,
    pairs: Pairs,
    squares: Squares,
}

/// Scores of later actions by origin and target.
#[derive(Module, Debug)]
struct Pairs {
    /// Numbers of each square as an origin, with a pair and alone; then as a target.
    squares: Linear,
    /// What the token makes of them: for pairs, for origins, for targets.
    token: Linear,
}

/// What becomes of a square.
#[derive(Module, Debug)]
struct Squares {
    square: Linear,
    token: Linear,
    change: Linear,
}

/// Parts packed for the CPU.
#[derive(Debug)]
pub(super) struct PackedSplit {
    trunk: PackedSwift,
    tokens: Ready,
    blocks: Vec<Ready>,
}

/// The known positions, as all steps of a decode and all draws of a batch need them.
#[derive(Debug)]
pub(super) struct Encoded {
    seen: Seen,
    /// [batch, hidden].
    around: Tensor<2>,
    boards: Vec<Board>,
    /// Squares as origins, as targets, and nothing: [2 x batch x 64 + 1, width].
    ends: Tensor<2>,
    /// [batch, 64, 4 x rank].
    pairs: Tensor<3>,
    /// [batch x 64, 2 x rank].
    squares: Tensor<2>,
}

/// Scores of first actions and what else their head says, for the value.
pub(super) struct First {
    pub(super) moves: Tensor<1>,
    pub(super) outcome: Tensor<2>,
}

impl Split {
    pub(super) fn new(config: &SplitConfig, builder: &mut Builder<'_>) -> Split {
        let SplitConfig { width, rank, layers, ref trunk, .. } = *config;
        Split {
            trunk: Swift::new(trunk, false, builder),
            tokens: builder.normal([TOKEN_ROWS, width], 0.1),
            from: builder.linear(trunk.channels, width, false),
            to: builder.linear(trunk.channels, width, false),
            blocks: (0..layers).map(|_| Block::new(config, builder)).collect(),
            norm: builder.norm(width),
            // Begins with what the trunk's own head says.
            first: builder.linear_spread(width, trunk.hidden, false, 0.0),
            end: builder.linear_spread(width, trunk.hidden, false, 0.0),
            pairs: Pairs {
                squares: builder.linear(trunk.channels, 4 * rank, true),
                token: builder.linear(width, 3 * rank, true),
            },
            squares: Squares {
                square: builder.linear(trunk.channels, 2 * rank, true),
                token: builder.linear(width, 2 * rank, true),
                change: builder.linear(2 * rank, CHANGES, true),
            },
        }
    }

    pub(super) fn encode(&self, known: &Known, packed: Option<&PackedSplit>) -> Encoded {
        let seen = self.trunk.look(&known.input, packed.map(|packed| &packed.trunk));
        let x = seen.squares.clone();
        let [batch, _, channels] = x.dims();
        let flat = x.clone().reshape([batch * 64, channels]);
        let [_, width] = self.from.weight.val().dims();
        let nothing = Tensor::zeros([1, width], &x.device());
        let ends = vec![self.from.forward(flat.clone()), self.to.forward(flat.clone()), nothing];
        Encoded {
            around: self.trunk.around(seen.context.clone()),
            boards: self.blocks.iter().map(|block| block.board(x.clone())).collect(),
            ends: Tensor::cat(ends, 0),
            pairs: self.pairs.squares.forward(x),
            squares: self.squares.square.forward(flat),
            seen,
        }
    }

    /// The tokens of noised futures: [batch x futures, tokens, width].
    pub(super) fn denoise(
        &self,
        encoded: &Encoded,
        prompt: &Prompt,
        packed: Option<&PackedSplit>,
    ) -> Tensor<3> {
        let (tokens, futures) = (prompt.layout.tokens(), prompt.len * prompt.futures);
        let [_, width] = self.tokens.val().dims();
        let device = encoded.ends.device();
        let ends = encoded.ends.clone().select(0, indices(prompt.ends.clone(), &device));
        let ends = ends.reshape([futures * tokens, 2, width]).sum_dim(1).squeeze_dim::<2>(1);
        let x = (looked_up(&self.tokens, &prompt.tokens, packed.map(|packed| &packed.tokens)) + ends)
            .reshape([futures, tokens, width]);
        let blocks = self.blocks.iter().zip(&encoded.boards).enumerate();
        let x = blocks.fold(x, |x, (at, (block, board))| {
            block.forward(x, board, packed.map(|packed| &packed.blocks[at]))
        });
        self.norm.forward(x)
    }

    /// What the futures with one number say of the first action, and of the result.
    pub(super) fn first(
        &self,
        known: &Known,
        encoded: &Encoded,
        prompt: &Prompt,
        tokens: &Tensor<3>,
        future: usize,
        packed: Option<&PackedSplit>,
    ) -> First {
        let own = own(prompt, tokens, future); // [batch, tokens, width]
        let token = own.clone().narrow(1, 0, 1).squeeze_dim::<2>(1);
        let around = encoded.around.clone() + self.first.forward(token);
        let packed = packed.map(|packed| &packed.trunk);
        let said = self.trunk.head(&known.input.moves, encoded.seen.squares.clone(), around, packed);
        let pooled = self.trunk.pool(&said, encoded.seen.context.clone());
        let end = self.end.forward(own.mean_dim(1).squeeze_dim::<2>(1));
        First { moves: said.moves, outcome: self.trunk.outcome(relu(pooled + end)) }
    }

    /// Scores of later actions: [asked, origin x target], the target's numbers 64 apart.
    pub(super) fn actions(&self, encoded: &Encoded, tokens: &Tensor<3>, asked: &Asked) -> Tensor<2> {
        let count = asked.actions.len();
        let (_, _, rank) = self.ranks();
        let device = tokens.device();
        let token = self.pairs.token.forward(rows(tokens, &asked.actions)); // [asked, 3 x rank]
        let squares = encoded.pairs.clone().select(0, indices(asked.boards.clone(), &device)); // [asked, 64, 4 x rank]
        let of_square = |at: usize| squares.clone().narrow(2, at * rank, rank);
        let of_token = |at: usize| token.clone().narrow(1, at * rank, rank).unsqueeze_dim::<3>(1); // [asked, 1, rank]
        let scale = 1.0 / (rank as f32).sqrt();
        let from = (of_square(0) * (of_token(0) + 1.0)) * scale; // [asked, 64, rank]
        let alone = |square: usize, token: usize| (of_square(square) * of_token(token)).sum_dim(2) * scale; // [asked, 64, 1]
        let targets = of_square(1).matmul(from.swap_dims(1, 2)) // [asked, target, origin]
            + alone(2, 1).swap_dims(1, 2)
            + alone(3, 2);
        targets.reshape([count, PAIRS])
    }

    /// Scores of what becomes of squares: [asked, 14].
    pub(super) fn changes(&self, encoded: &Encoded, tokens: &Tensor<3>, asked: &Asked) -> Tensor<2> {
        let device = tokens.device();
        let (_, _, rank) = self.ranks();
        // Tokens that are asked about many squares go through their product once.
        let [futures, each, width] = tokens.dims();
        let all = self.squares.token.forward(tokens.clone().reshape([futures * each, width]));
        let token = all.select(0, indices(asked.states.clone(), &device)); // [asked, 2 x rank]
        let square = encoded.squares.clone().select(0, indices(asked.squares.clone(), &device));
        let half = |x: &Tensor<2>, at: usize| x.clone().narrow(1, at * rank, rank);
        let sum = relu(half(&square, 0) + half(&token, 0));
        let product = half(&square, 1) * half(&token, 1);
        self.squares.change.forward(Tensor::cat(vec![sum, product], 1))
    }

    fn ranks(&self) -> (usize, usize, usize) {
        let [width, three] = self.pairs.token.weight.val().dims();
        (width, three, three / 3)
    }

    /// The parts packed for the CPU; nothing where one of them does not fit.
    pub(super) fn packed(&self, layout: Layout) -> Option<PackedSplit> {
        let blocks = self.blocks.iter().map(|block| block.packed(layout.tokens()));
        Some(PackedSplit {
            trunk: self.trunk.packed()?,
            tokens: packed_rows(&self.tokens)?,
            blocks: blocks.collect::<Option<_>>()?,
        })
    }
}

/// The sum of each bag of rows of a table: [bags, width].
pub(super) fn looked_up(
    from: &Param<Tensor<2>>,
    lookups: &Arc<Lookups>,
    packed: Option<&Ready>,
) -> Tensor<2> {
    let ([_, width], device) = (from.val().dims(), from.val().device());
    let operation = Operation::Sums { lookups: Arc::clone(lookups), width }.possible();
    match (operation, packed) {
        (Some(operation), Some(packed)) => {
            let sums = fused::run(&operation, packed, &[], &[]);
            Tensor::from_data(TensorData::new(sums, [lookups.len(), width]), &device)
        }
        (Some(operation), None) => {
            let nothing = Tensor::<1>::zeros([1], &device);
            fused::apply(Level::best(), operation, nothing, table(from))
        }
        (None, _) => plain_sums(from.val(), lookups),
    }
}

/// A table packed for the CPU.
pub(super) fn packed_rows(from: &Param<Tensor<2>>) -> Option<Ready> {
    let [_, width] = from.val().dims();
    Some(Operation::Sums { lookups: Arc::default(), width }.possible()?.packed(table(from)))
}

/// Some of all tokens: [asked, width].
pub(super) fn rows(tokens: &Tensor<3>, asked: &[i32]) -> Tensor<2> {
    let [futures, each, width] = tokens.dims();
    let flat = tokens.clone().reshape([futures * each, width]);
    flat.select(0, indices(asked.to_vec(), &tokens.device()))
}

fn table(table: &Param<Tensor<2>>) -> Tensor<1> {
    Flat::new(&table.val().device()).tensor(table).done()
}
