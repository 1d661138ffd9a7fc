//! Chances of the outcome.

use chess::Wdl;
use kernels::{
    Activation, Arithmetic, Level,
    dense::{Dense, Linear},
};

use crate::others::{
    OtherError,
    brain::softmax,
    leela::{
        WIDEST,
        filter::Filter,
        layer::{activate, by_square, dense, through, weights},
        proto::{self, Weights},
    },
};

/// A few numbers of each square, all of them through two dense layers.
#[derive(Debug)]
pub(in crate::others::leela) struct ValueHead {
    level: Level,
    activation: Activation,
    squares: Dense,
    hidden: Dense,
    /// Win, draw and loss; or one expectation from -1 to 1.
    last: Dense,
}

impl ValueHead {
    pub(in crate::others::leela) fn of_tokens(
        level: Level,
        weights: &Weights,
        width: usize,
        activation: Activation,
    ) -> Result<ValueHead, OtherError> {
        let each = proto::len(&weights.ip_val_b);
        let [hidden, last] = sizes(weights, each)?;
        Ok(ValueHead {
            level,
            activation,
            squares: dense(level, [&weights.ip_val_w, &weights.ip_val_b], "ip_val", width, each)?,
            hidden: dense(level, [&weights.ip1_val_w, &weights.ip1_val_b], "ip1_val", 64 * each, hidden)?,
            last: dense(level, [&weights.ip2_val_w, &weights.ip2_val_b], "ip2_val", hidden, last)?,
        })
    }

    /// Behind a convolution, in residual networks.
    pub(in crate::others::leela) fn of_board(
        level: Level,
        from: &Weights,
        channels: usize,
        width: usize,
    ) -> Result<ValueHead, OtherError> {
        let squares = Filter::read(from.value.as_ref(), "value", 1, channels)?;
        let each = squares.outputs();
        let [hidden, last] = sizes(from, each)?;
        let weights = by_square(&weights(&from.ip1_val_w, "ip1_val", 64 * each, hidden)?, each, hidden);
        let bias = proto::numbers(&from.ip1_val_b, "ip1_val's bias", hidden)?;
        let packed = |linear: Linear<'_>| Dense::new(Arithmetic::of(level), linear);
        Ok(ValueHead {
            level,
            activation: Activation::Relu,
            squares: packed(squares.padded(width, each).linear()),
            hidden: packed(Linear::new(&weights, 64 * each, hidden, Some(&bias))),
            last: dense(level, [&from.ip2_val_w, &from.ip2_val_b], "ip2_val", hidden, last)?,
        })
    }

    /// What becomes of every board whose tokens `x` holds.
    pub(in crate::others::leela) fn outcomes(&self, x: &[f32]) -> Vec<Wdl> {
        let mut squares = through(&self.squares, x);
        activate(self.level, self.activation, &mut squares);
        let mut hidden = through(&self.hidden, &squares);
        activate(self.level, self.activation, &mut hidden);
        outcomes(&through(&self.last, &hidden), self.last.outputs())
    }
}

/// Numbers between the two layers behind `each` numbers of a square, and of the last one.
fn sizes(weights: &Weights, each: usize) -> Result<[usize; 2], OtherError> {
    let [hidden, last] = [&weights.ip1_val_b, &weights.ip2_val_b].map(proto::len);
    let good = [each, hidden].iter().all(|&size| size > 0 && size <= WIDEST) && [1, 3].contains(&last);
    match good {
        true => Ok([hidden, last]),
        false => Err(OtherError::Unknown(format!("a value of {each}, {hidden} and {last} numbers"))),
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
