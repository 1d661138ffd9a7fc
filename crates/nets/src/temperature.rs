//! Temperatures of a policy by rating: what the logarithms of chances are divided by.

use serde::{Deserialize, Serialize};

/// A point of the line on which temperatures lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Temperature {
    pub rating: f32,
    pub value: f32,
}

/// The temperature for a player of this rating, on the line through `points`, which are in order; flat beyond the first and the last.
pub(crate) fn temperature(points: &[Temperature], rating: Option<u16>) -> f32 {
    const TYPICAL: u16 = 1500;
    let rating = f32::from(rating.unwrap_or(TYPICAL));
    let after = points.partition_point(|point| point.rating <= rating);
    match (points[..after].last(), points.get(after)) {
        (None, None) => 1.0,
        (Some(only), None) | (None, Some(only)) => only.value,
        (Some(low), Some(high)) => {
            let share = (rating - low.rating) / (high.rating - low.rating);
            low.value + share * (high.value - low.value)
        }
    }
}

/// Whether points can be used: in order of rating, with values above 0.
pub(crate) fn check(points: &[Temperature]) -> Result<(), String> {
    if !points.is_sorted_by(|a, b| a.rating < b.rating) {
        return Err("the temperatures are not in order of rating".to_owned());
    }
    match points
        .iter()
        .find(|point| !(point.value.is_finite() && point.value > 0.0 && point.rating.is_finite()))
    {
        Some(point) => Err(format!("the temperature at {} is {}", point.rating, point.value)),
        None => Ok(()),
    }
}

/// Chances at another temperature: above 1 they are more even.
pub(crate) fn at_temperature(chances: &[f32], temperature: f32) -> Vec<f32> {
    let raised: Vec<f32> = chances.iter().map(|chance| chance.powf(1.0 / temperature)).collect();
    let sum: f32 = raised.iter().sum();
    raised.iter().map(|chance| chance / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(rating: f32, value: f32) -> Temperature {
        Temperature { rating, value }
    }

    #[test]
    fn temperatures_lie_on_a_line_through_their_points() {
        let points = [point(1000.0, 1.2), point(2000.0, 0.8)];
        for (rating, expected) in
            [(600, 1.2), (1000, 1.2), (1500, 1.0), (1750, 0.9), (2000, 0.8), (2800, 0.8)]
        {
            assert!((temperature(&points, Some(rating)) - expected).abs() < 1e-6, "{rating}");
        }
        assert_eq!(temperature(&[], Some(1500)), 1.0);
        assert!((temperature(&points, None) - 1.0).abs() < 1e-6, "unknown players are typical");
    }

    #[test]
    fn chances_stay_chances() {
        let tempered = at_temperature(&[0.7, 0.2, 0.1], 1.7);
        assert!((tempered.iter().sum::<f32>() - 1.0).abs() < 1e-6 && tempered.is_sorted_by(|a, b| a > b));
        assert!(tempered[0] < 0.7 && tempered[2] > 0.1);
    }

    #[test]
    fn points_out_of_order_or_without_sense_are_refused() {
        assert!(check(&[point(1000.0, 1.0), point(1200.0, 0.9)]).is_ok());
        for points in [[point(1200.0, 1.0), point(1000.0, 0.9)], [point(1.0, 0.0), point(2.0, 1.0)]] {
            assert!(check(&points).is_err(), "{points:?}");
        }
    }
}
