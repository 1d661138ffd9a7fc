//! Leela's networks: attention bodies, and residual networks with squeeze and excitation, of which Maia-1 are some.

mod attention;
mod heads;
mod input;
mod layer;
mod proto;

use std::path::Path;

use chess::{Brain, Evaluated, Moment, Opinion, Traits, Wants, search_name, shakmaty::Chess};
use kernels::{Activation, Arithmetic};
use rayon::prelude::*;

use self::{
    attention::AttentionBody,
    heads::{PolicyHead, ValueHead},
    proto::NetworkFormat,
};
use super::{OtherError, brain};

pub(super) const NAME: &str = "leela";
/// Moments that go through all layers together.
const GROUP: usize = 16;
/// Bounds on what a file may ask for.
const WIDEST: usize = 4096;
const DEEPEST: usize = 64;

/// A network.
#[derive(Debug)]
pub(super) struct Leela {
    body: AttentionBody,
    policy: PolicyHead,
    value: ValueHead,
    traits: Traits,
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
        if weights.encoder.is_empty() {
            return unknown("it has no attention body".to_owned());
        }
        // In int8 squared activations lose too much: one first move in twenty would be another.
        let arithmetic = Arithmetic::of(arithmetic.level());
        let body = AttentionBody::new(arithmetic, weights, &kind)?;
        let (level, width) = (arithmetic.level(), body.width());
        let usual = usual_activation(&kind)?;
        let policy = PolicyHead::attention(level, weights, width, usual)?;
        let value = ValueHead::of_tokens(level, weights, width, usual)?;
        Ok(Leela { body, policy, value, traits: brain::traits(search_name::PUCT) })
    }

    fn judge_group(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let x = self.body.forward(moments);
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
        brain::judge_alive(moments, wants, |alive| {
            let some = alive.len().div_ceil(rayon::current_num_threads()).clamp(1, GROUP);
            alive.par_chunks(some).flat_map_iter(|some| self.judge_group(some, wants)).collect()
        })
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
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
