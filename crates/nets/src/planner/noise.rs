//! Noise: which variables of a future are hidden or replaced, and what this level of noise counts.

use data::Random;

use super::{
    Lambda, PlannerConfig, Process, Source,
    future::{Layout, MASKED, Variable},
};

/// A future after some noise.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Noised {
    pub(super) values: Vec<i32>,
    /// Whether a variable is to be found, which needs that it is known.
    pub(super) asked: Vec<bool>,
    /// Share of the noise: 1 where nothing is left.
    pub(super) noise: f32,
    /// What it counts in the loss.
    pub(super) weight: f32,
    /// What the cross-entropy of all asked variables is multiplied by in the bound on the likelihood.
    pub(super) bound: f32,
}

/// Weights of the bound are finite only before the end of the flow's path.
const LEAST_NOISE: f32 = 0.01;

pub(super) fn noised(config: &PlannerConfig, layout: Layout, values: &[i32], random: &mut Random) -> Noised {
    let (noise, bound) = match config.process {
        Process::Diffusion => {
            let steps = config.noise_steps as f32;
            let level = (1 + random.below(config.noise_steps)) as f32;
            (level / steps, steps / level)
        }
        Process::Flow => {
            let time = random.part();
            let noise = (1.0 - time.powf(config.kappa)).max(LEAST_NOISE);
            (noise, config.kappa * time.powf(config.kappa - 1.0) / noise)
        }
    };
    let weight = match config.lambda {
        Lambda::Bound => bound,
        Lambda::Linear => 1.0 - noise + 1.0 / config.noise_steps as f32,
        Lambda::Uniform => 1.0,
    };
    let mut noised =
        Noised { values: values.to_vec(), asked: vec![false; values.len()], noise, weight, bound };
    for (at, &value) in values.iter().enumerate() {
        let hit = random.chance(noise.into());
        let known = value != MASKED;
        match config.source {
            Source::Masked => {
                noised.asked[at] = known && hit;
                if hit {
                    noised.values[at] = MASKED;
                }
            }
            Source::Uniform => {
                // Nothing tells what is noise, so all is asked for.
                noised.asked[at] = known;
                if hit || !known {
                    noised.values[at] = any(layout, at, random);
                }
            }
        }
    }
    noised
}

/// A value of the source for a variable.
pub(super) fn any(layout: Layout, at: usize, random: &mut Random) -> i32 {
    let values = match layout.variable(at) {
        Variable::Action(_) => layout.actions(),
        Variable::Square(..) => layout.contents(),
    };
    random.below(values) as i32
}

/// A future of which nothing is known yet.
pub(super) fn pure(source: Source, layout: Layout, random: &mut Random) -> Vec<i32> {
    match source {
        Source::Masked => vec![MASKED; layout.len()],
        Source::Uniform => (0..layout.len()).map(|at| any(layout, at, random)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::future::{CHANGES, Form},
        *,
    };

    const LAYOUT: Layout = Layout { horizon: 4, states: true, form: Form::Changes };

    fn draw(config: &PlannerConfig, random: &mut Random) -> Noised {
        let mut values: Vec<i32> = (0..LAYOUT.len()).map(|at| (at % CHANGES) as i32).collect();
        *values.last_mut().unwrap() = MASKED;
        noised(config, LAYOUT, &values, random)
    }

    #[test]
    fn masked_variables_are_asked_for_and_all_others_are_as_they_were() {
        let mut random = Random::new(5);
        for process in [Process::Diffusion, Process::Flow] {
            let config = PlannerConfig { process, ..PlannerConfig::default() };
            for _ in 0..50 {
                let noised = draw(&config, &mut random);
                for at in 0..LAYOUT.len() - 1 {
                    assert_eq!(noised.asked[at], noised.values[at] == MASKED);
                    assert!(noised.asked[at] || noised.values[at] == (at % CHANGES) as i32);
                }
                assert!(!noised.asked[LAYOUT.len() - 1], "what is not known is never asked for");
            }
        }
    }

    #[test]
    fn as_much_is_hidden_as_the_level_of_noise_says() {
        let mut random = Random::new(6);
        for process in [Process::Diffusion, Process::Flow] {
            let config = PlannerConfig { process, kappa: 2.0, ..PlannerConfig::default() };
            let (mut hidden, mut expected) = (0.0, 0.0);
            for _ in 0..400 {
                let noised = draw(&config, &mut random);
                hidden += noised.asked.iter().filter(|asked| **asked).count() as f32;
                expected += noised.noise * (LAYOUT.len() - 1) as f32;
            }
            assert!((hidden / expected - 1.0).abs() < 0.03, "{hidden} {expected}");
        }
    }

    #[test]
    fn the_bound_adds_up_to_every_variable_once() {
        let mut random = Random::new(7);
        for process in [Process::Diffusion, Process::Flow] {
            for kappa in [1.0, 2.0] {
                let config = PlannerConfig { process, kappa, ..PlannerConfig::default() };
                let sum: f32 = (0..4000)
                    .map(|_| draw(&config, &mut random))
                    .map(|it| it.bound * it.asked.iter().filter(|asked| **asked).count() as f32)
                    .sum();
                let mean = sum / 4000.0 / (LAYOUT.len() - 1) as f32;
                assert!((mean - 1.0).abs() < 0.06, "{process:?} {kappa}: {mean}");
            }
        }
    }

    #[test]
    fn uniform_noise_hides_nothing_and_asks_for_all_that_is_known() {
        let config =
            PlannerConfig { process: Process::Flow, source: Source::Uniform, ..PlannerConfig::default() };
        let noised = draw(&config, &mut Random::new(8));
        assert!(noised.values.iter().all(|&value| value != MASKED));
        assert!(noised.asked[..LAYOUT.len() - 1].iter().all(|&asked| asked));
    }

    #[test]
    fn the_same_seed_gives_the_same_noise() {
        let config = PlannerConfig::default();
        assert_eq!(draw(&config, &mut Random::new(9)), draw(&config, &mut Random::new(9)));
        assert_ne!(draw(&config, &mut Random::new(9)), draw(&config, &mut Random::new(10)));
    }
}
