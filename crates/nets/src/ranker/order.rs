//! The ordinal loss: every pair of a batch is a question, which of the two is better.

use burn::tensor::{Tensor, TensorData, activation::log_sigmoid};

use crate::layers::indices;

/// Mean cross-entropy over all pairs whose targets differ: half of a symmetric table, in one go. Targets that are not numbers
/// are unknown.
pub(super) fn loss(scores: Tensor<1>, targets: &[f32]) -> Tensor<1> {
    let device = scores.device();
    let known: Vec<i32> =
        (0..targets.len()).filter(|&at| !targets[at].is_nan()).map(|at| at as i32).collect();
    if known.len() < 2 {
        return scores.sum() * 0.0;
    }
    let targets: Vec<f32> = targets.iter().copied().filter(|target| !target.is_nan()).collect();
    let len = targets.len();
    let targets: Tensor<1> = Tensor::from_data(TensorData::new(targets, [len]), &device);
    let scores = scores.select(0, indices(known, &device));
    let differences = |x: Tensor<1>| x.clone().unsqueeze_dim::<2>(1) - x.unsqueeze_dim::<2>(0);
    let better = differences(targets).sign().tril(0); // [len, len]
    let counts = better.clone().abs();
    let pairs = counts.clone().sum().clamp_min(1.0);
    -(log_sigmoid(better * differences(scores)) * counts).sum() / pairs
}

/// Pairs in the right order, and pairs with unequal targets. Equal scores are half right.
pub(super) fn right_pairs(scores: &[f32], targets: &[f32], counts: impl Fn(f32) -> bool) -> (f64, f64) {
    let all = scores.iter().zip(targets).filter(|&(_, &target)| !target.is_nan() && counts(target));
    let all: Vec<(f32, f32)> = all.map(|(&score, &target)| (score, target)).collect();
    let (mut right, mut pairs) = (0.0, 0.0);
    for (at, &(score, target)) in all.iter().enumerate() {
        for &(other, other_target) in all[..at].iter().filter(|other| other.1 != target) {
            pairs += 1.0;
            right += match score == other {
                true => 0.5,
                false => f64::from(u8::from((score > other) == (target > other_target))),
            };
        }
    }
    (right, pairs)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use proptest::prelude::*;

    use super::*;
    use crate::weights::values;

    /// The definition, pair by pair, with its gradients.
    fn plain(scores: &[f32], targets: &[f32]) -> (f64, Vec<f64>) {
        let (mut sum, mut pairs) = (0.0, 0.0);
        let mut slopes = vec![0.0; scores.len()];
        for (i, j) in (0..scores.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            if targets[i].is_nan() || targets[j].is_nan() || targets[i] == targets[j] {
                continue;
            }
            let lead = f64::from(scores[i]) - f64::from(scores[j]);
            let chance = 1.0 / (1.0 + (-lead).exp());
            let truth = if targets[i] > targets[j] { 1.0 } else { 0.0 };
            sum -= truth * chance.ln() + (1.0 - truth) * (1.0 - chance).ln();
            slopes[i] += chance - truth;
            slopes[j] -= chance - truth;
            pairs += 1.0;
        }
        let pairs = f64::max(pairs, 1.0);
        (sum / pairs, slopes.into_iter().map(|slope| slope / pairs).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn one_broadcast_is_the_double_loop(
            items in prop::collection::vec((-4.0f32..4.0, prop::option::of(-3i8..3)), 1..24),
        ) {
            let (scores, targets): (Vec<f32>, Vec<f32>) =
                items.into_iter().map(|(score, target)| (score, target.map_or(f32::NAN, f32::from))).unzip();
            let device = Device::flex().autodiff();
            let tensor: Tensor<1> = Tensor::from_data(TensorData::new(scores.clone(), [scores.len()]), &device);
            let tensor = tensor.require_grad();
            let loss = loss(tensor.clone(), &targets);
            let gradients = loss.backward();
            let (expected, slopes) = plain(&scores, &targets);
            prop_assert!((f64::from(values(loss)[0]) - expected).abs() < 1e-5);
            for (found, expected) in values(tensor.grad(&gradients).unwrap()).iter().zip(slopes) {
                prop_assert!((f64::from(*found) - expected).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn pairs_are_right_wrong_or_half_right() {
        let nan = f32::NAN;
        for (scores, targets, expected) in [
            (vec![1.0, 2.0, 3.0], vec![-5.0, 0.0, 7.0], (3.0, 3.0)),
            (vec![3.0, 2.0, 1.0], vec![-5.0, 0.0, 7.0], (0.0, 3.0)),
            (vec![1.0, 1.0, 3.0], vec![-5.0, 0.0, nan], (0.5, 1.0)),
            (vec![1.0, 2.0], vec![4.0, 4.0], (0.0, 0.0)),
        ] {
            assert_eq!(right_pairs(&scores, &targets, |_| true), expected, "{scores:?}");
        }
    }
}
