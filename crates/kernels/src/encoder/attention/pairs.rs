//! Attention of a position with AVX-512's dot products of bf16 pairs, for up to 96 tokens: scores of four queries stay in registers
//! until they are weights.
//!
//! Queries are rows of pairs; keys lie in lines of sixteen tokens by one pair of numbers, values in lines of sixteen numbers by one
//! pair of tokens. Weights are left unnormalised: what they give is divided by their sum.

use std::arch::x86_64::*;

use super::ScoreBias;
use crate::{
    encoder::Shape,
    product::tiled::interleaved,
    simd::transpose::{Tile, transpose},
    softmax::packed::{exp, four_sums},
};

/// Tokens that the registers have room for.
pub(super) const MOST_TOKENS: usize = 96;
const LANES: usize = 16;
/// Queries whose scores are in registers, and those whose values are mixed together.
const FEW: usize = 4;
const MANY: usize = 8;
/// Scores of this size need no shift by the largest of their row: no sum of exponentials overflows or vanishes.
const LARGEST: f32 = 40.0;

/// A line of pairs of bf16.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u32; LANES]);

/// Queries, keys and values of all heads in bf16, and the weights of some queries.
#[derive(Debug)]
pub(super) struct PairBuffers {
    /// By token, pair of numbers.
    queries: Vec<Line>,
    /// By sixteen tokens, pair of numbers.
    keys: Vec<Line>,
    /// By sixteen numbers, pair of tokens.
    values: Vec<Line>,
    /// By query, pair of tokens.
    weights: Vec<Line>,
}

impl PairBuffers {
    pub(super) fn new(shape: &Shape) -> PairBuffers {
        let groups = shape.tokens.div_ceil(LANES);
        let tall = groups * LANES;
        let lines = |words: usize| vec![Line([0; LANES]); words.div_ceil(LANES)];
        let width = shape.width.next_multiple_of(2 * LANES);
        PairBuffers {
            queries: lines(tall * width / 2),
            keys: lines(groups * width / 2 * LANES),
            values: lines(width * tall / 2),
            weights: lines(MANY * tall / 2),
        }
    }
}

/// What is the same for all queries.
struct Work<'a> {
    shape: &'a Shape,
    scale: f32,
    /// Words from query to query, and lines from sixteen tokens to the next sixteen keys.
    pairs: usize,
    bias: ScoreBias<'a>,
    buffers: &'a mut PairBuffers,
    mixed: &'a mut [f32],
}

/// Rows of `mixed` from rows of queries, keys and values.
///
/// # Safety
/// The CPU has AVX-512 with bf16; `qkv` has three, and `mixed` one times the width of the block for each of its tokens, of which there
/// are at most [`MOST_TOKENS`]; biases are as long as they should be.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
pub(super) unsafe fn attention(
    shape: &Shape,
    qkv: &[f32],
    bias: ScoreBias<'_>,
    buffers: &mut PairBuffers,
    mixed: &mut [f32],
) {
    let pairs = shape.width.next_multiple_of(2 * LANES) / 2;
    // SAFETY: the caller vouches for the lengths.
    unsafe {
        pack(shape, qkv, pairs, buffers);
        let scale = 1.0 / (shape.head() as f32).sqrt();
        let mut work = Work { shape, scale, pairs, bias, buffers, mixed };
        match shape.tokens.div_ceil(LANES) {
            1 => work.heads::<1>(),
            2 => work.heads::<2>(),
            3 => work.heads::<3>(),
            4 => work.heads::<4>(),
            5 => work.heads::<5>(),
            _ => work.heads::<6>(),
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
unsafe fn pack(shape: &Shape, qkv: &[f32], pairs: usize, buffers: &mut PairBuffers) {
    let Shape { tokens, width, .. } = *shape;
    let (stride, from) = (3 * width, qkv.as_ptr());
    // Columns beyond the width are of no head.
    let load = |token: usize, column: usize| {
        let mask = if column % width + LANES <= width && token < tokens { !0 } else { 0 };
        // SAFETY: the row is there, or nothing is read.
        unsafe { _mm512_maskz_loadu_ps(mask, from.wrapping_add(token * stride + column)) }
    };
    // SAFETY: the buffers have room for whole groups of sixteen tokens and 32 columns.
    unsafe {
        for group in 0..tokens.div_ceil(LANES) {
            for first in (0..width).step_by(2 * LANES) {
                let second = first + LANES < width;
                let mut tile: Tile = [_mm512_setzero_si512(); LANES];
                for (i, words) in tile.iter_mut().enumerate() {
                    let token = group * LANES + i;
                    let both = |at: usize| {
                        let high = if second { load(token, at + first + LANES) } else { _mm512_setzero_ps() };
                        words_of(_mm512_cvtne2ps_pbh(high, load(token, at + first)))
                    };
                    let query = buffers.queries.as_mut_ptr().cast::<u32>().add(token * pairs + first / 2);
                    _mm512_storeu_si512(query.cast(), both(0));
                    *words = both(width);
                }
                transpose(&mut tile);
                let keys = buffers.keys.as_mut_ptr().add(group * pairs + first / 2);
                for (i, words) in tile.into_iter().enumerate() {
                    _mm512_store_si512(keys.add(i).cast(), words);
                }
            }
        }
        let order = interleaved();
        let deep = tokens.div_ceil(LANES) * LANES / 2;
        for column in (0..width).step_by(LANES) {
            let values = buffers.values.as_mut_ptr().add(column / LANES * deep);
            for pair in 0..deep {
                let row = |token| load(token, 2 * width + column);
                let both = words_of(_mm512_cvtne2ps_pbh(row(2 * pair + 1), row(2 * pair)));
                _mm512_store_si512(values.add(pair).cast(), _mm512_permutexvar_epi16(order, both));
            }
        }
    }
}

impl Work<'_> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    unsafe fn heads<const GROUPS: usize>(&mut self) {
        let (tokens, groups) = (self.shape.tokens, self.shape.head() / LANES);
        for head in 0..self.shape.heads {
            for first in (0..tokens).step_by(MANY) {
                let mut shares = [0.0; MANY];
                // SAFETY: queries are there for whole groups of sixteen tokens.
                unsafe {
                    for few in (0..MANY).step_by(FEW) {
                        self.weigh::<GROUPS>(head, first, few, &mut shares);
                    }
                    let mut group = 0;
                    while group + 2 <= groups {
                        self.mix::<GROUPS, 2>(head, first, group, &shares);
                        group += 2;
                    }
                    if group < groups {
                        self.mix::<GROUPS, 1>(head, first, group, &shares);
                    }
                }
            }
        }
    }

    /// Weights of four queries, from `first + few` on, and one over the sum of each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    unsafe fn weigh<const GROUPS: usize>(
        &mut self,
        head: usize,
        first: usize,
        few: usize,
        shares: &mut [f32; MANY],
    ) {
        let (tokens, pairs) = (self.shape.tokens, self.shape.head() / 2);
        let row = first + few;
        // SAFETY: keys and queries are there for whole groups of sixteen tokens, biases for those that exist.
        unsafe {
            let queries = self.buffers.queries.as_ptr().cast::<u32>().add(row * self.pairs + head * pairs);
            let queries: [*const u32; FEW] = std::array::from_fn(|i| queries.add(i * self.pairs));
            let keys = self.buffers.keys.as_ptr().add(head * pairs);
            let mut scores = [[_mm512_setzero_ps(); GROUPS]; FEW];
            for pair in 0..pairs {
                let lines: [__m512bh; GROUPS] = std::array::from_fn(|group| {
                    pairs_of(_mm512_load_si512(keys.add(group * self.pairs + pair).cast()))
                });
                for (query, scores) in queries.iter().zip(&mut scores) {
                    let query = pairs_of(_mm512_set1_epi32(query.add(pair).read() as i32));
                    for (score, line) in scores.iter_mut().zip(lines) {
                        *score = _mm512_dpbf16_ps(*score, query, line);
                    }
                }
            }
            self.add_biases(&mut scores, head, row);
            let mut largest = _mm512_setzero_ps();
            for score in scores.as_flattened() {
                largest = _mm512_max_ps(largest, _mm512_abs_ps(*score));
            }
            // Absent tokens have scores far below, and need no shift for that; what is no number takes the other way, and stays none.
            if _mm512_cmp_ps_mask::<_CMP_NLE_UQ>(largest, _mm512_set1_ps(LARGEST)) != 0 {
                shift(&mut scores, tokens);
            }
            let mut sums = [_mm512_setzero_ps(); FEW];
            for (scores, sum) in scores.iter_mut().zip(&mut sums) {
                for score in scores {
                    *score = exp(*score);
                    *sum = _mm512_add_ps(*sum, *score);
                }
            }
            // Lanes beyond the last token count for nothing.
            if tokens % LANES != 0 {
                let mask = (1 << (tokens % LANES)) - 1;
                for (scores, sum) in scores.iter_mut().zip(&mut sums) {
                    let last = &mut scores[GROUPS - 1];
                    *last = _mm512_maskz_mov_ps(mask, *last);
                    *sum = _mm512_setzero_ps();
                    for score in scores {
                        *sum = _mm512_add_ps(*sum, *score);
                    }
                }
            }
            let share = _mm512_div_ps(_mm512_set1_ps(1.0), four_sums(sums));
            _mm_storeu_ps(shares[few..].as_mut_ptr(), _mm512_castps512_ps128(share));
            let weights = self.buffers.weights.as_mut_ptr().cast::<u16>();
            for (i, scores) in scores.iter().enumerate() {
                let to = weights.add((few + i) * GROUPS * LANES);
                for (group, score) in scores.iter().enumerate() {
                    let half = std::mem::transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(*score));
                    _mm256_storeu_si256(to.add(group * LANES).cast(), half);
                }
            }
        }
    }

    /// Scales scores and adds the biases of pairs and of keys.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    unsafe fn add_biases<const GROUPS: usize>(
        &self,
        scores: &mut [[__m512; GROUPS]; FEW],
        head: usize,
        row: usize,
    ) {
        let tokens = self.shape.tokens;
        let scale = _mm512_set1_ps(self.scale);
        let mask = |group: usize| -> __mmask16 {
            match tokens - group * LANES {
                0..LANES => (1 << (tokens % LANES)) - 1,
                _ => !0,
            }
        };
        for (i, scores) in scores.iter_mut().enumerate() {
            // Queries beyond the last token give what nobody reads.
            let row = (row + i).min(tokens - 1);
            for (group, score) in scores.iter_mut().enumerate() {
                // SAFETY: masks leave out what is beyond the last token.
                unsafe {
                    if let Some(keys) = self.bias.keys {
                        let keys = _mm512_maskz_loadu_ps(mask(group), keys.as_ptr().add(group * LANES));
                        *score = _mm512_add_ps(*score, keys);
                    }
                    *score = match self.bias.pairs {
                        Some(pairs) => {
                            let pairs = pairs.as_ptr().add((head * tokens + row) * tokens + group * LANES);
                            _mm512_fmadd_ps(*score, scale, _mm512_maskz_loadu_ps(mask(group), pairs))
                        }
                        None => _mm512_mul_ps(*score, scale),
                    };
                }
            }
        }
    }

    /// Mixes the values of some of a head's numbers, sixteen at a time, for eight queries.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    unsafe fn mix<const GROUPS: usize, const COLUMNS: usize>(
        &mut self,
        head: usize,
        first: usize,
        group: usize,
        shares: &[f32; MANY],
    ) {
        let deep = GROUPS * LANES / 2;
        let column = head * self.shape.head() + group * LANES;
        // SAFETY: weights are there for eight queries, values for whole groups of sixteen tokens.
        unsafe {
            let weights = self.buffers.weights.as_ptr().cast::<u32>();
            let values = self.buffers.values.as_ptr().add(column / LANES * deep);
            let mut sums = [[_mm512_setzero_ps(); COLUMNS]; MANY];
            for pair in 0..deep {
                let lines: [__m512bh; COLUMNS] =
                    std::array::from_fn(|j| pairs_of(_mm512_load_si512(values.add(j * deep + pair).cast())));
                for (i, sums) in sums.iter_mut().enumerate() {
                    let weight = pairs_of(_mm512_set1_epi32(weights.add(i * deep + pair).read() as i32));
                    for (sum, line) in sums.iter_mut().zip(lines) {
                        *sum = _mm512_dpbf16_ps(*sum, weight, line);
                    }
                }
            }
            let rows = MANY.min(self.shape.tokens - first);
            for (i, sums) in sums.iter().enumerate().take(rows) {
                let to = self.mixed.as_mut_ptr().add((first + i) * self.shape.width + column);
                for (j, sum) in sums.iter().enumerate() {
                    _mm512_storeu_ps(to.add(j * LANES), _mm512_mul_ps(*sum, _mm512_set1_ps(shares[i])));
                }
            }
        }
    }
}

/// Takes the largest of its row from every score; what is then far below zero becomes what still has an exponential.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn shift<const GROUPS: usize>(scores: &mut [[__m512; GROUPS]; FEW], tokens: usize) {
    let beyond: __mmask16 = match tokens % LANES {
        0 => 0,
        rest => !0 << rest,
    };
    for scores in scores {
        let last = _mm512_mask_mov_ps(scores[GROUPS - 1], beyond, _mm512_set1_ps(f32::MIN));
        let largest = scores[..GROUPS - 1].iter().fold(last, |a, &b| _mm512_max_ps(a, b));
        let largest = _mm512_set1_ps(_mm512_reduce_max_ps(largest));
        for score in scores {
            // The second argument of a maximum survives NaN. Numbers beyond the last token may be far above.
            let below = _mm512_min_ps(_mm512_setzero_ps(), _mm512_sub_ps(*score, largest));
            *score = _mm512_max_ps(_mm512_set1_ps(-87.0), below);
        }
    }
}

#[inline]
fn pairs_of(words: __m512i) -> __m512bh {
    // SAFETY: both are plain 64 bytes.
    unsafe { std::mem::transmute::<__m512i, __m512bh>(words) }
}

#[inline]
fn words_of(pairs: __m512bh) -> __m512i {
    // SAFETY: both are plain 64 bytes.
    unsafe { std::mem::transmute::<__m512bh, __m512i>(pairs) }
}
