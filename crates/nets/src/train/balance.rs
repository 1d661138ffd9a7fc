//! Shifts that make the expectations of both sides add up: fitted on positions of validation games, as players of every rating and speed
//! would see them. Nobody's result is asked for, so whoever plays most games decides nothing.

use chess::{Brain, Clocks, Moment, Ratings, Wants, Wdl, shakmaty::Position};
use data::{Dataset, Policy, Sampler, SamplerOptions, Speed, Split};

use super::TrainError;
use crate::{
    WeightFile,
    balance::{Shift, shifted},
    family::Family,
    loading::mind,
};

const RATINGS: std::ops::RangeInclusive<u16> = 600..=2600;
const STEP: usize = 200;
/// Controls that stand for their speeds; nothing for games without clocks.
const CONTROLS: [(Speed, Option<(u32, u32)>); 5] = [
    (Speed::Other, None),
    (Speed::Bullet, Some((60, 1))),
    (Speed::Blitz, Some((180, 2))),
    (Speed::Rapid, Some((600, 0))),
    (Speed::Classical, Some((1800, 20))),
];
/// Positions of openings and middlegames.
const LAST_PLY: u16 = 60;
/// Plies in which a player uses up his base time.
const LONGEST: f32 = 120.0;
const WIDEST: f32 = 3.0;

/// A position before and after the move that was played in it.
type Pair = (Moment, Moment);

/// Fits shifts by speed and rating on `positions` positions of the validation games of `data` and puts them into the file's network.
pub(crate) fn fit_balance<F: Family>(
    net: &F::Config,
    file: &mut WeightFile,
    data: &Dataset,
    positions: usize,
) -> Result<Vec<Shift>, TrainError> {
    let with = |shifts: Vec<Shift>| F::with_balance(net, shifts).ok_or(TrainError::NoBalance(F::NAME));
    let brain = mind::<F>(with(Vec::new())?, &file.weights)
        .map_err(|error| TrainError::Weights { path: "the weights".into(), error })?;
    let pairs = pairs(data, positions)?;
    let points =
        CONTROLS.into_iter().flat_map(|control| RATINGS.step_by(STEP).map(move |rating| (control, rating)));
    let fitted: Vec<Shift> = points
        .map(|((speed, control), rating)| {
            let outcomes = outcomes(brain.as_ref(), &pairs, rating, control);
            Shift { speed, rating: rating.into(), value: fit(&outcomes) }
        })
        .collect();
    let net = with(fitted.clone())?;
    file.card.network = serde_json::to_value(net).expect("plain configuration");
    Ok(fitted)
}

fn pairs(data: &Dataset, positions: usize) -> Result<Vec<Pair>, TrainError> {
    let policy = Policy::named("online")?;
    let options = SamplerOptions { epochs: 1, ..SamplerOptions::new(policy, Some(Split::Valid), 0) };
    let mut pairs: Vec<Pair> = Vec::new();
    for samples in Sampler::new(data, &options) {
        pairs.extend(samples?.into_iter().filter(|sample| sample.ply < LAST_PLY).filter_map(|sample| {
            let mut after = sample.moment.clone();
            after.play(sample.played);
            (!after.legal_moves().is_empty()).then_some((sample.moment, after))
        }));
        if pairs.len() >= positions {
            pairs.truncate(positions);
            break;
        }
    }
    Ok(pairs)
}

/// What equals of a rating expect in each position, before the move and after it.
fn outcomes(brain: &dyn Brain, pairs: &[Pair], rating: u16, control: Option<(u32, u32)>) -> Vec<[Wdl; 2]> {
    let seen = |moment: &Moment| {
        let ply = 2 * (moment.position.fullmoves().get() - 1);
        let clocks = control.map(|(base_s, increment_s)| {
            let left = 1.0 - (ply as f32 / LONGEST).min(0.8);
            let start = Clocks::start(base_s, increment_s);
            Clocks { left_cs: start.left_cs.map(|cs| (left * cs as f32) as u32), ..start }
        });
        Moment { players: Some(Ratings::lichess(Some(rating), Some(rating))), clocks, ..moment.clone() }
    };
    let judged = |moments: Vec<Moment>| {
        let opinions = brain.judge(&moments, Wants::VALUE);
        opinions.into_iter().map(|opinion| opinion.wdl.expect("a mind with a value")).collect::<Vec<Wdl>>()
    };
    let before = judged(pairs.iter().map(|(before, _)| seen(before)).collect());
    let after = judged(pairs.iter().map(|(_, after)| seen(after)).collect());
    before.into_iter().zip(after).map(|(before, after)| [before, after]).collect()
}

/// The shift at which both sides together expect one point in the mean, by bisection.
fn fit(outcomes: &[[Wdl; 2]]) -> f32 {
    if outcomes.is_empty() {
        return 0.0;
    }
    let excess = |shift: f32| -> f64 {
        let sum = |pair: &[Wdl; 2]| -> f64 {
            pair.iter().map(|&wdl| f64::from(shifted(wdl, shift).expectation())).sum::<f64>() - 1.0
        };
        outcomes.iter().map(sum).sum()
    };
    let (mut low, mut high) = (-WIDEST, WIDEST);
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        match excess(middle) < 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pessimists_are_shifted_until_they_add_up() {
        let outcomes: Vec<[Wdl; 2]> = (1..20)
            .map(|n| {
                let win = 0.04 * n as f32;
                let fair = Wdl::from_weights(win, 0.1, 0.9 - win);
                [shifted(fair, -0.7), shifted(fair.flipped(), -0.7)]
            })
            .collect();
        assert!((fit(&outcomes) - 0.7).abs() < 1e-3, "{}", fit(&outcomes));
        assert_eq!(fit(&[]), 0.0);
    }
}
