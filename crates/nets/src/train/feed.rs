//! Batches made ready in a thread of their own, so that the network never waits for the board.

use std::{
    any::Any,
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use chess::Random;
use data::{
    Dataset, KeptApart, Labels, Opinions, Players, Policy, Sampler, SamplerError, SamplerOptions,
    SamplerState, Split,
};

use super::{TrainError, numbered};
use crate::{
    family::Family,
    phase::{self, Planned},
    team::Team,
    train_config::{TeacherConfig, TrainConfig},
};

/// Batches that may lie ready.
const AHEAD: usize = 4;

/// A batch unless another process takes it, its number of samples, and where the sampler stood after it.
type Prepared<F> = (Option<<F as Family>::Batch>, usize, SamplerState);

pub(super) struct Feed<F: Family> {
    batches: Receiver<Result<Prepared<F>, SamplerError>>,
    thread: Option<JoinHandle<()>>,
    waited: Duration,
}

impl<F: Family> Feed<F> {
    /// Goes on at a step of the run, where the sampler of the step's phase stood at `state`.
    pub(super) fn open(
        data: &Dataset,
        net: &F::Config,
        config: &TrainConfig,
        plan: &[Planned],
        step: u64,
        state: Option<SamplerState>,
        team: &Team,
    ) -> Result<Feed<F>, TrainError> {
        let (labels, opinions) = (labels(data, config)?, opinions(data, config)?);
        let options = plan.iter().enumerate().map(|(at, phase)| {
            let seed = config.seed.wrapping_add(at as u64);
            let options = sampling(config, &phase.policy, labels.clone(), Split::Train)?;
            Ok(SamplerOptions { seed, opinions: opinions.clone(), ..options })
        });
        let options: Vec<SamplerOptions> = options.collect::<Result<_, TrainError>>()?;
        let current = phase::at(plan, step);
        let sampler = match state.filter(|_| step > plan[current].begin) {
            Some(state) => Sampler::resume(data, &options[current], state)?,
            None => Sampler::new(data, &options[current]),
        };
        let (sender, batches) = sync_channel(AHEAD * team.size());
        let (net, data, config, plan) = (net.clone(), data.clone(), config.clone(), plan.to_vec());
        let share = (team.rank() as u64, team.size() as u64);
        let thread = thread::spawn(move || {
            let ours = |number: u64| number % share.1 == share.0;
            let mut sampler = Some(sampler);
            let mut step = step;
            for (phase, options) in plan.iter().zip(&options).skip(current) {
                let sampler = sampler.take().unwrap_or_else(|| Sampler::new(&data, options));
                if !prepare_phase::<F>(&net, &config, phase, sampler, step, &ours, &sender) {
                    return;
                }
                step = phase.end;
            }
        });
        Ok(Feed { batches, thread: Some(thread), waited: Duration::ZERO })
    }

    pub(super) fn next(&mut self) -> Result<Prepared<F>, TrainError> {
        let began = Instant::now();
        let ready = self.batches.recv();
        self.waited += began.elapsed();
        match ready {
            Ok(ready) => Ok(ready?),
            Err(_) => Err(TrainError::Samples(self.why_it_ended())),
        }
    }

    /// Time spent waiting since the last call.
    pub(super) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    fn why_it_ended(&mut self) -> String {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => message(&*panic),
            _ => "the dataset could not be read on".to_owned(),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it failed".to_owned())
}

/// Sends the batches of a phase from `step` on; whether there is anything to do afterwards.
fn prepare_phase<F: Family>(
    net: &F::Config,
    config: &TrainConfig,
    phase: &Planned,
    mut sampler: Sampler,
    step: u64,
    ours: &dyn Fn(u64) -> bool,
    sender: &SyncSender<Result<Prepared<F>, SamplerError>>,
) -> bool {
    const TRAINING: u64 = 0x7472_6169_6e69_6e67;
    let accumulate = config.accumulate as u64;
    for number in step * accumulate..phase.end * accumulate {
        let Some(samples) = sampler.next() else { return false };
        let state = sampler.state().clone();
        let ready = samples.map(|samples| {
            let mut random = numbered(config.seed, TRAINING, number);
            let batch = ours(number).then(|| F::prepare(net, &samples, phase.name, &mut random));
            (batch, samples.len(), state)
        });
        let failed = ready.is_err();
        if sender.send(ready).is_err() || failed {
            return false;
        }
    }
    true
}

const VALIDATION: u64 = 0x7661_6c69_6461_7465;

/// The fixed validation set as a phase sees it.
pub(super) fn validation<F: Family>(
    data: &Dataset,
    net: &F::Config,
    config: &TrainConfig,
    phase: &str,
) -> Result<Vec<F::Batch>, TrainError> {
    let batch = config.batch.min(256);
    let options = sampling(config, &config.validation_policy, labels(data, config)?, Split::Valid)?;
    let options = SamplerOptions { batch, epochs: 1, ..options };
    let batches = Sampler::new(data, &options).take(config.validation_samples.div_ceil(batch));
    let prepare = |(number, samples): (usize, Result<Vec<data::Sample>, SamplerError>)| {
        let mut random = numbered(config.seed, VALIDATION, number as u64);
        Ok(F::prepare(net, &samples?, phase, &mut random))
    };
    batches.enumerate().map(prepare).collect()
}

/// The generator with which a batch of the validation set is measured, the same every time.
pub(super) fn validation_random(seed: u64, number: usize) -> Random {
    const FIGURES: u64 = 0x6669_6775_7265_7321;
    numbered(seed, FIGURES, number as u64)
}

fn labels(data: &Dataset, config: &TrainConfig) -> Result<Option<Arc<Labels>>, TrainError> {
    match config.labels.as_str() {
        "" => Ok(None),
        name => Ok(Some(Arc::new(Labels::read(&data.folder, name)?))),
    }
}

fn opinions(data: &Dataset, config: &TrainConfig) -> Result<Option<Arc<Opinions>>, TrainError> {
    let read = |teacher: &TeacherConfig| {
        Opinions::read(&data.folder, &teacher.sets, teacher.share, teacher.temperature).map(Arc::new)
    };
    Ok(config.teacher.as_ref().map(read).transpose()?)
}

/// How the samples of one side of the split are drawn.
fn sampling(
    config: &TrainConfig,
    policy: &str,
    labels: Option<Arc<Labels>>,
    split: Split,
) -> Result<SamplerOptions, TrainError> {
    // Games of one source lie together in a dataset: a batch must be drawn from far more than a few of its places.
    const POOL: usize = 1 << 20;
    let options = SamplerOptions::new(Policy::find(policy)?, Some(split), config.seed);
    let players = match config.kept_apart {
        0 => Players::All,
        share => Players::Trained(KeptApart(share)),
    };
    Ok(SamplerOptions { batch: config.batch, pool: POOL, labels, players, ..options })
}
