//! What is measured once the network has learned: which output is equality, what odds go with an output, and the bins of
//! scores by which a search tells urgent moves from others.

use burn::{
    module::Param,
    tensor::{Tensor, TensorData},
};
use chess::{Bins, Evaluation, LOG_ODDS_PER_CENTIPAWN};

use super::{Ranker, batch::Batch};
use crate::weights::values;

/// Edges of bins, a tenth of a percent of all moves apart; finer ones cannot be told apart in half precision.
pub(super) const BINS: usize = 1000;

pub(super) fn calibrate(mut network: Ranker, batches: &[Batch]) -> Ranker {
    let (mut outputs, mut targets, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for batch in batches {
        let trunk = network.trunk(batch);
        let worth = network.values(trunk.clone());
        scores.extend(values(network.moves(trunk, worth.clone(), &batch.moves)));
        outputs.extend(values(worth));
        targets.extend(&batch.targets.value);
    }
    let zero =
        mean(outputs.iter().zip(&targets).filter(|(_, target)| **target == 0.0).map(|(output, _)| *output));
    outputs.iter_mut().chain(&mut scores).for_each(|output| *output -= zero);
    let odds = odds(&outputs, &targets);
    let bins = Bins::of(&scores, BINS);
    let last = bins.edges.last().copied().unwrap_or(0.0);
    let mut edges = bins.edges;
    edges.resize(BINS, last);
    let device = network.device();
    let put = |param: Param<Tensor<1>>, values: Vec<f32>| {
        param.map(|_| Tensor::from_data(TensorData::new(values.clone(), [values.len()]), &device))
    };
    network.zero = put(network.zero, vec![zero]);
    network.odds = put(network.odds, vec![odds]);
    network.shift = put(network.shift, vec![bins.shift]);
    network.bins = put(network.bins, edges);
    network
}

/// Zero if there is nothing.
fn mean(items: impl Iterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    items.for_each(|item| (sum, count) = (sum + f64::from(item), count + 1.0));
    (sum / f64::max(count, 1.0)) as f32
}

/// The factor by which outputs are nearest to the odds of their values, by squares of expected scores.
fn odds(outputs: &[f32], targets: &[f32]) -> f32 {
    let expected = |value: f32| match value.abs() > f32::from(Evaluation::MAX_CENTIPAWNS) {
        true => f32::from(u8::from(value > 0.0)),
        false => 1.0 / (1.0 + (-LOG_ODDS_PER_CENTIPAWN * value).exp()),
    };
    let known: Vec<(f32, f32)> = outputs
        .iter()
        .zip(targets)
        .filter(|(_, target)| !target.is_nan())
        .map(|(&o, &t)| (o, expected(t)))
        .collect();
    let error = |factor: f32| -> f64 {
        let one = |&(output, expected): &(f32, f32)| {
            f64::from(1.0 / (1.0 + (-factor * output).exp()) - expected).powi(2)
        };
        known.iter().map(one).sum()
    };
    // From a twentieth to twenty, in steps of five percent.
    let factors = (-60..=60).map(|step| 1.05f32.powi(step));
    factors.min_by(|a, b| error(*a).total_cmp(&error(*b))).expect("some factors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_found() {
        let targets: Vec<f32> = (-600..600).map(|n| n as f32).collect();
        let outputs: Vec<f32> = targets.iter().map(|target| target * LOG_ODDS_PER_CENTIPAWN / 2.5).collect();
        assert!((odds(&outputs, &targets) - 2.5).abs() < 0.1);
    }
}
