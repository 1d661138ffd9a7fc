//! What the network learns: the order of positions, the order of moves over all positions, and good moves before others.

use burn::tensor::Tensor;
use chess::Evaluation;

use super::{Ranker, RankerWeights, batch::RankerBatch, order};
use crate::{
    choice::{self, UNKNOWN},
    family::{Figures, Objective},
    layers::indices,
    weights::values,
};

pub(super) fn objective(weights: &RankerWeights, network: &Ranker, batch: &RankerBatch) -> Objective {
    let trunk = network.trunk(batch);
    let worth = network.values(trunk.clone());
    let mut parts = vec![("value", weights.value, order::loss(worth.clone(), &batch.targets.value))];
    if weights.moves > 0.0 || weights.choice > 0.0 {
        let scores = network.moves(trunk, worth, &batch.moves);
        let played = scores.clone().select(0, indices(batch.targets.played.clone(), &scores.device()));
        parts.push(("moves", weights.moves, order::loss(played, &batch.targets.after)));
        if weights.choice > 0.0 {
            parts.push(("choice", weights.choice, choice(scores, batch)));
        }
    }
    let weighted = parts.iter().map(|(_, weight, part)| part.clone() * *weight);
    let total = weighted.reduce(|sum, part| sum + part).expect("there is a value");
    Objective { total, parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect() }
}

/// The good moves among the legal ones, by the softmax of the scores: if one move is better than another with the chance that the order
/// loss gives it, that is each move's chance to be the best.
fn choice(scores: Tensor<1>, batch: &RankerBatch) -> Tensor<1> {
    let (moves, targets) = (&batch.moves, &batch.targets);
    let mut first = 0;
    let place = |(at, &count): (usize, &usize)| {
        first += count as i32;
        if targets.is_good(at) { targets.played[at] - first + count as i32 } else { UNKNOWN }
    };
    let chosen: Vec<i32> = moves.counts.iter().enumerate().map(place).collect();
    choice::loss(scores, &moves.counts, &chosen)
}

/// Right and all pairs of a batch, for validation.
pub(super) fn figures(network: &Ranker, batch: &RankerBatch) -> Figures {
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
            let others: f64 = own.iter().map(|score| f64::from(score - played[at]).exp()).sum();
            add("good move loss", (others.ln(), 1.0));
        }
    }
    figures
}

fn is_mate(value: f32) -> bool {
    value.abs() > f32::from(Evaluation::MAX_CENTIPAWNS)
}
