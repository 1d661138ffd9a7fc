//! What is measured once the network has learned: which output is equality, what odds go with an output, and the bins of
//! scores by which a search tells urgent moves from others.

use burn::{
    module::Param,
    tensor::{Tensor, TensorData},
};
use chess::Bins;

use super::{Ranker, batch::RankerBatch};
use crate::{odds::odds, weights::values};

/// Edges of bins, a tenth of a percent of all moves apart; finer ones cannot be told apart in half precision.
pub(super) const BINS: usize = 1000;

pub(super) fn calibrate(mut network: Ranker, batches: &[RankerBatch]) -> Ranker {
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
