//! Leela's heads: chances of the legal moves, and of the outcome.

use chess::{Moment, Wdl, vocabulary::leela::Step};
use kernels::{Activation, Level, dense::Dense};

use super::{
    WIDEST,
    layer::{activate, dense},
    proto::{self, Weights},
};
use crate::others::{
    OtherError,
    brain::{dot, softmax},
    squares::Needed,
};

/// Attention between origins and targets.
#[derive(Debug)]
pub(super) struct PolicyHead {
    level: Level,
    width: usize,
    embed: Dense,
    activation: Activation,
    from: Dense,
    to: Dense,
    /// Queen, rook, bishop and knight, [4, width of targets].
    promotion: Vec<f32>,
}

impl PolicyHead {
    pub(super) fn attention(
        level: Level,
        weights: &Weights,
        width: usize,
        activation: Activation,
    ) -> Result<PolicyHead, OtherError> {
        if !weights.pol_encoder.is_empty() {
            return Err(OtherError::Unknown("its policy has blocks of its own".to_owned()));
        }
        let [embedded, pair] = [&weights.ip_pol_b, &weights.ip2_pol_b].map(proto::len);
        if [embedded, pair].iter().any(|&size| size == 0 || size > WIDEST) {
            return Err(OtherError::Unknown(format!("a policy of {embedded} and {pair} numbers")));
        }
        Ok(PolicyHead {
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
        let steps = |moment: &&Moment| -> Vec<Step> {
            moment.legal_moves().iter().map(|&m| Step::of(moment.turn(), m)).collect()
        };
        let steps: Vec<Vec<Step>> = moments.iter().map(steps).collect();
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

/// A few numbers of each square, all of them through two dense layers.
#[derive(Debug)]
pub(super) struct ValueHead {
    level: Level,
    activation: Activation,
    squares: Dense,
    hidden: Dense,
    /// Win, draw and loss; or one expectation from -1 to 1.
    last: Dense,
}

impl ValueHead {
    pub(super) fn of_tokens(
        level: Level,
        weights: &Weights,
        width: usize,
        activation: Activation,
    ) -> Result<ValueHead, OtherError> {
        let [each, hidden, last] =
            [&weights.ip_val_b, &weights.ip1_val_b, &weights.ip2_val_b].map(proto::len);
        let good = [each, hidden].iter().all(|&size| size > 0 && size <= WIDEST) && [1, 3].contains(&last);
        if !good {
            return Err(OtherError::Unknown(format!("a value of {each}, {hidden} and {last} numbers")));
        }
        Ok(ValueHead {
            level,
            activation,
            squares: dense(level, [&weights.ip_val_w, &weights.ip_val_b], "ip_val", width, each)?,
            hidden: dense(level, [&weights.ip1_val_w, &weights.ip1_val_b], "ip1_val", 64 * each, hidden)?,
            last: dense(level, [&weights.ip2_val_w, &weights.ip2_val_b], "ip2_val", hidden, last)?,
        })
    }

    /// What becomes of every board whose tokens `x` holds.
    pub(super) fn outcomes(&self, x: &[f32]) -> Vec<Wdl> {
        let through = |layer: &Dense, x: &[f32]| {
            let mut y = vec![0.0; x.len() / layer.inputs() * layer.outputs()];
            layer.forward(x, &mut y);
            y
        };
        let mut squares = through(&self.squares, x);
        activate(self.level, self.activation, &mut squares);
        let mut hidden = through(&self.hidden, &squares);
        activate(self.level, self.activation, &mut hidden);
        outcomes(&through(&self.last, &hidden), self.last.outputs())
    }
}

/// From `each` numbers of every board: win, draw and loss before softmax, or an expectation before tanh.
fn outcomes(last: &[f32], each: usize) -> Vec<Wdl> {
    let wdl = |last: &[f32]| match *last {
        [win, draw, loss] => {
            let mut chances = [win, draw, loss];
            softmax(&mut chances);
            Wdl::from_weights(chances[0], chances[1], chances[2])
        }
        _ => {
            let win = 0.5 * (1.0 + last[0].tanh());
            Wdl::from_weights(win, 0.0, 1.0 - win)
        }
    };
    last.chunks_exact(each).map(wdl).collect()
}
