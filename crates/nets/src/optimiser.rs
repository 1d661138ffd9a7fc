//! AdamW or Muon on the host, and a running mean of the weights beside it.

use std::collections::BTreeMap;

use kernels::{
    Level,
    adamw::{self, Slices, Step},
    muon,
};
use rayon::prelude::*;

use crate::{
    train_config::{OptimiserKind, TrainConfig},
    weights::{Array, Weights},
};

/// The weights that are being trained and all that their next step depends on.
#[derive(Clone, Debug)]
pub(crate) struct Optimiser {
    pub(crate) weights: Weights,
    /// Exponential mean of the weights: what is validated and shipped.
    pub(crate) mean: Weights,
    pub(crate) first: Weights,
    pub(crate) second: Weights,
    pub(crate) step: u64,
}

/// Names of the four sets, as checkpoints write them.
pub(crate) const SETS: [&str; 4] = ["weights", "mean", "first", "second"];

impl Optimiser {
    pub(crate) fn new(weights: Weights) -> Optimiser {
        let zeros = Weights(
            weights
                .0
                .iter()
                .map(|(name, array)| {
                    let values = vec![0.0; array.values.len()];
                    (name.clone(), Array { shape: array.shape.clone(), values })
                })
                .collect(),
        );
        Optimiser { mean: weights.clone(), first: zeros.clone(), second: zeros, weights, step: 0 }
    }

    pub(crate) fn sets(&self) -> [&Weights; 4] {
        [&self.weights, &self.mean, &self.first, &self.second]
    }

    /// One step against `gradients`, clipped to the given norm. Returns the norm before clipping.
    pub(crate) fn step(&mut self, gradients: &Weights, rate: f64, config: &TrainConfig) -> f64 {
        let norm = norm(gradients);
        let shrink = if norm > config.clip { config.clip / norm } else { 1.0 };
        self.step += 1;
        let [beta1, beta2] = config.betas;
        let corrections = [beta1, beta2].map(|beta| 1.0 - beta.powi(self.step.min(i32::MAX as u64) as i32));
        let step = Step {
            beta1: beta1 as f32,
            beta2: beta2 as f32,
            rate: (rate / corrections[0]) as f32,
            root: (1.0 / corrections[1].sqrt()) as f32,
            shrink: shrink as f32,
            // Early on the mean must forget the first random weights fast.
            keep: config.mean.min((1 + self.step) as f64 / (10 + self.step) as f64) as f32,
            decay: 0.0,
            epsilon: 1e-8,
        };
        let second = self.second.0.values_mut().map(|array| &mut array.values);
        let rest = zip(&mut self.mean.0, &mut self.first.0).zip(second);
        let mut matrices = Vec::new();
        for ((name, array), ((mean, first), second)) in self.weights.0.iter_mut().zip(rest) {
            let Some(gradient) = gradients.0.get(name) else { continue };
            if config.optimiser == OptimiserKind::Muon && is_product(name, &array.shape) {
                matrices.push((array, mean, first, gradient));
                continue;
            }
            // Only products decay; biases, norms and scales are one-dimensional.
            let decay = if array.shape.len() > 1 { (rate * config.weight_decay) as f32 } else { 0.0 };
            let slices = Slices { weights: &mut array.values, mean, first, second };
            adamw::update(Level::best(), Step { decay, ..step }, slices, &gradient.values);
        }
        matrices.into_par_iter().for_each(|(array, mean, momentum, gradient)| {
            orthogonal_step(array, mean, momentum, gradient, rate, &step, config);
        });
        norm
    }
}

/// Whether Muon moves a parameter: the matrix of a product inside the network. Tables of rows to look up, wide outputs and small
/// matrices are left to AdamW.
fn is_product(name: &str, shape: &[usize]) -> bool {
    const SIDES: std::ops::RangeInclusive<usize> = 16..=1024;
    name.ends_with("weight") && shape.len() == 2 && shape.iter().all(|side| SIDES.contains(side))
}

/// Muon's step of one matrix: Nesterov's momentum, made orthogonal, as long as a step of AdamW usually is (Liu et al. 2025), so that
/// both take the same learning rate.
fn orthogonal_step(
    array: &mut Array,
    mean: &mut [f32],
    momentum: &mut [f32],
    gradient: &Array,
    rate: f64,
    step: &Step,
    config: &TrainConfig,
) {
    const MOMENTUM: f32 = 0.95;
    let [rows, columns] = array.shape[..] else { unreachable!("only matrices come here") };
    let mut update = Vec::with_capacity(gradient.values.len());
    for (momentum, gradient) in momentum.iter_mut().zip(&gradient.values) {
        let gradient = step.shrink * gradient;
        *momentum = MOMENTUM * *momentum + gradient;
        update.push(MOMENTUM * *momentum + gradient);
    }
    muon::orthogonalise(Level::best(), &mut update, rows, columns);
    let length = (rate * 0.2 * (rows.max(columns) as f64).sqrt()) as f32;
    let kept = 1.0 - (rate * config.weight_decay) as f32;
    for ((weight, mean), update) in array.values.iter_mut().zip(mean).zip(update) {
        *weight = kept * *weight - length * update;
        *mean = step.keep * *mean + (1.0 - step.keep) * *weight;
    }
}

fn zip<'a>(
    a: &'a mut BTreeMap<String, Array>,
    b: &'a mut BTreeMap<String, Array>,
) -> impl Iterator<Item = (&'a mut Vec<f32>, &'a mut Vec<f32>)> {
    a.values_mut().map(|array| &mut array.values).zip(b.values_mut().map(|array| &mut array.values))
}

/// Length of all gradients as one vector.
fn norm(gradients: &Weights) -> f64 {
    // Pieces of fixed size, summed in order: the same on any number of threads.
    const PIECE: usize = 1 << 16;
    let squares = |piece: &[f32]| piece.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>();
    let pieces = gradients.0.values().flat_map(|array| array.values.chunks(PIECE)).collect::<Vec<_>>();
    pieces.into_par_iter().map(squares).collect::<Vec<_>>().into_iter().sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(shape: &[usize], value: f32) -> Weights {
        let len = shape.iter().product();
        Weights(BTreeMap::from([("w".to_owned(), Array { shape: shape.to_vec(), values: vec![value; len] })]))
    }

    #[test]
    fn the_first_step_goes_by_the_rate_whatever_the_gradient() {
        let config = TrainConfig { weight_decay: 0.0, clip: f64::MAX, ..TrainConfig::default() };
        for gradient in [1e-3, 1.0, 50.0] {
            let mut optimiser = Optimiser::new(one(&[2], 1.0));
            optimiser.step(&one(&[2], gradient), 0.01, &config);
            let value = optimiser.weights.0["w"].values[0];
            assert!((value - 0.99).abs() < 1e-4, "{gradient}: {value}");
        }
    }

    #[test]
    fn only_matrices_decay() {
        let config = TrainConfig { weight_decay: 0.5, ..TrainConfig::default() };
        for (shape, expected) in [(vec![4], 1.0), (vec![2, 2], 0.95)] {
            let mut optimiser = Optimiser::new(one(&shape, 1.0));
            optimiser.step(&one(&shape, 0.0), 0.1, &config);
            assert!((optimiser.weights.0["w"].values[0] - expected).abs() < 1e-6, "{shape:?}");
        }
    }

    #[test]
    fn muon_moves_matrices_by_orthogonal_steps_and_leaves_the_rest_to_adamw() {
        let config =
            TrainConfig { optimiser: OptimiserKind::Muon, weight_decay: 0.0, ..TrainConfig::default() };
        // Of rank one: its only singular value becomes about 1, whatever the gradient's size.
        for size in [1e-3, 1.0] {
            let named = |name: &str, value: f32| {
                let array = Array { shape: vec![16, 64], values: vec![value; 16 * 64] };
                Weights(BTreeMap::from([(name.to_owned(), array)]))
            };
            let mut optimiser = Optimiser::new(named("block.weight", 0.0));
            optimiser.step(&named("block.weight", size), 0.01, &config);
            let values = &optimiser.weights.0["block.weight"].values;
            let length = values.iter().map(|x| x * x).sum::<f32>().sqrt();
            let expected = 0.01 * 0.2 * 8.0;
            assert!((0.6..1.3).contains(&(length / expected)), "{length}");
            let mut table = Optimiser::new(named("table", 0.0));
            table.step(&named("table", size), 0.01, &config);
            assert!((table.weights.0["table"].values[5] + 0.01).abs() < 1e-4);
        }
    }

    #[test]
    fn it_finds_the_bottom_of_a_bowl() {
        let config = TrainConfig { weight_decay: 0.0, ..TrainConfig::default() };
        let mut optimiser = Optimiser::new(one(&[1], 5.0));
        for _ in 0..500 {
            let slope = 2.0 * (optimiser.weights.0["w"].values[0] - 3.0);
            optimiser.step(&one(&[1], slope), 0.05, &config);
        }
        assert!((optimiser.weights.0["w"].values[0] - 3.0).abs() < 0.02);
    }
}
