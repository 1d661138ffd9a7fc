//! Temperatures that make chances come true: fitted on games that the network has not learned from.

use data::{Dataset, Policy, Sampler, SamplerOptions, Split};

use super::TrainError;
use crate::{
    WeightFile,
    family::Family,
    loading::mind,
    temperature::{Temperature, at_temperature},
};

/// Ratings at which a temperature is fitted, with the width of the band around each.
const RATINGS: std::ops::RangeInclusive<u16> = 800..=2600;
const STEP: usize = 200;
const BAND: f32 = 150.0;
/// Fewer positions than these in a band tell nothing.
const ENOUGH: usize = 1500;
const RANGE: (f32, f32) = (0.5, 2.0);

/// The chance of what was played, and the chances of all moves, of one position.
struct Case {
    rating: f32,
    played: usize,
    chances: Vec<f32>,
}

/// Fits temperatures by rating on the validation games of `data` and puts them into the file's network. Returns them with
/// the number of positions behind each.
pub(crate) fn fit_temperatures<F: Family>(
    net: &F::Config,
    file: &mut WeightFile,
    data: &Dataset,
    positions: usize,
) -> Result<Vec<(Temperature, usize)>, TrainError> {
    let with = |temperatures: Vec<Temperature>| {
        F::with_temperatures(net, temperatures).ok_or(TrainError::NoTemperatures(F::NAME))
    };
    let brain = mind::<F>(with(Vec::new())?, &file.weights)
        .map_err(|error| TrainError::Weights { path: "the weights".into(), error })?;
    let cases = cases(&brain, data, positions)?;
    let fitted: Vec<_> = RATINGS.step_by(STEP).filter_map(|rating| fit(f32::from(rating), &cases)).collect();
    let net = with(fitted.iter().map(|(temperature, _)| *temperature).collect())?;
    file.card.network = serde_json::to_value(net).expect("plain configuration");
    Ok(fitted)
}

fn cases(
    brain: &std::sync::Arc<dyn chess::Brain>,
    data: &Dataset,
    positions: usize,
) -> Result<Vec<Case>, TrainError> {
    let options =
        SamplerOptions { epochs: 1, ..SamplerOptions::new(Policy::named("online")?, Some(Split::Valid), 0) };
    let mut cases = Vec::new();
    for samples in Sampler::new(data, &options) {
        let samples = samples?;
        let moments: Vec<_> = samples.iter().map(|sample| sample.moment.clone()).collect();
        for (sample, opinion) in samples.iter().zip(brain.judge(&moments, chess::Wants::POLICY)) {
            let turn = sample.moment.turn();
            let rating = sample.moment.players.and_then(|players| players.of(turn));
            let played = sample.moment.legal_moves().iter().position(|&m| m == sample.played);
            if let (Some(rating), Some(played), Some(chances)) = (rating, played, opinion.policy) {
                cases.push(Case { rating: rating.into(), played, chances });
            }
        }
        if cases.len() >= positions {
            break;
        }
    }
    Ok(cases)
}

/// The temperature at which players around a rating surprise least, by golden section.
fn fit(rating: f32, cases: &[Case]) -> Option<(Temperature, usize)> {
    let near: Vec<&Case> = cases.iter().filter(|case| (case.rating - rating).abs() <= BAND).collect();
    if near.len() < ENOUGH {
        return None;
    }
    let surprise = |temperature: f32| -> f64 {
        near.iter()
            .map(|case| f64::from(-at_temperature(&case.chances, temperature)[case.played].max(1e-9).ln()))
            .sum()
    };
    let golden = (5f32.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = RANGE;
    for _ in 0..12 {
        let width = golden * (high - low);
        match surprise(high - width) < surprise(low + width) {
            true => high = low + width,
            false => low = high - width,
        }
    }
    Some((Temperature { rating, value: (low + high) / 2.0 }, near.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temperature_of_too_sure_chances_is_found() {
        // Chances of 0.9 that come true seven times in ten: 0.9^(1/T) against 0.1^(1/T) is 7 to 3 at T = ln 9 / ln (7/3).
        let case = |played| Case { rating: 1500.0, played, chances: vec![0.9, 0.1] };
        let cases: Vec<Case> = (0..2000).map(|i| case(usize::from(i % 10 >= 7))).collect();
        let (found, count) = fit(1500.0, &cases).expect("enough cases");
        let expected = 9f32.ln() / (7.0f32 / 3.0).ln();
        assert!((found.value - expected.min(RANGE.1)).abs() < 0.02, "{} {expected}", found.value);
        assert_eq!(count, 2000);
        assert!(fit(2000.0, &cases).is_none(), "nobody near");
    }
}
