//! Sizes, processes and weights of the planner.

use serde::{Deserialize, Serialize};

use super::future::{Form, Layout, MOST_HORIZON};
use crate::{
    human::SwiftConfig,
    limits::{DEEPEST, MOST, objectives, within},
};

/// Beyond these, more noise levels, steps or futures say nothing new.
const MOST_STEPS: usize = 1024;
pub(super) const MOST_FUTURES: usize = 1024;
/// Beyond this, time on the clock is of no more use.
pub(super) const MOST_EFFORT: u32 = 5;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlannerConfig {
    pub architecture: PlannerArchitecture,
    /// Actions of a future, the first one included.
    pub horizon: usize,
    pub variant: Variant,
    pub process: Process,
    /// What noise is made of. Diffusion is absorbing: its noise is the mask.
    pub source: Source,
    /// Exponent of the flow's path: at time t a share `t^kappa` of the variables is what it will be.
    pub kappa: f32,
    /// How often each variable of a flow jumps back to noise at play, and forward again.
    pub corrector: f32,
    /// Levels of noise of the diffusion.
    pub noise_steps: usize,
    pub lambda: Lambda,
    /// Noised futures to each position in training.
    pub draws: usize,
    pub weights: PlannerWeights,
    /// How much a future counts that was played and not named by an engine.
    pub played: f32,
    /// The share of the game's result in the target of the value; the rest is the engine's score, where there is one.
    pub result: f32,
    pub split: SplitConfig,
    pub stream: StreamConfig,
    /// Steps of denoising at play.
    pub steps: usize,
    /// Futures that are imagined at play; their opinions on the first action are averaged.
    pub futures: usize,
    /// Sharpness of what is drawn where there is more than one future.
    pub temperature: f32,
    /// Whether it imagines more at play where the clock allows for it.
    pub uses_clock: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlannerArchitecture {
    /// The known position encoded once, and a small denoiser over few tokens.
    Split,
    /// The seed's: one transformer over all characters and words.
    Stream,
}

/// What a future is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Variant {
    /// The first action alone: a policy.
    #[serde(rename = "s-a")]
    SA,
    /// Actions.
    #[serde(rename = "s-aa")]
    SAA,
    /// Actions and the positions between them.
    #[serde(rename = "s-asa")]
    SASA,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Process {
    Diffusion,
    Flow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Masked,
    Uniform,
}

/// What a level of noise counts in the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lambda {
    /// As the bound on the likelihood has it: 1 / t for diffusion, kappa' / (1 - kappa) for flow.
    Bound,
    /// Falling evenly with the noise.
    Linear,
    Uniform,
}

/// How much each objective counts; one with no weight is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlannerWeights {
    /// The first action.
    pub first: f32,
    /// Each later action.
    pub actions: f32,
    /// Each later position, all its squares together.
    pub states: f32,
    pub value: f32,
}

/// The known position through the trunk of `swift`, once; a small denoiser over few tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SplitConfig {
    pub trunk: SwiftConfig,
    /// Numbers per token.
    pub width: usize,
    pub heads: usize,
    pub layers: usize,
    /// Width between the two products of the feed-forward layer.
    pub feed: usize,
    /// Numbers by which squares and tokens meet.
    pub rank: usize,
}

/// One bidirectional transformer over the known position and its future as characters and words. The defaults are the seed's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StreamConfig {
    pub layers: usize,
    pub width: usize,
    pub heads: usize,
    pub feed: usize,
}

impl Default for StreamConfig {
    fn default() -> StreamConfig {
        StreamConfig { layers: 8, width: 256, heads: 8, feed: 1024 }
    }
}

impl Default for PlannerConfig {
    fn default() -> PlannerConfig {
        PlannerConfig {
            architecture: PlannerArchitecture::Split,
            horizon: 4,
            variant: Variant::SASA,
            process: Process::Diffusion,
            source: Source::Masked,
            kappa: 1.0,
            corrector: 0.0,
            noise_steps: 20,
            lambda: Lambda::Linear,
            draws: 2,
            weights: PlannerWeights::default(),
            played: 0.3,
            result: 0.2,
            split: SplitConfig::default(),
            stream: StreamConfig::default(),
            steps: 10,
            futures: 1,
            temperature: 1.0,
            uses_clock: false,
        }
    }
}

impl Default for PlannerWeights {
    fn default() -> PlannerWeights {
        PlannerWeights { first: 1.0, actions: 0.25, states: 0.2, value: 0.2 }
    }
}

impl Default for SplitConfig {
    fn default() -> SplitConfig {
        let trunk = SwiftConfig {
            channels: 96,
            blocks: 4,
            squeeze: 32,
            accumulator: 256,
            hidden: 96,
            ..SwiftConfig::default()
        };
        SplitConfig { trunk, width: 96, heads: 6, layers: 2, feed: 192, rank: 48 }
    }
}

impl PlannerConfig {
    pub(super) fn layout(&self) -> Layout {
        let (horizon, states) = match self.variant {
            Variant::SA => (1, false),
            Variant::SAA => (self.horizon, false),
            Variant::SASA => (self.horizon, true),
        };
        let form = match self.architecture {
            PlannerArchitecture::Split => Form::Changes,
            PlannerArchitecture::Stream => Form::Text,
        };
        Layout { horizon, states, form }
    }

    /// Steps and futures for how much longer than usual it is to think: more futures, each twice as many as before, in up to as many steps
    /// as there were levels of noise in training. Two futures are no more than one that is never drawn by chance, so four come first.
    pub(super) fn effort(&self, more: u32) -> (usize, usize) {
        let more = if self.uses_clock { more.min(MOST_EFFORT) } else { 0 };
        match more {
            0 => (self.steps, self.futures),
            _ => {
                let steps = self.steps.max((self.steps << more).min(self.noise_steps));
                (steps, self.futures.max((4 * self.futures) << (more - 1)).min(MOST_FUTURES))
            }
        }
    }

    /// Why no network can be made of this or nothing learned, if so.
    pub(super) fn check(&self) -> Result<(), String> {
        let PlannerWeights { first, actions, states, value } = self.weights;
        objectives(&[("first", first), ("actions", actions), ("states", states), ("value", value)])?;
        within("horizon", self.horizon, 1..=MOST_HORIZON)?;
        within("kappa", self.kappa, 0.1..=10.0)?;
        within("corrector", self.corrector, 0.0..=1000.0)?;
        within("noise-steps", self.noise_steps, 1..=MOST_STEPS)?;
        within("draws", self.draws, 1..=64)?;
        within("played", self.played, 0.0..=1.0)?;
        within("result", self.result, 0.0..=1.0)?;
        within("steps", self.steps, 1..=MOST_STEPS)?;
        within("futures", self.futures, 1..=MOST_FUTURES)?;
        within("temperature", self.temperature, 0.0..=10.0)?;
        if self.process == Process::Diffusion && self.source == Source::Uniform {
            return Err("diffusion is absorbing: its source is masked, not uniform".to_owned());
        }
        self.split.check()?;
        self.stream.check()
    }

    /// Both architectures, both processes, both sources, and a policy alone.
    pub(super) fn all_tiny() -> Vec<PlannerConfig> {
        let trunk = SwiftConfig {
            channels: 32,
            blocks: 1,
            squeeze: 0,
            accumulator: 16,
            hidden: 16,
            ..SwiftConfig::default()
        };
        let split = SplitConfig { trunk, width: 32, heads: 2, layers: 1, feed: 32, rank: 16 };
        let stream = StreamConfig { layers: 1, width: 32, heads: 2, feed: 32 };
        let tiny = PlannerConfig { horizon: 3, steps: 3, split, stream, ..PlannerConfig::default() };
        let flow = PlannerConfig { process: Process::Flow, kappa: 2.0, ..tiny.clone() };
        let uniform = PlannerConfig { source: Source::Uniform, futures: 2, ..flow.clone() };
        let actions = PlannerConfig { variant: Variant::SAA, ..flow };
        let policy = PlannerConfig { variant: Variant::SA, ..tiny.clone() };
        let architecture = PlannerArchitecture::Stream;
        // One step: guesses of an untrained network are so close to each other that the rounding of weight files would choose among them.
        let stream = PlannerConfig { architecture, horizon: 2, draws: 1, steps: 1, ..tiny.clone() };
        vec![tiny, uniform, actions, policy, stream]
    }
}

impl SplitConfig {
    fn check(&self) -> Result<(), String> {
        self.trunk.check()?;
        within("rank", self.rank, 1..=MOST)?;
        sizes([self.layers, self.width, self.heads, self.feed])
    }
}

impl StreamConfig {
    fn check(&self) -> Result<(), String> {
        sizes([self.layers, self.width, self.heads, self.feed])
    }
}

fn sizes([layers, width, heads, feed]: [usize; 4]) -> Result<(), String> {
    within("layers", layers, 1..=DEEPEST)?;
    within("width", width, 1..=MOST)?;
    within("heads", heads, 1..=width)?;
    within("feed", feed, 1..=MOST)?;
    match width.is_multiple_of(heads) {
        true => Ok(()),
        false => Err(format!("{heads} heads do not divide the width {width}")),
    }
}
