//! What the network learns: the played move among the legal ones, and five things beside it.

use burn::tensor::{Tensor, TensorData, activation::log_softmax};

use super::{
    ObjectiveWeights, Outputs,
    batch::{Batch, Targets},
};
use crate::{
    choice,
    family::{Figures, Objective},
    teaching,
    weights::values,
};

pub(super) fn objective(weights: &ObjectiveWeights, outputs: &Outputs, batch: &Batch) -> Objective {
    let targets = batch.targets.as_ref().expect("training batches have targets");
    let classes = [
        ("think", weights.think, &outputs.think, &targets.think),
        ("origin", weights.origin, &outputs.origin, &targets.origin),
        ("target", weights.target, &outputs.target, &targets.target),
    ];
    let mut parts: Vec<(&'static str, f32, Tensor<1>)> = Vec::new();
    if weights.moves > 0.0 {
        let scores = outputs.moves.clone();
        let loss = match targets.moves.is_empty() {
            true => choice::loss(scores, &batch.counts, &targets.played),
            false => choice::soft_loss(scores, &batch.counts, &targets.moves),
        };
        parts.push(("move", weights.moves, loss));
    }
    if weights.outcome > 0.0 {
        let loss = teaching::outcome_loss(outputs.outcome.clone(), &targets.outcome);
        parts.push(("outcome", weights.outcome, loss));
    }
    for (name, weight, logits, targets) in classes {
        if weight > 0.0 {
            parts.push((name, weight, choice::cross_entropy(logits.clone(), targets)));
        }
    }
    if let Some(all) = outputs.all_moves.clone().filter(|_| weights.legal > 0.0) {
        parts.push(("legal", weights.legal, legality(all, targets, batch)));
    }
    let weighted = parts.iter().map(|(_, weight, part)| part.clone() * *weight);
    let total = weighted.reduce(|sum, part| sum + part).expect("an objective has a weight");
    Objective { total, parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect() }
}

/// Distance from the even spread over the legal moves.
fn legality(all: Tensor<2>, targets: &Targets, batch: &Batch) -> Tensor<1> {
    let [len, words] = all.dims();
    let mut shares = vec![0.0f32; len * words];
    let mut legal = targets.legal.iter();
    for (row, &count) in shares.chunks_exact_mut(words).zip(&batch.counts) {
        // Promotions of one pawn share a word where words are origin and target.
        legal.by_ref().take(count).for_each(|&word| row[word as usize] += 1.0 / (count * len) as f32);
    }
    let shares: Tensor<2> = Tensor::from_data(TensorData::new(shares, [len, words]), &all.device());
    -(log_softmax(all, 1) * shares).sum()
}

/// Hits and losses of a batch, for validation.
pub(super) fn figures(outputs: Outputs, batch: &Batch) -> Figures {
    let targets = batch.targets.as_ref().expect("validation batches have targets");
    let mut figures = Figures::default();
    let scores = values(outputs.moves);
    let mut rest = &scores[..];
    for (at, &count) in batch.counts.iter().enumerate() {
        let row = rest.split_off(..count).expect("scores of every legal move");
        let Ok(played) = usize::try_from(targets.played[at]) else { continue };
        let better = row.iter().filter(|&&score| score > row[played]).count();
        let others: f64 = row.iter().map(|score| f64::from(score - row[played]).exp()).sum();
        figures.add("move loss", others.ln(), 1.0);
        for top in [1, 3, 5] {
            let hit = f64::from(u8::from(better < top));
            figures.add(&format!("top-{top}"), hit, 1.0);
            if targets.maia[at] {
                figures.add(&format!("top-{top}, Maia's positions"), hit, 1.0);
            }
        }
    }
    let classes = [
        ("outcome", outputs.outcome, &targets.result),
        ("think", outputs.think, &targets.think),
        ("origin", outputs.origin, &targets.origin),
        ("target", outputs.target, &targets.target),
    ];
    for (name, logits, targets) in classes {
        let width = logits.dims()[1];
        for (row, &target) in values(log_softmax(logits, 1)).chunks_exact(width).zip(targets) {
            let Ok(target) = usize::try_from(target) else { continue };
            let hit = row.iter().all(|&score| score <= row[target]);
            figures.add(&format!("{name} accuracy"), f64::from(u8::from(hit)), 1.0);
            figures.add(&format!("{name} loss"), -f64::from(row[target]), 1.0);
        }
    }
    figures
}
