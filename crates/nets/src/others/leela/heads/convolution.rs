//! The policy as planes over the origins of moves: two convolutions.

use chess::{
    Moment,
    vocabulary::leela::{PLANES, Step},
};
use kernels::{Arithmetic, Level, dense::Dense};

use super::steps;
use crate::others::{
    OtherError,
    brain::softmax,
    leela::{
        filter::Filter,
        layer::{rectify, through},
        proto::Weights,
    },
    squares::NONE,
};

#[derive(Debug)]
pub(in crate::others::leela) struct ConvolutionPolicy {
    width: usize,
    hidden: Dense,
    planes: Dense,
}

impl ConvolutionPolicy {
    /// `channels` of the `width` are in the file.
    pub(in crate::others::leela) fn new(
        level: Level,
        weights: &Weights,
        channels: usize,
        width: usize,
    ) -> Result<ConvolutionPolicy, OtherError> {
        let hidden = Filter::read(weights.policy1.as_ref(), "policy1", 9, channels)?;
        let planes = Filter::read(weights.policy.as_ref(), "policy", 9, hidden.outputs())?;
        if planes.outputs() != PLANES {
            let found = vec![planes.outputs()];
            return Err(OtherError::Shape { name: "policy".to_owned(), found, expected: vec![PLANES] });
        }
        let dense = |filter: &Filter| Dense::new(Arithmetic::of(level), filter.linear());
        let hidden = hidden.padded(width, hidden.outputs());
        Ok(ConvolutionPolicy { width, hidden: dense(&hidden), planes: dense(&planes) })
    }

    pub(super) fn policies(&self, x: &[f32], moments: &[&Moment]) -> Vec<Vec<f32>> {
        let steps: Vec<Vec<Step>> = moments.iter().map(|moment| steps(moment)).collect();
        let (mut around, mut origins, mut count) = (Vec::new(), Vec::new(), 0);
        // Where the origins of each moment's steps are among all of them.
        let mut places = Vec::new();
        for (steps, x) in steps.iter().zip(x.chunks_exact(64 * self.width)) {
            around.clear();
            (0..64).for_each(|square| push_neighbours(x, self.width, square, &mut around));
            let mut hidden = through(&self.hidden, &around);
            rectify(&mut hidden);
            let mut rows = [NONE; 64];
            for step in steps {
                if rows[step.from] == NONE {
                    rows[step.from] = count;
                    count += 1;
                    push_neighbours(&hidden, self.hidden.outputs(), step.from, &mut origins);
                }
            }
            places.push(rows);
        }
        let scores = through(&self.planes, &origins);
        let policy = |(steps, rows): (&Vec<Step>, &[u16; 64])| {
            let score = |step: &Step| scores[usize::from(rows[step.from]) * PLANES + step.plane()];
            let mut scores: Vec<f32> = steps.iter().map(score).collect();
            softmax(&mut scores);
            scores
        };
        steps.iter().zip(&places).map(policy).collect()
    }
}

/// The nine neighbours of a square side by side, zeros for those beyond the edge.
fn push_neighbours(x: &[f32], width: usize, square: usize, to: &mut Vec<f32>) {
    for rank in square / 8..square / 8 + 3 {
        for file in square % 8..square % 8 + 3 {
            match (1..=8).contains(&rank) && (1..=8).contains(&file) {
                true => to.extend_from_slice(&x[(8 * (rank - 1) + file - 1) * width..][..width]),
                false => to.resize(to.len() + width, 0.0),
            }
        }
    }
}
