//! Leela's networks: attention bodies, and residual networks with squeeze and excitation, of which Maia-1 are some.

mod attention;
mod board_input;
mod filter;
mod heads;
mod input;
mod layer;
pub(super) mod levels;
mod proto;
mod residual;
pub(super) mod samples;

use std::path::Path;

use chess::{Brain, Evaluated, Moment, Opinion, Traits, Wants, search_name, shakmaty::Chess};
use kernels::{Activation, Arithmetic};
use rayon::prelude::*;

use self::{
    attention::AttentionBody,
    heads::{AttentionPolicy, ClassicalPolicy, ConvolutionPolicy, PolicyHead, ValueHead},
    proto::{NetworkFormat, Weights},
    residual::ResidualBody,
};
use super::{OtherError, brain};

pub(super) const NAME: &str = "leela";
/// Moments that go through all layers together.
const GROUP: usize = 16;
/// Bounds on what a file may ask for.
const WIDEST: usize = 4096;
const DEEPEST: usize = 64;
/// The file's numbers for policies.
const CLASSICAL_POLICY: i32 = 1;
const CONVOLUTION_POLICY: i32 = 2;

/// A network.
#[derive(Debug)]
pub(super) struct Leela {
    body: Body,
    policy: PolicyHead,
    value: ValueHead,
    traits: Traits,
}

#[derive(Debug)]
enum Body {
    Attention(AttentionBody),
    Residual(ResidualBody),
}

impl Leela {
    pub(super) fn read(arithmetic: Arithmetic, path: &Path) -> Result<Leela, OtherError> {
        let net = proto::read(path)?;
        let unknown = |text: String| Err(OtherError::Unknown(text));
        let format = net.format.unwrap_or_default();
        let kind = format.network_format.unwrap_or_default();
        let weights = net.weights.as_ref().ok_or_else(|| OtherError::Missing("weights".to_owned()))?;
        if format.weights_encoding > 1 {
            return unknown(format!("its numbers are encoded in way {}", format.weights_encoding));
        }
        if kind.input > 1 {
            return unknown(format!("its input planes are of format {}, not the classical 112", kind.input));
        }
        match (weights.encoder.is_empty(), weights.residual.is_empty()) {
            (false, _) => Leela::with_attention(arithmetic, weights, &kind),
            (true, false) => Leela::residual(arithmetic, weights, &kind),
            (true, true) => unknown("it has neither residual blocks nor an attention body".to_owned()),
        }
    }

    fn with_attention(
        arithmetic: Arithmetic,
        weights: &Weights,
        kind: &NetworkFormat,
    ) -> Result<Leela, OtherError> {
        // In int8 squared activations lose too much: one first move in twenty would be another.
        let level = arithmetic.level();
        let body = AttentionBody::new(Arithmetic::of(level), weights, kind)?;
        let (width, usual) = (body.width(), usual_activation(kind)?);
        let policy = PolicyHead::Attention(AttentionPolicy::new(level, weights, width, usual)?);
        let value = ValueHead::of_tokens(level, weights, width, usual)?;
        Ok(Leela { body: Body::Attention(body), policy, value, traits: brain::traits(search_name::PUCT) })
    }

    fn residual(
        arithmetic: Arithmetic,
        weights: &Weights,
        kind: &NetworkFormat,
    ) -> Result<Leela, OtherError> {
        if usual_activation(kind)? != Activation::Relu {
            return Err(OtherError::Unknown(
                "its residual blocks have another activation than ReLU".to_owned(),
            ));
        }
        let level = arithmetic.level();
        let body = ResidualBody::new(arithmetic, weights)?;
        let (channels, width) = (filter::outputs(weights.input.as_ref()), body.width());
        let policy = match (kind.policy, &weights.policy1) {
            (CONVOLUTION_POLICY, _) | (0, Some(_)) => {
                PolicyHead::Convolution(ConvolutionPolicy::new(level, weights, channels, width)?)
            }
            (0 | CLASSICAL_POLICY, _) => {
                PolicyHead::Classical(ClassicalPolicy::new(level, weights, channels, width)?)
            }
            (other, _) => {
                let text = format!("residual blocks before a policy of the kind {other}");
                return Err(OtherError::Unknown(text));
            }
        };
        let value = ValueHead::of_board(level, weights, channels, width)?;
        Ok(Leela { body: Body::Residual(body), policy, value, traits: brain::traits(search_name::PUCT) })
    }

    /// Opinions on moments in which the game goes on.
    fn judge_alive(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let some = moments.len().div_ceil(rayon::current_num_threads()).clamp(1, GROUP);
        moments.par_chunks(some).flat_map_iter(|some| self.judge_group(some, wants)).collect()
    }

    fn judge_group(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let x = match &self.body {
            Body::Attention(body) => body.forward(moments),
            Body::Residual(body) => body.forward(moments),
        };
        let policies = wants.policy.then(|| self.policy.policies(&x, moments));
        let outcomes = wants.value.then(|| self.value.outcomes(&x));
        brain::opinions(moments.len(), policies, outcomes)
    }
}

impl Brain for Leela {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        brain::judge_alive(moments, wants, |alive| self.judge_alive(alive, wants))
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

/// The activation of layers that have no other.
fn usual_activation(format: &NetworkFormat) -> Result<Activation, OtherError> {
    match format.default_activation {
        0 => Ok(Activation::Relu),
        1 => Ok(Activation::Mish),
        other => Err(OtherError::Unknown(format!("its usual activation has the number {other}"))),
    }
}

/// An activation by its number in the file.
fn activation(number: i32, usual: Activation) -> Result<Activation, OtherError> {
    match number {
        0 => Ok(usual),
        1 => Ok(Activation::Mish),
        2 => Ok(Activation::Relu),
        7 => Ok(Activation::Swish),
        8 => Ok(Activation::SquaredRelu),
        other => Err(OtherError::Unknown(format!("an activation has the number {other}"))),
    }
}
