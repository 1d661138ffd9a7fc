//! What is measured once the network has learned: positions to compare others with, and what odds go with the outcome.

use burn::{
    module::Param,
    tensor::{Tensor, TensorData},
};

use super::{
    Comparator,
    batch::ComparatorBatch,
    network::REFERENCES,
    ready::{Desk, Ready},
};
use crate::{odds::odds, weights::values};

/// Positions to choose references from, and those to find their order with.
const CANDIDATES: usize = 1024;
const JUDGES: usize = 64;

pub(super) fn calibrate(mut network: Comparator, batches: &[ComparatorBatch]) -> Comparator {
    let (mut embeddings, mut targets) = (Vec::new(), Vec::new());
    let mut width = 1;
    for batch in batches {
        let ComparatorBatch::Pairs(pairs) = batch else { continue };
        let found = network.embed(&pairs.places);
        width = found.dims()[1];
        embeddings.extend(values(found));
        targets.extend(&pairs.values);
    }
    let all: Vec<&[f32]> = embeddings.chunks_exact(width).collect();
    if all.is_empty() {
        return network;
    }
    let mut desk = Desk::new(Ready::exact(&network.parts()));
    let step = |most: usize| all.len().div_ceil(most);
    let judges: Vec<&[f32]> = all.iter().copied().step_by(step(JUDGES)).collect();
    let mut candidates: Vec<(f32, &[f32])> = all
        .iter()
        .copied()
        .step_by(step(CANDIDATES))
        .map(|one| (desk.mean_odds(one, &judges), one))
        .collect();
    candidates.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    // Evenly spread over the order, the ends left out.
    let references =
        (0..REFERENCES).map(|at| candidates[(2 * at + 1) * candidates.len() / (2 * REFERENCES)].1);
    let references: Vec<&[f32]> = references.collect();
    let outputs: Vec<f32> = all.iter().map(|one| desk.mean_odds(one, &references)).collect();

    let device = network.references.val().device();
    let shape = [REFERENCES, width];
    let put = TensorData::new(references.concat(), shape);
    network.references = network.references.map(|_| Tensor::from_data(put.clone(), &device));
    if targets.iter().any(|target: &f32| !target.is_nan()) {
        // Every position is seen by a player drawn at random, so that the outputs lie about nothing in the middle.
        let middle = outputs.iter().sum::<f32>() / outputs.len() as f32;
        let outputs: Vec<f32> = outputs.into_iter().map(|output| output - middle).collect();
        let factor = odds(&outputs, &targets);
        network.odds = put_one(network.odds, factor);
    }
    network
}

fn put_one(param: Param<Tensor<1>>, value: f32) -> Param<Tensor<1>> {
    let device = param.val().device();
    param.map(|_| Tensor::from_data([value], &device))
}
