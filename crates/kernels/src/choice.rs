//! How surprising choices are: cross-entropy of softmaxes over lists of different lengths, which lie one after another without
//! anything between them. Nothing is kept for the way back, and nothing is filled up to the longest list.

use crate::{
    Level, math,
    simd::{self, Simd, Task},
    softmax,
};

/// Lists of scores and what was chosen of them.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    /// List `i` ends before `ends[i]`, where the next one begins.
    pub ends: &'a [usize],
    /// The place of the choice in each list; where it is negative it is not known, and the list counts for nothing.
    pub chosen: &'a [i32],
    /// What each list counts in the sum. Empty: all with a known choice count the same, and their mean is taken.
    pub weights: &'a [f32],
}

impl Lists<'_> {
    fn check(&self, scores: &[f32]) {
        assert!(self.ends.len() == self.chosen.len());
        assert!(self.weights.is_empty() || self.weights.len() == self.ends.len());
        assert_eq!(self.ends.last().copied().unwrap_or(0), scores.len());
    }

    /// Start and end of each list, its choice if that is known, and what it counts.
    fn each(&self) -> impl Iterator<Item = (usize, usize, Option<usize>, f32)> {
        let share = 1.0 / self.chosen.iter().filter(|&&chosen| chosen >= 0).count().max(1) as f32;
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends).enumerate().map(move |(at, (start, &end))| {
            let weight = self.weights.get(at).copied().unwrap_or(share);
            (start, end, usize::try_from(self.chosen[at]).ok(), weight)
        })
    }
}

/// The mean of `-ln` of what the softmax of its list gives each known choice, or the sum by the lists' weights.
pub fn forward(level: Level, lists: Lists<'_>, scores: &[f32]) -> f32 {
    lists.check(scores);
    simd::run(level, Forward { lists, scores })
}

/// The way back, given the gradient of that.
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
        for (start, end, chosen, weight) in self.lists.each() {
            if let Some(chosen) = chosen {
                let list = &self.scores[start..end];
                let loss = f64::from(logarithm_of_sum::<S>(list)) - f64::from(list[chosen]);
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
        for (start, end, chosen, weight) in self.lists.each() {
            let to = &mut self.to_scores[start..end];
            let Some(chosen) = chosen else {
                to.fill(0.0);
                continue;
            };
            to.copy_from_slice(&self.scores[start..end]);
            softmax::long_row::<S>(to, 1.0, None);
            to[chosen] -= 1.0;
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
        let losses = lists.each().filter_map(|(start, end, chosen, weight)| {
            Some(-Plain::softmax(&scores[start..end]).into_iter().nth(chosen?)?.ln() * f64::from(weight))
        });
        losses.sum::<f64>()
    }

    #[test]
    fn losses_gradients_and_chances_match_plain_ones_at_every_level() {
        // Lists of one, of a whole vector, of more, and one that counts for nothing.
        let (ends, chosen) = ([1, 17, 40, 258, 265], [0, 15, 3, -1, 6]);
        for (scale, weights) in [(1.0f32, &[][..]), (60.0, &[]), (1.0, &[0.5, 0.0, 2.0, 7.0, 0.25])] {
            let lists = Lists { ends: &ends, chosen: &chosen, weights };
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
                for (start, end, ..) in lists.each() {
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
        let lists = Lists { ends: &[20, 40], chosen: &[2, 3], weights: &[] };
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
