//! The one training loop: batch, forward, backward, step, log, validate, save.

mod balance;
mod calibrate;
mod curves;
mod feed;
mod log;
mod temperatures;

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use burn::tensor::Device;
use chess::Random;
use data::{Dataset, DatasetError, OpinionCard, PolicyError, SamplerError};
use thiserror::Error;

pub use self::balance::BalanceFit;
#[cfg(test)]
pub(crate) use self::log::FILE as LOG_FILE;
pub(crate) use self::{balance::fit_balance, calibrate::calibrate, temperatures::fit_temperatures};
pub use self::{
    curves::{Curves, CurvesError, plot_runs},
    log::Event,
};
use self::{feed::Feed, log::Log};
use crate::{
    Card, CheckpointError, DataCard, TeacherCard, WeightError, WeightFile, card,
    checkpoint::{self, CHECKPOINT, RunState},
    device,
    family::{Family, Figures, first, only_for_training},
    layers::Builder,
    optimiser::Optimiser,
    phase::{self, Planned, plan},
    team::{Lost, Team, TeamError},
    train_config::{TrainConfig, run_toml},
    weights::{Array, Weights, values},
};

#[derive(Debug, Error)]
pub enum TrainError {
    #[error("[network]: {0}")]
    Network(String),
    #[error("[train]: {0}")]
    Config(String),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    #[error("no more samples can be made ready: {0}")]
    Samples(String),
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
    NothingToMeasure(&'static str),
    #[error("`{0}` has no temperatures by rating: it does not foresee people")]
    NoTemperatures(&'static str),
    #[error("`{0}` has no expectations that ratings and clocks could move")]
    NoBalance(&'static str),
    #[error(transparent)]
    Team(#[from] TeamError),
    #[error(
        "the run ended within step {next}: a process is gone or all were ended; the checkpoint holds step {step}",
        next = .step + 1
    )]
    Lost { step: u64 },
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
    /// The processes that share the work.
    pub team: &'a Team,
}

/// Trains until the configured steps are done or `stop` is raised. The last checkpoint and the best weights are then in
/// the run's folder.
pub(crate) fn train<F: Family>(
    net: &F::Config,
    train: &TrainConfig,
    data: &Dataset,
    options: &TrainOptions<'_>,
    tell: &mut dyn FnMut(&Event),
) -> Result<(), TrainError> {
    Run::<F>::open(net, train, data, options)?.go(options, tell)
}

struct Run<'a, F: Family> {
    net: &'a F::Config,
    train: &'a TrainConfig,
    plan: Vec<Planned>,
    data: &'a Dataset,
    folder: &'a Path,
    /// Records what is done to its tensors, for gradients.
    device: Device,
    network: F,
    optimiser: Optimiser,
    state: RunState,
    feed: Feed<F>,
    /// The validation set as a phase of the plan sees it.
    validation: (usize, Vec<F::Batch>),
    /// Kept by the process that leads.
    log: Option<Log>,
    team: &'a Team,
    stop: &'a AtomicBool,
    teachers: Vec<TeacherCard>,
    /// Time since this process began to train, on top of `state.seconds`.
    began: Instant,
}

impl<'a, F: Family> Run<'a, F> {
    fn open(
        net: &'a F::Config,
        train: &'a TrainConfig,
        data: &'a Dataset,
        options: &TrainOptions<'a>,
    ) -> Result<Run<'a, F>, TrainError> {
        let folder = options.out;
        let io = |error| TrainError::Io { path: folder.to_owned(), error };
        let plan = plan(&F::phases(net), train).map_err(TrainError::Config)?;
        let team = options.team;
        share(train, team.size()).map_err(TrainError::Config)?;
        let text = run_toml(F::NAME, net, train);
        std::fs::create_dir_all(folder).map_err(io)?;
        let device = device().autodiff();
        let empty = first::<F>(net, train.seed, &device).map_err(TrainError::Network)?;
        let checkpoint = folder.join(CHECKPOINT);
        let (mut optimiser, state) = match (options.resume, checkpoint.exists()) {
            (false, true) => return Err(TrainError::Exists(folder.to_owned())),
            (true, false) => return Err(TrainError::NothingToResume(folder.to_owned())),
            (true, true) => checkpoint::load(&checkpoint)?,
            (false, false) => {
                let (weights, past) = first_weights(options.init, &empty)?;
                (Optimiser::new(weights), RunState::new(text.clone(), past.as_ref()))
            }
        };
        if !continues::<F>(net, train, &state.config) {
            return Err(TrainError::OtherConfig(folder.to_owned()));
        }
        let at = phase::at(&plan, state.step);
        optimiser.step = state.step - plan[at].begin;
        if team.leads() {
            data::durable::write(&folder.join("config.toml"), text.as_bytes()).map_err(io)?;
        }
        let state = RunState { config: text, ..state };
        let feed = Feed::open(data, net, train, &plan, state.step, state.sampler.clone(), team)?;
        let mut validation = (at, Vec::new());
        if team.leads() {
            validation.1 = feed::validation::<F>(data, net, train, plan[at].name)?;
        }
        let log = team.leads().then(|| Log::open(folder, state.step)).transpose().map_err(io)?;
        let network = optimiser.weights.install(empty);
        let began = Instant::now();
        let run = Run {
            net,
            train,
            plan,
            data,
            folder,
            device,
            network,
            optimiser,
            state,
            feed,
            validation,
            log,
            team,
            stop: options.stop,
            teachers: teachers(data, train)?,
            began,
        };
        Ok(run)
    }

    fn go(mut self, options: &TrainOptions<'_>, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let seconds_before = self.state.seconds;
        let mut saved = Instant::now();
        let alone = self.team.size() == 1;
        let mut agreed = false;
        // Several end only where all have agreed to: none is left to wait for another.
        while self.state.step < self.end() && !(agreed || alone && options.stop.load(Ordering::Relaxed)) {
            let at = phase::at(&self.plan, self.state.step);
            self.enter(at)?;
            let step;
            (step, agreed) = self.step(at).or_else(|error| self.last_will(error))?;
            self.state.seconds = seconds_before + self.began.elapsed().as_secs_f64();
            self.note(&step, tell)?;
            if !self.team.leads() {
                continue;
            }
            let now = self.state.step;
            if now.is_multiple_of(self.train.validate_every) || now == self.plan[at].end {
                self.validate(at, tell)?;
            }
            if saved.elapsed() >= Duration::from_secs(self.train.checkpoint_seconds) {
                self.save(tell)?;
                saved = Instant::now();
            }
        }
        if self.team.leads() { self.save(tell) } else { Ok(()) }
    }

    /// Before the end that `error` means, one of the processes that are left saves the last step that all have taken.
    fn last_will<T>(&self, error: TrainError) -> Result<T, TrainError> {
        if matches!(error, TrainError::Lost { .. }) {
            let path = self.folder.join(".checkpoint.lock");
            let io = |error| TrainError::Io { path: path.clone(), error };
            let lock = std::fs::File::create(&path).map_err(io)?;
            if lock.try_lock().is_ok() {
                let path = self.folder.join(CHECKPOINT);
                let mut state = self.state.clone();
                // Validations are known to the process that leads, and to what it saved.
                if !self.team.leads()
                    && let Ok((_, earlier)) = checkpoint::load(&path)
                {
                    (state.best, state.curve) = (earlier.best, earlier.curve);
                }
                checkpoint::save(&path, &self.optimiser, &state)?;
            }
        }
        Err(error)
    }

    fn end(&self) -> u64 {
        self.plan.last().expect("a run has a phase").end
    }

    /// Begins a phase, if this is its first step: the optimiser forgets what it knew of another objective.
    fn enter(&mut self, at: usize) -> Result<(), TrainError> {
        if self.state.step == self.plan[at].begin && at > 0 {
            self.optimiser = Optimiser::new(std::mem::take(&mut self.optimiser.weights));
        }
        if self.validation.0 != at {
            self.validation = (at, Vec::new());
            if self.team.leads() {
                let phase = self.plan[at].name;
                self.validation.1 = feed::validation::<F>(self.data, self.net, self.train, phase)?;
            }
        }
        Ok(())
    }

    /// One step of the optimiser over `accumulate` batches, each of which one process takes; and whether all agree to end after it.
    fn step(&mut self, at: usize) -> Result<(Event, bool), TrainError> {
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

    /// Adds up what the processes have found, each on its share of the step, and tells whether any of them was asked to end.
    fn exchange(
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

    fn note(&mut self, event: &Event, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let event = event.at(self.state.seconds);
        if let Some(log) = &mut self.log {
            log.write(&event).map_err(|error| TrainError::Io { path: self.folder.to_owned(), error })?;
            tell(&event);
        }
        Ok(())
    }

    /// Measures the mean of the weights on the fixed validation set. In the last phase it is kept if it is the best so far.
    fn validate(&mut self, at: usize, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let empty = F::init(self.net, &mut Builder::zeros(&device()));
        let network = self.optimiser.mean.install(empty);
        let mut figures = Figures::default();
        for (number, batch) in self.validation.1.iter().enumerate() {
            let mut random = feed::validation_random(self.train.seed, number);
            figures.merge(&network.figures(self.net, batch, &mut random));
        }
        let figures = figures.means();
        let best = at + 1 == self.plan.len() && self.is_best(&figures);
        if best {
            let path = self.folder.join("best.safetensors");
            let calibrated = network.calibrate(self.net, &self.validation.1);
            let mut weights =
                calibrated.map_or_else(|| self.optimiser.mean.clone(), |network| Weights::of(&network));
            weights.0.retain(|name, _| !only_for_training::<F>(name));
            let file = WeightFile { card: self.card(figures.clone(), weights.count()), weights };
            file.write(&path).map_err(|error| TrainError::Weights { path, error })?;
        }
        let (step, samples) = (self.state.step, self.state.samples);
        self.note(&Event::Validation { step, samples, figures, best, seconds: 0.0 }, tell)
    }

    /// Adds a point to the curve and tells whether these weights are better than all before.
    fn is_best(&mut self, figures: &std::collections::BTreeMap<String, f64>) -> bool {
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
        }
        best
    }

    fn card(&self, figures: std::collections::BTreeMap<String, f64>, parameters: usize) -> Card {
        let json = |value: serde_json::Result<serde_json::Value>| value.expect("plain configuration");
        Card {
            version: card::VERSION,
            family: F::NAME.to_owned(),
            network: json(serde_json::to_value(self.net)),
            training: json(serde_json::to_value(self.train)),
            encoding: F::encoding(self.net).to_owned(),
            parameters: parameters as u64,
            step: self.state.step,
            samples: self.state.samples,
            hours: self.state.seconds / 3600.0,
            data: DataCard {
                fingerprint: self.data.card.fingerprint.to_string(),
                games: self.data.card.shards.iter().map(|shard| shard.games).sum(),
                policy: self.train.policy.clone(),
                teachers: self.teachers.clone(),
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

/// Whether so many processes can share the batches of a step, in a sentence if not.
fn share(train: &TrainConfig, processes: usize) -> Result<(), String> {
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

/// Who is learned from, by the cards of their opinions.
fn teachers(data: &Dataset, train: &TrainConfig) -> Result<Vec<TeacherCard>, TrainError> {
    let names = train.teacher.iter().flat_map(|teacher| &teacher.sets);
    let cards = names.map(|name| {
        let card = OpinionCard::read(&data.folder, name)?;
        Ok(card.map(|card| TeacherCard {
            network: card.recipe.teacher,
            fingerprint: card.recipe.network.to_string(),
            positions: card.rows,
        }))
    });
    cards.filter_map(Result::transpose).collect()
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

/// Whether a run that was begun with the configuration `begun` may go on with this: only the schedule and how often it is looked at
/// may have changed.
pub(crate) fn continues<F: Family>(net: &F::Config, train: &TrainConfig, begun: &str) -> bool {
    let same = || -> Option<bool> {
        let mut table: toml::Table = begun.parse().ok()?;
        let family = table.remove("family")?;
        let begun_net: F::Config = table.remove("network")?.try_into().ok()?;
        let begun_train: TrainConfig = table.remove("train")?.try_into().ok()?;
        let same = begun_net == *net && begun_train.with_schedule_of(train) == *train;
        Some(family.as_str() == Some(F::NAME) && same)
    };
    same().unwrap_or(false)
}

/// The weights to begin with, and the card of what was learned before. Weights of a smaller network are taken as far as they go:
/// blocks that are new begin as shortcuts, so that the larger network begins with what the smaller had learned.
fn first_weights<F: Family>(init: Option<&Path>, empty: &F) -> Result<(Weights, Option<Card>), TrainError> {
    let fresh = Weights::of(empty);
    let Some(path) = init else { return Ok((fresh, None)) };
    let wrong = |error| TrainError::Weights { path: path.to_owned(), error };
    let file = WeightFile::read(path).map_err(wrong)?;
    let own = file.card.family == F::NAME;
    let weights = if own { file.weights } else { inherited::<F>(file.weights, &fresh) };
    let stranger = (!own && weights.0.is_empty()).then(|| {
        let (found, wanted) = (&file.card.family, F::NAME);
        format!("a network `{wanted}` takes over nothing from one of the family `{found}`")
    });
    let weights = weights.grown(&fresh);
    match stranger.or_else(|| weights.misfit(&fresh)) {
        Some(misfit) => Err(wrong(WeightError::Misfit(misfit))),
        None => Ok((weights, Some(file.card).filter(|_| own))),
    }
}

/// What a network takes over from one of another family, under its own names.
fn inherited<F: Family>(weights: Weights, fresh: &Weights) -> Weights {
    let renamed = weights.0.into_iter().filter_map(|(name, array)| {
        let own = F::INHERITS
            .iter()
            .find_map(|(theirs, own)| Some(format!("{own}{}", name.strip_prefix(theirs)?)))?;
        fresh.0.contains_key(&own).then_some((own, array))
    });
    Weights(renamed.collect())
}

/// A generator for something that has a number of its own, such as a batch.
fn numbered(seed: u64, purpose: u64, number: u64) -> Random {
    Random::keyed(seed ^ purpose, number)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        human::{Human, HumanConfig},
        planner::{Planner, PlannerConfig},
        ranker::Ranker,
    };

    fn file<F: Family>(config: &F::Config, path: &Path) -> Weights {
        let weights = Weights::of(&first::<F>(config, 3, &device()).expect("a small network"));
        let card = Card {
            version: card::VERSION,
            family: F::NAME.to_owned(),
            network: serde_json::to_value(config).expect("plain configuration"),
            training: serde_json::Value::Null,
            encoding: F::encoding(config).to_owned(),
            parameters: weights.count() as u64,
            step: 9,
            samples: 99,
            hours: 1.0,
            data: DataCard::default(),
            figures: BTreeMap::new(),
            curve: Vec::new(),
        };
        WeightFile { card, weights: weights.clone() }.write(path).expect("a written file");
        weights
    }

    #[test]
    fn a_planner_begins_with_the_trunk_of_a_human_network_and_with_nothing_of_a_stranger() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let config = PlannerConfig::default();
        let swift = config.split.trunk.clone();
        let human = file::<Human>(&HumanConfig { swift, ..HumanConfig::default() }, &path);
        let empty = first::<Planner>(&config, 4, &device()).expect("a small network");
        let fresh = Weights::of(&empty);
        let (weights, past) = first_weights::<Planner>(Some(&path), &empty).expect("weights that fit");
        assert!(past.is_none() && weights.misfit(&fresh).is_none());
        for (name, array) in &weights.0 {
            match name.strip_prefix("Split.trunk.") {
                Some(own) => {
                    let theirs = &human.0[&format!("Swift.{own}")].values;
                    assert!(
                        array.values.iter().zip(theirs).all(|(a, b)| (a - b).abs() <= 1e-3 * b.abs() + 1e-6)
                    );
                }
                None => assert_eq!(array, &fresh.0[name], "{name}"),
            }
        }
        file::<Ranker>(&Ranker::tiny()[0], &path);
        let error = first_weights::<Planner>(Some(&path), &empty).expect_err("a stranger").to_string();
        assert!(error.contains("takes over nothing from one of the family `ranker`"), "{error}");
    }
}
