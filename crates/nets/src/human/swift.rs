//! Lookups per square and per move, and a small trunk: most of what a person sees is looked up, the rest convolutions and attention
//! blend in.

use std::sync::Arc;

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Tensor, TensorData, activation::relu},
};
use chess::encoding::swift;
use kernels::{Level, head};

use super::{
    Outputs, SwiftConfig, THINK_BINS,
    attention::{Attention, PackedAttention},
    batch::{Batch, SwiftInput},
};
use crate::{
    fused::{self, Flat, Lookups, MoveLookups, Operation, Ready},
    layers::{Builder, indices, plain_sums},
    move_rows::MOVE_ROWS,
    residual::Residual,
    weights::values,
};

/// Numbers per square by which origins and targets of legal moves are told apart.
const LEGAL_WIDTH: usize = 16;

#[derive(Module, Debug)]
pub(crate) struct Swift {
    /// Rows of squares: places, tensions, marks.
    squares: Param<Tensor<2>>,
    parts: Param<Tensor<2>>,
    whole: Linear,
    board: Linear,
    blocks: Vec<Residual>,
    attention: Option<Attention>,
    from: Linear,
    to: Linear,
    around: Linear,
    /// Rows of moves: kinds, paths, threats, consequences, bearings.
    moves: Param<Tensor<2>>,
    hidden: Linear,
    score: Linear,
    pool: Linear,
    outcome: Linear,
    think: Linear,
    origin: Linear,
    target: Linear,
    legal: Option<[Linear; 2]>,
}

/// A network's parts packed for the CPU, in the order of their use.
#[derive(Debug)]
pub(crate) struct Packed {
    parts: Ready,
    squares: Ready,
    blocks: Vec<Ready>,
    attention: Option<Box<PackedAttention>>,
    head: Ready,
}

/// What the trunk makes of positions, for heads here and of other families.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// [batch, 64, channels].
    pub(crate) squares: Tensor<3>,
    /// Pieces and numbers of the whole moment: [batch, accumulator + hidden].
    pub(crate) context: Tensor<2>,
}

/// What the head says of moves and squares.
pub(crate) struct Said {
    /// One board after another.
    pub(crate) moves: Tensor<1>,
    /// [batch, 64].
    origin: Tensor<2>,
    /// [batch, 64].
    target: Tensor<2>,
    /// The mean over the squares: [batch, channels].
    mean: Tensor<2>,
}

impl Swift {
    /// `legal` if it is to tell legal moves from others.
    pub(crate) fn new(sizes: &SwiftConfig, legal: bool, builder: &mut Builder<'_>) -> Swift {
        let (channels, hidden, accumulator) = (sizes.channels, sizes.hidden, sizes.accumulator);
        let context = accumulator + hidden;
        Swift {
            squares: builder.normal([swift::PLACES + swift::TENSIONS + swift::MARKS, channels], 0.3),
            parts: builder.normal([swift::PARTS, accumulator], 0.1),
            whole: builder.linear(swift::WHOLE, hidden, true),
            board: builder.linear(context, channels, true),
            blocks: (0..sizes.blocks).map(|_| Residual::new(channels, sizes.squeeze, builder)).collect(),
            attention: Attention::new(channels, sizes.attention, builder),
            from: builder.linear(channels, hidden, false),
            to: builder.linear(channels, hidden, false),
            around: builder.linear(context, hidden, true),
            moves: builder.normal([MOVE_ROWS, hidden], 0.1),
            hidden: builder.linear(hidden, hidden, true),
            score: builder.linear(hidden, 1, false),
            pool: builder.linear(channels + context, hidden, true),
            outcome: builder.linear(hidden, 3, true),
            think: builder.linear(hidden, THINK_BINS, true),
            origin: builder.linear(channels, 1, false),
            target: builder.linear(channels, 1, false),
            legal: legal.then(|| [(); 2].map(|()| builder.linear(channels, LEGAL_WIDTH, false))),
        }
    }

    /// `packed` comes from [`Swift::packed`] of the same network.
    pub(super) fn forward(
        &self,
        batch: &Batch,
        input: &SwiftInput,
        train: bool,
        packed: Option<&Packed>,
    ) -> Outputs {
        let Seen { squares: x, context } = self.look(input, packed);
        let said = self.head(&input.moves, x.clone(), self.around(context.clone()), packed);
        let pooled = self.pool(&said, context);
        Outputs {
            moves: said.moves,
            outcome: self.outcome(pooled.clone()),
            think: self.think.forward(pooled),
            origin: said.origin,
            target: said.target,
            all_moves: self.legal.as_ref().filter(|_| train).map(|[from, to]| {
                let pairs = from.forward(x.clone()).matmul(to.forward(x).swap_dims(1, 2)); // [batch, 64, 64]
                pairs.reshape([batch.len, 64 * 64])
            }),
        }
    }

    /// `packed` comes from [`Swift::packed`] of the same network.
    pub(crate) fn look(&self, input: &SwiftInput, packed: Option<&Packed>) -> Seen {
        let device = self.squares.val().device();
        let parts = relu(self.parts(&input.parts, packed)); // [batch, accumulator]
        let whole = TensorData::new(input.whole.clone(), [input.parts.len(), swift::WHOLE]);
        let whole = relu(self.whole.forward(Tensor::<2>::from_data(whole, &device))); // [batch, hidden]
        let context = Tensor::cat(vec![parts, whole], 1); // [batch, context]
        let x = self.squares(&input.squares, self.board.forward(context.clone()), packed);
        Seen { squares: self.trunk(x, packed), context }
    }

    /// What all moves of a board have in common: [batch, hidden].
    pub(crate) fn around(&self, context: Tensor<2>) -> Tensor<2> {
        self.around.forward(context)
    }

    /// What is known of the whole position: [batch, hidden].
    pub(crate) fn pool(&self, said: &Said, context: Tensor<2>) -> Tensor<2> {
        relu(self.pool.forward(Tensor::cat(vec![said.mean.clone(), context], 1)))
    }

    /// Win, draw, loss from the pooled numbers: [batch, 3].
    pub(crate) fn outcome(&self, pooled: Tensor<2>) -> Tensor<2> {
        self.outcome.forward(pooled)
    }

    /// The parts packed for the CPU; nothing where one of them does not fit.
    pub(crate) fn packed(&self) -> Option<Packed> {
        let blocks = self.blocks.iter().map(Residual::packed);
        let [_, accumulator] = self.parts.val().dims();
        let [_, channels] = self.squares.val().dims();
        let none = Arc::<Lookups>::default;
        let parts = Operation::Sums { lookups: none(), width: accumulator }.possible()?;
        let squares = Operation::Squares { lookups: none(), width: channels }.possible()?;
        Some(Packed {
            parts: parts.packed(flat(&self.parts)),
            squares: squares.packed(flat(&self.squares)),
            blocks: blocks.collect::<Option<_>>()?,
            attention: match &self.attention {
                Some(attention) => Some(Box::new(attention.packed()?)),
                None => None,
            },
            head: self.head_operation(&Arc::default())?.packed(self.head_flat()),
        })
    }

    /// Sums over the pieces: [batch, accumulator].
    fn parts(&self, lookups: &Arc<Lookups>, packed: Option<&Packed>) -> Tensor<2> {
        let [_, width] = self.parts.val().dims();
        let device = self.parts.val().device();
        let operation = Operation::Sums { lookups: Arc::clone(lookups), width }.possible();
        match (operation, packed) {
            (Some(operation), Some(packed)) => {
                let sums = fused::run(&operation, &packed.parts, &[], &[]);
                Tensor::from_data(TensorData::new(sums, [lookups.len(), width]), &device)
            }
            (Some(operation), None) => {
                let nothing = Tensor::<1>::zeros([1], &device);
                fused::apply(Level::best(), operation, nothing, flat(&self.parts))
            }
            (None, _) => plain_sums(self.parts.val(), lookups),
        }
    }

    /// What stands on the squares, in view of the whole board: [batch, 64, channels].
    fn squares(&self, lookups: &Arc<Lookups>, board: Tensor<2>, packed: Option<&Packed>) -> Tensor<3> {
        let [batch, width] = board.dims();
        let operation = Operation::Squares { lookups: Arc::clone(lookups), width }.possible();
        match (operation, packed) {
            (Some(operation), Some(packed)) => {
                let device = board.device();
                let squares = fused::run(&operation, &packed.squares, &values(board), &[]);
                Tensor::from_data(TensorData::new(squares, [batch, 64, width]), &device)
            }
            (Some(operation), None) => fused::apply(Level::best(), operation, board, flat(&self.squares)),
            (None, _) => self.plain_squares(lookups, board),
        }
    }

    fn plain_squares(&self, lookups: &Lookups, board: Tensor<2>) -> Tensor<3> {
        let [batch, width] = board.dims();
        relu(
            plain_sums(self.squares.val(), lookups).reshape([batch, 64, width]) + board.unsqueeze_dim::<3>(1),
        )
    }

    fn trunk(&self, x: Tensor<3>, packed: Option<&Packed>) -> Tensor<3> {
        match packed {
            Some(packed) => {
                let operations = self.blocks.iter().filter_map(Residual::operation);
                let x = fused::apply_all(operations.zip(&packed.blocks), x);
                match (&self.attention, &packed.attention) {
                    (Some(attention), Some(packed)) => attention.forward_packed(packed, x),
                    _ => x,
                }
            }
            None => {
                let x = self.blocks.iter().fold(x, |x, block| block.forward(x));
                self.attention.iter().fold(x, |x, attention| attention.forward(x))
            }
        }
    }

    pub(crate) fn head(
        &self,
        moves: &Arc<MoveLookups>,
        x: Tensor<3>,
        around: Tensor<2>,
        packed: Option<&Packed>,
    ) -> Said {
        let [batch, _, channels] = x.dims();
        let Some(operation) = self.head_operation(moves) else { return self.plain_head(moves, x, around) };
        let all: Tensor<1> = match packed {
            Some(packed) => {
                let device = x.device();
                let all = fused::run(&operation, &packed.head, &values(x), &values(around));
                let len = all.len();
                Tensor::from_data(TensorData::new(all, [len]), &device)
            }
            None => fused::apply_with(Level::best(), operation, x, around, self.head_flat()),
        };
        let mut at = 0;
        let mut next = |len: usize| {
            at += len;
            all.clone().narrow(0, at - len, len)
        };
        Said {
            moves: next(moves.origins.len()),
            origin: next(64 * batch).reshape([batch, 64]),
            target: next(64 * batch).reshape([batch, 64]),
            mean: next(channels * batch).reshape([batch, channels]),
        }
    }

    /// The same by burn's own operations.
    fn plain_head(&self, moves: &MoveLookups, x: Tensor<3>, around: Tensor<2>) -> Said {
        let [batch, _, channels] = x.dims();
        let device = x.device();
        let starts = std::iter::once(0).chain(moves.ends.iter().copied()).zip(&moves.ends);
        let owners: Vec<usize> =
            starts.enumerate().flat_map(|(board, (start, &end))| vec![board; end - start]).collect();
        let squares = |squares: &[u8]| {
            let places =
                squares.iter().zip(&owners).map(|(&square, owner)| (64 * owner) as i32 + i32::from(square));
            indices(places.collect(), &device)
        };
        let flat = x.clone().reshape([batch * 64, channels]);
        let owned = indices(owners.iter().map(|&owner| owner as i32).collect(), &device);
        let sums = plain_sums(self.moves.val(), &moves.rows)
            + self.from.forward(flat.clone()).select(0, squares(&moves.origins))
            + self.to.forward(flat).select(0, squares(&moves.targets))
            + around.select(0, owned); // [moves, hidden]
        Said {
            moves: self.score.forward(relu(self.hidden.forward(relu(sums)))).squeeze_dim::<1>(1),
            origin: self.origin.forward(x.clone()).squeeze_dim::<2>(2),
            target: self.target.forward(x.clone()).squeeze_dim::<2>(2),
            mean: x.mean_dim(1).squeeze_dim::<2>(1),
        }
    }

    fn head_operation(&self, moves: &Arc<MoveLookups>) -> Option<Operation> {
        let [channels, hidden] = self.from.weight.val().dims();
        Operation::Head { moves: Arc::clone(moves), shape: head::Shape { channels, hidden } }.possible()
    }

    fn head_flat(&self) -> Tensor<1> {
        Flat::new(&self.moves.val().device())
            .tensor(&self.from.weight)
            .tensor(&self.to.weight)
            .linear(&self.hidden)
            .tensor(&self.score.weight)
            .tensor(&self.origin.weight)
            .tensor(&self.target.weight)
            .tensor(&self.moves)
            .done()
    }
}

fn flat(table: &Param<Tensor<2>>) -> Tensor<1> {
    Flat::new(&table.val().device()).tensor(table).done()
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Tolerance};
    use chess::Moment;

    use super::*;
    use crate::{human::HumanConfig, weights::Weights};

    /// How far two lists of numbers are apart, as a share of the second's length.
    fn distance(found: &[f32], expected: &[f32]) -> f32 {
        let size = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>().sqrt();
        let error = size(&mut found.iter().zip(expected).map(|(a, b)| a - b));
        error / size(&mut expected.iter().copied()).max(1e-6)
    }

    /// An estimate, not a count: bf16 moves sums by some tenths of a percent of their spread, which opens or closes about one gate in a
    /// thousand; a wrong gate is wrong as a whole, and the root of a thousandth is 3 %.
    fn limit(level: Level) -> f32 {
        if level.rounds() { 0.06 } else { 1e-4 }
    }

    #[test]
    fn fused_lookups_and_head_give_what_plain_operations_give() {
        let device = Device::flex().autodiff();
        let config = HumanConfig {
            swift: SwiftConfig {
                channels: 32,
                blocks: 0,
                squeeze: 0,
                accumulator: 16,
                hidden: 16,
                ..Default::default()
            },
            ..HumanConfig::default()
        };
        let network = Swift::new(&config.swift, false, &mut Builder::new(5, &device));
        let moments = ["e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4 d5c4", ""]
            .map(|moves| Moment::default().after_uci(moves.split_whitespace()).expect("legal moves"));
        let batch = Batch::from_moments(&config, &moments.iter().collect::<Vec<_>>());
        let crate::human::batch::Input::Swift(input) = &batch.input else { panic!("a swift batch") };
        let mut builder = Builder::new(6, &device);
        let (board, around) = (builder.normal([3, 32], 1.0).val(), builder.normal([3, 16], 1.0).val());
        let results = |parts: Tensor<2>, said: Said| {
            let all = [parts.reshape([-1]), said.moves, said.origin.reshape([-1]), said.target.reshape([-1])];
            let all = Tensor::cat(all.into_iter().chain([said.mean.reshape([-1])]).collect(), 0);
            let factors = Builder::new(7, &device).normal(all.dims(), 1.0).val();
            let gradients = Weights::gradients(&network, &(all.clone() * factors).sum().backward());
            let mut named = vec![("results".to_owned(), values(all))];
            named.extend(gradients.0.into_iter().map(|(name, array)| (name, array.values)));
            named
        };
        let plain = network.plain_squares(&input.squares, board.clone());
        let plain = network.plain_head(&input.moves, plain, around.clone());
        let expected = results(plain_sums(network.parts.val(), &input.parts), plain);
        let fused = network.squares(&input.squares, board, None);
        let fused = network.head(&input.moves, fused, around, None);
        let found = results(network.parts(&input.parts, None), fused);
        assert_eq!(found.len(), expected.len());
        for ((name, found), (_, expected)) in found.iter().zip(&expected) {
            let share = distance(found, expected);
            assert!(share < limit(Level::best()), "{name}: {share}");
        }
    }

    #[test]
    fn a_packed_network_says_what_the_network_says() {
        let device = Device::flex();
        let config = HumanConfig {
            swift: SwiftConfig {
                channels: 32,
                blocks: 2,
                squeeze: 16,
                accumulator: 16,
                hidden: 16,
                ..Default::default()
            },
            ..HumanConfig::default()
        };
        let network = Swift::new(&config.swift, false, &mut Builder::new(5, &device));
        let moment = Moment::default();
        let batch = Batch::from_moments(&config, &[&moment, &moment]);
        let crate::human::batch::Input::Swift(input) = &batch.input else { panic!("a swift batch") };
        let packed = network.packed().expect("a network that fits");
        let one = network.forward(&batch, input, false, Some(&packed));
        let other = network.forward(&batch, input, false, None);
        let tolerance = Tolerance::<f32>::absolute(1e-6);
        one.moves.into_data().assert_approx_eq(&other.moves.into_data(), tolerance);
        one.outcome.into_data().assert_approx_eq(&other.outcome.into_data(), tolerance);
    }
}
