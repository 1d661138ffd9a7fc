//! How fast the network learns and judges, on positions of random play.

use std::time::{Duration, Instant};

use burn::tensor::Device;
use chess::{
    Brain, Random, Wants,
    shakmaty::{Chess, Position},
};

use super::{Ranker, RankerBrain, RankerConfig, batch::RankerBatch, objective};
use crate::{TrainConfig, device, layers::Builder, optimiser::Optimiser, weights::Weights};

/// Positions a second.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Whole steps: loss, gradients, optimiser.
    pub train: f64,
    /// Values of positions, from the board on.
    pub values: f64,
    /// Scores of all moves of positions, from the board on.
    pub moves: f64,
}

/// Measures batches of `batch` positions, each kind of work for `budget`.
pub fn speed(config: &RankerConfig, batch: usize, budget: Duration) -> Speed {
    let positions = positions(batch);
    let autodiff: Device = device().autodiff();
    let mut network = Ranker::new(config, &mut Builder::new(1, &autodiff));
    let mut optimiser = Optimiser::new(Weights::of(&network));
    let prepared = RankerBatch::guessed(&positions);
    let train = rate(batch, budget, || {
        let total = objective::objective(&config.weights, &network, &prepared).total;
        let gradients = Weights::gradients(&network, &total.backward());
        optimiser.step(&gradients, 1e-4, &TrainConfig::default());
        network = optimiser.weights.install(network.clone());
    });
    let brain = RankerBrain::new(Ranker::new(config, &mut Builder::new(1, &device())));
    let values = rate(batch, budget, || drop(brain.evaluate(&positions, Wants::VALUE)));
    let moves = rate(batch, budget, || drop(brain.evaluate(&positions, Wants::POLICY)));
    Speed { train, values, moves }
}

fn rate(batch: usize, budget: Duration, mut work: impl FnMut()) -> f64 {
    work();
    let began = Instant::now();
    let mut rounds = 0;
    while began.elapsed() < budget || rounds == 0 {
        work();
        rounds += 1;
    }
    (rounds * batch) as f64 / began.elapsed().as_secs_f64()
}

/// Positions of random games that are not over.
pub(super) fn positions(count: usize) -> Vec<Chess> {
    let mut random = Random::new(1);
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let mut position = Chess::default();
        for _ in 0..random.below(80) {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            position.play_unchecked(legal[random.below(legal.len())]);
        }
        if !position.legal_moves().is_empty() {
            found.push(position);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_work_is_measured() {
        for config in RankerConfig::all_tiny() {
            let Speed { train, values, moves } = speed(&config, 4, Duration::ZERO);
            assert!(train > 0.0 && values > 0.0 && moves > 0.0);
        }
    }
}
