//! The policy as attention between origins and targets.

use chess::{Moment, vocabulary::leela::Step};
use kernels::{Activation, Level, dense::Dense};

use super::steps;
use crate::others::{
    OtherError,
    brain::{dot, softmax},
    leela::{
        WIDEST,
        layer::{activate, dense},
        proto::{self, Weights},
    },
    squares::Needed,
};

/// Attention between origins and targets.
#[derive(Debug)]
pub(in crate::others::leela) struct AttentionPolicy {
    level: Level,
    width: usize,
    embed: Dense,
    activation: Activation,
    from: Dense,
    to: Dense,
    /// Queen, rook, bishop and knight, [4, width of targets].
    promotion: Vec<f32>,
}

impl AttentionPolicy {
    pub(in crate::others::leela) fn new(
        level: Level,
        weights: &Weights,
        width: usize,
        activation: Activation,
    ) -> Result<AttentionPolicy, OtherError> {
        if !weights.pol_encoder.is_empty() {
            return Err(OtherError::Unknown("its policy has blocks of its own".to_owned()));
        }
        let [embedded, pair] = [&weights.ip_pol_b, &weights.ip2_pol_b].map(proto::len);
        if [embedded, pair].iter().any(|&size| size == 0 || size > WIDEST) {
            return Err(OtherError::Unknown(format!("a policy of {embedded} and {pair} numbers")));
        }
        Ok(AttentionPolicy {
            level,
            width,
            embed: dense(level, [&weights.ip_pol_w, &weights.ip_pol_b], "ip_pol", width, embedded)?,
            activation,
            from: dense(level, [&weights.ip2_pol_w, &weights.ip2_pol_b], "ip2_pol", embedded, pair)?,
            to: dense(level, [&weights.ip3_pol_w, &weights.ip3_pol_b], "ip3_pol", embedded, pair)?,
            promotion: proto::numbers(&weights.ip4_pol_w, "ip4_pol_w", 4 * pair)?,
        })
    }

    /// Chances of the legal moves of every moment; `x` holds the tokens of all.
    pub(super) fn policies(&self, x: &[f32], moments: &[&Moment]) -> Vec<Vec<f32>> {
        let steps: Vec<Vec<Step>> = moments.iter().map(|moment| steps(moment)).collect();
        let mut squares = Needed::none();
        let mut places = Vec::new();
        for (steps, x) in steps.iter().zip(x.chunks_exact(64 * self.width)) {
            squares.next_board();
            let place =
                |step: &Step| (squares.of(step.from, x, self.width), squares.of(step.to, x, self.width));
            places.push(steps.iter().map(place).collect::<Vec<_>>());
        }
        let mut embedded = squares.through(&self.embed);
        activate(self.level, self.activation, &mut embedded);
        let pair = self.from.outputs();
        let [origins, targets] = [&self.from, &self.to].map(|layer| {
            let mut out = vec![0.0; embedded.len() / self.embed.outputs() * pair];
            layer.forward(&embedded, &mut out);
            out
        });
        let root = (pair as f32).sqrt();
        let policy = |(steps, places): (&Vec<Step>, &Vec<(usize, usize)>)| {
            let score = |(step, &(from, to)): (&Step, &(usize, usize))| {
                let [from, to] = [&origins[from * pair..][..pair], &targets[to * pair..][..pair]];
                let role = |role: usize| dot(to, &self.promotion[role * pair..][..pair]);
                let promoted = step.promotion.map_or(0.0, |promoted| role(promoted) + role(3));
                dot(from, to) / root + promoted
            };
            let mut scores: Vec<f32> = steps.iter().zip(places).map(score).collect();
            softmax(&mut scores);
            scores
        };
        steps.iter().zip(&places).map(policy).collect()
    }
}
