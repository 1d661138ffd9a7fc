//! How surprising choices are: cross-entropy of softmaxes over lists of different lengths, which lie one after another without
//! anything between them. The target of a list is one choice, or chances. Nothing is kept for the backward pass, and nothing is filled up to the
//! longest list.

use crate::{
    Level, math,
    simd::{self, Simd, Task},
    softmax,
};

/// Lists of scores and what they are to foretell.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    /// List `i` ends before `ends[i]`, where the next one begins.
    pub ends: &'a [usize],
    pub targets: Targets<'a>,
    /// What each list counts in the sum. Empty: all with a known target count the same, and their mean is taken.
    pub weights: &'a [f32],
}

#[derive(Clone, Copy, Debug)]
pub enum Targets<'a> {
    /// The place of the choice in each list; where it is negative it is not known, and the list counts for nothing.
    Chosen(&'a [i32]),
    /// Chances that lie as the scores do and sum to 1 in each list; a list of zeros counts for nothing.
    Chances(&'a [f32]),
}

/// The target of one list.
#[derive(Clone, Copy)]
enum Target<'a> {
    Chosen(usize),
    Chances(&'a [f32]),
}

impl<'a> Lists<'a> {
    fn check(&self, scores: &[f32]) {
        assert_eq!(self.ends.last().copied().unwrap_or(0), scores.len());
        assert!(self.weights.is_empty() || self.weights.len() == self.ends.len());
        match self.targets {
            Targets::Chosen(chosen) => assert_eq!(self.ends.len(), chosen.len()),
            Targets::Chances(chances) => assert_eq!(chances.len(), scores.len()),
        }
    }

    /// Start, end and target of each list.
    fn each(&self) -> impl Iterator<Item = (usize, usize, Option<Target<'a>>)> {
        let targets = self.targets;
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends).enumerate().map(move |(at, (start, &end))| {
            let target = match targets {
                Targets::Chosen(chosen) => usize::try_from(chosen[at]).ok().map(Target::Chosen),
                Targets::Chances(chances) => {
                    let chances = &chances[start..end];
                    chances.iter().any(|&chance| chance > 0.0).then_some(Target::Chances(chances))
                }
            };
            (start, end, target)
        })
    }

    /// The same with what each list counts.
    fn each_weighted(&self) -> impl Iterator<Item = (usize, usize, Option<Target<'a>>, f32)> {
        let weights = self.weights;
        let known = match weights {
            [] => self.each().filter(|(_, _, target)| target.is_some()).count(),
            _ => 1,
        };
        let share = 1.0 / known.max(1) as f32;
        let weight = move |at: usize| weights.get(at).copied().unwrap_or(share);
        self.each().enumerate().map(move |(at, (start, end, target))| (start, end, target, weight(at)))
    }
}

impl Target<'_> {
    /// The score that is to be large: that of the choice, or the mean by chances.
    fn score(self, list: &[f32]) -> f64 {
        match self {
            Target::Chosen(place) => list[place].into(),
            Target::Chances(chances) => {
                chances.iter().zip(list).map(|(chance, score)| f64::from(chance * score)).sum()
            }
        }
    }

    /// From a softmax to the gradient of the loss.
    fn subtract(self, softmax: &mut [f32]) {
        match self {
            Target::Chosen(place) => softmax[place] -= 1.0,
            Target::Chances(chances) => softmax.iter_mut().zip(chances).for_each(|(x, chance)| *x -= chance),
        }
    }
}

/// The mean of `-ln` of what the softmax of its list gives each known target, or the sum by the lists' weights.
pub fn forward(level: Level, lists: Lists<'_>, scores: &[f32]) -> f32 {
    lists.check(scores);
    simd::run(level, Forward { lists, scores })
}

/// The backward pass, given the gradient of that.
pub fn backward(level: Level, lists: Lists<'_>, scores: &[f32], gradient: f32, to_scores: &mut [f32]) {
    lists.check(scores);
    assert_eq!(scores.len(), to_scores.len());
    simd::run(level, Backward { lists, scores, gradient, to_scores });
}

/// Scores of lists become chances that sum to 1 in each.
pub fn chances(level: Level, ends: &[usize], scores: &mut [f32]) {
    struct Run<'a>(&'a [usize], &'a mut [f32]);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            let mut start = 0;
            for &end in self.0 {
                softmax::long_row::<S>(&mut self.1[start..end], 1.0, None);
                start = end;
            }
        }
    }
    simd::run(level, Run(ends, scores));
}

struct Forward<'a> {
    lists: Lists<'a>,
    scores: &'a [f32],
}

impl Task for Forward<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self) -> f32 {
        let mut total = 0.0;
        for (start, end, target, weight) in self.lists.each_weighted() {
            if let Some(target) = target {
                let list = &self.scores[start..end];
                let loss = f64::from(logarithm_of_sum::<S>(list)) - target.score(list);
                total += loss * f64::from(weight);
            }
        }
        total as f32
    }
}

/// `ln` of the sum of `e^x`.
#[inline(always)]
fn logarithm_of_sum<S: Simd>(list: &[f32]) -> f32 {
    let mut top = f32::NEG_INFINITY;
    for &x in list {
        top = if x > top { x } else { top };
    }
    let mut sum = S::splat(0.0);
    let (whole, rest) = list.split_at(list.len() / S::LANES * S::LANES);
    for x in whole.chunks_exact(S::LANES) {
        sum = S::add(sum, math::exp::<S>(S::sub(S::load(x), S::splat(top))));
    }
    let rest = S::load_part(rest, f32::NEG_INFINITY);
    sum = S::add(sum, math::exp::<S>(S::sub(rest, S::splat(top))));
    top + S::sum(sum).ln()
}

struct Backward<'a> {
    lists: Lists<'a>,
    scores: &'a [f32],
    gradient: f32,
    to_scores: &'a mut [f32],
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for (start, end, target, weight) in self.lists.each_weighted() {
            let to = &mut self.to_scores[start..end];
            let Some(target) = target else {
                to.fill(0.0);
                continue;
            };
            to.copy_from_slice(&self.scores[start..end]);
            softmax::long_row::<S>(to, 1.0, None);
            target.subtract(to);
            for x in to {
                *x *= self.gradient * weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Plain, random};

    fn plain(lists: Lists<'_>, scores: &[f64]) -> f64 {
        let losses = lists.each_weighted().filter_map(|(start, end, target, weight)| {
            let chances = Plain::softmax(&scores[start..end]);
            let loss = match target? {
                Target::Chosen(place) => -chances[place].ln(),
                Target::Chances(wanted) => -wanted
                    .iter()
                    .zip(chances)
                    .map(|(&wanted, chance)| f64::from(wanted) * chance.ln())
                    .sum::<f64>(),
            };
            Some(loss * f64::from(weight))
        });
        losses.sum::<f64>()
    }

    #[test]
    fn losses_gradients_and_chances_match_plain_ones_at_every_level() {
        // Lists of one, of a whole vector, of more, and one that counts for nothing.
        let (ends, chosen) = ([1, 17, 40, 258, 265], [0, 15, 3, -1, 6]);
        let mut wanted: Vec<f32> = (0..265).map(|at| (at * 7 % 5) as f32).collect();
        let starts = [0].into_iter().chain(ends);
        for (at, (start, end)) in starts.zip(ends).enumerate() {
            let list = &mut wanted[start..end];
            list[0] += 1.0;
            let sum: f32 = list.iter().sum();
            list.iter_mut().for_each(|x| *x = if at == 3 { 0.0 } else { *x / sum });
        }
        let both = [Targets::Chosen(&chosen), Targets::Chances(&wanted)];
        let weights = [&[][..], &[0.5, 0.0, 2.0, 7.0, 0.25]];
        let cases = [1.0f32, 60.0].into_iter().flat_map(|scale| both.map(|targets| (scale, targets)));
        for ((scale, targets), weights) in cases.flat_map(|case| weights.map(|weights| (case, weights))) {
            let lists = Lists { ends: &ends, targets, weights };
            let scores: Vec<f32> = random(3, 265).into_iter().map(|x| scale * x).collect();
            let wide: Vec<f64> = scores.iter().map(|&x| f64::from(x)).collect();
            let expected = plain(lists, &wide);
            for level in Level::all() {
                let found = f64::from(forward(level, lists, &scores));
                assert!((found - expected).abs() < 1e-6 * (1.0 + expected), "{level}: {found} {expected}");
                let mut to_scores = vec![f32::NAN; scores.len()];
                backward(level, lists, &scores, 2.5, &mut to_scores);
                for (at, &found) in to_scores.iter().enumerate() {
                    let moved = |by: f64| {
                        let mut wide = wide.clone();
                        wide[at] += by;
                        plain(lists, &wide)
                    };
                    let slope = 2.5 * (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    assert!((f64::from(found) - slope).abs() < 1e-6, "{level} {at}: {found} {slope}");
                }
                let mut shares = scores.clone();
                chances(level, &ends, &mut shares);
                for (start, end, _) in lists.each() {
                    let expected = Plain::softmax(&wide[start..end]);
                    for (found, expected) in shares[start..end].iter().zip(expected) {
                        assert!((f64::from(*found) - expected).abs() < 1e-6, "{level}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_nan_spoils_the_loss_and_its_own_list_only() {
        let lists = Lists { ends: &[20, 40], targets: Targets::Chosen(&[2, 3]), weights: &[] };
        let mut scores = random(4, 40);
        scores[7] = f32::NAN;
        for level in Level::all() {
            assert!(forward(level, lists, &scores).is_nan(), "{level}");
            let mut to_scores = vec![0.0; 40];
            backward(level, lists, &scores, 1.0, &mut to_scores);
            assert!(to_scores[7].is_nan() && to_scores[20..].iter().all(|x| x.is_finite()), "{level}");
        }
    }
}
