//! Training samples in an order that depends on the seed alone: not on threads, not on interruptions.
//!
//! Games are read in blocks drawn from all over the dataset, the policy picks positions, a pool mixes them, and worker
//! threads replay them into moments. Between the stages flow references (game, ply); nothing is stored as tensors.

mod accounts;
mod blocks;
mod pool;

use std::sync::Arc;

use chess::Replay;
use thiserror::Error;

use self::{blocks::Blocks, pool::Mixed};
use crate::{
    Dataset, DatasetError, Labels, Opinions, Players, Policy, Sample, SamplerState, Split, ordered::Ordered,
};

#[derive(Clone, Debug)]
pub struct SamplerOptions {
    pub policy: Policy,
    /// The part of the games to draw from; `None`: all.
    pub split: Option<Split>,
    pub seed: u64,
    /// Samples in a batch.
    pub batch: usize,
    /// References that are mixed with each other: the larger, the further apart lie neighbours of a game.
    pub pool: usize,
    /// Worker threads; the samples do not depend on it.
    pub threads: usize,
    /// Times to go through the data; 0: for ever.
    pub epochs: u64,
    pub labels: Option<Arc<Labels>>,
    pub opinions: Option<Arc<Opinions>>,
    pub players: Players,
}

impl SamplerOptions {
    pub fn new(policy: Policy, split: Option<Split>, seed: u64) -> SamplerOptions {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        SamplerOptions {
            policy,
            split,
            seed,
            batch: 256,
            pool: 1 << 16,
            threads,
            epochs: 0,
            labels: None,
            opinions: None,
            players: Players::All,
        }
    }
}

#[derive(Debug, Error)]
pub enum SamplerError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("policy `{policy}` finds no position in {split} games of this dataset")]
    Nothing { policy: String, split: &'static str },
    #[error("the saved state belongs to another {0}")]
    OtherState(&'static str),
}

/// Batches of samples, made ahead in background threads.
pub struct Sampler {
    batches: Ordered<Result<SampleBatch, SamplerError>>,
    state: SamplerState,
}

struct SampleBatch {
    samples: Vec<Sample>,
    epoch: u64,
    taken: u64,
}

impl Sampler {
    pub fn new(dataset: &Dataset, options: &SamplerOptions) -> Sampler {
        let state = SamplerState {
            seed: options.seed,
            epoch: 0,
            taken: 0,
            split: options.split,
            policy: options.policy.clone(),
            pool: options.pool,
            fingerprint: dataset.card.fingerprint,
        };
        Sampler::begin(dataset, options, state)
    }

    /// Goes on from a saved state. It takes a pass over the part of the epoch that is done, without replaying it.
    pub fn resume(
        dataset: &Dataset,
        options: &SamplerOptions,
        state: SamplerState,
    ) -> Result<Sampler, SamplerError> {
        let checks = [
            (state.fingerprint == dataset.card.fingerprint, "dataset"),
            (state.policy == options.policy, "policy"),
            (state.split == options.split, "split"),
            (state.seed == options.seed, "seed"),
            (state.pool == options.pool, "size of pool"),
        ];
        match checks.into_iter().find(|(same, _)| !same) {
            Some((_, what)) => Err(SamplerError::OtherState(what)),
            None => Ok(Sampler::begin(dataset, options, state)),
        }
    }

    fn begin(dataset: &Dataset, options: &SamplerOptions, state: SamplerState) -> Sampler {
        let blocks = Blocks::new(dataset.clone(), options.clone(), state.epoch);
        let mixed = Mixed::new(blocks, options, state.epoch, state.taken);
        let (labels, opinions) = (options.labels.clone(), options.opinions.clone());
        let work = move |references: Result<Vec<pool::Reference>, SamplerError>| {
            let references = references?;
            let last = references.last().expect("no batch is empty");
            let (epoch, taken) = (last.epoch, last.index + 1);
            let mut replay = Replay::default();
            let make = |reference: &pool::Reference| {
                let label = labels.as_ref().and_then(|labels| labels.get(&reference.game.id, reference.ply));
                let sample = Sample::new(&reference.game, reference.ply, label.cloned(), &mut replay)?;
                Some(match &opinions {
                    Some(opinions) => sample.taught(opinions),
                    None => sample,
                })
            };
            Ok(SampleBatch { samples: references.iter().filter_map(make).collect(), epoch, taken })
        };
        let batches = Ordered::new(options.threads, 4 * options.threads, mixed.batches(options.batch), work);
        Sampler { batches, state }
    }

    /// Where the sampler stands after the last batch it gave.
    pub fn state(&self) -> &SamplerState {
        &self.state
    }
}

impl Iterator for Sampler {
    type Item = Result<Vec<Sample>, SamplerError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.batches.next()?.map(|batch| {
            (self.state.epoch, self.state.taken) = (batch.epoch, batch.taken);
            batch.samples
        }))
    }
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sampler at {:?}", self.state)
    }
}
