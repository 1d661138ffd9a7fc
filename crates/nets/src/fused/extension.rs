//! The operations as an extension of burn's CPU backend, with their backward pass.

use burn::backend::{
    Autodiff, Backend, Flex, TensorMetadata,
    autodiff::{
        checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
        grads::Gradients,
        ops::{Backward, Ops, OpsKind},
    },
    backend_extension,
    tensor::FloatTensor,
};
use burn::tensor::{Shape, TensorData};
use kernels::Level;

use super::operation::{Operation, Ready, Saved};

#[backend_extension(Flex, Autodiff)]
pub(crate) trait Fused: Backend {
    fn fused(
        x: FloatTensor<Self>,
        side: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        operation: Operation,
        level: Level,
    ) -> FloatTensor<Self>;
}

type Cpu = FloatTensor<Flex>;

/// A tensor whose numbers lie one after another.
#[derive(Clone, Debug)]
struct Plain(Cpu);

impl AsRef<[f32]> for Plain {
    fn as_ref(&self) -> &[f32] {
        self.0.as_slice().expect("contiguous f32")
    }
}

impl Plain {
    fn of(tensor: Cpu) -> Plain {
        Plain(tensor.to_contiguous())
    }

    fn new(values: Vec<f32>, shape: Shape) -> Plain {
        Plain(Cpu::from_data(TensorData::new(values, shape)))
    }
}

impl Fused for Flex {
    fn fused(x: Cpu, side: Cpu, parameters: Cpu, operation: Operation, level: Level) -> Cpu {
        let (x, side) = (Plain::of(x), Plain::of(side));
        let ready = operation.ready(level, Plain::of(parameters), false);
        let (y, _) = operation.forward(level, &ready, (x.as_ref(), side.as_ref()), false);
        Plain::new(y, operation.shape(x.0.shape())).0
    }
}

impl<C: CheckpointStrategy> Fused for Autodiff<Flex, C> {
    fn fused(
        x: FloatTensor<Self>,
        side: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        operation: Operation,
        level: Level,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), side.node(), parameters.node()];
        let [x, side, parameters] = [x, side, parameters].map(|tensor| tensor.into_primitive());
        match Back.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::UnTracked(prep) => {
                prep.finish(<Flex as Fused>::fused(x, side, parameters, operation, level))
            }
            OpsKind::Tracked(prep) => {
                let [x, side, parameters] = [x, side, parameters].map(Plain::of);
                let shape = parameters.0.shape();
                let ready = operation.ready(level, parameters, true);
                let (y, saved) = operation.forward(level, &ready, (x.as_ref(), side.as_ref()), true);
                let y = Plain::new(y, operation.shape(x.0.shape()));
                let state = State { x, side, y: y.clone(), saved, ready, shape, operation, level };
                prep.finish(state, y.0)
            }
        }
    }
}

#[derive(Debug)]
struct Back;

#[derive(Clone, Debug)]
struct State {
    x: Plain,
    side: Plain,
    y: Plain,
    saved: Saved,
    ready: Ready<Plain>,
    /// Of the parameters.
    shape: Shape,
    operation: Operation,
    level: Level,
}

impl Backward<Flex, 3> for Back {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = Plain::of(gradients.consume::<Flex>(&ops.node));
        let State { x, side, y, saved, ready, shape, operation, level } = ops.state;
        let kept = (x.as_ref(), side.as_ref(), y.as_ref());
        let (to_x, to_side, to_parameters) =
            operation.backward(level, &ready, kept, &saved, gradient.as_ref());
        let to_inputs = [(to_x, x.0.shape()), (to_side, side.0.shape()), (to_parameters, shape)];
        for (node, (gradient, shape)) in ops.parents.into_iter().zip(to_inputs) {
            if let Some(node) = node {
                gradients.register::<Flex>(node.id, Plain::new(gradient, shape).0);
            }
        }
    }
}
