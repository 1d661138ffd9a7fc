//! What went before: a gated recurrent unit (Cho et al. 2014) over the graphs of the last positions.

use burn::{
    module::Module,
    nn::Linear,
    tensor::{
        Tensor, TensorData,
        activation::{sigmoid, tanh},
    },
};

use super::{GraphConfig, config::MemoryForm};
use crate::{
    choice::UNKNOWN,
    layers::{Builder, indices},
};

#[derive(Module, Debug)]
pub(super) struct Memory {
    /// From what a graph says, and from the state, to three parts: what to reset, what to keep, what is new.
    input: Linear,
    state: Linear,
    out: Linear,
}

impl Memory {
    pub(super) fn new(config: &GraphConfig, builder: &mut Builder<'_>) -> Option<Memory> {
        let width = config.width;
        let features = match config.memory {
            MemoryForm::None => return None,
            MemoryForm::Pooled => 3 * width,
            MemoryForm::Nodes => width,
        };
        Some(Memory {
            input: builder.linear(features, 3 * width, true),
            state: builder.linear(width, 3 * width, true),
            // What is remembered says little at first.
            out: builder.linear_spread(width, width, true, 0.1 / (width as f32).sqrt()),
        })
    }

    /// What the past adds to the present: [batch, parts, width] from [batch, parts, features], the same of earlier graphs, and the places
    /// of the earlier ones that each graph of the batch has, oldest first: [batch, window - 1].
    pub(super) fn forward(
        &self,
        present: Tensor<3>,
        earlier: Option<Tensor<3>>,
        places: &[i32],
    ) -> Tensor<3> {
        let [batch, parts, features] = present.dims();
        let [_, width] = self.out.weight.val().dims();
        let device = present.device();
        let mut state = Tensor::zeros([batch * parts, width], &device);
        if let Some(earlier) = earlier {
            let [count, _, _] = earlier.dims();
            let earlier = earlier.reshape([count, parts * features]);
            let steps = places.len() / batch;
            for step in 0..steps {
                let own: Vec<i32> = places.iter().skip(step).step_by(steps).copied().collect();
                let there = own.iter().map(|&place| f32::from(u8::from(place != UNKNOWN)));
                let there: Vec<f32> = there.flat_map(|there| std::iter::repeat_n(there, parts)).collect();
                let there = Tensor::<2>::from_data(TensorData::new(there, [batch * parts, 1]), &device);
                let places = indices(own.into_iter().map(|place| place.max(0)).collect(), &device);
                let x = earlier.clone().select(0, places).reshape([batch * parts, features]);
                let next = self.step(x, state.clone());
                state = next * there.clone() + state * (there.neg() + 1.0);
            }
        }
        let state = self.step(present.reshape([batch * parts, features]), state);
        self.out.forward(state).reshape([batch, parts, width])
    }

    /// The state after one more graph: [rows, width].
    fn step(&self, x: Tensor<2>, state: Tensor<2>) -> Tensor<2> {
        let [_, width] = state.dims();
        let (x, own) = (self.input.forward(x), self.state.forward(state.clone()));
        let part = |all: &Tensor<2>, at: usize| all.clone().narrow(1, at * width, width);
        let reset = sigmoid(part(&x, 0) + part(&own, 0));
        let keep = sigmoid(part(&x, 1) + part(&own, 1));
        let new = tanh(part(&x, 2) + reset * part(&own, 2));
        new.clone() + keep * (state - new)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::values;

    fn memory(form: MemoryForm) -> Memory {
        let config = GraphConfig { width: 12, heads: 2, memory: form, ..GraphConfig::default() };
        let device = Device::flex();
        let mut builder = Builder::new(5, &device);
        let mut memory = Memory::new(&config, &mut builder).unwrap();
        memory.out = builder.linear(12, 12, true);
        memory
    }

    #[test]
    fn what_is_not_there_changes_nothing_and_what_is_does_in_its_order() {
        let device = Device::flex();
        let memory = memory(MemoryForm::Nodes);
        let mut builder = Builder::new(6, &device);
        let present = builder.normal([1, 2, 12], 1.0).val();
        let earlier = builder.normal([2, 2, 12], 1.0).val();
        let with = |places: &[i32]| values(memory.forward(present.clone(), Some(earlier.clone()), places));
        let alone = values(memory.forward(present.clone(), None, &[]));
        assert_eq!(with(&[UNKNOWN, UNKNOWN]), alone);
        assert_eq!(with(&[UNKNOWN, 1]), with(&[1]), "a short past is the end of a long one");
        assert_ne!(with(&[0, 1]), with(&[1, 0]));
        assert_ne!(with(&[0, 1]), alone);
    }

    #[test]
    fn one_step_is_that_of_a_plain_loop() {
        let memory = memory(MemoryForm::Pooled);
        let device = Device::flex();
        let mut builder = Builder::new(7, &device);
        let (x, state) = (builder.normal([1, 36], 1.0).val(), builder.normal([1, 12], 1.0).val());
        let found = values(memory.step(x.clone(), state.clone()));
        let gates = |layer: &Linear, x: &Tensor<2>| values(layer.forward(x.clone()));
        let (from_x, from_state) = (gates(&memory.input, &x), gates(&memory.state, &state));
        let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
        for (at, (old, found)) in values(state).into_iter().zip(found).enumerate() {
            let reset = sigmoid(from_x[at] + from_state[at]);
            let keep = sigmoid(from_x[12 + at] + from_state[12 + at]);
            let new = (from_x[24 + at] + reset * from_state[24 + at]).tanh();
            assert!((found - ((1.0 - keep) * new + keep * old)).abs() < 1e-5);
        }
    }
}
