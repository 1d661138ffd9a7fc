//! What several processes that share a step tell each other.

use std::sync::atomic::Ordering;

use super::{TrainError, run::Run};
use crate::{
    family::Family,
    team::Lost,
    train_config::TrainConfig,
    weights::{Array, Weights},
};

impl<F: Family> Run<'_, F> {
    /// Adds up what the processes have found, each on its share of the step, and tells whether any of them was asked to end.
    pub(super) fn exchange(
        &self,
        total: &mut Weights,
        loss: &mut f64,
        parts: &mut [(&'static str, f64)],
    ) -> Result<bool, TrainError> {
        if self.team.size() == 1 {
            return Ok(false);
        }
        let stop = self.stop.load(Ordering::Relaxed);
        let lost = |Lost| TrainError::Lost { step: self.state.step };
        let mut numbers = vec![f32::from(u8::from(stop)), *loss as f32];
        numbers.extend(parts.iter().map(|(_, part)| *part as f32));
        for (name, array) in &self.optimiser.weights.0 {
            // A parameter that played no part has no gradient, which is not the same as none that is zero.
            match total.0.get(name) {
                Some(gradient) => {
                    numbers.push(1.0);
                    numbers.extend_from_slice(&gradient.values);
                }
                None => numbers.resize(numbers.len() + 1 + array.values.len(), 0.0),
            }
        }
        let sums = self.team.sum(numbers, self.stop).map_err(lost)?;
        let mut rest = &sums[..];
        let mut next = |count: usize| {
            let (taken, after) = rest.split_at(count);
            rest = after;
            taken
        };
        let stopped = next(1)[0] > 0.0;
        *loss = next(1)[0].into();
        parts.iter_mut().for_each(|(_, part)| *part = next(1)[0].into());
        for (name, array) in &self.optimiser.weights.0 {
            let (has, values) = (next(1)[0] > 0.0, next(array.values.len()).to_vec());
            if has {
                total.0.insert(name.clone(), Array { shape: array.shape.clone(), values });
            }
        }
        Ok(stopped)
    }
}

/// Whether so many processes can share the batches of a step, in a sentence if not.
pub(super) fn share(train: &TrainConfig, processes: usize) -> Result<(), String> {
    if train.accumulate.is_multiple_of(processes) {
        return Ok(());
    }
    let (batch, accumulate) = (train.batch, train.accumulate);
    let whole = batch * accumulate;
    let told =
        format!("accumulate = {accumulate} batches of a step cannot be shared out to {processes} processes");
    match whole.is_multiple_of(processes) {
        true => Err(format!(
            "{told}; with batch = {} and accumulate = {processes} they take the same {whole} samples",
            whole / processes
        )),
        false => Err(told),
    }
}
