//! Leela's heads: chances of the legal moves, and of the outcome.

mod attention;
mod classical;
mod convolution;
mod value;

use chess::{Moment, vocabulary::leela::Step};

pub(super) use self::{
    attention::AttentionPolicy, classical::ClassicalPolicy, convolution::ConvolutionPolicy, value::ValueHead,
};

#[derive(Debug)]
pub(super) enum PolicyHead {
    Attention(AttentionPolicy),
    Convolution(ConvolutionPolicy),
    Classical(ClassicalPolicy),
}

impl PolicyHead {
    /// Chances of the legal moves of every moment; `x` holds the squares of all.
    pub(super) fn policies(&self, x: &[f32], moments: &[&Moment]) -> Vec<Vec<f32>> {
        match self {
            PolicyHead::Attention(head) => head.policies(x, moments),
            PolicyHead::Convolution(head) => head.policies(x, moments),
            PolicyHead::Classical(head) => head.policies(x, moments),
        }
    }
}

/// The legal moves as Leela knows them.
fn steps(moment: &Moment) -> Vec<Step> {
    moment.legal_moves().iter().map(|&m| Step::of(moment.turn(), m)).collect()
}
