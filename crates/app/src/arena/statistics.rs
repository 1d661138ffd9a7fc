//! What results say about strength: scores, Elo differences with error bars, likelihood of superiority.
//!
//! The unit of evidence is the pair: two games from one opening with colours reversed. Their results hang
//! together, so that error bars from single games would be wrong (mostly too wide). `docs/arena.md` has the
//! formulas.

/// Two-sided 95 % quantile of the normal distribution.
pub(crate) const QUANTILE_95: f64 = 1.959_963_985;

/// Results between two players, seen by the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    /// Finished pairs by their half points, 0 to 4.
    pub(crate) pairs: [u64; 5],
}

/// An Elo difference as results show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// Infinite if all was won or lost.
    pub(crate) elo: f64,
    /// Half the width of the 95 % interval; `None` where the results cannot tell.
    pub(crate) error: Option<f64>,
    /// Likelihood of superiority: the chance that the first player is the stronger one.
    pub(crate) los: f64,
}

/// The logistic model: the expected score of a player who is `elo` stronger.
pub(crate) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The inverse of [`expected_score`].
pub(crate) fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Chance that a standard normal variable is below `z`.
pub(crate) fn normal_below(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// How many Elo one unit of score is worth at `score`.
fn elo_per_score(score: f64) -> f64 {
    400.0 / std::f64::consts::LN_10 / (score * (1.0 - score))
}

impl Tally {
    pub(crate) fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, over all games; a half if there are none.
    pub(crate) fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + 0.5 * self.draws as f64) / games as f64,
        }
    }

    /// Adds one game by its half points for the first player.
    pub(crate) fn add_game(&mut self, half_points: usize) {
        *[&mut self.losses, &mut self.draws, &mut self.wins][half_points] += 1;
    }

    /// The same results seen by the second player.
    #[must_use]
    pub(crate) fn swapped(mut self) -> Tally {
        std::mem::swap(&mut self.wins, &mut self.losses);
        self.pairs.reverse();
        self
    }

    /// From decided games as if they were independent, for when pairs do not tell: too few, or all alike.
    fn los_of_games(&self) -> f64 {
        let decided = (self.wins + self.losses) as f64;
        if decided == 0.0 {
            0.5
        } else {
            normal_below((self.wins as f64 - self.losses as f64) / decided.sqrt())
        }
    }

    pub(crate) fn estimate(&self) -> Estimate {
        let Some(moments) = PairMoments::of(&self.pairs.map(|count| count as f64)) else {
            return Estimate { elo: elo_of_score(self.score()), error: None, los: self.los_of_games() };
        };
        let elo = elo_of_score(moments.mean);
        let deviation = moments.deviation_of_mean();
        let los = deviation
            .map_or_else(|| self.los_of_games(), |deviation| normal_below((moments.mean - 0.5) / deviation));
        let error = deviation.map(|deviation| QUANTILE_95 * deviation * elo_per_score(moments.mean));
        Estimate { elo, error, los }
    }
}

/// Mean and variance of the score of a pair, per game: 0, 1/4, .. 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairMoments {
    pub(crate) pairs: f64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl PairMoments {
    /// `None` without pairs. Counts may be fractions.
    pub(crate) fn of(counts: &[f64; 5]) -> Option<PairMoments> {
        let pairs: f64 = counts.iter().sum();
        let average = |of: &dyn Fn(f64) -> f64| {
            counts
                .iter()
                .enumerate()
                .map(|(half_points, count)| count * of(half_points as f64 / 4.0))
                .sum::<f64>()
                / pairs
        };
        let mean = average(&|score| score);
        let variance = average(&|score| (score - mean).powi(2));
        (pairs > 0.0).then_some(PairMoments { pairs, mean, variance })
    }

    /// Standard deviation of the mean; `None` for fewer than two pairs, or pairs that are all alike.
    pub(crate) fn deviation_of_mean(&self) -> Option<f64> {
        let known = self.pairs >= 2.0 && self.variance > 0.0;
        known.then(|| (self.variance / (self.pairs - 1.0)).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::data::Random;

    #[test]
    fn elo_of_known_scores() {
        for (score, elo) in [(0.5, 0.0), (0.6, 70.4365), (0.75, 190.8485), (0.9, 381.697), (0.25, -190.8485)]
        {
            assert!((elo_of_score(score) - elo).abs() < 1e-3, "{score}");
            assert!((expected_score(elo) - score).abs() < 1e-5, "{elo}");
        }
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        for (z, below) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.0, 0.158_655_3), (QUANTILE_95, 0.975)] {
            assert!((normal_below(z) - below).abs() < 1e-7, "{z}");
        }
    }

    #[test]
    fn a_tally_worked_out_by_hand() {
        // Scores of 1/4, 1/2, 3/4 and 1: mean 5/8, variance (9 + 1 + 1 + 9) / 64 / 4.
        let tally = Tally { wins: 4, draws: 2, losses: 2, pairs: [0, 1, 1, 1, 1] };
        let moments = PairMoments::of(&tally.pairs.map(|count| count as f64)).unwrap();
        assert_eq!(moments.mean, 0.625);
        assert!((moments.variance - 5.0 / 64.0).abs() < 1e-12);
        let estimate = tally.estimate();
        assert!((estimate.elo - 88.739).abs() < 1e-3);
        // z = 0.125 / sqrt(5/64/3) = 0.7746
        assert!((estimate.los - 0.7807).abs() < 1e-4, "{}", estimate.los);
        assert!((estimate.error.unwrap() - QUANTILE_95 * (5.0f64 / 192.0).sqrt() * 741.22).abs() < 0.01);
    }

    #[test]
    fn the_second_player_sees_the_mirror() {
        let tally = Tally { wins: 40, draws: 30, losses: 30, pairs: [4, 10, 15, 12, 9] };
        let (ours, theirs) = (tally.estimate(), tally.swapped().estimate());
        assert!((ours.elo + theirs.elo).abs() < 1e-9);
        assert!((ours.los + theirs.los - 1.0).abs() < 1e-12);
        assert!((ours.error.unwrap() - theirs.error.unwrap()).abs() < 1e-9);
    }

    #[test]
    fn the_error_bars_hold_the_truth_as_often_as_they_say() {
        let chances = [2, 5, 9, 8, 3]; // of 27, from the first player's losing both to winning both
        let sum: usize = chances.iter().sum();
        let truth = elo_of_score(
            chances.iter().enumerate().map(|(at, chance)| at * chance).sum::<usize>() as f64
                / (4 * sum) as f64,
        );
        let mut seeded = Random::new(17);
        let held = (0..2000).filter(|_| {
            let mut tally = Tally::default();
            for _ in 0..200 {
                let mut drawn = seeded.below(sum);
                let at = chances.iter().position(|&chance| {
                    let here = drawn < chance;
                    drawn = drawn.wrapping_sub(chance);
                    here
                });
                tally.pairs[at.unwrap()] += 1;
            }
            let Estimate { elo, error, .. } = tally.estimate();
            (elo - truth).abs() <= error.unwrap()
        });
        let share = held.count() as f64 / 2000.0;
        assert!((0.935..0.965).contains(&share), "{share}");
    }

    #[test]
    fn too_little_evidence_has_no_error_bar() {
        assert_eq!(Tally::default().estimate(), Estimate { elo: 0.0, error: None, los: 0.5 });
        let one_pair = Tally { wins: 2, pairs: [0, 0, 0, 0, 1], ..Tally::default() };
        assert_eq!(one_pair.estimate().error, None);
    }

    #[test]
    fn superiority_of_known_results() {
        // erf((W - L) / sqrt(2 (W + L))) / 2 + 1/2 for results that are not paired.
        for (wins, losses, los) in [(0, 0, 0.5), (10, 10, 0.5), (9, 0, 0.998_650), (20, 16, 0.747_508)] {
            let tally = Tally { wins, losses, draws: 7, ..Tally::default() };
            assert!((tally.estimate().los - los).abs() < 1e-6, "{wins} {losses} {}", tally.estimate().los);
        }
    }
}
