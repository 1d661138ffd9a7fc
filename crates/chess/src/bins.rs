//! Bins for the scores of moves: a rough order of what to look at first that costs nothing to keep.
//!
//! What stands out, for good or bad, goes first: a move's bin is the share of ordinary moves whose score lies
//! nearer to the mean than its own. A network carries the bins of its scores in its weight file.

use serde::{Deserialize, Serialize};

/// Percentiles of how far scores lie from their mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// Mean of the scores.
    pub shift: f32,
    /// Rising percentiles of `|score - shift|`.
    pub edges: Vec<f32>,
}

impl Bins {
    /// At most `count` bins of equal weight for moves whose scores look like `sample`.
    pub fn of(sample: &[f32], count: usize) -> Bins {
        let sound: Vec<f32> = sample.iter().copied().filter(|score| score.is_finite()).collect();
        if sound.is_empty() {
            return Bins { shift: 0.0, edges: Vec::new() };
        }
        let shift = (sound.iter().map(|&score| f64::from(score)).sum::<f64>() / sound.len() as f64) as f32;
        let mut distances: Vec<f32> = sound.iter().map(|score| (score - shift).abs()).collect();
        distances.sort_by(f32::total_cmp);
        let edge = |bin: usize| distances[bin * (distances.len() - 1) / count.max(1)];
        let mut edges: Vec<f32> = (1..=count).map(edge).collect();
        edges.dedup();
        Bins { shift, edges }
    }

    /// Number of bins.
    pub fn count(&self) -> usize {
        self.edges.len() + 1
    }

    /// The bin of a score: the last holds those that stand out most.
    pub fn place(&self, score: f32) -> usize {
        let distance = (score - self.shift).abs();
        self.edges.partition_point(|&edge| edge <= distance)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_stands_out_more_never_lies_lower(
            sample in proptest::collection::vec(-9.0f32..9.0, 0..200),
            count in 0usize..300,
            (a, b) in (-20.0f32..20.0, -20.0f32..20.0),
        ) {
            let bins = Bins::of(&sample, count);
            prop_assert!(bins.edges.is_sorted() && bins.place(a) < bins.count());
            if (a - bins.shift).abs() <= (b - bins.shift).abs() {
                prop_assert!(bins.place(a) <= bins.place(b));
            }
        }
    }

    #[test]
    fn bins_hold_equal_shares_of_the_sample() {
        let sample: Vec<f32> = (-500..=500).map(|score| score as f32 + 3.0).collect();
        let bins = Bins::of(&sample, 10);
        assert_eq!(bins.shift, 3.0);
        let mut shares = vec![0; bins.count()];
        sample.iter().for_each(|&score| shares[bins.place(score)] += 1);
        assert!(shares[..10].iter().all(|share| (95..=105).contains(share)), "{shares:?}");
    }
}
