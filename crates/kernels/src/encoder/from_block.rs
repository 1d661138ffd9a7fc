//! A block that was trained by [`crate::block`], and its smolgen, as an [`Encoder`].

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{
    BoardVector, Encoder, Order, Shape, ShapeError, Smolgen, SmolgenSpread, SmolgenWeights, Weights,
};
use crate::{
    Arithmetic, block,
    dense::{Dense, Linear},
    norm::{self, Norm},
    product::View,
    smolgen,
};

impl Encoder {
    /// From a block's parameters in the order of [`block::Layout`], those of a smolgen after them in the order of
    /// [`smolgen::Layout`].
    pub fn of_block(
        arithmetic: Arithmetic,
        shape: &block::Shape,
        smolgen: Option<&smolgen::Shape>,
        parameters: &[f32],
    ) -> Result<Encoder, ShapeError> {
        use block::Part;
        let block::Shape { tokens, width, heads, hidden, activation, biases } = *shape;
        let layout = block::Layout::of(shape);
        let (own, rest) = parameters.split_at(layout.total());
        let get = |part| &own[layout.range(part)];
        let bias = |part| biases.then(|| get(part));
        let raised = hidden * activation.inputs();
        let qkv = |which: usize| Linear {
            weights: View::new(get(Part::Qkv), width, 3 * width).columns(which * width, width),
            bias: bias(Part::QkvBias).map(|bias| &bias[which * width..][..width]),
        };
        let norm = |weight, bias| Norm::layer(norm::EPSILON, get(weight), Some(get(bias)));
        let weights = Weights {
            query: qkv(0),
            key: qkv(1),
            value: qkv(2),
            output: Linear::new(get(Part::Out), width, width, bias(Part::OutBias)),
            up: Linear::new(get(Part::Up), width, raised, bias(Part::UpBias)),
            down: Linear::new(get(Part::Down), hidden, width, bias(Part::DownBias)),
            norms: [norm(Part::Norm1, Part::Norm1Bias), norm(Part::Norm2, Part::Norm2Bias)],
            smolgen: smolgen.map(|shape| Smolgen::of_trained(arithmetic, shape, rest)),
            residual: 1.0,
        };
        let shape = Shape { tokens, width, heads, hidden, activation, order: Order::Pre };
        Encoder::new(arithmetic, shape, weights)
    }
}

impl Smolgen {
    fn of_trained(arithmetic: Arithmetic, shape: &smolgen::Shape, parameters: &[f32]) -> Smolgen {
        use smolgen::Part;
        let smolgen::Shape { tokens, width, heads, compressed, hidden, per_head } = *shape;
        let layout = smolgen::Layout::of(shape);
        let get = |part| &parameters[layout.range(part)];
        let norm = |weight, bias| Norm::layer(norm::EPSILON, get(weight), Some(get(bias)));
        let square = tokens * tokens;
        let spread = Linear::new(get(Part::Spread), per_head, square, Some(get(Part::SpreadBias)));
        Smolgen::new(
            arithmetic,
            SmolgenWeights {
                board: BoardVector::Compress(Linear::new(get(Part::Compress), width, compressed, None)),
                dense: Linear::new(get(Part::Dense), tokens * compressed, hidden, Some(get(Part::DenseBias))),
                dense_norm: norm(Part::DenseNorm, Part::DenseNormBias),
                heads: Linear::new(get(Part::Split), hidden, heads * per_head, Some(get(Part::SplitBias))),
                heads_norm: norm(Part::SplitNorm, Part::SplitNormBias),
                activation: None,
                spread: SmolgenSpread::shared(arithmetic, spread),
            },
        )
    }
}

/// The last matrix that was laid out, with what it was made from.
struct Last {
    arithmetic: Arithmetic,
    plain: Vec<f32>,
    dense: Weak<Dense>,
}

impl SmolgenSpread {
    /// The one that was made last, if it has the same numbers and is still in use: blocks of a network share the matrix, and copies
    /// of it would not stay in any cache.
    fn shared(arithmetic: Arithmetic, linear: Linear<'_>) -> SmolgenSpread {
        static LAST: Mutex<Option<Last>> = Mutex::new(None);
        let plain = [linear.weights.values, linear.bias.unwrap_or_default()].concat();
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && let Some(dense) = last.dense.upgrade()
            && last.arithmetic == arithmetic
            && last.plain == plain
        {
            return SmolgenSpread(dense);
        }
        let spread = SmolgenSpread::new(arithmetic, linear);
        *last = Some(Last { arithmetic, plain, dense: Arc::downgrade(&spread.0) });
        spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activation, Level, encoder::Extra, testing::random};

    #[test]
    fn a_trained_block_gives_the_same_as_where_it_was_trained() {
        for (activation, with_smolgen, biases) in [
            (Activation::Gelu, true, false),
            (Activation::SwiGlu, false, true),
            (Activation::Gelu, true, true),
        ] {
            let shape = block::Shape { tokens: 64, width: 64, heads: 2, hidden: 96, activation, biases };
            let own =
                smolgen::Shape { tokens: 64, width: 64, heads: 2, compressed: 4, hidden: 32, per_head: 16 };
            let own = with_smolgen.then_some(own);
            let total = block::Layout::of(&shape).total();
            let len = total + own.map_or(0, |own| smolgen::Layout::of(&own).total());
            let parameters: Vec<f32> = random(1, len).into_iter().map(|x| 0.3 * x).collect();
            let x = random(2, 3 * shape.values());
            for arithmetic in Arithmetic::all() {
                let level: Level = arithmetic.level();
                let mut packed = block::PackedBlock::new(level, shape, &parameters[..total], false);
                if let Some(own) = own {
                    packed = packed.with_smolgen(smolgen::PackedSmolgen::new(
                        level,
                        own,
                        &parameters[total..],
                        false,
                    ));
                }
                let [mut expected, mut y] = [x.clone(), x.clone()];
                block::forward(&packed, &x, None, &mut expected, None);
                let encoder =
                    Encoder::of_block(arithmetic, &shape, own.as_ref(), &parameters).expect("a good shape");
                encoder.forward(&x, Extra::default(), &mut y);
                let square = |x: f32| f64::from(x) * f64::from(x);
                let error: f64 = y.iter().zip(&expected).map(|(y, e)| square(y - e)).sum();
                let error = (error / expected.iter().map(|&e| square(e)).sum::<f64>()).sqrt();
                let allowed = match arithmetic.int8() {
                    Some(_) => 0.03,
                    None if level.rounds() => 0.005,
                    None => 2e-6,
                };
                assert!(error < allowed, "{arithmetic} {activation:?}: {error}");
            }
        }
    }
}
