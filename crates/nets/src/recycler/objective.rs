//! What the network learns: the result, the move by the squares that it changes, attacks and check after it, and what it can teach itself.

use burn::tensor::{Tensor, TensorData, activation};

use super::{
    EvalForm, Recycler, RecyclerConfig,
    batch::Batch,
    network::{move_scores, squares},
};
use crate::{
    choice::{self, UNKNOWN},
    family::Objective,
    teaching,
};

pub(super) fn objective(config: &RecyclerConfig, network: &Recycler, batch: &Batch) -> Objective {
    let targets = batch.targets.as_ref().expect("training batches have targets");
    let (weights, hidden) = (&config.weights, &batch.draws.hidden);
    let tokens = network.forward(&batch.board, batch.draws.passes, Some(batch.disturbance(config)));
    let mut parts: Vec<(&'static str, f32, Tensor<1>)> = Vec::new();
    if weights.moves > 0.0 {
        let scores = move_scores(network.pieces(&tokens), &batch.legal_moves);
        let counts = &batch.legal_moves.counts;
        let loss = match targets.moves.is_empty() {
            true => choice::loss(scores, counts, &hidden.seen(&targets.true_index, 1)),
            false => choice::soft_loss(scores, counts, &hidden.seen_lists(&targets.moves, counts)),
        };
        parts.push(("move", weights.moves, loss));
    }
    if weights.eval > 0.0 {
        parts.push(("eval", weights.eval, eval_loss(config.eval, network.eval(&tokens), &targets.outcome)));
    }
    if weights.threat > 0.0 {
        let logits = network.threat(&tokens).reshape([batch.len * 64, 2]);
        let loss = choice::cross_entropy(logits, &hidden.seen(&targets.threat_target, 64));
        parts.push(("threat", weights.threat, loss));
    }
    if weights.check > 0.0 {
        let logits = network.check(&tokens, &targets.king_square);
        parts.push(("check", weights.check, binary(logits, &hidden.seen(&targets.check, 1))));
    }
    if let Some(masking) = network.masking.as_ref().filter(|_| weights.masked > 0.0)
        && let Some(loss) = masking.loss(squares(&tokens), hidden)
    {
        parts.push(("masked", weights.masked, loss));
    }
    if let Some(next) = network.next.as_ref().filter(|_| weights.next > 0.0)
        && let Some(loss) = next.loss(network, &tokens, &batch.draws.next)
    {
        parts.push(("next", weights.next, loss));
    }
    let weighted = parts.iter().map(|(_, weight, part)| part.clone() * *weight);
    let zero = || tokens.clone().sum() * 0.0;
    let total = weighted.reduce(|sum, part| sum + part).unwrap_or_else(zero);
    Objective { total, parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect() }
}

/// Of chances of win, draw, loss; zeros where nothing is known.
pub(super) fn eval_loss(form: EvalForm, logits: Tensor<2>, outcomes: &[[f32; 3]]) -> Tensor<1> {
    match form {
        EvalForm::WinDrawLoss => teaching::outcome_loss(logits, outcomes),
        EvalForm::WinProbability => {
            let device = logits.device();
            let known = |outcome: &[f32; 3]| if outcome.iter().sum::<f32>() > 0.0 { 0 } else { UNKNOWN };
            let shares = shares(&outcomes.iter().map(known).collect::<Vec<_>>());
            let scores: Vec<f32> = outcomes.iter().map(|[win, draw, _]| win + 0.5 * draw).collect();
            let scores = Tensor::<1>::from_data(TensorData::new(scores, [outcomes.len()]), &device);
            let shares = Tensor::<1>::from_data(TensorData::new(shares, [outcomes.len()]), &device);
            let error = activation::sigmoid(logits.squeeze_dim::<1>(1)) - scores;
            (error.clone() * error * shares).sum()
        }
    }
}

/// Mean cross-entropy of what is true (1) or not (0), where that is known.
fn binary(logits: Tensor<1>, truths: &[i32]) -> Tensor<1> {
    let device = logits.device();
    let signs: Vec<f32> = truths.iter().map(|&truth| if truth == 1 { 1.0 } else { -1.0 }).collect();
    let signs = Tensor::<1>::from_data(TensorData::new(signs, [truths.len()]), &device);
    let shares = Tensor::<1>::from_data(TensorData::new(shares(truths), [truths.len()]), &device);
    -(activation::log_sigmoid(logits * signs) * shares).sum()
}

/// What each known target counts in a mean.
fn shares(targets: &[i32]) -> Vec<f32> {
    let known = targets.iter().filter(|&&target| target != UNKNOWN).count().max(1) as f32;
    targets.iter().map(|&target| if target == UNKNOWN { 0.0 } else { 1.0 / known }).collect()
}
