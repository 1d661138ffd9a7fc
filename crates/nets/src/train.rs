//! The one training loop: batch, forward, backward, step, log, validate, save.

mod config;
mod curves;
mod feed;
mod log;
mod settle;
#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use burn::{module::Module, tensor::Device};
use data::{Dataset, DatasetError, Labels, Policy, PolicyError, SamplerError, SamplerOptions, Split};
use thiserror::Error;

pub use self::{
    config::{ConfigError, RunConfig, TrainConfig},
    curves::{Curves, CurvesError, plot_runs},
    log::Event,
    settle::settle,
};
use self::{feed::Feed, log::Log};
use crate::{
    Card, CheckpointError, DataCard, NetConfig, WeightError, WeightFile, card,
    checkpoint::{self, CHECKPOINT, RunState},
    device,
    family::{Family, Figures},
    human::Human,
    optimiser::Optimiser,
    ranker::Ranker,
    schedule,
    weights::{Weights, values},
};

#[derive(Debug, Error)]
pub enum TrainError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("`{path}`: {error}")]
    Weights { path: PathBuf, error: WeightError },
    #[error("`{path}`: {error}")]
    Io { path: PathBuf, error: std::io::Error },
    #[error("`{0}` holds a run already: continue it with --resume, or name another folder")]
    Exists(PathBuf),
    #[error("`{0}` holds no checkpoint to resume from")]
    NothingToResume(PathBuf),
    #[error(
        "the run in `{0}` was begun with another network, batch or choice of samples; give the same, or begin a new run"
    )]
    OtherConfig(PathBuf),
    #[error("`{0}` has nothing to measure: its networks are whole as they come from training")]
    NothingToSettle(&'static str),
    #[error("`{0}` has no temperatures by rating: it does not foresee people")]
    NoTemperatures(String),
    #[error("the loss became {loss} at step {step}; a lower learning rate may help")]
    Diverged { step: u64, loss: f64 },
}

/// How a run begins and ends.
#[derive(Debug)]
pub struct TrainOptions<'a> {
    /// The run's folder.
    pub out: &'a Path,
    pub resume: bool,
    /// Weights to begin with, with a fresh optimiser; the network may have more blocks and longer tables than they have.
    pub init: Option<&'a Path>,
    /// Raised from outside: save and end.
    pub stop: &'a AtomicBool,
}

/// Trains until the configured steps are done or `stop` is raised. The last checkpoint and the best weights are then in
/// the run's folder.
pub fn train(
    config: &RunConfig,
    data: &Dataset,
    options: &TrainOptions<'_>,
    tell: &mut dyn FnMut(&Event),
) -> Result<(), TrainError> {
    match &config.net {
        NetConfig::Human(net) => Run::<Human>::open(config, net, data, options)?.go(options, tell),
        NetConfig::Ranker(net) => Run::<Ranker>::open(config, net, data, options)?.go(options, tell),
    }
}

struct Run<'a, F: Family> {
    config: &'a RunConfig,
    net: &'a F::Config,
    data: &'a Dataset,
    folder: &'a Path,
    /// Records what is done to its tensors, for gradients.
    device: Device,
    network: F,
    optimiser: Optimiser,
    state: RunState,
    feed: Feed<F>,
    validation: Vec<F::Batch>,
    log: Log,
    /// Time since this process began to train, on top of `state.seconds`.
    began: Instant,
}

impl<'a, F: Family> Run<'a, F> {
    fn open(
        config: &'a RunConfig,
        net: &'a F::Config,
        data: &'a Dataset,
        options: &TrainOptions<'a>,
    ) -> Result<Run<'a, F>, TrainError> {
        let folder = options.out;
        let io = |error| TrainError::Io { path: folder.to_owned(), error };
        std::fs::create_dir_all(folder).map_err(io)?;
        let device = device().autodiff();
        let empty = F::init(net, config.train.seed, &device);
        let checkpoint = folder.join(CHECKPOINT);
        let (optimiser, state) = match (options.resume, checkpoint.exists()) {
            (false, true) => return Err(TrainError::Exists(folder.to_owned())),
            (true, false) => return Err(TrainError::NothingToResume(folder.to_owned())),
            (true, true) => checkpoint::load(&checkpoint)?,
            (false, false) => {
                let (weights, past) = first_weights(options.init, &empty)?;
                (Optimiser::new(weights), RunState::new(config.to_toml(), past.as_ref()))
            }
        };
        if !config.continues(&state.config) {
            return Err(TrainError::OtherConfig(folder.to_owned()));
        }
        let state = RunState { config: config.to_toml(), ..state };
        data::durable::write(&folder.join("config.toml"), config.to_toml().as_bytes()).map_err(io)?;
        let feed = Feed::open(data, net, &config.train, state.sampler.clone())?;
        let validation = feed::validation::<F>(data, net, &config.train)?;
        let log = Log::open(folder, state.step).map_err(io)?;
        let network = optimiser.weights.install(empty);
        let began = Instant::now();
        Ok(Run { config, net, data, folder, device, network, optimiser, state, feed, validation, log, began })
    }

    fn go(mut self, options: &TrainOptions<'_>, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let train = &self.config.train;
        let seconds_before = self.state.seconds;
        let mut saved = Instant::now();
        while self.state.step < train.steps && !options.stop.load(Ordering::Relaxed) {
            let step = self.step()?;
            self.state.seconds = seconds_before + self.began.elapsed().as_secs_f64();
            self.note(&step, tell)?;
            if self.state.step.is_multiple_of(train.validate_every) || self.state.step == train.steps {
                self.validate(tell)?;
            }
            if saved.elapsed() >= Duration::from_secs(train.checkpoint_seconds) {
                self.save(tell)?;
                saved = Instant::now();
            }
        }
        self.save(tell)
    }

    /// One step of the optimiser over `accumulate` batches.
    fn step(&mut self) -> Result<Event, TrainError> {
        let train = &self.config.train;
        let mut total = Weights::default();
        let mut parts: Vec<(&'static str, f64)> = Vec::new();
        let mut loss = 0.0;
        // Whatever is random inside the network depends on the step alone.
        self.device.seed(train.seed.wrapping_add(self.state.step));
        for _ in 0..train.accumulate {
            let (batch, len, sampler) = self.feed.next()?;
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
            self.state.samples += len as u64;
            self.state.sampler = Some(sampler);
        }
        if !loss.is_finite() {
            return Err(TrainError::Diverged { step: self.state.step, loss });
        }
        let share = schedule::share(self.state.step, train.warmup, train.steps, train.last_rate);
        let rate = train.rate * share;
        let norm = self.optimiser.step(&total, rate, train);
        self.network = self.optimiser.weights.install(self.network.clone());
        self.state.step += 1;
        let waited = self.feed.take_waited().as_secs_f64();
        let (step, samples) = (self.state.step, self.state.samples);
        Ok(Event::Step { step, steps: train.steps, samples, loss, parts, rate, norm, waited, seconds: 0.0 })
    }

    fn note(&mut self, event: &Event, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let event = event.at(self.state.seconds);
        self.log.write(&event).map_err(|error| TrainError::Io { path: self.folder.to_owned(), error })?;
        tell(&event);
        Ok(())
    }

    /// Measures the mean of the weights on the fixed validation set and keeps it if it is the best so far.
    fn validate(&mut self, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let empty = F::init(self.net, 0, &device());
        let network = self.optimiser.mean.install(empty);
        let mut figures = Figures::default();
        for batch in &self.validation {
            figures.merge(&network.figures(self.net, batch));
        }
        let figures = figures.means();
        // A validation set without a single position that counts decides nothing.
        let figure =
            |name: &str| figures.get(name).copied().filter(|figure| figure.is_finite()).unwrap_or(0.0);
        let hours = self.state.seconds / 3600.0;
        self.state.curve.push((self.state.samples, hours, figure(F::DECIDES)));
        let (chooses, less_is_better) = F::CHOOSES;
        let score = if less_is_better { -figure(chooses) } else { figure(chooses) };
        let best = self.state.best.is_none_or(|best| score > best);
        if best {
            self.state.best = Some(score);
            let card = self.card(figures.clone());
            let path = self.folder.join("best.safetensors");
            let settled = network.settle(self.net, &self.validation);
            let weights =
                settled.map_or_else(|| self.optimiser.mean.clone(), |network| Weights::of(&network));
            let file = WeightFile { card, weights };
            file.write(&path).map_err(|error| TrainError::Weights { path, error })?;
        }
        let (step, samples) = (self.state.step, self.state.samples);
        self.note(&Event::Validation { step, samples, figures, best, seconds: 0.0 }, tell)
    }

    fn card(&self, figures: std::collections::BTreeMap<String, f64>) -> Card {
        let json = |value: serde_json::Result<serde_json::Value>| value.expect("plain configuration");
        Card {
            version: card::VERSION,
            family: F::NAME.to_owned(),
            network: json(serde_json::to_value(self.net)),
            training: json(serde_json::to_value(&self.config.train)),
            encoding: F::encoding(self.net).to_owned(),
            parameters: self.optimiser.weights.count() as u64,
            step: self.state.step,
            samples: self.state.samples,
            hours: self.state.seconds / 3600.0,
            data: DataCard {
                fingerprint: self.data.card.fingerprint.to_string(),
                games: self.data.card.shards.iter().map(|shard| shard.games).sum(),
                policy: self.config.train.policy.clone(),
            },
            figures,
            curve: self.state.curve.clone(),
        }
    }

    fn save(&mut self, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        checkpoint::save(&self.folder.join(CHECKPOINT), &self.optimiser, &self.state)?;
        let event = Event::Saved { step: self.state.step, seconds: 0.0 };
        self.note(&event, tell)
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

/// The weights to begin with, and the card of what was learned before. Weights of a smaller network are taken as far as they go:
/// blocks that are new begin as shortcuts, so that the larger network begins with what the smaller had learned.
fn first_weights<M: Module>(init: Option<&Path>, empty: &M) -> Result<(Weights, Option<Card>), TrainError> {
    let fresh = Weights::of(empty);
    let Some(path) = init else { return Ok((fresh, None)) };
    let wrong = |error| TrainError::Weights { path: path.to_owned(), error };
    let file = WeightFile::read(path).map_err(wrong)?;
    let weights = file.weights.grown(&fresh);
    match weights.misfit(&fresh) {
        Some(misfit) => Err(wrong(WeightError::Misfit(misfit))),
        None => Ok((weights, Some(file.card))),
    }
}

/// How the samples of one side of the split are drawn.
fn sampling(data: &Dataset, config: &TrainConfig, split: Split) -> Result<SamplerOptions, TrainError> {
    // Games of one source lie together in a dataset: a batch must be drawn from far more than a few of its places.
    const POOL: usize = 1 << 20;
    let policy = Policy::find(&config.policy)?;
    let labels = match config.labels.as_str() {
        "" => None,
        name => Some(Arc::new(Labels::read(&data.folder, name)?)),
    };
    let options = SamplerOptions::new(policy, Some(split), config.seed);
    Ok(SamplerOptions { batch: config.batch, pool: POOL, labels, ..options })
}
