//! The network packed for the CPU: from positions to opinions without a tensor in between, in int8 or bf16 where the CPU has them.
//!
//! A batch is cut into groups that go through all passes at once, so that what lies between blocks is still in the cache. A position
//! whose first move no longer changes can leave its group early.

use chess::{
    Wdl,
    encoding::recycler::{CHANNELS, CLASSES},
    shakmaty::Chess,
};
use kernels::{
    Activation, Arithmetic, Level, activation,
    dense::{Dense, Linear},
    encoder::Encoder,
    norm::{self, Norm},
};
use rayon::prelude::*;

use super::{
    Recycler,
    batch::{Batch, LegalMoves, MOST_CHANGES},
    network::TOKENS,
};
use crate::{
    choice, fused,
    transformer::{Block, Head},
    weights::values,
};

/// Positions that go through the passes together.
const GROUP: usize = 16;

#[derive(Debug)]
pub(super) struct ReadyRecycler {
    width: usize,
    /// [21, width].
    embed: Vec<f32>,
    /// What the tokens are before anything stands on them: [65, width].
    tokens: Vec<f32>,
    blocks: Vec<Encoder>,
    recycle: ReadyHead,
    eval: ReadyHead,
    moves: ReadyHead,
}

/// How long to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    /// Passes at most.
    pub(super) passes: usize,
    /// Whether a position is done when two passes in a row prefer the same move.
    pub(super) until_settled: bool,
}

/// What the network says of a position.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) policy: Vec<f32>,
    pub(super) wdl: Wdl,
}

#[derive(Debug)]
struct ReadyHead {
    level: Level,
    norm: Norm,
    inner: Dense,
    outer: Dense,
}

impl ReadyHead {
    /// Heads are small and decide: they are not rounded to int8.
    fn new(level: Level, head: &Head) -> ReadyHead {
        let dense = |layer: &burn::nn::Linear| {
            let [inputs, outputs] = layer.weight.val().dims();
            let (weights, bias) = (values(layer.weight.val()), layer.bias.as_ref().map(|b| values(b.val())));
            Dense::new(Arithmetic::of(level), Linear::new(&weights, inputs, outputs, bias.as_deref()))
        };
        let beta = head.norm.beta.as_ref().map(|beta| values(beta.val()));
        let norm = Norm::layer(norm::EPSILON, &values(head.norm.gamma.val()), beta.as_deref());
        ReadyHead { level, norm, inner: dense(&head.inner), outer: dense(&head.outer) }
    }

    /// Rows of outputs from rows of tokens.
    fn forward(&self, x: &[f32]) -> Vec<f32> {
        let width = self.inner.inputs();
        let [mut normed, mut raised] = [(); 2].map(|()| vec![0.0; x.len()]);
        self.norm.forward(self.level, x, &mut normed);
        self.inner.forward(&normed, &mut raised);
        activation::forward(self.level, Activation::Gelu, &raised, width, &mut normed);
        let mut y = vec![0.0; x.len() / width * self.outer.outputs()];
        self.outer.forward(&normed, &mut y);
        y
    }
}

impl ReadyRecycler {
    /// Nothing where the sizes are none that `kernels` computes.
    pub(super) fn new(network: &Recycler, arithmetic: Arithmetic) -> Option<ReadyRecycler> {
        let level = arithmetic.level();
        let block = |block: &Block| {
            let (shape, parameters) = (block.shape(), values(block.flat()));
            let (own, geometry) = parameters.split_at(kernels::block::Layout::of(&shape).total());
            let encoder = Encoder::of_block(arithmetic, &shape, None, own).ok()?;
            if geometry.is_empty() { Some(encoder) } else { encoder.with_shared_bias(geometry).ok() }
        };
        if !fused::reachable() {
            return None;
        }
        let blocks = network.blocks.iter().map(block).collect::<Option<_>>()?;
        let embed = values(network.embed.weight.val());
        let [_, width] = network.tokens.val().dims();
        let mut tokens = values(network.tokens.val());
        let bias = network.embed.bias.as_ref().map(|bias| values(bias.val())).unwrap_or_default();
        tokens[width..].chunks_exact_mut(width).for_each(|square| add(square, &bias));
        let head = |head| ReadyHead::new(level, head);
        Some(ReadyRecycler {
            width,
            embed,
            tokens,
            blocks,
            recycle: head(&network.recycle),
            eval: head(&network.eval),
            moves: head(&network.moves),
        })
    }

    /// Every position must have a legal move.
    pub(super) fn judge(&self, positions: &[&Chess], effort: Effort) -> Vec<Answer> {
        positions.par_chunks(GROUP).flat_map_iter(|some| self.judge_group(some, effort)).collect()
    }

    fn judge_group(&self, positions: &[&Chess], effort: Effort) -> Vec<Answer> {
        let batch = Batch::from_positions(positions);
        let each = TOKENS * self.width;
        let blocks: Vec<&Encoder> = self.blocks.iter().collect();
        let mut x = self.embed(&batch.board);
        let (mut input, mut y) = (x.clone(), vec![0.0; x.len()]);
        // Places of the positions that are still thought about.
        let mut open: Vec<usize> = (0..positions.len()).collect();
        let mut answers: Vec<Option<Answer>> = vec![None; positions.len()];
        for pass in 1..=effort.passes {
            Encoder::forward_all(&blocks, &input, None, &mut y);
            let last = pass == effort.passes;
            if last || effort.until_settled {
                let found = self.answers(&y, &open, &batch.legal_moves);
                let mut settled = Vec::new();
                for (&place, answer) in open.iter().zip(found) {
                    let before = answers[place].replace(answer.clone());
                    settled.push(before.is_some_and(|before| first(&before.policy) == first(&answer.policy)));
                }
                if last {
                    break;
                }
                let kept: Vec<usize> = (0..open.len()).filter(|&at| !settled[at]).collect();
                for values in [&mut x, &mut y] {
                    *values = kept.iter().flat_map(|&at| &values[at * each..][..each]).copied().collect();
                }
                open = kept.into_iter().map(|at| open[at]).collect();
                if open.is_empty() {
                    break;
                }
            }
            input = self.recycle.forward(&y);
            add(&mut input, &x);
        }
        answers.into_iter().map(|answer| answer.expect("an answer for every position")).collect()
    }

    fn answers(&self, y: &[f32], open: &[usize], moves: &LegalMoves) -> Vec<Answer> {
        let each = TOKENS * self.width;
        let tokens = |from: usize, count: usize| -> Vec<f32> {
            y.chunks_exact(each)
                .flat_map(|board| &board[from * self.width..][..count * self.width])
                .copied()
                .collect()
        };
        let eval = self.eval.forward(&tokens(0, 1));
        let pieces = self.moves.forward(&tokens(1, 64));
        let ends = choice::ends(&moves.counts);
        let answer = |(at, &place): (usize, &usize)| {
            let legal = ends[place] - moves.counts[place]..ends[place];
            let pieces = &pieces[at * 64 * CLASSES..][..64 * CLASSES];
            let score = |m: usize| -> f32 {
                let changes = m * MOST_CHANGES..(m + 1) * MOST_CHANGES;
                let places = moves.places[changes.clone()].iter();
                let logit = |&logit: &i32| pieces[logit as usize - place * 64 * CLASSES];
                places.map(logit).zip(&moves.shares[changes]).map(|(logit, share)| logit * share).sum()
            };
            let scores: Vec<f32> = legal.map(score).collect();
            let outcomes = self.eval.outer.outputs();
            let policy = fused::chances(&[scores.len()], scores);
            Answer { policy, wdl: wdl(&eval[at * outcomes..][..outcomes]) }
        };
        open.iter().enumerate().map(|(at, place)| answer((at, place))).collect()
    }

    /// What goes into the first pass: for each square the sum of what its channels stand for.
    fn embed(&self, board: &[f32]) -> Vec<f32> {
        let width = self.width;
        let mut x = Vec::with_capacity(board.len() / (64 * CHANNELS) * self.tokens.len());
        for squares in board.chunks_exact(64 * CHANNELS) {
            let start = x.len();
            x.extend_from_slice(&self.tokens);
            let tokens = x[start + width..].chunks_exact_mut(width);
            for (token, channels) in tokens.zip(squares.chunks_exact(CHANNELS)) {
                let set = channels.iter().enumerate().filter(|(_, channel)| **channel != 0.0);
                set.for_each(|(channel, _)| add(token, &self.embed[channel * width..][..width]));
            }
        }
        x
    }
}

/// Win, draw and loss from their logits, or from that of a chance of winning.
pub(super) fn wdl(logits: &[f32]) -> Wdl {
    match *logits {
        [win, draw, loss] => {
            let top = win.max(draw).max(loss);
            let [win, draw, loss] = [win, draw, loss].map(|logit| (logit - top).exp());
            Wdl::from_weights(win, draw, loss)
        }
        [logit] => {
            let chance = 1.0 / (1.0 + (-logit).exp());
            Wdl::from_weights(chance, 0.0, 1.0 - chance)
        }
        _ => unreachable!("one or three outcomes"),
    }
}

/// Place of the likeliest move, the first of equal ones.
fn first(policy: &[f32]) -> usize {
    (0..policy.len()).fold(0, |best, at| if policy[at] > policy[best] { at } else { best })
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
