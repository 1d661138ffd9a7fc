//! How outputs that are known in order only become odds.

use chess::{Evaluation, LOG_ODDS_PER_CENTIPAWN};

/// The factor by which outputs are nearest to the odds of their values (see [`Evaluation`]), by squares of expected scores. Values that are
/// no number are left out.
pub(crate) fn odds(outputs: &[f32], targets: &[f32]) -> f32 {
    let expected = |value: f32| match value.abs() > f32::from(Evaluation::MAX_CENTIPAWNS) {
        true => f32::from(u8::from(value > 0.0)),
        false => 1.0 / (1.0 + (-LOG_ODDS_PER_CENTIPAWN * value).exp()),
    };
    let known: Vec<(f32, f32)> = outputs
        .iter()
        .zip(targets)
        .filter(|(_, target)| !target.is_nan())
        .map(|(&o, &t)| (o, expected(t)))
        .collect();
    let error = |factor: f32| -> f64 {
        let one = |&(output, expected): &(f32, f32)| {
            f64::from(1.0 / (1.0 + (-factor * output).exp()) - expected).powi(2)
        };
        known.iter().map(one).sum()
    };
    // From a twentieth to twenty, in steps of five percent.
    let factors = (-60..=60).map(|step| 1.05f32.powi(step));
    factors.min_by(|a, b| error(*a).total_cmp(&error(*b))).expect("some factors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_found() {
        let targets: Vec<f32> = (-600..600).map(|n| n as f32).collect();
        let outputs: Vec<f32> = targets.iter().map(|target| target * LOG_ODDS_PER_CENTIPAWN / 2.5).collect();
        assert!((odds(&outputs, &targets) - 2.5).abs() < 0.1);
    }
}
