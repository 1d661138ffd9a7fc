//! Leela's attention bodies: planes to tokens, a gate, and transformer blocks whose norms stand after their layers.

use chess::{Moment, encoding::leela::CHANNELS};
use kernels::{
    Activation, Aligned, Arithmetic, Level,
    dense::Linear,
    encoder::{BoardVector, Encoder, Order, Shape, Smolgen, SmolgenSpread, SmolgenWeights, Weights},
    norm::Norm,
};

use super::{
    DEEPEST, WIDEST, activation,
    input::{REACH, SquareInput},
    layer::{activate, plain, weights},
    proto::{self, EncoderLayer, Layer, NetworkFormat},
    usual_activation,
};
use crate::others::{OtherError, tensors::transposed};

const TOKENS: usize = 64;
const EPSILON: f32 = 1e-6;
const SMOLGEN_EPSILON: f32 = 1e-3;
/// The file's number for networks that were made before attention bodies had a number of their own.
const OLD_FORMAT: i32 = 4;

#[derive(Debug)]
pub(super) struct AttentionBody {
    level: Level,
    width: usize,
    input: SquareInput,
    usual: Activation,
    /// Factor and summand of each number, [64, width].
    gates: Option<[Vec<f32>; 2]>,
    blocks: Vec<Encoder>,
}

/// What all blocks have in common.
struct Common {
    arithmetic: Arithmetic,
    shape: Shape,
    residual: f32,
    smolgen_activation: Activation,
    spread: Option<(SmolgenSpread, usize)>,
}

impl AttentionBody {
    pub(super) fn new(
        arithmetic: Arithmetic,
        from: &proto::Weights,
        format: &NetworkFormat,
    ) -> Result<AttentionBody, OtherError> {
        let unknown = |text: &str| Err(OtherError::Unknown(text.to_owned()));
        if !from.residual.is_empty() {
            return unknown("it has residual blocks before its attention body");
        }
        if from.ip_emb_preproc_w.is_some() || format.input_embedding == 2 {
            return unknown("its input is embedded by a dense layer over the whole board");
        }
        let (level, usual) = (arithmetic.level(), usual_activation(format)?);
        let width = proto::len(&from.ip_emb_b);
        let blocks = &from.encoder;
        let heads = from.headcount as usize;
        if width == 0 || width > WIDEST || blocks.len() > DEEPEST || heads == 0 || heads > width {
            let (count, text) = (blocks.len(), "are more than any network's");
            return unknown(&format!("{count} blocks of width {width} with {heads} heads {text}"));
        }
        // Networks with smolgen of the old format have these activations, and no word for them.
        let old = format.network == OLD_FORMAT && from.smolgen_w.is_some();
        let [feed, smolgen] = match old {
            true => [Activation::SquaredRelu, Activation::Swish],
            false => {
                [activation(format.ffn_activation, usual)?, activation(format.smolgen_activation, usual)?]
            }
        };
        let reach = if proto::len(&from.ip_emb_w) == CHANNELS * width { 0 } else { REACH };
        let embedding = plain([&from.ip_emb_w, &from.ip_emb_b], "ip_emb", CHANNELS + reach, width)?;
        let hidden = blocks[0].ffn.as_ref().map_or(0, |ffn| proto::len(&ffn.dense1_b));
        if hidden > 4 * WIDEST {
            return unknown(&format!("a hidden width of {hidden} is more than any network's"));
        }
        let shape = Shape { tokens: TOKENS, width, heads, hidden, activation: feed, order: Order::Post };
        let common = Common {
            arithmetic,
            shape,
            residual: (2.0 * blocks.len() as f32).powf(-0.25),
            smolgen_activation: smolgen,
            spread: spread(arithmetic, &from.smolgen_w)?,
        };
        let gate = |layer: &Option<Layer>, name: &str| {
            Ok::<_, OtherError>(transposed(&proto::numbers(layer, name, width * TOKENS)?, width, TOKENS))
        };
        let gates = match from.ip_mult_gate.is_some() || from.ip_add_gate.is_some() {
            true => {
                Some([gate(&from.ip_mult_gate, "ip_mult_gate")?, gate(&from.ip_add_gate, "ip_add_gate")?])
            }
            false => None,
        };
        Ok(AttentionBody {
            level,
            width,
            input: SquareInput::new(level, &embedding.weights, &embedding.bias),
            usual,
            gates,
            blocks: blocks.iter().map(|layer| block(&common, layer)).collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Tokens of every moment, [64, width] each.
    pub(super) fn forward(&self, moments: &[&Moment]) -> Aligned {
        let mut x = self.input.forward(moments);
        activate(self.level, self.usual, &mut x);
        if let Some([factors, summands]) = &self.gates {
            for x in x.chunks_exact_mut(TOKENS * self.width) {
                for ((x, factor), summand) in x.iter_mut().zip(factors).zip(summands) {
                    *x = *x * factor + summand;
                }
            }
        }
        let mut y = Aligned::scratch(x.len());
        Encoder::forward_all(&self.blocks.iter().collect::<Vec<_>>(), &x, None, &mut y);
        y
    }
}

/// The matrix that all smolgens share, and the width of a head's vector.
fn spread(
    arithmetic: Arithmetic,
    layer: &Option<Layer>,
) -> Result<Option<(SmolgenSpread, usize)>, OtherError> {
    let pairs = TOKENS * TOKENS;
    let each = proto::len(layer) / pairs;
    if layer.is_none() {
        return Ok(None);
    }
    if each == 0 || each > WIDEST {
        let text = format!("smolgen's vectors have {each} numbers");
        return Err(OtherError::Unknown(text));
    }
    let weights = weights(layer, "smolgen_w", each, pairs)?;
    Ok(Some((SmolgenSpread::new(arithmetic, Linear::new(&weights, each, pairs, None)), each)))
}

fn block(common: &Common, from: &EncoderLayer) -> Result<Encoder, OtherError> {
    let Shape { width, hidden, .. } = common.shape;
    let missing = |name: &str| OtherError::Missing(name.to_owned());
    let mha = from.mha.as_ref().ok_or_else(|| missing("mha"))?;
    let ffn = from.ffn.as_ref().ok_or_else(|| missing("ffn"))?;
    if mha.rpe_q.is_some() {
        return Err(OtherError::Unknown("its attention has relative positions".to_owned()));
    }
    let query = plain([&mha.q_w, &mha.q_b], "mha.q", width, width)?;
    let key = plain([&mha.k_w, &mha.k_b], "mha.k", width, width)?;
    let value = plain([&mha.v_w, &mha.v_b], "mha.v", width, width)?;
    let output = plain([&mha.dense_w, &mha.dense_b], "mha.dense", width, width)?;
    let up = plain([&ffn.dense1_w, &ffn.dense1_b], "ffn.dense1", width, hidden)?;
    let down = plain([&ffn.dense2_w, &ffn.dense2_b], "ffn.dense2", hidden, width)?;
    let first = norm(EPSILON, [&from.ln1_gammas, &from.ln1_betas], "ln1", width)?;
    let second = norm(EPSILON, [&from.ln2_gammas, &from.ln2_betas], "ln2", width)?;
    let smolgen = match (&mha.smolgen, &common.spread) {
        (Some(from), Some((spread, each))) => Some(smolgen(common, from, spread, *each)?),
        (None, None) => None,
        _ => return Err(missing("smolgen")),
    };
    let weights = Weights {
        query: query.linear(),
        key: key.linear(),
        value: value.linear(),
        output: output.linear(),
        up: up.linear(),
        down: down.linear(),
        norms: [first, second],
        smolgen,
        residual: common.residual,
    };
    Ok(Encoder::new(common.arithmetic, common.shape, weights)?)
}

fn norm(
    epsilon: f32,
    [gammas, betas]: [&Option<Layer>; 2],
    name: &str,
    width: usize,
) -> Result<Norm, OtherError> {
    let (weight, bias) = (proto::numbers(gammas, name, width)?, proto::numbers(betas, name, width)?);
    Ok(Norm::layer(epsilon, &weight, Some(&bias)))
}

fn smolgen(
    common: &Common,
    from: &proto::Smolgen,
    spread: &SmolgenSpread,
    each: usize,
) -> Result<Smolgen, OtherError> {
    let Shape { width, heads, .. } = common.shape;
    let compressed = proto::len(&from.compress) / width;
    let board = proto::len(&from.dense1_b);
    if [compressed, board].iter().any(|&size| size == 0 || size > WIDEST) {
        return Err(OtherError::Unknown(format!("smolgen of {compressed} and {board} numbers")));
    }
    let compress = weights(&from.compress, "smolgen.compress", width, compressed)?;
    let dense = plain([&from.dense1_w, &from.dense1_b], "smolgen.dense1", TOKENS * compressed, board)?;
    let split = plain([&from.dense2_w, &from.dense2_b], "smolgen.dense2", board, heads * each)?;
    Ok(Smolgen::new(
        common.arithmetic,
        SmolgenWeights {
            board: BoardVector::Compress(Linear::new(&compress, width, compressed, None)),
            dense: dense.linear(),
            dense_norm: norm(SMOLGEN_EPSILON, [&from.ln1_gammas, &from.ln1_betas], "smolgen.ln1", board)?,
            heads: split.linear(),
            heads_norm: norm(
                SMOLGEN_EPSILON,
                [&from.ln2_gammas, &from.ln2_betas],
                "smolgen.ln2",
                heads * each,
            )?,
            activation: Some(common.smolgen_activation),
            spread: spread.clone(),
        },
    ))
}
