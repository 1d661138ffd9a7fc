//! What the network learns: the played move among the legal ones, and five things beside it.

use burn::tensor::{Int, Tensor, TensorData, activation::log_softmax};
use kernels::Level;

use super::{
    ObjectiveWeights, Outputs,
    batch::{Batch, Targets, UNKNOWN},
};
use crate::{
    family::{Figures, Objective},
    fused::{self, Choices},
    weights::values,
};

pub(super) fn objective(weights: &ObjectiveWeights, outputs: &Outputs, batch: &Batch) -> Objective {
    let targets = batch.targets.as_ref().expect("training batches have targets");
    let classes = [
        ("outcome", weights.outcome, &outputs.outcome, &targets.outcome),
        ("think", weights.think, &outputs.think, &targets.think),
        ("origin", weights.origin, &outputs.origin, &targets.origin),
        ("target", weights.target, &outputs.target, &targets.target),
    ];
    let mut parts: Vec<(&'static str, f32, Tensor<1>)> = Vec::new();
    if weights.moves > 0.0 {
        parts.push(("move", weights.moves, choice(outputs.moves.clone(), targets, batch)));
    }
    for (name, weight, logits, targets) in classes {
        if weight > 0.0 {
            parts.push((name, weight, cross_entropy(logits.clone(), targets)));
        }
    }
    if let Some(all) = outputs.all_moves.clone().filter(|_| weights.legal > 0.0) {
        parts.push(("legal", weights.legal, legality(all, targets, batch)));
    }
    let weighted = parts.iter().map(|(_, weight, part)| part.clone() * *weight);
    let total = weighted.reduce(|sum, part| sum + part).expect("an objective has a weight");
    Objective { total, parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect() }
}

/// The played move among the legal ones: mean over the samples whose move is known.
fn choice(scores: Tensor<1>, targets: &Targets, batch: &Batch) -> Tensor<1> {
    if fused::reachable() {
        let choices = Choices { ends: batch.ends(), chosen: targets.played.clone() };
        fused::choice(Level::best(), choices, scores)
    } else {
        cross_entropy(batch.rectangle(scores), &targets.played)
    }
}

/// Mean over the samples whose target is known.
fn cross_entropy(logits: Tensor<2>, targets: &[i32]) -> Tensor<1> {
    let device = logits.device();
    let known = targets.iter().filter(|&&target| target != UNKNOWN).count().max(1) as f32;
    let shares: Vec<f32> =
        targets.iter().map(|&target| if target == UNKNOWN { 0.0 } else { 1.0 / known }).collect();
    let classes: Vec<i32> = targets.iter().map(|&target| target.max(0)).collect();
    let shape = [targets.len(), 1];
    let classes: Tensor<2, Int> = Tensor::from_data(TensorData::new(classes, shape), &device);
    let shares: Tensor<2> = Tensor::from_data(TensorData::new(shares, shape), &device);
    let chosen = log_softmax(logits, 1).gather(1, classes); // [batch, 1]
    -(chosen * shares).sum()
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
        ("outcome", outputs.outcome, &targets.outcome),
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

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::human::batch::Input;

    #[test]
    fn choices_from_lists_cost_what_they_cost_in_a_rectangle() {
        let counts = vec![20, 1, 37, 218, 3];
        let played = vec![4, 0, UNKNOWN, 217, 1];
        let targets = Targets { played, ..Targets::default() };
        let batch = Batch { len: counts.len(), counts, input: Input::Hc3(Default::default()), targets: None };
        let scores: Vec<f32> = (0..279).map(|i| (i * 37 % 101) as f32 / 20.0).collect();
        let results = |loss: &dyn Fn(Tensor<1>) -> Tensor<1>| {
            let device = Device::flex().autodiff();
            let scores = Tensor::<1>::from_data(&scores[..], &device).require_grad();
            let loss = loss(scores.clone());
            let gradients = (loss.clone() * 3.0).backward();
            [values(loss), values(scores.grad(&gradients).expect("a gradient"))].concat()
        };
        let expected = results(&|scores| cross_entropy(batch.rectangle(scores), &targets.played));
        for level in Level::all() {
            let choices = || Choices { ends: batch.ends(), chosen: targets.played.clone() };
            let found = results(&|scores| fused::choice(level, choices(), scores));
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-5, "{level}: {found} {expected}");
            }
        }
    }
}
