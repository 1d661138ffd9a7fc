//! How a network is trained: the table `[train]` of a run's configuration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What turns gradients into steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimiserKind {
    #[default]
    Adamw,
    /// Muon for the matrices of products, AdamW for tables, biases, norms and everything small.
    Muon,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrainConfig {
    pub seed: u64,
    /// Samples in a batch.
    pub batch: usize,
    /// Batches that make one step.
    pub accumulate: usize,
    /// Steps of the family's last phase, which for most families is the only one.
    pub steps: u64,
    /// Steps until the learning rate is at its peak.
    pub warmup: u64,
    /// Peak of the learning rate.
    pub rate: f64,
    /// Share of the peak that is left at the end.
    pub last_rate: f64,
    pub optimiser: OptimiserKind,
    pub betas: [f64; 2],
    /// For matrices only.
    pub weight_decay: f64,
    /// Longest gradient that is taken as it is.
    pub clip: f64,
    /// How much of the running mean of the weights is kept at each step.
    pub mean: f64,
    pub validate_every: u64,
    pub validation_samples: usize,
    pub checkpoint_seconds: u64,
    /// Which positions are drawn: a name or a TOML file.
    pub policy: String,
    /// Which positions are validated on.
    pub validation_policy: String,
    /// A set of labels of `tabiya data label` in the dataset's folder; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub labels: String,
    /// What a teacher says about positions, learned beside what happened in the games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teacher: Option<TeacherConfig>,
    /// Accounts in ten thousand whose games are not trained on, so that they can be tested on.
    #[serde(skip_serializing_if = "is_zero")]
    pub kept_apart: u32,
    /// Settings of phases before the last, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, PhaseConfig>,
}

/// What is learned from a teacher: `[train.teacher]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TeacherConfig {
    /// Sets of `tabiya data opinions` in the dataset's folder.
    pub sets: Vec<String>,
    /// What the teacher counts in moves and outcome; what happened in the game counts the rest.
    pub share: f32,
    /// What the logarithms of its chances of moves are divided by.
    pub temperature: f32,
}

impl Default for TeacherConfig {
    fn default() -> TeacherConfig {
        TeacherConfig { sets: Vec::new(), share: 0.7, temperature: 1.0 }
    }
}

/// What a run's configuration changes about a phase before the last: `[train.phases.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PhaseConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Peak of the learning rate; that of `[train]` where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Which positions are drawn; those of `[train]` where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

impl Default for TrainConfig {
    fn default() -> TrainConfig {
        TrainConfig {
            seed: 1,
            batch: 512,
            accumulate: 1,
            steps: 10_000,
            warmup: 200,
            rate: 5e-4,
            last_rate: 0.05,
            optimiser: OptimiserKind::Adamw,
            betas: [0.9, 0.95],
            weight_decay: 0.1,
            clip: 1.0,
            mean: 0.999,
            validate_every: 500,
            validation_samples: 8192,
            checkpoint_seconds: 120,
            policy: "all".to_owned(),
            validation_policy: "all".to_owned(),
            labels: String::new(),
            teacher: None,
            kept_apart: 0,
            phases: BTreeMap::new(),
        }
    }
}

/// Beyond these a run would ask for more memory than any machine has.
const MOST_SAMPLES: usize = 1 << 22;

impl TrainConfig {
    /// What is wrong with it, in a sentence.
    pub(crate) fn check(&self) -> Result<(), String> {
        let within_one = |share: &f64| (0.0..1.0).contains(share);
        let not_negative = |number: f64| number.is_finite() && number >= 0.0;
        let teaches = |holds: &dyn Fn(&TeacherConfig) -> bool| self.teacher.as_ref().is_none_or(holds);
        let rules = [
            (self.batch > 0, "batch is 0"),
            (self.batch <= MOST_SAMPLES, "batch is above 4,194,304"),
            (self.accumulate > 0, "accumulate is 0"),
            (self.accumulate <= 1 << 16, "accumulate is above 65,536"),
            (self.steps > 0, "steps is 0"),
            (self.validate_every > 0, "validate-every is 0"),
            (self.validation_samples > 0, "validation-samples is 0"),
            (self.validation_samples <= MOST_SAMPLES, "validation-samples is above 4,194,304"),
            (self.rate.is_finite() && self.rate > 0.0, "rate is not above 0"),
            ((0.0..=1.0).contains(&self.last_rate), "last-rate is not within 0 and 1"),
            (not_negative(self.weight_decay), "weight-decay is not a number from 0 on"),
            (self.clip > 0.0, "clip is not above 0"),
            (self.betas.iter().all(within_one), "betas are not within 0 and 1"),
            (within_one(&self.mean), "mean is not within 0 and 1"),
            (self.kept_apart < 10_000, "kept-apart is not below 10,000"),
            (teaches(&|teacher| !teacher.sets.is_empty()), "teacher.sets is empty"),
            (teaches(&|teacher| (0.0..=1.0).contains(&teacher.share)), "teacher.share is not within 0 and 1"),
            (
                teaches(&|teacher| teacher.temperature.is_finite() && teacher.temperature >= 0.05),
                "teacher.temperature is not from 0.05 on",
            ),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, broken)) => Err(broken.to_owned()),
            None => Ok(()),
        }
    }

    /// The same with the schedule of another, and how often it is looked at: what may change when a run goes on.
    pub(crate) fn with_schedule_of(self, other: &TrainConfig) -> TrainConfig {
        let TrainConfig { steps, warmup, rate, last_rate, validate_every, checkpoint_seconds, .. } = *other;
        TrainConfig { steps, warmup, rate, last_rate, validate_every, checkpoint_seconds, ..self }
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A whole run as TOML: family, network, training.
pub(crate) fn run_toml(family: &str, network: &impl Serialize, train: &TrainConfig) -> String {
    let table = |values: toml::Table| toml::Value::from(values);
    let plain = "plain configuration";
    toml::Table::from_iter([
        ("family".to_owned(), family.into()),
        ("network".to_owned(), table(toml::Table::try_from(network).expect(plain))),
        ("train".to_owned(), table(toml::Table::try_from(train).expect(plain))),
    ])
    .to_string()
}
