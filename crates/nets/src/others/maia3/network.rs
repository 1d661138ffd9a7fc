//! From moments to opinions: squares to tokens, blocks, heads.

use chess::{Moment, Opinion, Wants, encoding::maia3 as encoding};
use kernels::{
    Activation, Aligned, Arithmetic, Level,
    dense::Linear,
    encoder::{BoardVector, Encoder, Order, Shape, Smolgen, SmolgenSpread, SmolgenWeights, Weights},
    norm::Norm,
    rows,
};

use super::{
    super::{
        OtherError,
        brain::ratings,
        tensors::{Tensors, transposed},
    },
    heads::Heads,
};

const TOKENS: usize = 64;
pub(super) const EPSILON: f32 = 1e-5;
/// Where the second of the two learned vectors of ratings has no share left.
const HIGHEST_RATING: f32 = 5000.0;
/// Bounds on what a file may ask for.
const WIDEST: usize = 4096;
const DEEPEST: usize = 64;

#[derive(Debug)]
pub(super) struct Network {
    level: Level,
    width: usize,
    /// What a one in each channel of a square adds to its token, [96, width].
    channels: Vec<f32>,
    bias: Vec<f32>,
    ratings: [RatingVectors; 2],
    blocks: Vec<Encoder>,
    norm: Norm,
    heads: Heads,
}

/// What a rating of 5000, and one of 0, add to every token.
#[derive(Debug)]
struct RatingVectors {
    highest: Vec<f32>,
    lowest: Vec<f32>,
}

/// Sizes, as the arrays show them.
struct Sizes {
    width: usize,
    heads: usize,
    hidden: usize,
    blocks: usize,
    /// Of smolgen: numbers of a square, of the board, and of a head.
    per_square: Option<usize>,
    board: usize,
    each: usize,
}

impl Sizes {
    fn of(tensors: &Tensors) -> Result<Sizes, OtherError> {
        let first = |name: &str| format!("transformer.layers.0.{name}");
        let [width, _] = tensors.sides("token_projection.weight")?;
        let [hidden, _] = tensors.sides(&first("linear1.weight"))?;
        let [all, board] = tensors.sides(&first("self_attn.sm3.weight"))?;
        let [_, each] = tensors.sides("gab_shared_weight")?;
        let per_square = match tensors.has(&first("self_attn.sm1.weight")) {
            true => Some(tensors.sides(&first("self_attn.sm1.weight"))?[0]),
            false => None,
        };
        let has = |block: &usize| tensors.has(&format!("transformer.layers.{block}.norm1.weight"));
        let blocks = (0..=DEEPEST).take_while(has).count();
        let whole = each > 0 && all.is_multiple_of(each);
        let sizes = [width, hidden, all, board, each, per_square.unwrap_or(1)];
        if !whole || sizes.iter().any(|&size| size == 0 || size > WIDEST) || blocks == 0 || blocks > DEEPEST {
            let text =
                format!("{blocks} blocks of width {width}, {hidden} and {all} over {each} are not Maia-3's");
            return Err(OtherError::Unknown(text));
        }
        Ok(Sizes { width, heads: all / each, hidden, blocks, per_square, board, each })
    }
}

impl Network {
    pub(super) fn new(arithmetic: Arithmetic, tensors: &Tensors) -> Result<Network, OtherError> {
        let sizes = Sizes::of(tensors)?;
        let width = sizes.width;
        let shared = tensors.get("gab_shared_weight", &[TOKENS * TOKENS, sizes.each])?;
        let shared = transposed(shared, TOKENS * TOKENS, sizes.each);
        let spread = SmolgenSpread::new(arithmetic, Linear::new(&shared, sizes.each, TOKENS * TOKENS, None));
        let blocks = (0..sizes.blocks).map(|number| block(arithmetic, tensors, &sizes, number, &spread));
        let [_, embedded] = tensors.sides("elo_embedding_low.weight")?;
        if embedded > WIDEST {
            return Err(OtherError::Unknown(format!("ratings as vectors of {embedded} are not Maia-3's")));
        }
        let inputs = encoding::CHANNELS + 2 * embedded;
        let projection = tensors.layer("token_projection.weight", inputs, width)?;
        let (channels, rest) = projection.split_at(encoding::CHANNELS * width);
        let [low, high] = ["elo_embedding_low.weight", "elo_embedding_high.weight"]
            .map(|name| tensors.get(name, &[1, embedded]));
        let (highest, lowest) = (low?, high?);
        let (own, other) = rest.split_at(embedded * width);
        let ratings = [own, other].map(|part| RatingVectors {
            highest: product(highest, part, width),
            lowest: product(lowest, part, width),
        });
        Ok(Network {
            level: arithmetic.level(),
            width,
            channels: channels.to_vec(),
            bias: tensors.get("token_projection.bias", &[width])?.to_vec(),
            ratings,
            blocks: blocks.collect::<Result<_, _>>()?,
            norm: layer_norm(tensors, "transformer.norm", width)?,
            heads: Heads::new(arithmetic, tensors, width)?,
        })
    }

    /// Opinions on moments in which the game goes on, on this thread as far as blocks do not share them out.
    pub(super) fn judge(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let mut x = self.tokens(moments);
        let mut y = Aligned::scratch(x.len());
        Encoder::forward_all(&self.blocks.iter().collect::<Vec<_>>(), &x, None, &mut y);
        self.norm.forward(self.level, &y, &mut x);
        self.heads.opinions(&x, moments, wants)
    }

    fn tokens(&self, moments: &[&Moment]) -> Aligned {
        let width = self.width;
        let mut x = Aligned::scratch(moments.len() * TOKENS * width);
        let mut places = Vec::with_capacity(encoding::BOARDS * 32);
        for (moment, x) in moments.iter().zip(x.chunks_exact_mut(TOKENS * width)) {
            let mut all = self.bias.clone();
            for (rating, vectors) in ratings(moment).into_iter().zip(&self.ratings) {
                let share = (f32::from(rating) / HIGHEST_RATING).min(1.0);
                for ((to, highest), lowest) in all.iter_mut().zip(&vectors.highest).zip(&vectors.lowest) {
                    *to += share * highest + (1.0 - share) * lowest;
                }
            }
            x.chunks_exact_mut(width).for_each(|token| token.copy_from_slice(&all));
            encoding::encode(moment, &mut places);
            for place in places.iter().copied().map(usize::from) {
                let (square, channel) = (place / encoding::CHANNELS, place % encoding::CHANNELS);
                let token = &mut x[square * width..][..width];
                rows::add(self.level, token, &self.channels[channel * width..][..width]);
            }
        }
        x
    }
}

/// A row times a matrix `[row.len(), columns]`.
fn product(row: &[f32], matrix: &[f32], columns: usize) -> Vec<f32> {
    let mut sum = vec![0.0; columns];
    for (x, weights) in row.iter().zip(matrix.chunks_exact(columns)) {
        for (sum, weight) in sum.iter_mut().zip(weights) {
            *sum += x * weight;
        }
    }
    sum
}

pub(super) fn layer_norm(tensors: &Tensors, name: &str, width: usize) -> Result<Norm, OtherError> {
    let [weight, bias] = ["weight", "bias"].map(|part| tensors.get(&format!("{name}.{part}"), &[width]));
    Ok(Norm::layer(EPSILON, weight?, Some(bias?)))
}

fn block(
    arithmetic: Arithmetic,
    tensors: &Tensors,
    sizes: &Sizes,
    number: usize,
    spread: &SmolgenSpread,
) -> Result<Encoder, OtherError> {
    let Sizes { width, heads, hidden, .. } = *sizes;
    let name = |part: &str| format!("transformer.layers.{number}.{part}");
    let attention = tensors.get(&name("self_attn.mha.in_proj_weight"), &[3 * width, width])?;
    let [query, key, value] =
        [0, 1, 2].map(|i| transposed(&attention[i * width * width..][..width * width], width, width));
    let square = |weights| Linear::new(weights, width, width, None);
    let output = tensors.layer(&name("self_attn.mha.out_proj.weight"), width, width)?;
    let up = tensors.layer(&name("linear1.weight"), width, hidden)?;
    let down = tensors.layer(&name("linear2.weight"), hidden, width)?;
    let [first, second] = ["norm1.weight", "norm2.weight"].map(|part| tensors.get(&name(part), &[width]));
    let weights = Weights {
        query: square(&query),
        key: square(&key),
        value: square(&value),
        output: square(&output),
        up: Linear::new(&up, width, hidden, Some(tensors.get(&name("linear1.bias"), &[hidden])?)),
        down: Linear::new(&down, hidden, width, Some(tensors.get(&name("linear2.bias"), &[width])?)),
        norms: [Norm::rms(EPSILON, first?), Norm::rms(EPSILON, second?)],
        smolgen: Some(smolgen(arithmetic, tensors, sizes, &name("self_attn"), spread)?),
        residual: 1.0,
    };
    let shape =
        Shape { tokens: TOKENS, width, heads, hidden, activation: Activation::Gelu, order: Order::Post };
    Ok(Encoder::new(arithmetic, shape, weights)?)
}

fn smolgen(
    arithmetic: Arithmetic,
    tensors: &Tensors,
    sizes: &Sizes,
    prefix: &str,
    spread: &SmolgenSpread,
) -> Result<Smolgen, OtherError> {
    let Sizes { width, heads, per_square, board, each, .. } = *sizes;
    let name = |part: &str| format!("{prefix}.{part}");
    let first = match per_square {
        None => None,
        Some(numbers) => {
            let weights = tensors.layer(&name("sm1.weight"), width, numbers)?;
            Some((weights, tensors.get(&name("sm1.bias"), &[numbers])?))
        }
    };
    let flat = per_square.map_or(width, |numbers| TOKENS * numbers);
    let dense = tensors.layer(&name("sm2.weight"), flat, board)?;
    let split = tensors.layer(&name("sm3.weight"), board, heads * each)?;
    let board_vector = match &first {
        None => BoardVector::Mean,
        Some((weights, bias)) => BoardVector::Compress(Linear::new(weights, width, bias.len(), Some(bias))),
    };
    let dense_bias = tensors.get(&name("sm2.bias"), &[board])?;
    let split_bias = tensors.get(&name("sm3.bias"), &[heads * each])?;
    Ok(Smolgen::new(
        arithmetic,
        SmolgenWeights {
            board: board_vector,
            dense: Linear::new(&dense, flat, board, Some(dense_bias)),
            dense_norm: layer_norm(tensors, &name("ln1"), board)?,
            heads: Linear::new(&split, board, heads * each, Some(split_bias)),
            heads_norm: layer_norm(tensors, &name("ln2"), heads * each)?,
            activation: Some(Activation::Gelu),
            spread: spread.clone(),
        },
    ))
}
