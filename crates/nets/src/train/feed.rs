//! Batches made ready in a thread of their own, so that the network never waits for the board.

use std::{
    sync::mpsc::{Receiver, sync_channel},
    thread,
    time::{Duration, Instant},
};

use data::{Dataset, Sampler, SamplerError, SamplerOptions, SamplerState, Split};

use super::{TrainConfig, TrainError, sampling};
use crate::family::Family;

/// Batches that may lie ready.
const AHEAD: usize = 4;

/// A batch, its number of samples, and where the sampler stood after it.
type Ready<F> = (<F as Family>::Batch, usize, SamplerState);

pub(super) struct Feed<F: Family> {
    batches: Receiver<Result<Ready<F>, SamplerError>>,
    waited: Duration,
}

impl<F: Family> Feed<F> {
    pub(super) fn open(
        data: &Dataset,
        net: &F::Config,
        config: &TrainConfig,
        state: Option<SamplerState>,
    ) -> Result<Feed<F>, TrainError> {
        let options = sampling(data, config, Split::Train)?;
        let mut sampler = match state {
            Some(state) => Sampler::resume(data, &options, state)?,
            None => Sampler::new(data, &options),
        };
        let (sender, batches) = sync_channel(AHEAD);
        let net = net.clone();
        thread::spawn(move || {
            while let Some(samples) = sampler.next() {
                let state = sampler.state().clone();
                let ready = samples.map(|samples| (F::prepare(&net, &samples), samples.len(), state));
                if sender.send(ready).is_err() {
                    return;
                }
            }
        });
        Ok(Feed { batches, waited: Duration::ZERO })
    }

    pub(super) fn next(&mut self) -> Result<Ready<F>, TrainError> {
        let began = Instant::now();
        let ready = self.batches.recv().expect("training data has no end");
        self.waited += began.elapsed();
        Ok(ready?)
    }

    /// Time spent waiting since the last call.
    pub(super) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }
}

/// The fixed validation set.
pub(super) fn validation<F: Family>(
    data: &Dataset,
    net: &F::Config,
    config: &TrainConfig,
) -> Result<Vec<F::Batch>, TrainError> {
    let config = TrainConfig { policy: config.validation_policy.clone(), ..config.clone() };
    let batch = config.batch.min(256);
    let options = SamplerOptions { batch, epochs: 1, ..sampling(data, &config, Split::Valid)? };
    let mut batches = Vec::new();
    for samples in Sampler::new(data, &options).take(config.validation_samples.div_ceil(batch)) {
        batches.push(F::prepare(net, &samples?));
    }
    Ok(batches)
}
