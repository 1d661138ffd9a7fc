//! Either architecture behind one interface.

use burn::{module::Module, tensor::Tensor};

use super::{
    PlannerArchitecture, PlannerConfig,
    batch::Known,
    future::Layout,
    prompt::{Asked, Prompt},
    split::{Encoded, First, PackedSplit, Split},
    stream::{PackedStream, Stream},
};
use crate::layers::Builder;

#[expect(clippy::large_enum_variant, reason = "there is one network at a time")]
#[derive(Module, Debug)]
pub(crate) enum Planner {
    Split(Split),
    Stream(Stream),
}

/// Parts packed for the CPU.
#[derive(Debug)]
pub(super) enum PackedPlanner {
    Split(PackedSplit),
    Stream(PackedStream),
}

/// Known positions and noised futures of them, and what the network makes of both.
pub(super) struct Thought<'a> {
    network: &'a Planner,
    packed: Option<&'a PackedPlanner>,
    known: &'a Known,
    encoded: Option<&'a Encoded>,
    prompt: &'a Prompt,
    tokens: Tensor<3>,
}

impl Planner {
    pub(super) fn new(config: &PlannerConfig, builder: &mut Builder<'_>) -> Planner {
        match config.architecture {
            PlannerArchitecture::Split => Planner::Split(Split::new(&config.split, builder)),
            PlannerArchitecture::Stream => {
                Planner::Stream(Stream::new(&config.stream, config.layout(), builder))
            }
        }
    }

    /// What all noised futures of the positions have in common; nothing where the network sees both at once.
    pub(super) fn encode(&self, known: &Known, packed: Option<&PackedPlanner>) -> Option<Encoded> {
        match self {
            Planner::Split(network) => Some(network.encode(known, split(packed))),
            Planner::Stream(_) => None,
        }
    }

    /// `encoded` comes from [`Planner::encode`], `packed` from [`Planner::packed`] of the same network.
    pub(super) fn think<'a>(
        &'a self,
        known: &'a Known,
        encoded: Option<&'a Encoded>,
        prompt: &'a Prompt,
        packed: Option<&'a PackedPlanner>,
    ) -> Thought<'a> {
        let tokens = match (self, encoded) {
            (Planner::Split(network), Some(encoded)) => network.denoise(encoded, prompt, split(packed)),
            (Planner::Split(_), None) => unreachable!("positions are encoded first"),
            (Planner::Stream(network), _) => network.denoise(prompt, stream(packed)),
        };
        Thought { network: self, packed, known, encoded, prompt, tokens }
    }

    /// The parts packed for the CPU; nothing where one of them does not fit.
    pub(super) fn packed(&self, layout: Layout) -> Option<PackedPlanner> {
        match self {
            Planner::Split(network) => network.packed(layout).map(PackedPlanner::Split),
            Planner::Stream(network) => network.packed(layout).map(PackedPlanner::Stream),
        }
    }
}

impl Thought<'_> {
    /// What the futures with one number say of the first action, and of the result.
    pub(super) fn first(&self, future: usize) -> First {
        let (known, prompt, tokens) = (self.known, self.prompt, &self.tokens);
        match (self.network, self.encoded) {
            (Planner::Split(network), Some(encoded)) => {
                network.first(known, encoded, prompt, tokens, future, split(self.packed))
            }
            (Planner::Stream(network), _) => network.first(known, prompt, tokens, future),
            _ => unreachable!("positions are encoded first"),
        }
    }

    /// What all futures of a position say, one after the other.
    pub(super) fn firsts(&self) -> Vec<First> {
        (0..self.prompt.futures).map(|future| self.first(future)).collect()
    }

    /// Scores of later actions: [asked, values].
    pub(super) fn actions(&self, asked: &Asked) -> Tensor<2> {
        match (self.network, self.encoded) {
            (Planner::Split(network), Some(encoded)) => network.actions(encoded, &self.tokens, asked),
            (Planner::Stream(network), _) => network.actions(&self.tokens, asked),
            _ => unreachable!("positions are encoded first"),
        }
    }

    /// Scores of what stands on squares: [asked, values].
    pub(super) fn changes(&self, asked: &Asked) -> Tensor<2> {
        match (self.network, self.encoded) {
            (Planner::Split(network), Some(encoded)) => network.changes(encoded, &self.tokens, asked),
            (Planner::Stream(network), _) => network.changes(&self.tokens, asked),
            _ => unreachable!("positions are encoded first"),
        }
    }

    pub(super) fn tokens(&self) -> &Tensor<3> {
        &self.tokens
    }
}

fn split(packed: Option<&PackedPlanner>) -> Option<&PackedSplit> {
    match packed {
        Some(PackedPlanner::Split(packed)) => Some(packed),
        _ => None,
    }
}

fn stream(packed: Option<&PackedPlanner>) -> Option<&PackedStream> {
    match packed {
        Some(PackedPlanner::Stream(packed)) => Some(packed),
        _ => None,
    }
}
