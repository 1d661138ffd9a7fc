//! What a mind's expectations lack so that those of both sides add up: shifts of the odds of the side to move, by speed and rating.

use chess::{Moment, Wdl};
use data::{Speed, TimeControl};
use serde::{Deserialize, Serialize};

/// A point of the line on which shifts lie at one speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Shift {
    /// `other` without clocks.
    pub speed: Speed,
    pub rating: f32,
    /// What the logarithm of the odds of a win gains and that of a loss loses.
    pub value: f32,
}

/// The shift at a moment: on the line through the points of its speed, which are in order of rating; flat beyond the first and the last.
pub(crate) fn shift(points: &[Shift], moment: &Moment) -> f32 {
    const TYPICAL: u16 = 1500;
    let (speed, turn) = (speed(moment), moment.turn());
    let rating = moment.players.and_then(|players| players.of(turn).or(players.of(!turn)));
    let rating = f32::from(rating.unwrap_or(TYPICAL));
    let own = || points.iter().filter(|point| point.speed == speed);
    match (own().rfind(|point| point.rating <= rating), own().find(|point| point.rating > rating)) {
        (None, None) => 0.0,
        (Some(only), None) | (None, Some(only)) => only.value,
        (Some(low), Some(high)) => {
            let share = (rating - low.rating) / (high.rating - low.rating);
            low.value + share * (high.value - low.value)
        }
    }
}

/// By base time and increment; of a base that is unknown, by the time that is left.
fn speed(moment: &Moment) -> Speed {
    Speed::of(moment.clocks.map(|clocks| {
        let us = moment.turn();
        let base_cs = clocks.base_cs.unwrap_or(*clocks.left_cs.get(us));
        TimeControl { base_s: base_cs / 100, increment_s: clocks.increment_cs.get(us) / 100 }
    }))
}

pub(crate) fn shifted(wdl: Wdl, shift: f32) -> Wdl {
    match shift {
        0.0 => wdl,
        _ => Wdl::from_weights(wdl.win() * shift.exp(), wdl.draw(), wdl.loss() * (-shift).exp()),
    }
}

/// Whether points can be used: in order of rating at each speed, with values that chances survive.
pub(crate) fn check(points: &[Shift]) -> Result<(), String> {
    for speed in Speed::ALL {
        let own: Vec<&Shift> = points.iter().filter(|point| point.speed == speed).collect();
        if !own.is_sorted_by(|a, b| a.rating < b.rating) {
            return Err(format!("the shifts for {} are not in order of rating", speed.name()));
        }
    }
    let wild = |point: &&Shift| point.value.is_nan() || point.value.abs() > 4.0 || !point.rating.is_finite();
    match points.iter().find(wild) {
        Some(point) => Err(format!("the shift at {} is {}", point.rating, point.value)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use chess::{Clocks, Ratings};

    use super::*;

    fn point(speed: Speed, rating: f32, value: f32) -> Shift {
        Shift { speed, rating, value }
    }

    #[test]
    fn shifts_lie_on_the_line_of_their_speed() {
        let points = [
            point(Speed::Other, 1000.0, 0.2),
            point(Speed::Blitz, 1000.0, 0.4),
            point(Speed::Other, 2000.0, 0.6),
            point(Speed::Blitz, 2000.0, 0.0),
        ];
        assert_eq!(check(&points), Ok(()));
        let at = |rating, clocks| {
            shift(
                &points,
                &Moment { players: Some(Ratings::lichess(Some(rating), None)), clocks, ..Moment::default() },
            )
        };
        let blitz = Some(Clocks::start(180, 2));
        for (rating, clocks, expected) in [
            (1500, None, 0.4),
            (2600, None, 0.6),
            (1250, blitz, 0.3),
            (400, blitz, 0.4),
            (1500, Some(Clocks::start(60, 0)), 0.0),
        ] {
            assert!((at(rating, clocks) - expected).abs() < 1e-6, "{rating} {clocks:?}");
        }
    }

    #[test]
    fn a_shift_moves_chances_to_the_mover_and_keeps_them_chances() {
        let before = Wdl::from_weights(0.3, 0.1, 0.6);
        let after = shifted(before, 0.5);
        assert!(after.win() > before.win() && after.loss() < before.loss());
        assert!((after.win() + after.draw() + after.loss() - 1.0).abs() < 1e-6);
        assert_eq!(shifted(before, 0.0), before);
    }

    #[test]
    fn points_out_of_order_or_without_sense_are_refused() {
        let blitz = |rating, value| point(Speed::Blitz, rating, value);
        for points in [[blitz(1200.0, 0.0), blitz(1000.0, 0.0)], [blitz(1.0, f32::NAN), blitz(2.0, 0.0)]] {
            assert!(check(&points).is_err(), "{points:?}");
        }
    }
}
