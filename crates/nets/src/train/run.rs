//! A run: how it is opened, its loop, and its end.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use burn::tensor::Device;
use data::{Dataset, OpinionCard};

use super::{
    Event, TrainError, TrainOptions,
    exchange::share,
    feed::{self, Feed},
    init::first_weights,
    log::Log,
    resume::continues,
};
use crate::{
    TeacherCard,
    checkpoint::{self, CHECKPOINT, RunState},
    device,
    family::{Family, first},
    optimiser::Optimiser,
    phase::{self, Planned, plan},
    team::Team,
    train_config::{TrainConfig, run_toml},
};

pub(super) struct Run<'a, F: Family> {
    pub(super) net: &'a F::Config,
    pub(super) train: &'a TrainConfig,
    pub(super) plan: Vec<Planned>,
    pub(super) data: &'a Dataset,
    pub(super) folder: &'a Path,
    /// Records what is done to its tensors, for gradients.
    pub(super) device: Device,
    pub(super) network: F,
    pub(super) optimiser: Optimiser,
    pub(super) state: RunState,
    pub(super) feed: Feed<F>,
    /// The validation set as a phase of the plan sees it.
    pub(super) validation: (usize, Vec<F::Batch>),
    /// Kept by the process that leads.
    pub(super) log: Option<Log>,
    pub(super) team: &'a Team,
    pub(super) stop: &'a AtomicBool,
    pub(super) teachers: Vec<TeacherCard>,
    /// Time since this process began to train, on top of `state.seconds`.
    pub(super) began: Instant,
}

impl<'a, F: Family> Run<'a, F> {
    pub(super) fn open(
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

    pub(super) fn go(
        mut self,
        options: &TrainOptions<'_>,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<(), TrainError> {
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

    pub(super) fn end(&self) -> u64 {
        self.plan.last().expect("a run has a phase").end
    }

    /// Begins a phase, if this is its first step: the optimiser forgets what it knew of another objective.
    pub(super) fn enter(&mut self, at: usize) -> Result<(), TrainError> {
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

    pub(super) fn note(&mut self, event: &Event, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let event = event.at(self.state.seconds);
        if let Some(log) = &mut self.log {
            log.write(&event).map_err(|error| TrainError::Io { path: self.folder.to_owned(), error })?;
            tell(&event);
        }
        Ok(())
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
