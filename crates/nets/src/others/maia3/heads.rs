//! The heads: chances of the legal moves from pairs of squares, and chances of the outcome from their mean.

use chess::{Moment, Opinion, Wants, Wdl, vocabulary::maia3::Step};
use kernels::{
    Aligned, Arithmetic,
    dense::{Dense, Linear},
    norm::Norm,
};

use super::{
    super::{
        OtherError,
        brain::{self, dot, softmax},
        squares::Needed,
        tensors::Tensors,
    },
    network::layer_norm,
};

const PROMOTIONS: usize = 4;

#[derive(Debug)]
pub(super) struct Heads {
    level: kernels::Level,
    width: usize,
    /// From tokens to origins and to targets.
    from: Dense,
    to: Dense,
    /// Width of origins and targets.
    pair: usize,
    /// [4, pair].
    promotion: Vec<f32>,
    norm: Norm,
    hidden: Dense,
    /// Loss, draw, win.
    outcome: Dense,
}

impl Heads {
    /// Heads are not worth the rounding of int8.
    pub(super) fn new(arithmetic: Arithmetic, tensors: &Tensors, width: usize) -> Result<Heads, OtherError> {
        let level = arithmetic.level();
        let [pair, _] = tensors.sides("proj_sq_from.weight")?;
        let [hidden, _] = tensors.sides("fc_value_hid.weight")?;
        let dense = |name: &str, inputs, outputs, biased: bool| {
            let weights = tensors.layer(&format!("{name}.weight"), inputs, outputs)?;
            let bias = match biased {
                true => Some(tensors.get(&format!("{name}.bias"), &[outputs])?),
                false => None,
            };
            Ok::<Dense, OtherError>(Dense::new(
                Arithmetic::of(level),
                Linear::new(&weights, inputs, outputs, bias),
            ))
        };
        Ok(Heads {
            level,
            width,
            from: dense("proj_sq_from", width, pair, false)?,
            to: dense("proj_sq_to", width, pair, false)?,
            pair,
            promotion: tensors.get("promo_bias_proj.weight", &[PROMOTIONS, pair])?.to_vec(),
            norm: layer_norm(tensors, "last_ln", width)?,
            hidden: dense("fc_value_hid", width, hidden, true)?,
            outcome: dense("fc_value", hidden, 3, true)?,
        })
    }

    /// `x` holds the tokens of every moment.
    pub(super) fn opinions(&self, x: &[f32], moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let policies = wants.policy.then(|| self.policies(x, moments));
        let outcomes = wants.value.then(|| self.outcomes(x));
        brain::opinions(moments.len(), policies, outcomes)
    }

    fn policies(&self, x: &[f32], moments: &[&Moment]) -> Vec<Vec<f32>> {
        let steps = |moment: &&Moment| -> Vec<Step> {
            moment.legal_moves().iter().map(|&m| Step::of(moment.turn(), m)).collect()
        };
        let steps: Vec<Vec<Step>> = moments.iter().map(steps).collect();
        let (mut origins, mut targets) = (Needed::none(), Needed::none());
        let mut places = Vec::new();
        for (steps, x) in steps.iter().zip(x.chunks_exact(64 * self.width)) {
            origins.next_board();
            targets.next_board();
            let place =
                |step: &Step| (origins.of(step.from, x, self.width), targets.of(step.to, x, self.width));
            places.push(steps.iter().map(place).collect::<Vec<_>>());
        }
        let origins = origins.through(&self.from);
        let targets = targets.through(&self.to);
        let root = (self.pair as f32).sqrt();
        let policy = |(steps, places): (&Vec<Step>, &Vec<(usize, usize)>)| {
            let score = |(step, &(from, to)): (&Step, &(usize, usize))| {
                let [from, to] =
                    [&origins[from * self.pair..], &targets[to * self.pair..]].map(|of| &of[..self.pair]);
                let promoted = |role: usize| root * dot(to, &self.promotion[role * self.pair..][..self.pair]);
                dot(from, to) / root + step.promotion.map_or(0.0, promoted)
            };
            let mut scores: Vec<f32> = steps.iter().zip(places).map(score).collect();
            softmax(&mut scores);
            scores
        };
        steps.iter().zip(&places).map(policy).collect()
    }

    fn outcomes(&self, x: &[f32]) -> Vec<Wdl> {
        let count = x.len() / (64 * self.width);
        let mut means = Aligned::zeros(count * self.width);
        for (mean, x) in means.chunks_exact_mut(self.width).zip(x.chunks_exact(64 * self.width)) {
            kernels::rows::add_rows(self.level, x, mean);
            mean.iter_mut().for_each(|mean| *mean /= 64.0);
        }
        let mut normed = Aligned::scratch(means.len());
        self.norm.forward(self.level, &means, &mut normed);
        let mut hidden = vec![0.0; count * self.hidden.outputs()];
        self.hidden.forward(&normed, &mut hidden);
        hidden.iter_mut().for_each(|x| *x = x.max(0.0));
        let mut outcomes = vec![0.0; 3 * count];
        self.outcome.forward(&hidden, &mut outcomes);
        let wdl = |outcome: &mut [f32; 3]| {
            softmax(outcome);
            Wdl::from_weights(outcome[2], outcome[1], outcome[0])
        };
        outcomes.as_chunks_mut().0.iter_mut().map(wdl).collect()
    }
}
