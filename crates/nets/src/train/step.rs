//! One step: batches, forward, backward, the optimiser.

use std::time::Instant;

use super::{Event, TrainError, run::Run};
use crate::{
    family::Family,
    weights::{Weights, values},
};

impl<F: Family> Run<'_, F> {
    /// One step of the optimiser over `accumulate` batches, each of which one process takes; and whether all agree to end after it.
    pub(super) fn step(&mut self, at: usize) -> Result<(Event, bool), TrainError> {
        let train = self.train;
        let mut total = Weights::default();
        let mut parts: Vec<(&'static str, f64)> = Vec::new();
        let mut loss = 0.0;
        let (mut samples, mut state) = (self.state.samples, None);
        let first = self.state.step * train.accumulate as u64;
        for number in first..first + train.accumulate as u64 {
            let (batch, len, sampler) = self.feed.next()?;
            samples += len as u64;
            state = Some(sampler);
            let Some(batch) = batch else { continue };
            // Whatever is random inside the network depends on the batch's number alone.
            self.device.seed(train.seed.wrapping_add(number));
            let objective = self.network.objective(self.net, &batch);
            let share = 1.0 / train.accumulate as f64;
            loss += share * scalar(objective.total.clone());
            for (at, (name, part)) in objective.parts.into_iter().enumerate() {
                if at == parts.len() {
                    parts.push((name, 0.0));
                }
                parts[at].1 += share * scalar(part);
            }
            let gradients = Weights::gradients(&self.network, &objective.total.backward());
            accumulate(&mut total, gradients, share as f32);
        }
        let began = Instant::now();
        let stopped = self.exchange(&mut total, &mut loss, &mut parts)?;
        let exchanged = began.elapsed().as_secs_f64();
        (self.state.samples, self.state.sampler) = (samples, state);
        if !loss.is_finite() {
            return Err(TrainError::Diverged { step: self.state.step, loss });
        }
        let rate = self.plan[at].rate(self.state.step);
        let norm = self.optimiser.step(&total, rate, train);
        self.network = self.optimiser.weights.install(self.network.clone());
        self.state.step += 1;
        let waited = self.feed.take_waited().as_secs_f64();
        let (step, steps, samples) = (self.state.step, self.end(), self.state.samples);
        let phase = self.plan[at].name;
        let event = Event::Step {
            step,
            steps,
            phase,
            samples,
            loss,
            parts,
            rate,
            norm,
            waited,
            exchanged,
            seconds: 0.0,
        };
        Ok((event, stopped))
    }
}

fn scalar(tensor: burn::tensor::Tensor<1>) -> f64 {
    values(tensor).into_iter().map(f64::from).sum()
}

/// Adds `share` of the gradients to the total.
fn accumulate(total: &mut Weights, gradients: Weights, share: f32) {
    if total.0.is_empty() && share == 1.0 {
        *total = gradients;
        return;
    }
    for (name, array) in gradients.0 {
        match total.0.get_mut(&name) {
            Some(sum) => {
                sum.values.iter_mut().zip(array.values).for_each(|(sum, value)| *sum += share * value);
            }
            None => {
                let mut array = array;
                array.values.iter_mut().for_each(|value| *value *= share);
                total.0.insert(name, array);
            }
        }
    }
}
