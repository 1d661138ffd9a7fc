//! What the network learns: hidden variables of noised futures, and the value.

use burn::tensor::{Tensor, TensorData, activation::log_softmax};

use super::{
    Planner, PlannerConfig,
    batch::{Choices, PlannerBatch},
};
use crate::{choice, family::Objective};

/// A part that is there for every batch, by its name, weight and loss.
type Part = (&'static str, f32, Tensor<1>);

pub(super) fn objective(config: &PlannerConfig, network: &Planner, batch: &PlannerBatch) -> Objective {
    let encoded = network.encode(&batch.known, None);
    let thought = network.think(&batch.known, encoded.as_ref(), &batch.prompt, None);
    let firsts = thought.firsts();
    let zero = || Tensor::<1>::zeros([1], &thought.tokens().device());
    let weights = &config.weights;
    let later = config.layout().horizon > 1;
    let states = config.layout().states && later;
    let mut parts: Vec<Part> = Vec::new();
    if weights.first > 0.0 {
        let sum = firsts
            .iter()
            .zip(&batch.targets.first)
            .map(|(first, target)| listed(first.moves.clone(), &batch.known.counts, target));
        parts.push(("first action", weights.first, sum.reduce(|sum, part| sum + part).expect("a draw")));
    }
    if weights.actions > 0.0 && later {
        let targets = &batch.targets.actions;
        let loss = match targets.chosen.is_empty() {
            true => zero(),
            false => {
                let scores = thought.actions(&batch.targets.asked);
                choice::weighted(scores, &targets.chosen, &targets.weights)
            }
        };
        parts.push(("later actions", weights.actions, loss));
    }
    if weights.states > 0.0 && states {
        let targets = &batch.targets.squares;
        let loss = match targets.chosen.is_empty() {
            true => zero(),
            false => {
                let scores = thought.changes(&batch.targets.asked);
                choice::weighted(scores, &targets.chosen, &targets.weights) * 64.0
            }
        };
        parts.push(("positions", weights.states, loss));
    }
    if weights.value > 0.0 {
        let share = 1.0 / firsts.len() as f32;
        let sum = firsts.into_iter().map(|first| value(first.outcome, &batch.targets.value) * share);
        parts.push(("value", weights.value, sum.reduce(|sum, part| sum + part).expect("a draw")));
    }
    let weighted = parts.iter().map(|(_, weight, part)| part.clone() * *weight);
    let total = weighted.reduce(|sum, part| sum + part).unwrap_or_else(zero);
    Objective { total, parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect() }
}

fn listed(scores: Tensor<1>, counts: &[usize], target: &Choices) -> Tensor<1> {
    choice::weighted_lists(scores, counts, &target.chosen, &target.weights)
}

/// Cross-entropy against chances, over the rows that have any.
fn value(outcome: Tensor<2>, targets: &[[f32; 3]]) -> Tensor<1> {
    let known = targets.iter().filter(|target| target.iter().sum::<f32>() > 0.0).count().max(1) as f32;
    let shares: Vec<f32> = targets.iter().flatten().map(|share| share / known).collect();
    let shares = Tensor::<2>::from_data(TensorData::new(shares, [targets.len(), 3]), &outcome.device());
    -(log_softmax(outcome, 1) * shares).sum()
}
