//! The sequential probability ratio test on pairs: stop a match as soon as it has told enough.
//!
//! The generalised test (GSPRT) under the logistic Elo model: the distribution of pair results is whatever
//! the data say, restricted to the mean that each hypothesis asks for.

use std::str::FromStr;

use anyhow::{Context, ensure};

use super::statistics::expected_score;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sprt {
    /// H0: the first player is no more than `elo0` stronger.
    pub(crate) elo0: f64,
    /// H1: it is at least `elo1` stronger.
    pub(crate) elo1: f64,
    /// Chance of accepting H1 when H0 holds.
    pub(crate) alpha: f64,
    /// Chance of accepting H0 when H1 holds.
    pub(crate) beta: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    H0,
    H1,
    Undecided,
}

/// Added to every kind of pair, so that kinds not seen yet are rare but not impossible.
const PRIOR: f64 = 1e-3;

impl Sprt {
    /// Below the first H0 is accepted, above the second H1.
    pub(crate) fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Logarithm of the likelihood ratio of H1 to H0, given pairs by half points of the first player.
    pub(crate) fn llr(&self, pairs: &[u64; 5]) -> f64 {
        if pairs.iter().sum::<u64>() == 0 {
            return 0.0;
        }
        let counts = pairs.map(|count| count as f64 + PRIOR);
        let (score0, score1) = (expected_score(self.elo0), expected_score(self.elo1));
        let (tilt0, tilt1) = (tilt(&counts, score0), tilt(&counts, score1));
        let terms = counts.iter().zip(SCORES);
        terms
            .map(|(count, score)| {
                count * ((1.0 + tilt0 * (score - score0)) / (1.0 + tilt1 * (score - score1))).ln()
            })
            .sum()
    }

    pub(crate) fn verdict(&self, pairs: &[u64; 5]) -> Verdict {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= upper => Verdict::H1,
            llr if llr <= lower => Verdict::H0,
            _ => Verdict::Undecided,
        }
    }
}

const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The most likely distribution with the given mean has chances in proportion to
/// `count / (1 + tilt * (score - mean))`. The tilt is the root of a decreasing function, found by halving.
fn tilt(counts: &[f64; 5], mean: f64) -> f64 {
    let pull = |tilt: f64| -> f64 {
        counts
            .iter()
            .zip(SCORES)
            .map(|(count, score)| count * (score - mean) / (1.0 + tilt * (score - mean)))
            .sum()
    };
    // Beyond these some chance would be negative.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if pull(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

impl FromStr for Sprt {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Sprt> {
        let wrong = || format!("`{text}` is not ELO0,ELO1[,ALPHA,BETA] such as 0,5 or 0,5,0.05,0.05");
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let (elo0, elo1, alpha, beta) = match *numbers.with_context(wrong)?.as_slice() {
            [elo0, elo1] => (elo0, elo1, 0.05, 0.05),
            [elo0, elo1, alpha, beta] => (elo0, elo1, alpha, beta),
            _ => anyhow::bail!(wrong()),
        };
        let chance = |value: f64| value > 0.0 && value < 0.5;
        ensure!(
            elo0 < elo1 && elo0.abs() <= 1000.0 && elo1.abs() <= 1000.0,
            "in `{text}` ELO0 is not below ELO1"
        );
        ensure!(chance(alpha) && chance(beta), "in `{text}` ALPHA and BETA must lie between 0 and 0.5");
        Ok(Sprt { elo0, elo1, alpha, beta })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::data::Random;

    use crate::arena::statistics::PairMoments;

    fn sprt(text: &str) -> Sprt {
        text.parse().unwrap()
    }

    #[test]
    fn the_bounds_are_walds() {
        let (lower, upper) = sprt("0,5").bounds();
        assert!((upper - 2.944_439).abs() < 1e-6 && (lower + 2.944_439).abs() < 1e-6);
    }

    #[test]
    fn the_ratio_agrees_with_its_normal_approximation_near_the_middle() {
        // LLR = N (s1 - s0) (2 mean - s0 - s1) / (2 variance), good while all three means are close.
        for pairs in [[150, 2000, 5600, 2100, 150], [100, 900, 2000, 1000, 120], [2000, 100, 3000, 100, 2050]]
        {
            let test = sprt("0,4");
            let moments = PairMoments::of(&pairs.map(|count| count as f64)).unwrap();
            let (s0, s1) = (expected_score(0.0), expected_score(4.0));
            let normal =
                moments.pairs * (s1 - s0) * (2.0 * moments.mean - s0 - s1) / (2.0 * moments.variance);
            let llr = test.llr(&pairs);
            assert!((llr - normal).abs() < 0.02 * normal.abs().max(1.0), "{llr} {normal}");
        }
    }

    #[test]
    fn with_two_kinds_of_pairs_the_ratio_is_the_binomial_one() {
        // Only lost and won pairs: the restricted distributions are binomial, and the ratio is exact.
        let (lost, won) = (400u64, 500u64);
        let test = sprt("0,40");
        let (s0, s1) = (expected_score(0.0), expected_score(40.0));
        let exact = won as f64 * (s1 / s0).ln() + lost as f64 * ((1.0 - s1) / (1.0 - s0)).ln();
        assert!((test.llr(&[lost, 0, 0, 0, won]) - exact).abs() < 0.02, "{exact}");
    }

    #[test]
    fn wrong_verdicts_are_as_rare_as_promised() {
        // Under H0 the first player is exactly level: six of twenty pairs lost by a point, six won by one.
        let test = sprt("0,60");
        let mut seeded = Random::new(5);
        let mut accepted = 0;
        for _ in 0..1000 {
            let mut pairs = [0u64; 5];
            loop {
                pairs[[0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4][seeded.below(20)]] += 1;
                match test.verdict(&pairs) {
                    Verdict::Undecided => {}
                    verdict => break accepted += usize::from(verdict == Verdict::H1),
                }
            }
        }
        assert!((10..=75).contains(&accepted), "{accepted} of 1000");
    }

    #[test]
    fn nothing_played_says_nothing() {
        assert_eq!(sprt("0,5").llr(&[0; 5]), 0.0);
        assert_eq!(sprt("0,5").verdict(&[0; 5]), Verdict::Undecided);
        for text in ["", "5", "5,0", "0,5,1,1", "a,b", "0,5,0.05", "0,0", "nan,5"] {
            assert!(text.parse::<Sprt>().is_err(), "{text}");
        }
    }
}
