//! Temperatures that make chances come true: fitted on games that the network has not learned from.

use data::{Dataset, Policy, Sampler, SamplerOptions, Split};

use crate::{
    NetConfig, TrainError, WeightError, WeightFile,
    family::build,
    human::{HumanConfig, Temperature},
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
pub fn calibrate(
    file: &mut WeightFile,
    data: &Dataset,
    positions: usize,
) -> Result<Vec<(Temperature, usize)>, TrainError> {
    let wrong = |error| TrainError::Weights { path: "the weights".into(), error };
    let config = NetConfig::parse(&file.card.family, &file.card.network)
        .map_err(|error| wrong(WeightError::Network(error.to_string())))?;
    let mut config = match config {
        NetConfig::Human(config) => config,
        NetConfig::Ranker(_) => return Err(TrainError::NoTemperatures(file.card.family.clone())),
    };
    config.temperatures.clear();
    let json = |config: &HumanConfig| serde_json::to_value(config).expect("plain configuration");
    file.card.network = json(&config);
    let cases = cases(&build(file.clone()).map_err(wrong)?, data, positions)?;
    let fitted: Vec<_> = RATINGS.step_by(STEP).filter_map(|rating| fit(f32::from(rating), &cases)).collect();
    config.temperatures = fitted.iter().map(|(temperature, _)| *temperature).collect();
    file.card.network = json(&config);
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
        for (sample, opinion) in samples.iter().zip(brain.judge(&moments)) {
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

/// Chances at another temperature: above 1 they are more even.
pub(crate) fn at_temperature(chances: &[f32], temperature: f32) -> Vec<f32> {
    let raised: Vec<f32> = chances.iter().map(|chance| chance.powf(1.0 / temperature)).collect();
    let sum: f32 = raised.iter().sum();
    raised.iter().map(|chance| chance / sum).collect()
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

    #[test]
    fn chances_stay_chances() {
        let tempered = at_temperature(&[0.7, 0.2, 0.1], 1.7);
        assert!((tempered.iter().sum::<f32>() - 1.0).abs() < 1e-6 && tempered.is_sorted_by(|a, b| a > b));
        assert!(tempered[0] < 0.7 && tempered[2] > 0.1);
    }
}
