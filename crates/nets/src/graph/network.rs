//! The network: nodes from their features, layers of attention, a score for each legal move and a value.

use std::sync::Arc;

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Tensor, TensorData, activation::relu},
};
use chess::encoding::graph::WHOLE;
use kernels::{Level, graph::Shape, head};

use super::{
    GraphConfig,
    batch::{GraphBatch, NODE_ROWS, move_rows},
    config::MemoryForm,
    layer::{self, Layer, Shares, piece_means},
    memory::Memory,
};
use crate::{
    fused::{self, Flat, MoveLookups, Operation, Ready},
    layers::{Builder, indices, plain_sums},
    weights::values,
};

#[derive(Module, Debug)]
pub(crate) struct GraphNet {
    /// Rows of what squares and pieces are.
    nodes: Param<Tensor<2>>,
    whole: Linear,
    layers: Vec<Layer>,
    memory: Option<Memory>,
    around: Linear,
    from: Linear,
    to: Linear,
    moves: Param<Tensor<2>>,
    hidden: Linear,
    score: Linear,
    pool: Linear,
    outcome: Linear,
}

/// The network's parts packed for the CPU.
#[derive(Debug)]
pub(super) struct PackedGraph {
    nodes: Ready,
    layers: Vec<Ready>,
    head: Ready,
}

/// What the network says about a batch, before any softmax.
pub(super) struct Outputs {
    /// Scores of the legal moves, one list after another, if the batch has them.
    pub(super) moves: Option<Tensor<1>>,
    /// Win, draw, loss for the side to move: [batch, 3].
    pub(super) outcome: Tensor<2>,
}

/// What the layers make of a batch.
struct Seen {
    /// Each square's piece, or the square: [batch, 64, width].
    board: Tensor<3>,
    wholes: Tensor<2>, // [batch, width]
    pieces: Tensor<2>,
    squares: Tensor<2>,
}

impl Seen {
    /// What the memory takes of each graph: [batch, parts, features].
    fn parts(&self, form: MemoryForm) -> Tensor<3> {
        match form {
            MemoryForm::Nodes => self.board.clone(),
            _ => self.pooled().unsqueeze_dim(1),
        }
    }

    fn pooled(&self) -> Tensor<2> {
        Tensor::cat(vec![self.wholes.clone(), self.pieces.clone(), self.squares.clone()], 1)
    }
}

impl GraphNet {
    pub(super) fn new(config: &GraphConfig, builder: &mut Builder<'_>) -> GraphNet {
        let (width, hidden) = (config.width, config.hidden);
        let shape = layer::shape(config);
        GraphNet {
            nodes: builder.normal([NODE_ROWS, width], 0.5),
            whole: builder.linear(WHOLE, width, true),
            layers: (0..config.layers).map(|_| Layer::new(&shape, builder)).collect(),
            memory: Memory::new(config, builder),
            around: builder.linear(width, hidden, true),
            from: builder.linear(width, hidden, false),
            to: builder.linear(width, hidden, false),
            moves: builder.normal([move_rows(config), hidden], 0.1),
            hidden: builder.linear(hidden, hidden, true),
            // What is said at first is near to nothing.
            score: builder.linear_spread(hidden, 1, false, 0.3 / (hidden as f32).sqrt()),
            pool: builder.linear(3 * width, hidden, true),
            outcome: builder.linear_spread(hidden, 3, true, 0.3 / (hidden as f32).sqrt()),
        }
    }

    /// `packed` comes from [`GraphNet::packed`] of the same network.
    pub(super) fn forward(
        &self,
        config: &GraphConfig,
        batch: &GraphBatch,
        packed: Option<&PackedGraph>,
    ) -> Outputs {
        let earlier = batch.earlier.as_ref().map(|earlier| self.remembered(config, earlier, packed));
        self.answer(config, batch, earlier, packed)
    }

    /// What the memory keeps of each graph of a batch: [batch, parts, features].
    pub(super) fn remembered(
        &self,
        config: &GraphConfig,
        batch: &GraphBatch,
        packed: Option<&PackedGraph>,
    ) -> Tensor<3> {
        self.see(config, batch, packed).parts(config.memory)
    }

    /// The same as [`GraphNet::forward`] with what is remembered of earlier graphs.
    pub(super) fn answer(
        &self,
        config: &GraphConfig,
        batch: &GraphBatch,
        earlier: Option<Tensor<3>>,
        packed: Option<&PackedGraph>,
    ) -> Outputs {
        let mut seen = self.see(config, batch, packed);
        if let Some(memory) = &self.memory {
            let past = memory.forward(seen.parts(config.memory), earlier, &batch.places);
            match config.memory {
                MemoryForm::Nodes => {
                    seen.wholes = seen.wholes + past.clone().mean_dim(1).squeeze_dim::<2>(1);
                    seen.board = seen.board + past;
                }
                _ => seen.wholes = seen.wholes + past.squeeze_dim::<2>(1),
            }
        }
        let outcome = self.outcome.forward(relu(self.pool.forward(seen.pooled())));
        let asked = !batch.counts.is_empty();
        let around = self.around.forward(seen.wholes); // [batch, hidden]
        let moves = asked.then(|| self.score(&batch.moves, seen.board, around, packed));
        Outputs { moves, outcome }
    }

    fn see(&self, config: &GraphConfig, batch: &GraphBatch, packed: Option<&PackedGraph>) -> Seen {
        let shape = layer::shape(config);
        let x = self.layers(&shape, batch, self.embed(batch, packed), packed);
        let count = batch.len;
        let [rows, width] = x.dims();
        let squares = x.clone().narrow(0, 0, 64 * count).reshape([count, 64, width]);
        let wholes = x.clone().narrow(0, 64 * count, count); // [batch, width]
        let pieces = piece_means(x.clone().narrow(0, 65 * count, rows - 65 * count), &batch.owners, count);
        let board = x.select(0, indices(batch.board.clone(), &wholes.device()));
        let squares = squares.mean_dim(1).squeeze_dim::<2>(1);
        Seen { board: board.reshape([count, 64, width]), wholes, pieces, squares }
    }

    /// What each edge of each relation counts in each layer.
    pub(super) fn shares(&self, config: &GraphConfig, batch: &GraphBatch) -> Vec<Shares> {
        let shape = layer::shape(config);
        let mut x = self.embed(batch, None);
        let mut all = Vec::new();
        for layer in &self.layers {
            let (next, shares) = layer.watched(&shape, &batch.graphs, x);
            x = next;
            all.push(shares);
        }
        all
    }

    /// The parts packed for the CPU; nothing where one of them does not fit.
    pub(super) fn packed(&self, config: &GraphConfig) -> Option<PackedGraph> {
        let shape = layer::shape(config);
        let nodes = Operation::Sums { lookups: Arc::default(), width: config.width }.possible()?;
        Some(PackedGraph {
            nodes: nodes.packed(self.node_table()),
            layers: self.layers.iter().map(|layer| layer.packed(&shape)).collect::<Option<_>>()?,
            head: self.head(&Arc::default())?.packed(self.head_flat()),
        })
    }

    /// All nodes as their features tell them: [rows, width].
    fn embed(&self, batch: &GraphBatch, packed: Option<&PackedGraph>) -> Tensor<2> {
        let [_, width] = self.nodes.val().dims();
        let device = self.nodes.val().device();
        let operation = Operation::Sums { lookups: Arc::clone(&batch.nodes), width }.possible();
        let sums: Tensor<2> = match (operation, packed) {
            (Some(operation), Some(packed)) => {
                let sums = fused::run(&operation, &packed.nodes, &[], &[]);
                Tensor::from_data(TensorData::new(sums, [batch.nodes.len(), width]), &device)
            }
            (Some(operation), None) => {
                let nothing = Tensor::<1>::zeros([1], &device);
                fused::apply(Level::best(), operation, nothing, self.node_table())
            }
            (None, _) => plain_sums(self.nodes.val(), &batch.nodes),
        };
        let whole = TensorData::new(batch.whole.clone(), [batch.len, WHOLE]);
        let whole = self.whole.forward(Tensor::<2>::from_data(whole, &device)); // [batch, width]
        let squares = 64 * batch.len;
        let pieces = batch.nodes.len() - squares;
        Tensor::cat(vec![sums.clone().narrow(0, 0, squares), whole, sums.narrow(0, squares, pieces)], 0)
    }

    fn layers(
        &self,
        shape: &Shape,
        batch: &GraphBatch,
        x: Tensor<2>,
        packed: Option<&PackedGraph>,
    ) -> Tensor<2> {
        match packed {
            Some(packed) => {
                let operation = Operation::Graph { graphs: Arc::clone(&batch.graphs), shape: shape.clone() };
                fused::apply_all(packed.layers.iter().map(|ready| (operation.clone(), ready)), x)
            }
            None => self.layers.iter().fold(x, |x, layer| layer.forward(shape, &batch.graphs, x)),
        }
    }

    /// A score for each legal move, by origin, target, what the move is, and the whole.
    fn score(
        &self,
        moves: &Arc<MoveLookups>,
        board: Tensor<3>,
        around: Tensor<2>,
        packed: Option<&PackedGraph>,
    ) -> Tensor<1> {
        let Some(operation) = self.head(moves) else { return self.plain_score(moves, board, around) };
        let all: Tensor<1> = match packed {
            Some(packed) => {
                let device = board.device();
                let all = fused::run(&operation, &packed.head, &values(board), &values(around));
                let len = all.len();
                Tensor::from_data(TensorData::new(all, [len]), &device)
            }
            None => fused::apply_with(Level::best(), operation, board, around, self.head_flat()),
        };
        all.narrow(0, 0, moves.origins.len())
    }

    fn plain_score(&self, moves: &MoveLookups, board: Tensor<3>, around: Tensor<2>) -> Tensor<1> {
        let [batch, _, width] = board.dims();
        let device = board.device();
        let mut owners = Vec::with_capacity(moves.origins.len());
        for (graph, &end) in moves.ends.iter().enumerate() {
            owners.resize(end, graph as i32);
        }
        let squares = |squares: &[u8]| {
            let places = squares.iter().zip(&owners).map(|(&square, owner)| 64 * owner + i32::from(square));
            indices(places.collect(), &device)
        };
        let flat = board.reshape([batch * 64, width]);
        let sums = plain_sums(self.moves.val(), &moves.rows)
            + self.from.forward(flat.clone()).select(0, squares(&moves.origins))
            + self.to.forward(flat).select(0, squares(&moves.targets))
            + around.select(0, indices(owners.clone(), &device)); // [moves, hidden]
        self.score.forward(relu(self.hidden.forward(relu(sums)))).squeeze_dim::<1>(1)
    }

    fn head(&self, moves: &Arc<MoveLookups>) -> Option<Operation> {
        let [channels, hidden] = self.from.weight.val().dims();
        Operation::Head { moves: Arc::clone(moves), shape: head::Shape { channels, hidden } }.possible()
    }

    /// Origins and targets have no scores of their own here.
    fn head_flat(&self) -> Tensor<1> {
        let [channels, _] = self.from.weight.val().dims();
        let device = self.moves.val().device();
        Flat::new(&device)
            .tensor(&self.from.weight)
            .tensor(&self.to.weight)
            .linear(&self.hidden)
            .tensor(&self.score.weight)
            .values(Tensor::<1>::zeros([2 * channels], &device))
            .tensor(&self.moves)
            .done()
    }

    fn node_table(&self) -> Tensor<1> {
        Flat::new(&self.nodes.val().device()).tensor(&self.nodes).done()
    }
}
