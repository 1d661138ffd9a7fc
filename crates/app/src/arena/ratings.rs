//! Ratings of three or more players on one scale, from all their results together.
//!
//! The Bradley-Terry model with Elo's logistic curve, fitted by maximum likelihood; error bars are those of a
//! sandwich estimate whose middle is the spread of the pairs as they were played. For two players both are the
//! same as the plain estimate of `statistics`.

use super::statistics::{PairMoments, QUANTILE_95, Tally, expected_score};

/// A rating with its 95 % error, in Elo around the average of all players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rating {
    pub(crate) elo: f64,
    pub(crate) error: f64,
}

/// What a pairing tells about the difference of two players.
struct Evidence {
    first: usize,
    second: usize,
    moments: PairMoments,
}

/// One natural unit of the logistic curve in Elo.
const ELO_PER_UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Ratings of all players; `None` while some have not been joined by results.
pub(crate) fn ratings(players: usize, pairings: &[(usize, usize)], tallies: &[Tally]) -> Option<Vec<Rating>> {
    let evidence: Vec<Evidence> = pairings
        .iter()
        .zip(tallies)
        .filter_map(|(&(first, second), tally)| Some(Evidence { first, second, moments: moments(tally)? }))
        .collect();
    if !joined(players, &evidence) {
        return None;
    }
    let mut units = vec![0.0; players];
    // Newton's method on a concave function; halved steps keep it from running away at the start.
    for _ in 0..200 {
        let step = multiply(&inverse(information(&evidence, &units)), &gradient(&evidence, &units));
        let longest = step.iter().fold(0.0f64, |longest, part| longest.max(part.abs()));
        let scale = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        units.iter_mut().zip(&step).for_each(|(unit, part)| *unit += scale * part);
        if longest < 1e-10 {
            break;
        }
    }
    let bread = inverse(information(&evidence, &units));
    let variance = |player: usize| -> f64 {
        let of = |e: &Evidence| {
            e.moments.pairs * e.moments.variance * (bread[player][e.first] - bread[player][e.second]).powi(2)
        };
        evidence.iter().map(of).sum()
    };
    let rating = |player: usize| Rating {
        elo: ELO_PER_UNIT * units[player],
        error: QUANTILE_95 * ELO_PER_UNIT * variance(player).sqrt(),
    };
    Some((0..players).map(rating).collect())
}

/// A pairing that one side won or lost throughout counts one drawn pair more, or its difference were infinite.
fn moments(tally: &Tally) -> Option<PairMoments> {
    let mut counts = tally.pairs.map(|count| count as f64);
    let moments = PairMoments::of(&counts)?;
    if moments.mean <= 0.0 || moments.mean >= 1.0 {
        counts[2] += 1.0;
    }
    PairMoments::of(&counts)
}

fn joined(players: usize, evidence: &[Evidence]) -> bool {
    let mut reached = vec![false; players];
    reached[0] = true;
    for _ in 0..players {
        for e in evidence {
            let either = reached[e.first] || reached[e.second];
            (reached[e.first], reached[e.second]) = (either, either);
        }
    }
    reached.into_iter().all(|reached| reached)
}

fn expectation(e: &Evidence, units: &[f64]) -> f64 {
    expected_score(ELO_PER_UNIT * (units[e.first] - units[e.second]))
}

/// Derivative of the log-likelihood (per pair, scores counted per game).
fn gradient(evidence: &[Evidence], units: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; units.len()];
    for e in evidence {
        let surplus = e.moments.pairs * (e.moments.mean - expectation(e, units));
        gradient[e.first] += surplus;
        gradient[e.second] -= surplus;
    }
    gradient
}

/// Its negative second derivative, with the average pinned to zero.
fn information(evidence: &[Evidence], units: &[f64]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![1.0; units.len()]; units.len()];
    for e in evidence {
        let expected = expectation(e, units);
        let weight = e.moments.pairs * expected * (1.0 - expected);
        matrix[e.first][e.first] += weight;
        matrix[e.second][e.second] += weight;
        matrix[e.first][e.second] -= weight;
        matrix[e.second][e.first] -= weight;
    }
    matrix
}

fn multiply(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

/// Gauss and Jordan's, for a symmetric positive definite matrix, which needs no pivoting.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut result: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    for pivot in 0..size {
        let scale = matrix[pivot][pivot];
        for rows in [&mut matrix, &mut result] {
            rows[pivot].iter_mut().for_each(|cell| *cell /= scale);
        }
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot];
            for rows in [&mut matrix, &mut result] {
                let above = rows[pivot].clone();
                rows[row].iter_mut().zip(above).for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(pairs: [u64; 5]) -> Tally {
        Tally { pairs, ..Tally::default() }
    }

    #[test]
    fn two_players_get_the_plain_estimate() {
        let tally = tally([30, 100, 200, 130, 60]);
        let rated = ratings(2, &[(0, 1)], &[tally]).unwrap();
        let plain = tally.estimate();
        assert!((rated[0].elo - rated[1].elo - plain.elo).abs() < 1e-6);
        assert!((2.0 * rated[0].error - plain.error.unwrap()).abs() < 0.01 * plain.error.unwrap());
    }

    #[test]
    fn consistent_results_give_back_the_ratings_they_came_from() {
        // 0.64006 and 0.75975 are the scores of +100 and +200 Elo, in pairs of lost and won games.
        let pairs = |score: f64| tally([(1e6 * (1.0 - score)) as u64, 0, 0, 0, (1e6 * score) as u64]);
        let rated =
            ratings(3, &[(0, 1), (0, 2), (1, 2)], &[pairs(0.640_065), pairs(0.759_747), pairs(0.640_065)])
                .unwrap();
        for (rating, expected) in rated.iter().zip([100.0, 0.0, -100.0]) {
            assert!((rating.elo - expected).abs() < 0.01, "{rated:?}");
        }
    }

    #[test]
    fn a_clean_sweep_stays_finite() {
        let rated = ratings(3, &[(0, 1), (0, 2)], &[tally([0, 0, 0, 0, 9]), tally([9, 0, 0, 0, 0])]).unwrap();
        assert!(rated.iter().all(|rating| rating.elo.is_finite() && rating.error.is_finite()));
        assert!(rated[2].elo > rated[0].elo && rated[0].elo > rated[1].elo);
    }

    #[test]
    fn strangers_cannot_be_compared() {
        assert_eq!(ratings(3, &[(0, 1), (0, 2)], &[tally([1, 2, 3, 2, 1]), tally([0; 5])]), None);
    }
}
