//! The ranker's first layers as an operation of burn's CPU backend. What goes through are ones at places, which have no
//! gradient, so the parameters are its only input.

use std::sync::Arc;

use burn::{
    backend::{
        Autodiff, Backend, Dispatch, Flex,
        autodiff::{
            checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
            grads::Gradients,
            ops::{Backward, Ops, OpsKind},
        },
        backend_extension,
        tensor::FloatTensor,
    },
    tensor::{Shape, Tensor, TensorData},
};
use kernels::{Level, dilated};

/// Ones of boards, one board after another; board `i` ends at `ends[i]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ones {
    pub(crate) places: Vec<u16>,
    pub(crate) ends: Vec<usize>,
}

impl Ones {
    fn view(&self) -> dilated::Ones<'_> {
        dilated::Ones { places: &self.places, ends: &self.ends }
    }
}

/// Runs the layers inside burn's graph: [boards, 64, width].
pub(crate) fn stem(
    level: Level,
    shape: dilated::Shape,
    ones: &Arc<Ones>,
    parameters: Tensor<1>,
) -> Tensor<3> {
    let work = Work { level, shape, ones: Arc::clone(ones) };
    Tensor::from_dispatch(Dispatch::stem(parameters.into_dispatch(), work))
}

/// The same outside of it, with parameters that were packed before.
pub(crate) fn ready_stem(packed: &dilated::PackedDilated, width: usize, ones: &Ones) -> Vec<f32> {
    let mut y = vec![0.0; ones.ends.len() * 64 * width];
    dilated::forward(packed, ones.view(), &mut y);
    y
}

#[derive(Clone, Debug)]
pub(crate) struct Work {
    level: Level,
    shape: dilated::Shape,
    ones: Arc<Ones>,
}

impl Work {
    fn output(&self) -> Shape {
        Shape::from([self.ones.ends.len(), 64, self.shape.width])
    }
}

#[backend_extension(Flex, Autodiff)]
pub(crate) trait Stem: Backend {
    fn stem(parameters: FloatTensor<Self>, work: Work) -> FloatTensor<Self>;
}

type Cpu = FloatTensor<Flex>;

impl Stem for Flex {
    fn stem(parameters: Cpu, work: Work) -> Cpu {
        let parameters = parameters.to_contiguous();
        let packed = dilated::PackedDilated::new(work.level, work.shape, slice(&parameters), false);
        let y = ready_stem(&packed, work.shape.width, &work.ones);
        Cpu::from_data(TensorData::new(y, work.output()))
    }
}

impl<C: CheckpointStrategy> Stem for Autodiff<Flex, C> {
    fn stem(parameters: FloatTensor<Self>, work: Work) -> FloatTensor<Self> {
        match Back.prepare::<C>([parameters.node()]).compute_bound().stateful() {
            OpsKind::UnTracked(prep) => prep.finish(<Flex as Stem>::stem(parameters.into_primitive(), work)),
            OpsKind::Tracked(prep) => {
                let parameters = parameters.into_primitive().to_contiguous();
                let packed = dilated::PackedDilated::new(work.level, work.shape, slice(&parameters), true);
                let y = ready_stem(&packed, work.shape.width, &work.ones);
                let y = Cpu::from_data(TensorData::new(y, work.output()));
                prep.finish(State { packed: Arc::new(packed), ones: work.ones, y: y.clone() }, y)
            }
        }
    }
}

#[derive(Debug)]
struct Back;

#[derive(Clone, Debug)]
struct State {
    packed: Arc<dilated::PackedDilated>,
    ones: Arc<Ones>,
    y: Cpu,
}

impl Backward<Flex, 1> for Back {
    type State = State;

    fn backward(self, ops: Ops<State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node).to_contiguous();
        let State { packed, ones, y } = ops.state;
        let [parent] = ops.parents;
        if let Some(node) = parent {
            let kept = dilated::Kept { ones: ones.view(), y: slice(&y) };
            let found = dilated::backward(&packed, kept, slice(&gradient));
            let shape = [found.len()];
            gradients.register::<Flex>(node.id, Cpu::from_data(TensorData::new(found, shape)));
        }
    }
}

fn slice(tensor: &Cpu) -> &[f32] {
    tensor.as_slice().expect("contiguous f32")
}
