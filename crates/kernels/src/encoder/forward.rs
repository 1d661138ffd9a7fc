//! A batch of positions through the block. Rows of a position go a strip at a time: norm, product, activation and the next product
//! happen while the numbers are in the nearest caches.

use rayon::prelude::*;

use super::{
    Encoder, Order, Shape, Smolgen,
    attention::{AttentionBuffers, ScoreBias, attention},
};
use crate::{
    Aligned, activation,
    dense::DenseBuffer,
    product::{self, View},
};

/// Positions that one task takes at most.
const MOST: usize = 16;
/// What is added to the scores of absent tokens: so low that nothing is left of them, but finite.
const ABSENT: f32 = -1e30;

/// What attention is told besides the tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra<'a> {
    /// Added to the scores, heads x tokens x tokens for each position; not for blocks with a smolgen.
    pub bias: Option<&'a [f32]>,
    /// Tokens that are not present are seen by none; one truth value for each token of each position.
    pub present: Option<&'a [bool]>,
}

/// Memory for the work on one position.
struct Buffers {
    attention: AttentionBuffers,
    /// Tokens x query, key and value.
    qkv: Aligned,
    /// Tokens x width.
    mixed: Aligned,
    strip: StripBuffers,
}

/// Memory for the work on some rows.
struct StripBuffers {
    dense: DenseBuffer,
    normed: Aligned,
    sum: Aligned,
    raised: Aligned,
    active: Aligned,
}

impl Encoder {
    /// `y` for every position of `x`, on all threads.
    pub fn forward(&self, x: &[f32], extra: Extra<'_>, y: &mut [f32]) {
        let (len, bias_len, tokens) = (self.shape.values(), self.shape.bias_len(), self.shape.tokens);
        assert!(x.len() == y.len() && x.len().is_multiple_of(len));
        let positions = x.len() / len;
        assert!(extra.bias.is_none_or(|bias| bias.len() == positions * bias_len && self.smolgen.is_none()));
        assert!(extra.present.is_none_or(|present| present.len() == positions * tokens));
        let some = positions.div_ceil(rayon::current_num_threads()).clamp(1, MOST);
        y.par_chunks_mut(some * len).zip(x.par_chunks(some * len)).enumerate().for_each(|(i, (y, x))| {
            let (first, count) = (i * some, x.len() / len);
            let extra = Extra {
                bias: extra.bias.map(|bias| &bias[first * bias_len..][..count * bias_len]),
                present: extra.present.map(|present| &present[first * tokens..][..count * tokens]),
            };
            self.group(x, extra, y);
        });
    }

    /// Some positions on this thread.
    fn group(&self, x: &[f32], extra: Extra<'_>, y: &mut [f32]) {
        let (len, bias_len, tokens) = (self.shape.values(), self.shape.bias_len(), self.shape.tokens);
        let mut buffers = Buffers::new(self);
        let vectors = self.smolgen.as_ref().map(|smolgen| (smolgen, smolgen.vectors(&self.shape, x)));
        let at_once = self.smolgen.as_ref().map_or(1, |smolgen| Smolgen::at_once(smolgen, &self.shape));
        let mut made = Aligned::default();
        let count = x.len() / len;
        for (at, (x, y)) in x.chunks_exact(len).zip(y.chunks_exact_mut(len)).enumerate() {
            let pairs = match &vectors {
                Some((smolgen, vectors)) => {
                    if at.is_multiple_of(at_once) {
                        let each = vectors.len() / count;
                        let some = &vectors[at * each..count.min(at + at_once) * each];
                        smolgen.biases(&self.shape, some, &mut buffers.strip.dense, &mut made);
                    }
                    Some(&made[at % at_once * bias_len..][..bias_len])
                }
                None => extra.bias.map(|bias| &bias[at * bias_len..][..bias_len]),
            };
            let keys: Option<Vec<f32>> = extra.present.map(|present| {
                present[at * tokens..][..tokens].iter().map(|&here| if here { 0.0 } else { ABSENT }).collect()
            });
            self.position(x, ScoreBias { pairs, keys: keys.as_deref() }, y, &mut buffers);
        }
    }

    fn position(&self, x: &[f32], bias: ScoreBias<'_>, y: &mut [f32], buffers: &mut Buffers) {
        let (level, width) = (self.arithmetic.level(), self.shape.width);
        let Buffers { attention: of_heads, qkv, mixed, strip } = buffers;
        let some = self.strip() * width;
        for (x, qkv) in x.chunks(some).zip(qkv.chunks_mut(3 * some)) {
            let rows = self.normed_before(0, x, &mut strip.normed);
            let rows = View::new(rows, x.len() / width, width);
            self.qkv.rows(rows, &mut strip.dense, qkv, 3 * width, false);
        }
        attention(level, &self.shape, qkv, bias, of_heads, mixed);
        for ((x, y), mixed) in x.chunks(some).zip(y.chunks_mut(some)).zip(mixed.chunks(some)) {
            let rows = x.len() / width;
            let StripBuffers { dense, sum, .. } = strip;
            sum[..x.len()].copy_from_slice(x);
            self.output.rows(View::new(mixed, rows, width), dense, sum, width, true);
            self.normed_after(0, &sum[..x.len()], y);
            self.feed_forward(rows, y, strip);
        }
    }

    /// The feed-forward half of a strip of rows, in place.
    fn feed_forward(&self, rows: usize, y: &mut [f32], buffers: &mut StripBuffers) {
        let (level, width, hidden) = (self.arithmetic.level(), self.shape.width, self.shape.hidden);
        let StripBuffers { dense, normed, sum, raised, active } = buffers;
        sum[..y.len()].copy_from_slice(y);
        let wide = hidden * self.shape.activation.inputs();
        let normed = self.normed_before(1, y, normed);
        self.up.rows(View::new(normed, rows, width), dense, raised, wide, false);
        let active = &mut active[..rows * hidden];
        activation::forward(level, self.shape.activation, &raised[..rows * wide], hidden, active);
        self.down.rows(View::new(active, rows, hidden), dense, sum, width, true);
        self.normed_after(1, &sum[..y.len()], y);
    }

    /// What goes into a half of the block.
    fn normed_before<'a>(&self, half: usize, x: &'a [f32], normed: &'a mut Aligned) -> &'a [f32] {
        match self.shape.order {
            Order::Pre => {
                self.norms[half].forward(self.arithmetic.level(), x, normed);
                &normed[..x.len()]
            }
            Order::Post => x,
        }
    }

    /// What comes out of a half of the block, from the sum at its end.
    fn normed_after(&self, half: usize, sum: &[f32], y: &mut [f32]) {
        match self.shape.order {
            Order::Pre => y.copy_from_slice(sum),
            Order::Post => self.norms[half].forward(self.arithmetic.level(), sum, y),
        }
    }

    /// Rows that go together: few, so that they stay in the nearest cache, but whole tiles.
    fn strip(&self) -> usize {
        if self.arithmetic.int8().is_some() { 16 } else { 32 }
    }
}

impl Buffers {
    fn new(of: &Encoder) -> Buffers {
        let Shape { tokens, width, hidden, activation, .. } = of.shape;
        let (strip, tall) = (of.strip(), product::rounded(tokens));
        // Products may write whole groups of sixteen rows.
        let tall = tall.next_multiple_of(strip);
        let gated = activation.inputs();
        Buffers {
            attention: AttentionBuffers::new(of.arithmetic.level(), &of.shape),
            qkv: Aligned::room(tall * 3 * width),
            mixed: Aligned::room(tall * width),
            strip: StripBuffers {
                dense: DenseBuffer::default(),
                normed: Aligned::room(strip * width),
                sum: Aligned::room(strip * width),
                raised: Aligned::room(strip * gated * hidden),
                active: Aligned::room(strip * hidden),
            },
        }
    }
}
