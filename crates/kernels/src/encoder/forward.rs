//! A batch of positions through the block. Rows of a position go a strip at a time: norm, product, activation and the next product
//! happen while the numbers are in the nearest caches.

use rayon::prelude::*;

use super::{
    Encoder, Order, Shape, Smolgen,
    attention::{AttentionBuffers, ScoreBias, attention},
};
use crate::{
    Aligned, activation,
    dense::{Dense, DenseBuffer},
    int8::Base,
    product::{self, View},
};

/// Positions that one task takes at most.
const MOST: usize = 16;
/// Rows that go together: few, so that they stay in the nearest caches, but whole tiles.
const STRIP: usize = 32;
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

    /// The result of several blocks of one shape, one after the other: some positions go through all of them before the next ones,
    /// so that what lies between the blocks stays in the cache. All have a smolgen or no biases.
    pub fn forward_all(blocks: &[&Encoder], x: &[f32], present: Option<&[bool]>, y: &mut [f32]) {
        let Some(first) = blocks.first() else { return y.copy_from_slice(x) };
        assert!(blocks.iter().all(|block| block.shape.values() == first.shape.values()));
        let (len, tokens) = (first.shape.values(), first.shape.tokens);
        assert!(x.len() == y.len() && x.len().is_multiple_of(len));
        let positions = x.len() / len;
        assert!(present.is_none_or(|present| present.len() == positions * tokens));
        let some = positions.div_ceil(rayon::current_num_threads()).clamp(1, MOST);
        y.par_chunks_mut(some * len).zip(x.par_chunks(some * len)).enumerate().for_each(|(i, (y, x))| {
            let present = present.map(|present| &present[i * some * tokens..][..x.len() / first.shape.width]);
            let extra = Extra { bias: None, present };
            let mut between = Aligned::scratch(x.len());
            // The last block writes to `y`.
            let (mut to, mut other): (&mut [f32], &mut [f32]) =
                if blocks.len() % 2 == 1 { (y, &mut between) } else { (&mut between, y) };
            first.group(x, extra, to);
            for block in &blocks[1..] {
                std::mem::swap(&mut to, &mut other);
                block.group(other, extra, to);
            }
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
                None => {
                    let own = extra.bias.map(|bias| &bias[at * bias_len..][..bias_len]);
                    self.shared_bias.as_deref().or(own)
                }
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
        let some = STRIP * width;
        for (x, qkv) in x.chunks(some).zip(qkv.chunks_mut(3 * some)) {
            let rows = self.normed_before(0, x, &mut strip.normed);
            let rows = View::new(rows, x.len() / width, width);
            self.qkv.rows(rows, &mut strip.dense, qkv, 3 * width, Base::Nothing);
        }
        attention(level, &self.shape, qkv, bias, of_heads, mixed);
        for ((x, y), mixed) in x.chunks(some).zip(y.chunks_mut(some)).zip(mixed.chunks(some)) {
            let rows = x.len() / width;
            let StripBuffers { dense, sum, .. } = strip;
            let mixed = View::new(mixed, rows, width);
            if self.writes_in_place(rows) {
                self.output.rows(mixed, dense, y, width, Base::Matrix(x));
            } else {
                self.onto(x, &self.output, mixed, dense, sum);
                self.normed_after(0, &sum[..x.len()], y);
            }
            self.feed_forward(rows, y, strip);
        }
    }

    /// The feed-forward half of a strip of rows, in place.
    fn feed_forward(&self, rows: usize, y: &mut [f32], buffers: &mut StripBuffers) {
        let (level, width, hidden) = (self.arithmetic.level(), self.shape.width, self.shape.hidden);
        let StripBuffers { dense, normed, sum, raised, active } = buffers;
        let wide = hidden * self.shape.activation.inputs();
        let normed = self.normed_before(1, y, normed);
        self.up.rows(View::new(normed, rows, width), dense, raised, wide, Base::Nothing);
        let active = &mut active[..rows * hidden];
        let activate = match level.rounds() || self.arithmetic.int8().is_some() {
            true => activation::forward_before_rounding,
            false => activation::forward,
        };
        activate(level, self.shape.activation, &raised[..rows * wide], hidden, active);
        let active = View::new(active, rows, hidden);
        if self.writes_in_place(rows) {
            self.down.rows(active, dense, y, width, Base::There);
        } else {
            self.onto(y, &self.down, active, dense, sum);
            self.normed_after(1, &sum[..y.len()], y);
        }
    }

    /// `sum = base + rows * weights`.
    fn onto(&self, base: &[f32], layer: &Dense, rows: View<'_>, buffer: &mut DenseBuffer, sum: &mut [f32]) {
        let width = self.shape.width;
        if product::rows_written(self.arithmetic.level(), rows.rows) == rows.rows {
            layer.rows(rows, buffer, sum, width, Base::Matrix(base));
        } else {
            sum[..base.len()].copy_from_slice(base);
            layer.rows(rows, buffer, sum, width, Base::There);
        }
    }

    /// Whether sums at the end of a half may go straight to the result: no norm follows, and no rows beyond these are written.
    fn writes_in_place(&self, rows: usize) -> bool {
        self.shape.order == Order::Pre && product::rows_written(self.arithmetic.level(), rows) == rows
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
}

impl Buffers {
    fn new(of: &Encoder) -> Buffers {
        let Shape { tokens, width, hidden, activation, .. } = of.shape;
        // Products may write whole groups of sixteen rows.
        let tall = tokens.next_multiple_of(STRIP);
        let gated = activation.inputs();
        Buffers {
            attention: AttentionBuffers::new(of.arithmetic.level(), &of.shape),
            qkv: Aligned::scratch(tall * 3 * width),
            mixed: Aligned::scratch(tall * width),
            strip: StripBuffers {
                dense: DenseBuffer::default(),
                normed: Aligned::scratch(STRIP * width),
                sum: Aligned::scratch(STRIP * width),
                raised: Aligned::scratch(STRIP * gated * hidden),
                active: Aligned::scratch(STRIP * hidden),
            },
        }
    }
}
