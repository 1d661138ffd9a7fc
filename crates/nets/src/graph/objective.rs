//! What the network learns: the best move, the order of an engine's best moves, and the value.

use burn::tensor::{Tensor, TensorData, activation::log_softmax};

use super::{
    GraphConfig, GraphNet, GraphObjective,
    batch::GraphBatch,
    lists::{cross_entropy, order},
    network::Outputs,
};
use crate::{
    family::{Figures, Objective},
    weights::values,
};

pub(super) fn objective(
    weights: &GraphObjective,
    network: &GraphNet,
    config: &GraphConfig,
    batch: &GraphBatch,
) -> Objective {
    let Outputs { moves, outcome } = network.forward(config, batch, None);
    let moves = moves.expect("a batch of samples has moves");
    let scores = values(moves.clone());
    let mut parts: Vec<(&'static str, f32, Tensor<1>)> = Vec::new();
    if weights.moves > 0.0 {
        let known = cross_entropy(&scores, &batch.counts, &batch.targets.moves);
        parts.push(("move", weights.moves, known.tensor(moves.clone())));
    }
    if weights.order > 0.0 && batch.targets.order.iter().any(|order| !order.is_empty()) {
        let known = order(&scores, &batch.counts, &batch.targets.order);
        parts.push(("order", weights.order, known.tensor(moves)));
    }
    if weights.value > 0.0 {
        parts.push(("value", weights.value, value(outcome, &batch.targets.value)));
    }
    let weighted = parts.iter().map(|(_, weight, part)| part.clone() * *weight);
    let total = weighted.reduce(|sum, part| sum + part).expect("an objective has a weight");
    Objective { total, parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect() }
}

/// Cross-entropy against chances, over the rows that have any.
fn value(outcome: Tensor<2>, targets: &[[f32; 3]]) -> Tensor<1> {
    let known = targets.iter().filter(|target| target.iter().sum::<f32>() > 0.0).count().max(1) as f32;
    let shares: Vec<f32> = targets.iter().flatten().map(|share| share / known).collect();
    let shares = Tensor::<2>::from_data(TensorData::new(shares, [targets.len(), 3]), &outcome.device());
    -(log_softmax(outcome, 1) * shares).sum()
}

/// Hits and losses of a batch, for validation.
pub(super) fn figures(network: &GraphNet, config: &GraphConfig, batch: &GraphBatch) -> Figures {
    let Outputs { moves, outcome } = network.forward(config, batch, None);
    let mut figures = Figures::default();
    let scores = values(moves.expect("a batch of samples has moves"));
    let targets = &batch.targets;
    let mut rest = &scores[..];
    for (at, &count) in batch.counts.iter().enumerate() {
        let row = rest.split_off(..count).expect("scores of every legal move");
        let Ok(best) = usize::try_from(targets.best[at]) else { continue };
        let better = row.iter().filter(|&&score| score > row[best]).count();
        let others: f64 = row.iter().map(|score| f64::from(score - row[best]).exp()).sum();
        figures.add("move loss", others.ln(), 1.0);
        let whose = if targets.judged[at] { "engine's move" } else { "played move" };
        for top in [1, 3] {
            let hit = f64::from(u8::from(better < top));
            figures.add(&format!("top-{top}"), hit, 1.0);
            figures.add(&format!("top-{top}, {whose}"), hit, 1.0);
        }
    }
    for (row, target) in values(log_softmax(outcome, 1)).chunks_exact(3).zip(&targets.value) {
        if target.iter().sum::<f32>() > 0.0 {
            let loss: f32 = row.iter().zip(target).map(|(row, share)| -row * share).sum();
            figures.add("value loss", loss.into(), 1.0);
            let expected = |[win, draw, _]: [f32; 3]| f64::from(win + 0.5 * draw);
            let found = expected([row[0].exp(), row[1].exp(), row[2].exp()]);
            figures.add("value error", (found - expected(*target)).abs(), 1.0);
        }
    }
    figures
}
