//! Losses over lists of scores whose gradients are known in closed form: they are computed on the host and handed to burn.

use burn::tensor::{Tensor, TensorData};

/// A loss and its gradient.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) loss: f32,
    pub(super) gradient: Vec<f32>,
}

impl Known {
    /// The loss as burn's graph sees it: what has this value and this gradient.
    pub(super) fn tensor(self, scores: Tensor<1>) -> Tensor<1> {
        let device = scores.device();
        let len = self.gradient.len();
        let slopes = Tensor::<1>::from_data(TensorData::new(self.gradient, [len]), &device);
        let product = (scores * slopes).sum();
        product.clone() - product.detach() + self.loss
    }
}

/// Logarithm of the sum of powers, and each score's share of it.
fn shares(scores: &[f32], taken: &[bool], to: &mut Vec<f64>) -> f64 {
    let free = |at: &usize| !taken[*at];
    let top = (0..scores.len()).filter(free).map(|at| f64::from(scores[at])).fold(f64::MIN, f64::max);
    to.clear();
    to.extend(scores.iter().zip(taken).map(|(&score, &taken)| match taken {
        true => 0.0,
        false => (f64::from(score) - top).exp(),
    }));
    let sum: f64 = to.iter().sum();
    to.iter_mut().for_each(|share| *share /= sum);
    top + sum.ln()
}

/// Cross-entropy of each list's softmax against a distribution that sums to its weight; the mean over all weights.
pub(super) fn cross_entropy(scores: &[f32], counts: &[usize], targets: &[f32]) -> Known {
    let total = targets.iter().map(|&target| f64::from(target)).sum::<f64>().max(1e-6);
    let (mut loss, mut gradient) = (0.0, vec![0.0; scores.len()]);
    let mut room = Vec::new();
    let mut first = 0;
    for &count in counts {
        let own = first..first + count;
        first += count;
        let weight: f64 = targets[own.clone()].iter().map(|&target| f64::from(target)).sum();
        if weight == 0.0 {
            continue;
        }
        let sum = shares(&scores[own.clone()], &vec![false; count], &mut room);
        for (at, share) in own.zip(&room) {
            let target = f64::from(targets[at]);
            loss += target * (sum - f64::from(scores[at]));
            gradient[at] = ((weight * share - target) / total) as f32;
        }
    }
    Known { loss: (loss / total) as f32, gradient }
}

/// ListMLE (Xia et al. 2008) of the first places: how unlikely it is that moves drawn one after the other, each by the softmax of
/// those that are left, come in this order. The mean over all lists that have one, and over their places.
pub(super) fn order(scores: &[f32], counts: &[usize], orders: &[Vec<usize>]) -> Known {
    let lists = orders.iter().filter(|order| !order.is_empty()).count().max(1) as f64;
    let (mut loss, mut gradient) = (0.0, vec![0.0f64; scores.len()]);
    let mut room = Vec::new();
    let mut first = 0;
    for (&count, order) in counts.iter().zip(orders) {
        let own = first..first + count;
        first += count;
        let mut taken = vec![false; count];
        let weight = 1.0 / (lists * order.len().max(1) as f64);
        for &place in order {
            let sum = shares(&scores[own.clone()], &taken, &mut room);
            loss += weight * (sum - f64::from(scores[own.start + place]));
            gradient[own.clone()].iter_mut().zip(&room).for_each(|(to, share)| *to += weight * share);
            gradient[own.start + place] -= weight;
            taken[place] = true;
        }
    }
    Known { loss: loss as f32, gradient: gradient.into_iter().map(|slope| slope as f32).collect() }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::values;

    const SCORES: [f32; 7] = [0.5, -1.0, 2.0, 0.1, 0.4, 0.3, -0.2];
    const COUNTS: [usize; 3] = [3, 1, 3];

    fn check(of: impl Fn(&[f32]) -> Known) {
        let Known { gradient, .. } = of(&SCORES);
        for at in 0..SCORES.len() {
            let moved = |by: f32| {
                let mut scores = SCORES;
                scores[at] += by;
                of(&scores).loss
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((slope - gradient[at]).abs() < 2e-4, "{at}: {slope} {}", gradient[at]);
        }
    }

    #[test]
    fn gradients_are_slopes() {
        check(|scores| cross_entropy(scores, &COUNTS, &[0.0, 0.0, 1.0, 0.5, 0.1, 0.0, 0.2]));
        check(|scores| order(scores, &COUNTS, &[vec![2, 0], vec![], vec![1, 2, 0]]));
    }

    #[test]
    fn an_order_of_one_is_cross_entropy_and_the_right_order_costs_least() {
        let one = order(&SCORES, &COUNTS, &[vec![2], vec![0], vec![0]]);
        let same = cross_entropy(&SCORES, &COUNTS, &[0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
        assert!((one.loss - same.loss).abs() < 1e-6);
        let of = |first: [usize; 3]| order(&SCORES[..3], &[3], &[first.to_vec()]).loss;
        assert!(of([2, 0, 1]) < of([2, 1, 0]) && of([2, 1, 0]) < of([1, 0, 2]));
    }

    #[test]
    fn burn_sees_the_loss_and_its_gradient() {
        let device = Device::flex().autodiff();
        let scores = Tensor::<1>::from_data(SCORES, &device).require_grad();
        let known = Known { loss: 1.5, gradient: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7] };
        let loss = known.clone().tensor(scores.clone()) * 2.0;
        assert_eq!(values(loss.clone()), [3.0]);
        let gradients = loss.backward();
        let found = values(scores.grad(&gradients).expect("a gradient"));
        found.iter().zip(&known.gradient).for_each(|(a, b)| assert!((a - 2.0 * b).abs() < 1e-6));
    }
}
