//! The operations as an extension of burn's CPU backend, with their way back.

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

use super::operation::{Kept, Operation};

#[backend_extension(Flex, Autodiff)]
pub(crate) trait Fused: Backend {
    fn fused(
        x: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        operation: Operation,
        level: Level,
    ) -> FloatTensor<Self>;
}

type Cpu = FloatTensor<Flex>;

impl Fused for Flex {
    fn fused(x: Cpu, parameters: Cpu, operation: Operation, level: Level) -> Cpu {
        let (x, parameters) = (x.to_contiguous(), parameters.to_contiguous());
        let ready = operation.ready(level, slice(&parameters), false);
        tensor(ready.forward(slice(&x)), x.shape())
    }
}

impl<C: CheckpointStrategy> Fused for Autodiff<Flex, C> {
    fn fused(
        x: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        operation: Operation,
        level: Level,
    ) -> FloatTensor<Self> {
        match Back.prepare::<C>([x.node(), parameters.node()]).compute_bound().stateful() {
            OpsKind::UnTracked(prep) => prep.finish(<Flex as Fused>::fused(
                x.into_primitive(),
                parameters.into_primitive(),
                operation,
                level,
            )),
            OpsKind::Tracked(prep) => {
                let (x, parameters) =
                    (x.into_primitive().to_contiguous(), parameters.into_primitive().to_contiguous());
                let ready = operation.ready(level, slice(&parameters), true);
                let (y, kept) = ready.forward_keeping(slice(&x));
                let y = tensor(y, x.shape());
                let state = State { x, y: y.clone(), kept, parameters: parameters.shape() };
                prep.finish(state, y)
            }
        }
    }
}

#[derive(Debug)]
struct Back;

#[derive(Clone, Debug)]
struct State {
    x: Cpu,
    y: Cpu,
    kept: Kept,
    parameters: Shape,
}

impl Backward<Flex, 2> for Back {
    type State = State;

    fn backward(self, ops: Ops<State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node).to_contiguous();
        let State { x, y, kept, parameters } = ops.state;
        let (to_x, to_parameters) = kept.backward(slice(&x), slice(&y), slice(&gradient));
        let [x_node, parameters_node] = ops.parents;
        if let Some(node) = x_node {
            gradients.register::<Flex>(node.id, tensor(to_x, x.shape()));
        }
        if let Some(node) = parameters_node {
            gradients.register::<Flex>(node.id, tensor(to_parameters, parameters));
        }
    }
}

fn slice(tensor: &Cpu) -> &[f32] {
    tensor.as_slice().expect("contiguous f32")
}

fn tensor(values: Vec<f32>, shape: Shape) -> Cpu {
    Cpu::from_data(TensorData::new(values, shape))
}
