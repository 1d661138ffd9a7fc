//! What was chosen from lists of scores that lie one after another: cross-entropy over the softmax of each list.

use burn::tensor::{Int, Tensor, TensorData, activation::log_softmax};
use kernels::Level;

use crate::{
    fused::{self, ChoiceTargets, Choices},
    layers::indices,
};

/// A choice that is not known.
pub(crate) const UNKNOWN: i32 = -1;
/// What an item that does not exist scores.
const HOPELESS: f32 = -1e9;

/// Mean over the lists whose choice is known; `chosen` are places within the lists.
pub(crate) fn loss(scores: Tensor<1>, counts: &[usize], chosen: &[i32]) -> Tensor<1> {
    if fused::reachable() {
        let targets = ChoiceTargets::Chosen(chosen.to_vec());
        fused::choice(Level::best(), Choices { ends: ends(counts), targets, weights: Vec::new() }, scores)
    } else {
        cross_entropy(rectangle(scores, counts), chosen)
    }
}

/// The same against chances that lie as the scores do and sum to 1 in each list; the mean over the lists that have any.
pub(crate) fn soft_loss(scores: Tensor<1>, counts: &[usize], chances: &[f32]) -> Tensor<1> {
    if fused::reachable() {
        let targets = ChoiceTargets::Chances(chances.to_vec());
        return fused::choice(
            Level::best(),
            Choices { ends: ends(counts), targets, weights: Vec::new() },
            scores,
        );
    }
    let device = scores.device();
    let chances = Tensor::<1>::from_data(TensorData::new(chances.to_vec(), [chances.len()]), &device);
    let rectangle = |list: Tensor<1>, missing| spread(list, counts, missing);
    soft_cross_entropy(rectangle(scores, HOPELESS), rectangle(chances, 0.0))
}

/// Mean over the rows that have chances; zeros stand where nothing is known.
pub(crate) fn soft_cross_entropy(logits: Tensor<2>, chances: Tensor<2>) -> Tensor<1> {
    let known = chances.clone().sum_dim(1).greater_elem(0.0).float().sum().clamp_min(1.0);
    -(log_softmax(logits, 1) * chances).sum() / known
}

/// Sum over the lists whose choice is known, by their weights.
pub(crate) fn weighted_lists(
    scores: Tensor<1>,
    counts: &[usize],
    chosen: &[i32],
    weights: &[f32],
) -> Tensor<1> {
    if fused::reachable() {
        let choices = Choices {
            ends: ends(counts),
            targets: ChoiceTargets::Chosen(chosen.to_vec()),
            weights: weights.to_vec(),
        };
        fused::choice(Level::best(), choices, scores)
    } else {
        shared_cross_entropy(rectangle(scores, counts), chosen, weights)
    }
}

/// The same where all lists are rows of the same length.
pub(crate) fn weighted(logits: Tensor<2>, targets: &[i32], weights: &[f32]) -> Tensor<1> {
    let [rows, classes] = logits.dims();
    match fused::reachable() {
        true => weighted_lists(logits.reshape([rows * classes]), &vec![classes; rows], targets, weights),
        false => shared_cross_entropy(logits, targets, weights),
    }
}

/// Length of all lists up to and with each.
pub(crate) fn ends(counts: &[usize]) -> Vec<usize> {
    let mut end = 0;
    let add = |&count: &usize| {
        end += count;
        end
    };
    counts.iter().map(add).collect()
}

/// Mean over the rows whose target is known.
pub(crate) fn cross_entropy(logits: Tensor<2>, targets: &[i32]) -> Tensor<1> {
    let known = targets.iter().filter(|&&target| target != UNKNOWN).count().max(1) as f32;
    shared_cross_entropy(logits, targets, &vec![1.0 / known; targets.len()])
}

fn shared_cross_entropy(logits: Tensor<2>, targets: &[i32], weights: &[f32]) -> Tensor<1> {
    let device = logits.device();
    let share = |(&target, &weight): (&i32, &f32)| if target == UNKNOWN { 0.0 } else { weight };
    let shares: Vec<f32> = targets.iter().zip(weights).map(share).collect();
    let classes: Vec<i32> = targets.iter().map(|&target| target.max(0)).collect();
    let shape = [targets.len(), 1];
    let classes: Tensor<2, Int> = Tensor::from_data(TensorData::new(classes, shape), &device);
    let shares: Tensor<2> = Tensor::from_data(TensorData::new(shares, shape), &device);
    let chosen = log_softmax(logits, 1).gather(1, classes); // [rows, 1]
    -(chosen * shares).sum()
}

/// Scores in a rectangle.
fn rectangle(scores: Tensor<1>, counts: &[usize]) -> Tensor<2> {
    spread(scores, counts, HOPELESS)
}

/// Spreads lists over a rectangle: [lists, longest]. For devices that have no operation on lists of different lengths.
fn spread(list: Tensor<1>, counts: &[usize], missing: f32) -> Tensor<2> {
    let device = list.device();
    let longest = counts.iter().copied().max().unwrap_or(0);
    let missing = Tensor::from_data([missing], &device);
    let none = counts.iter().sum::<usize>() as i32;
    let mut places = vec![none; counts.len() * longest];
    let mut next = 0;
    for (row, &count) in places.chunks_exact_mut(longest).zip(counts) {
        row[..count].iter_mut().for_each(|place| {
            *place = next;
            next += 1;
        });
    }
    let all = Tensor::cat(vec![list, missing], 0);
    all.select(0, indices(places, &device)).reshape([counts.len(), longest])
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::values;

    #[test]
    fn choices_from_lists_cost_what_they_cost_in_a_rectangle() {
        let counts = [20, 1, 37, 218, 3];
        let chosen = [4, 0, UNKNOWN, 217, 1];
        let scores: Vec<f32> = (0..279).map(|i| (i * 37 % 101) as f32 / 20.0).collect();
        let first = counts.iter().scan(0, |start, count| Some(std::mem::replace(start, *start + count)));
        let mut chances = vec![0.0; 279];
        for ((start, count), chosen) in first.zip(counts).zip(chosen).filter(|(_, chosen)| *chosen != UNKNOWN)
        {
            chances[start] += 0.3;
            chances[start + count - 1] += 0.2;
            chances[start + chosen as usize] += 0.5;
        }
        let results = |loss: &dyn Fn(Tensor<1>) -> Tensor<1>| {
            let device = Device::flex().autodiff();
            let scores = Tensor::<1>::from_data(&scores[..], &device).require_grad();
            let loss = loss(scores.clone());
            let gradients = (loss.clone() * 3.0).backward();
            [values(loss), values(scores.grad(&gradients).expect("a gradient"))].concat()
        };
        let soft = |scores| {
            let device: Device = Tensor::device(&scores);
            let chances = Tensor::<1>::from_data(&chances[..], &device);
            soft_cross_entropy(rectangle(scores, &counts), spread(chances, &counts, 0.0))
        };
        let cases: [(ChoiceTargets, Vec<f32>); 2] = [
            (
                ChoiceTargets::Chosen(chosen.to_vec()),
                results(&|scores| cross_entropy(rectangle(scores, &counts), &chosen)),
            ),
            (ChoiceTargets::Chances(chances.clone()), results(&soft)),
        ];
        for (level, (targets, expected)) in
            Level::all().flat_map(|level| cases.iter().map(move |case| (level, case)))
        {
            let choices = || Choices { ends: ends(&counts), targets: targets.clone(), weights: vec![] };
            let found = results(&|scores| fused::choice(level, choices(), scores));
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{level}: {found} {expected}");
            }
        }
    }

    #[test]
    fn weighted_rows_cost_the_same_on_every_device() {
        let device = Device::flex();
        let logits: Vec<f32> = (0..21).map(|i| (i * 37 % 11) as f32 / 3.0).collect();
        let logits = Tensor::<1>::from_data(&logits[..], &device).reshape([3, 7]);
        let (targets, weights) = ([6, UNKNOWN, 2], [0.5, 9.0, 2.0]);
        let one = values(weighted(logits.clone(), &targets, &weights))[0];
        let other = values(shared_cross_entropy(logits, &targets, &weights))[0];
        assert!((one - other).abs() < 1e-5, "{one} {other}");
    }
}
