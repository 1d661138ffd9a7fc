//! The architecture `split`: the known position goes through the trunk of `swift` once, since noise never touches it; a small denoiser works
//! on few tokens, one for each action and one for each future position, and looks at the encoded squares.

use std::sync::Arc;

use burn::{
    module::{Module, Param},
    nn::{LayerNorm, Linear},
    tensor::{IndexingUpdateOp, Tensor, TensorData, activation::relu},
};
use kernels::{Level, meet};

use super::{
    SplitConfig,
    batch::Known,
    block::{Block, Board},
    future::{CHANGES, Layout, PAIRS},
    prompt::{Asked, Prompt, Shown, TOKEN_ROWS},
    stream::own,
};
use crate::{
    fused::{self, Flat, Lookups, Operation, Ready},
    human::{PackedSwift, Seen, Swift},
    layers::{Builder, dense, indices, plain_sums},
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
        let project = |layer: &Linear| project(layer, flat.clone(), packed.is_some());
        let pairs = project(&self.pairs.squares);
        let [_, numbers] = pairs.dims();
        Encoded {
            around: self.trunk.around(seen.context.clone()),
            boards: self.blocks.iter().map(|block| block.board(&x, packed.is_some())).collect(),
            pairs: pairs.reshape([batch, 64, numbers]),
            squares: project(&self.squares.square),
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
        let x = looked_up(&self.tokens, &prompt.tokens, packed.map(|packed| &packed.tokens));
        let x = self.with_ends(x, encoded, prompt).reshape([futures, tokens, width]);
        let blocks = self.blocks.iter().zip(&encoded.boards).enumerate();
        let x = blocks.fold(x, |x, (at, (block, board))| {
            block.forward(x, board, packed.map(|packed| &packed.blocks[at]))
        });
        self.norm.forward(x)
    }

    /// Adds what the trunk knows of the squares that actions leave and go to.
    fn with_ends(&self, x: Tensor<2>, encoded: &Encoded, prompt: &Prompt) -> Tensor<2> {
        let Shown { tokens, origins, targets } = &prompt.shown;
        let count = tokens.len();
        if count == 0 {
            return x;
        }
        let device = x.device();
        let squares = encoded.seen.squares.clone();
        let [batch, _, channels] = squares.dims();
        let both = indices([&origins[..], targets].concat(), &device);
        let both = squares.reshape([batch * 64, channels]).select(0, both); // [2 x count, channels]
        let part = |at: usize| both.clone().narrow(0, at * count, count);
        let ends = self.from.forward(part(0)) + self.to.forward(part(1)); // [count, width]
        x.select_assign(0, indices(tokens.clone(), &device), ends, IndexingUpdateOp::Add)
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
        let rank = self.rank();
        let token = self.pairs.token.forward(rows(tokens, &asked.actions)); // [asked, 3 x rank]
        let boards = Arc::new(asked.boards.clone());
        match (Operation::Pointer { boards, rank }).possible() {
            Some(operation) => {
                let nothing = Tensor::zeros([1], &tokens.device());
                fused::apply_with(Level::best(), operation, encoded.pairs.clone(), token, nothing)
            }
            None => self.plain_actions(encoded, token, asked),
        }
    }

    /// The same by burn's own operations.
    fn plain_actions(&self, encoded: &Encoded, token: Tensor<2>, asked: &Asked) -> Tensor<2> {
        let (count, rank, device) = (asked.actions.len(), self.rank(), token.device());
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
        // Tokens that are asked about many squares go through their product once.
        let [futures, each, width] = tokens.dims();
        let token = self.squares.token.forward(tokens.clone().reshape([futures * each, width]));
        let boards = encoded.pairs.dims()[0];
        let shape = meet::Shape { rank: self.rank(), classes: CHANGES };
        let operation = Operation::Meet { asked: Arc::new(asked.meetings(boards)), shape };
        match operation.possible() {
            Some(operation) => {
                let flat = Flat::new(&tokens.device()).linear(&self.squares.change).done();
                fused::apply_with(Level::best(), operation, encoded.squares.clone(), token, flat)
            }
            None => self.plain_changes(encoded, token, asked),
        }
    }

    /// The same by burn's own operations.
    fn plain_changes(&self, encoded: &Encoded, token: Tensor<2>, asked: &Asked) -> Tensor<2> {
        let (rank, device) = (self.rank(), token.device());
        let token = token.select(0, indices(asked.states.clone(), &device)); // [asked, 2 x rank]
        let square = encoded.squares.clone().select(0, indices(asked.squares.clone(), &device));
        let half = |x: &Tensor<2>, at: usize| x.clone().narrow(1, at * rank, rank);
        let sum = relu(half(&square, 0) + half(&token, 0));
        let product = half(&square, 1) * half(&token, 1);
        self.squares.change.forward(Tensor::cat(vec![sum, product], 1))
    }

    /// Numbers by which squares and tokens meet.
    fn rank(&self) -> usize {
        let [_, three] = self.pairs.token.weight.val().dims();
        three / 3
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

/// Rows through a layer: what learns goes through the kernels, what was packed for play keeps to one arithmetic for any number of rows.
fn project(layer: &Linear, x: Tensor<2>, packed: bool) -> Tensor<2> {
    if packed { layer.forward(x) } else { dense(layer, x, false) }
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
