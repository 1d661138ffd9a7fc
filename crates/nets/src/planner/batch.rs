//! Moments made ready for the network: what the trunk looks up, noised futures, and what is to be found of them.

use chess::{Moment, Ratings};
use data::{Random, Sample};

use super::{
    PlannerConfig, Source,
    future::{Form, Future, Layout, MASKED, Variable},
    noise::{Noised, noised},
    prompt::{Asked, Prompt},
    stream::sequence::{self, STATE},
};
use crate::{choice::UNKNOWN, graph::value_target, human::SwiftInput};

/// The trunk begins as that of the human mind, which asks who plays: always two of this rating, without clocks.
const RATING: u16 = 2600;

#[derive(Debug)]
pub(crate) struct PlannerBatch {
    pub(super) known: Known,
    pub(super) prompt: Prompt,
    pub(super) targets: Targets,
    /// As they are, for validation.
    pub(super) futures: Vec<Future>,
    pub(super) noised: Vec<Noised>,
    pub(super) samples: Vec<Moment>,
}

/// What is known of the positions.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) input: SwiftInput,
    /// Numbers of legal moves.
    pub(super) counts: Vec<usize>,
    /// The legal moves as actions of futures, one position after another.
    pub(super) actions: Vec<i32>,
    /// The positions as text, where the network reads that.
    pub(super) text: Vec<[u8; STATE]>,
}

/// What is to be found, with what it counts; the weights of each kind add up to 1.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// For each future of the draw: the place of the first action among the legal moves of each position.
    pub(super) first: Vec<Choices>,
    pub(super) asked: Asked,
    pub(super) actions: Choices,
    pub(super) squares: Choices,
    /// Win, draw, loss; zeros where unknown.
    pub(super) value: Vec<[f32; 3]>,
}

#[derive(Debug, Default)]
pub(super) struct Choices {
    pub(super) chosen: Vec<i32>,
    pub(super) weights: Vec<f32>,
    /// What noise has put in their place; [`MASKED`] where they are hidden.
    pub(super) seen: Vec<i32>,
}

impl Choices {
    fn push(&mut self, chosen: i32, weight: f32, seen: i32) {
        self.chosen.push(chosen);
        self.weights.push(weight);
        self.seen.push(seen);
    }

    fn total(&self) -> f32 {
        self.weights.iter().sum()
    }

    fn scale(&mut self, by: f32) {
        self.weights.iter_mut().for_each(|weight| *weight *= by);
    }
}

impl Known {
    /// Every moment must have a legal move.
    pub(super) fn new(layout: Layout, moments: &[&Moment]) -> Known {
        let (mut counts, mut actions) = (Vec::new(), Vec::new());
        for moment in moments {
            let legal = moment.legal_moves();
            counts.push(legal.len());
            actions.extend(legal.into_iter().map(|m| layout.action_of(moment.turn(), m)));
        }
        let input = match layout.form {
            Form::Changes => SwiftInput::new(&anonymous(moments).iter().collect::<Vec<_>>()),
            Form::Text => SwiftInput::default(),
        };
        let text = |moment: &&Moment| sequence::state(&moment.position, moment.turn());
        let text = match layout.form {
            Form::Changes => Vec::new(),
            Form::Text => moments.iter().map(text).collect(),
        };
        Known { input, counts, actions, text }
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }
}

fn anonymous(moments: &[&Moment]) -> Vec<Moment> {
    let players = Some(Ratings::lichess(Some(RATING), Some(RATING)));
    moments.iter().map(|&moment| Moment { clocks: None, players, ..moment.clone() }).collect()
}

impl PlannerBatch {
    pub(super) fn from_samples(
        config: &PlannerConfig,
        samples: &[Sample],
        random: &mut Random,
    ) -> PlannerBatch {
        let layout = config.layout();
        let moments: Vec<&Moment> = samples.iter().map(|sample| &sample.moment).collect();
        let futures: Vec<Future> = samples.iter().map(|sample| Future::of(layout, sample)).collect();
        let mut draws: Vec<Noised> = Vec::with_capacity(samples.len() * config.draws);
        for future in &futures {
            draws.extend((0..config.draws).map(|_| noised(config, layout, &future.values, random)));
        }
        let states: Vec<&[i32]> = draws.iter().map(|draw| &draw.values[..]).collect();
        let noise: Vec<f32> = draws.iter().map(|draw| draw.noise).collect();
        let told = (config.source == Source::Uniform).then_some(&noise[..]);
        let known = Known::new(layout, &moments);
        let prompt = Prompt::new(layout, config.draws, &known.text, &states, told);
        let mut targets = Targets::of(config, layout, &prompt, &futures, &draws);
        targets.value = samples.iter().map(|sample| value_target(sample, config.result)).collect();
        let samples = samples.iter().map(|sample| sample.moment.clone()).collect();
        PlannerBatch { known, prompt, targets, futures, noised: draws, samples }
    }
}

impl Targets {
    fn of(
        config: &PlannerConfig,
        layout: Layout,
        prompt: &Prompt,
        futures: &[Future],
        draws: &[Noised],
    ) -> Targets {
        let mut targets = Targets::default();
        targets.first.resize_with(config.draws, Choices::default);
        for (at, draw) in draws.iter().enumerate() {
            let future = &futures[at / config.draws];
            let weight = draw.weight * if future.judged { 1.0 } else { config.played };
            let asked = draw.asked[0] && future.first != MASKED;
            let first = if asked { future.first } else { UNKNOWN };
            targets.first[at % config.draws].push(first, if asked { weight } else { 0.0 }, draw.values[0]);
            for variable in (1..layout.len()).filter(|&variable| draw.asked[variable]) {
                let (value, seen) = (future.values[variable], draw.values[variable]);
                let variable = layout.variable(variable);
                targets.asked.push(prompt, at, variable);
                match variable {
                    Variable::Action(_) => targets.actions.push(value, weight, seen),
                    Variable::Square(..) => targets.squares.push(value, weight, seen),
                }
            }
        }
        let share = |total: f32| if total > 0.0 { 1.0 / total } else { 0.0 };
        let first = share(targets.first.iter().map(Choices::total).sum());
        targets.first.iter_mut().for_each(|draw| draw.scale(first));
        let (actions, squares) = (share(targets.actions.total()), share(targets.squares.total()));
        targets.actions.scale(actions);
        targets.squares.scale(squares);
        targets
    }
}
