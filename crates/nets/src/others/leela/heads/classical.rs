//! The policy of the oldest networks: a few numbers of each square, all of them through a dense layer to all 1,858 words.

use chess::{Moment, vocabulary::leela::SIZE};
use kernels::{
    Arithmetic, Level,
    dense::{Dense, Linear},
};

use super::steps;
use crate::others::{
    OtherError,
    brain::softmax,
    leela::{
        filter::Filter,
        layer::{by_square, rectify, through, weights},
        proto::{self, Weights},
    },
};

#[derive(Debug)]
pub(in crate::others::leela) struct ClassicalPolicy {
    squares: Dense,
    words: Dense,
}

impl ClassicalPolicy {
    pub(in crate::others::leela) fn new(
        level: Level,
        from: &Weights,
        channels: usize,
        width: usize,
    ) -> Result<ClassicalPolicy, OtherError> {
        let squares = Filter::read(from.policy.as_ref(), "policy", 1, channels)?;
        let each = squares.outputs();
        let words = by_square(&weights(&from.ip_pol_w, "ip_pol", 64 * each, SIZE)?, each, SIZE);
        let bias = proto::numbers(&from.ip_pol_b, "ip_pol's bias", SIZE)?;
        let dense = |linear: Linear<'_>| Dense::new(Arithmetic::of(level), linear);
        Ok(ClassicalPolicy {
            squares: dense(squares.padded(width, each).linear()),
            words: dense(Linear::new(&words, 64 * each, SIZE, Some(&bias))),
        })
    }

    pub(super) fn policies(&self, x: &[f32], moments: &[&Moment]) -> Vec<Vec<f32>> {
        let mut squares = through(&self.squares, x);
        rectify(&mut squares);
        let words = through(&self.words, &squares);
        let policy = |(moment, words): (&&Moment, &[f32])| {
            let mut scores: Vec<f32> = steps(moment).into_iter().map(|step| words[step.index()]).collect();
            softmax(&mut scores);
            scores
        };
        moments.iter().zip(words.chunks_exact(SIZE)).map(policy).collect()
    }
}
