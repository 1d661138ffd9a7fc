//! What the network learns: the order of positions, the order of moves over all positions, and good moves before others.

use burn::tensor::{Tensor, TensorData, activation::log_sigmoid};
use chess::Evaluation;

use super::{Ranker, RankerWeights, batch::Batch, order};
use crate::{
    family::{Figures, Objective},
    layers::indices,
    weights::values,
};

pub(super) fn objective(weights: &RankerWeights, network: &Ranker, batch: &Batch) -> Objective {
    let trunk = network.trunk(batch);
    let worth = network.values(trunk.clone());
    let mut parts = vec![("value", weights.value, order::loss(worth.clone(), &batch.targets.value))];
    if weights.moves > 0.0 || weights.choice > 0.0 {
        let scores = network.moves(trunk, worth, &batch.moves);
        let played = scores.clone().select(0, indices(batch.targets.played.clone(), &scores.device()));
        parts.push(("moves", weights.moves, order::loss(played.clone(), &batch.targets.after)));
        if weights.choice > 0.0 {
            parts.push(("choice", weights.choice, choice(scores, played, batch)));
        }
    }
    let weighted = parts.iter().map(|(_, weight, part)| part.clone() * *weight);
    let total = weighted.reduce(|sum, part| sum + part).expect("there is a value");
    Objective { total, parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect() }
}

/// Mean cross-entropy of "the good move is better" over the other moves of its position, each position counting alike.
fn choice(scores: Tensor<1>, played: Tensor<1>, batch: &Batch) -> Tensor<1> {
    let device = scores.device();
    let (moves, targets) = (&batch.moves, &batch.targets);
    let good = (0..batch.len()).filter(|&at| targets.is_good(at) && moves.counts[at] > 1).count().max(1);
    let mut shares = Vec::with_capacity(moves.steps.len());
    for (at, &count) in moves.counts.iter().enumerate() {
        let share =
            if targets.is_good(at) { 1.0 / (good * count.saturating_sub(1).max(1)) as f32 } else { 0.0 };
        let own = targets.played[at] as usize - shares.len();
        shares.extend((0..count).map(|place| if place == own { 0.0 } else { share }));
    }
    let len = shares.len();
    let shares: Tensor<1> = Tensor::from_data(TensorData::new(shares, [len]), &device);
    let lead = played.select(0, indices(moves.owners.clone(), &device)) - scores; // [moves]
    -(log_sigmoid(lead) * shares).sum()
}

/// Right and all pairs of a batch, for validation.
pub(super) fn figures(network: &Ranker, batch: &Batch) -> Figures {
    let trunk = network.trunk(batch);
    let worth = network.values(trunk.clone());
    let scores = values(network.moves(trunk, worth.clone(), &batch.moves));
    let worth = values(worth);
    let (moves, targets) = (&batch.moves, &batch.targets);
    let mut figures = Figures::default();
    let mut add = |name: &str, (right, pairs): (f64, f64)| figures.add(name, right, pairs);
    add("pair accuracy", order::right_pairs(&worth, &targets.value, |_| true));
    add("pair accuracy, no mates", order::right_pairs(&worth, &targets.value, |value| !is_mate(value)));
    add("pair accuracy, mates", order::right_pairs(&worth, &targets.value, is_mate));
    let played: Vec<f32> = targets.played.iter().map(|&place| scores[place as usize]).collect();
    add("pair accuracy, moves", order::right_pairs(&played, &targets.after, |_| true));
    let mut first = 0;
    for (at, &count) in moves.counts.iter().enumerate() {
        let own = &scores[first..first + count];
        first += count;
        if targets.is_good(at) {
            let better = own.iter().filter(|&&score| score > played[at]).count();
            add("good move first", (f64::from(u8::from(better == 0)), 1.0));
            add("good move among three", (f64::from(u8::from(better < 3)), 1.0));
        }
    }
    figures
}

fn is_mate(value: f32) -> bool {
    value.abs() > f32::from(Evaluation::MAX_CENTIPAWNS)
}
