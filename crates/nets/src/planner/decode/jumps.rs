//! Sampling of the flow by Euler steps: each variable jumps from the source to a value by the velocity of the path, all in parallel; the
//! corrector lets some jump back to noise, and so many more forward, so that early errors can be mended.

use data::Random;

use super::{
    super::{
        PlannerConfig, Source,
        future::{Layout, MASKED},
        noise::any,
    },
    guess::Guess,
};

/// One step from time `step / steps` (from 0). The first action is not touched.
pub(super) fn jump(
    config: &PlannerConfig,
    layout: Layout,
    (step, steps): (usize, usize),
    guesses: &[(usize, Guess)],
    (values, sure): (&mut [i32], &mut [f32]),
    random: &mut Random,
) {
    let last = step + 1 == steps;
    let kappa = |step: usize| (step as f32 / steps as f32).powf(config.kappa);
    let (now, then) = (kappa(step), kappa(step + 1));
    // No more jump back than can jump forward in the same step.
    let back = (config.corrector / steps as f32).min((1.0 - then) / now.max(1e-6));
    // The exact share of a step along the path, and what makes up for jumps back.
    let ahead = (then - now + back * now) / (1.0 - now);
    for at in 1..values.len() {
        let clean = config.source == Source::Uniform || values[at] != MASKED;
        if clean && random.chance(back.into()) {
            (values[at], sure[at]) = match config.source {
                Source::Masked => (MASKED, 0.0),
                Source::Uniform => (any(layout, at, random), 0.0),
            };
        }
    }
    for &(at, guess) in guesses {
        if last || random.chance(ahead.into()) {
            (values[at], sure[at]) = (guess.value, guess.sure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout =
        Layout { horizon: 8, states: true, form: super::super::super::future::Form::Changes };

    /// Shares of variables that are shown after each of ten steps.
    fn shares(config: &PlannerConfig) -> Vec<f32> {
        let mut random = Random::new(3);
        let (mut values, mut sure) = (vec![MASKED; LAYOUT.len()], vec![0.0; LAYOUT.len()]);
        let step = |step| {
            let hidden: Vec<usize> = (1..values.len()).filter(|&at| values[at] == MASKED).collect();
            let guesses: Vec<_> = hidden.into_iter().map(|at| (at, Guess { value: 1, sure: 0.5 })).collect();
            jump(config, LAYOUT, (step, 10), &guesses, (&mut values, &mut sure), &mut random);
            let shown = values.iter().filter(|&&value| value != MASKED).count();
            shown as f32 / (LAYOUT.len() - 1) as f32
        };
        (0..10).map(step).collect()
    }

    #[test]
    fn shares_follow_the_path_with_and_without_corrector() {
        for (kappa, corrector) in [(1.0, 0.0), (2.0, 0.0), (1.0, 3.0)] {
            let config = PlannerConfig { kappa, corrector, ..PlannerConfig::default() };
            for (step, share) in shares(&config).into_iter().enumerate() {
                let expected = ((step + 1) as f32 / 10.0).powf(kappa);
                assert!((share - expected).abs() < 0.09, "{kappa} {corrector} {step}: {share}");
            }
        }
    }
}
