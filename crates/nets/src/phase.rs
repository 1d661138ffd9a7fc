//! Phases of a run: stretches of steps with an objective of their own, such as the pre-training of layers one after another.

use crate::{schedule, train_config::TrainConfig};

/// A phase as a family declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    pub name: &'static str,
    /// Its usual number of steps. That of the last phase is `steps` of `[train]`.
    pub steps: u64,
}

/// A phase with its place in a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Planned {
    pub(crate) name: &'static str,
    /// Its first step in the run, and the one after its last.
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) policy: String,
    rate: f64,
    warmup: u64,
    last_rate: f64,
}

impl Planned {
    /// The learning rate at a step of the run.
    pub(crate) fn rate(&self, step: u64) -> f64 {
        let steps = self.end - self.begin;
        self.rate * schedule::share(step - self.begin, self.warmup.min(steps), steps, self.last_rate)
    }
}

/// The phases of a run one after another, or what is wrong with them in a sentence.
pub(crate) fn plan(phases: &[Phase], train: &TrainConfig) -> Result<Vec<Planned>, String> {
    // Sums of steps stay far from the end of the numbers.
    const MOST_STEPS: u64 = 1 << 40;
    let before = &phases[..phases.len() - 1];
    if let Some(name) = train.phases.keys().find(|name| before.iter().all(|phase| phase.name != **name)) {
        let known: Vec<&str> = before.iter().map(|phase| phase.name).collect();
        return Err(match known.is_empty() {
            true => format!("there is no phase `{name}`: this network learns in one"),
            false => format!("there is no phase `{name}` before the last; there are: {}", known.join(", ")),
        });
    }
    let mut begin = 0;
    let mut planned = Vec::new();
    for (at, phase) in phases.iter().enumerate() {
        let last = at + 1 == phases.len();
        let own = train.phases.get(phase.name).cloned().unwrap_or_default();
        let steps = if last { train.steps } else { own.steps.unwrap_or(phase.steps) };
        let rate = own.rate.unwrap_or(train.rate);
        if steps > MOST_STEPS {
            return Err(format!("`{}` has {steps} steps, more than {MOST_STEPS}", phase.name));
        }
        if !(rate.is_finite() && rate > 0.0) {
            return Err(format!("the rate of `{}` is not above 0", phase.name));
        }
        let policy = own.policy.unwrap_or_else(|| train.policy.clone());
        let (warmup, last_rate) = (train.warmup, train.last_rate);
        planned.push(Planned {
            name: phase.name,
            begin,
            end: begin + steps,
            policy,
            rate,
            warmup,
            last_rate,
        });
        begin += steps;
    }
    // A phase of no steps is left out; the last one always has some.
    planned.retain(|phase| phase.end > phase.begin);
    Ok(planned)
}

/// The phase of a step; the last one goes on without an end.
pub(crate) fn at(plan: &[Planned], step: u64) -> usize {
    plan.iter().position(|phase| step < phase.end).unwrap_or(plan.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PhaseConfig;

    const PHASES: [Phase; 3] =
        [Phase { name: "one", steps: 10 }, Phase { name: "two", steps: 20 }, Phase { name: "all", steps: 0 }];

    fn train(sets: &[(&str, PhaseConfig)]) -> TrainConfig {
        let phases = sets.iter().map(|(name, config)| ((*name).to_owned(), config.clone())).collect();
        TrainConfig { steps: 100, warmup: 4, rate: 0.5, phases, ..TrainConfig::default() }
    }

    #[test]
    fn phases_follow_one_another_and_each_has_its_own_schedule() {
        let own = PhaseConfig { steps: Some(5), rate: Some(0.25), policy: Some("hc3".to_owned()) };
        let planned = plan(&PHASES, &train(&[("two", own)])).unwrap();
        let places: Vec<_> = planned.iter().map(|phase| (phase.name, phase.begin, phase.end)).collect();
        assert_eq!(places, [("one", 0, 10), ("two", 10, 15), ("all", 15, 115)]);
        assert_eq!((planned[1].policy.as_str(), planned[2].policy.as_str()), ("hc3", "all"));
        assert_eq!((planned[1].rate(14), planned[2].rate(19)), (0.25, 0.5));
        assert_eq!(planned[2].rate(15), 0.125, "the rate rises anew");
        assert_eq!([0, 9, 10, 14, 15, 114, 999].map(|step| at(&planned, step)), [0, 0, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn phases_can_be_left_out_and_strange_ones_are_refused() {
        let none = PhaseConfig { steps: Some(0), ..PhaseConfig::default() };
        let planned = plan(&PHASES, &train(&[("one", none.clone())])).unwrap();
        assert_eq!((planned.len(), planned[0].name), (2, "two"));
        let complaint = |phases: &[Phase], name: &str, config: &PhaseConfig| {
            plan(phases, &train(&[(name, config.clone())])).unwrap_err()
        };
        assert!(complaint(&PHASES, "three", &none).contains("there are: one, two"));
        assert!(complaint(&PHASES, "all", &none).contains("no phase `all` before the last"));
        assert!(complaint(&PHASES[2..], "one", &none).contains("learns in one"));
        let endless = PhaseConfig { steps: Some(u64::MAX), ..PhaseConfig::default() };
        assert!(complaint(&PHASES, "one", &endless).contains("more than"));
        let lazy = PhaseConfig { rate: Some(0.0), ..PhaseConfig::default() };
        assert!(complaint(&PHASES, "one", &lazy).contains("rate of `one`"));
    }
}
