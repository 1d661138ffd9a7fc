//! Sixteen boards side by side, for tiles: for each 32 channels and each square a tile with a row of bf16 for every board.
//! Squares have no zeros around them: neighbours beyond the edge are left out.

use std::arch::x86_64::*;

use super::dots;
use crate::{
    Level,
    simd::transpose::{Tile, transpose},
    tiles::{
        Tiles, WORDS,
        boards::{FILES_READ, Half, HalfRank},
    },
};

pub(super) const BOARDS: usize = 16;

/// Words of sixteen boards.
pub(super) fn words(channels: usize) -> usize {
    64 * channels * BOARDS / 2
}

/// Where the tile of a square begins, for the 32 channels (or, of gradients' factors, the 16) with this number.
pub(super) fn tile(part: usize, square: usize) -> usize {
    (64 * part + square) * WORDS
}

/// What becomes of the sums of a convolution. Plain boards are `[boards, 64, channels]`, others as in this file.
pub(super) enum Then<'a> {
    /// `to = max(sum + bias, 0)`.
    Rectify { bias: &'a [f32], to: &'a mut [f32] },
    /// `to = max(sum + bias + shortcut, 0)`, both plain.
    Join { bias: &'a [f32], shortcut: &'a [f32], to: &'a mut [f32] },
    /// `to = sum + bias`, plain.
    Plain { bias: &'a [f32], to: &'a mut [f32] },
    /// `to = sum` where `shown` is above zero, else 0; adds the squares and boards of `to` to `sums`.
    Gate { shown: &'a [f32], to: &'a mut [f32], sums: &'a mut [f32] },
    /// Adds to `to`, which is plain.
    Add { to: &'a mut [f32] },
}

/// # Safety
/// For all functions here: the CPU has AVX-512 with bf16, and tiles where the level says so.
///
/// Lays out up to sixteen plain boards; missing ones are zero.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")]
pub(super) unsafe fn pack(plain: &[f32], channels: usize, to: &mut [f32]) {
    assert_eq!(to.len(), words(channels));
    let mut boards = plain.chunks_exact(64 * channels);
    for board in 0..BOARDS {
        let plain = boards.next();
        for part in 0..channels / 32 {
            for square in 0..64 {
                let row = &mut to[tile(part, square) + 16 * board..][..16];
                let both = match plain {
                    Some(plain) => {
                        let from = &plain[square * channels + 32 * part..][..32];
                        bf16(load(&from[..16]), load(&from[16..]))
                    }
                    None => _mm512_setzero_si512(),
                };
                store_words(both, row);
            }
        }
    }
}

/// Like [`pack`], with `plain` set to zero first where `shown` is not above zero; adds its squares and boards to `sums`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")]
pub(super) unsafe fn pack_gated(
    gradient: &[f32],
    shown: &[f32],
    channels: usize,
    plain: &mut [f32],
    to: &mut [f32],
    sums: &mut [f32],
) {
    assert!(to.len() == words(channels) && plain.len() == gradient.len() && shown.len() == gradient.len());
    let zero = _mm512_setzero_ps();
    for board in 0..BOARDS {
        let first = board * 64 * channels;
        for part in 0..channels / 32 {
            let sums = &mut sums[32 * part..][..32];
            let mut totals = [load(&sums[..16]), load(&sums[16..])];
            for square in 0..64 {
                let row = &mut to[tile(part, square) + 16 * board..][..16];
                if first >= gradient.len() {
                    store_words(_mm512_setzero_si512(), row);
                    continue;
                }
                let mut halves = [zero; 2];
                for (i, (half, total)) in halves.iter_mut().zip(&mut totals).enumerate() {
                    let at = first + square * channels + 32 * part + 16 * i;
                    let open = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(load(&shown[at..]), zero);
                    *half = _mm512_maskz_mov_ps(open, load(&gradient[at..]));
                    store(*half, &mut plain[at..]);
                    *total = _mm512_add_ps(*total, *half);
                }
                store_words(bf16(halves[0], halves[1]), row);
            }
            store(totals[0], &mut sums[..16]);
            store(totals[1], &mut sums[16..]);
        }
    }
}

/// A 3x3 convolution.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")]
pub(super) unsafe fn convolve(
    level: Level,
    from: &[f32],
    weight: &[f32],
    channels: usize,
    mut then: Then<'_>,
) {
    assert!(from.len() == words(channels) && weight.len() == 9 * channels * channels / 2);
    assert!(channels.is_multiple_of(32));
    if level == Level::BF16 {
        // SAFETY: the level says that the CPU has the instructions; lengths were checked above.
        return unsafe { dots::convolve(from, weight, channels, &mut then) };
    }
    let parts = channels / 32;
    let tiles = Tiles::of_this_thread(level);
    let mut sums = [const { HalfRank([0.0; 4 * WORDS]) }; 2];
    let (mut now, mut before) = (0, None);
    for column in 0..channels / 16 {
        let weight = &weight[column * 9 * parts * WORDS..][..9 * parts * WORDS];
        for (half, first) in [(Half::Left, 0), (Half::Right, 4)] {
            for rank in 0..8 {
                // Ranks below, here and above, without those beyond the edge.
                let ranks = if rank == 0 { 1 } else { 0 }..if rank == 7 { 2 } else { 3 };
                let file = if first == 0 { 0 } else { 8 - FILES_READ };
                let steps = ranks.len() * parts;
                tiles.clear_half_rank();
                for step in 0..steps {
                    let (neighbour, part) = (ranks.start + step / parts, step % parts);
                    // SAFETY: five tiles from `file` on are of a rank on the board.
                    unsafe {
                        let board = from.as_ptr().add(tile(part, 8 * (rank + neighbour - 1) + file));
                        let weight = weight.as_ptr().add((neighbour * parts + part) * 3 * WORDS);
                        tiles.step_half_rank(half, board, weight);
                    }
                    // While tiles are multiplied, there is time to finish the half rank before.
                    if let Some((square, column)) = before {
                        for i in 4 * step / steps..4 * (step + 1) / steps {
                            let sums: &HalfRank = &sums[1 - now];
                            finish(&sums.0[i * WORDS..][..WORDS], square + i, column, channels, &mut then);
                        }
                    }
                }
                tiles.store_half_rank(&mut sums[now]);
                before = Some((8 * rank + first, column));
                now = 1 - now;
            }
        }
    }
    if let Some((square, column)) = before {
        for (i, sums) in sums[1 - now].0.chunks_exact(WORDS).enumerate() {
            finish(sums, square + i, column, channels, &mut then);
        }
    }
}

/// The sums of a square, sixteen channels of sixteen boards.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")]
pub(super) fn finish(sums: &[f32], square: usize, column: usize, channels: usize, then: &mut Then<'_>) {
    let zero = _mm512_setzero_ps();
    let (word, plain) = (tile(column / 2, square) + 8 * (column % 2), square * channels + 16 * column);
    match then {
        Then::Rectify { bias, to } => {
            let bias = load(&bias[16 * column..]);
            for (sum, to) in sums.chunks_exact(16).zip(to[word..].chunks_mut(16)) {
                store_half(_mm512_max_ps(zero, _mm512_add_ps(load(sum), bias)), to);
            }
        }
        Then::Join { bias, shortcut, to } => {
            let bias = load(&bias[16 * column..]);
            let boards = shortcut.chunks_exact(64 * channels).zip(to.chunks_exact_mut(64 * channels));
            for (sum, (shortcut, to)) in sums.chunks_exact(16).zip(boards) {
                let sum = _mm512_add_ps(_mm512_add_ps(load(sum), bias), load(&shortcut[plain..]));
                store(_mm512_max_ps(zero, sum), &mut to[plain..]);
            }
        }
        Then::Plain { bias, to } => {
            let bias = load(&bias[16 * column..]);
            for (sum, to) in sums.chunks_exact(16).zip(to.chunks_exact_mut(64 * channels)) {
                store(_mm512_add_ps(load(sum), bias), &mut to[plain..]);
            }
        }
        Then::Gate { shown, to, sums: totals } => {
            let mut total = load(&totals[16 * column..]);
            let rows = shown[word..].chunks(16).zip(to[word..].chunks_mut(16));
            for (sum, (shown, to)) in sums.chunks_exact(16).zip(rows) {
                let open = _mm256_cmpgt_epi16_mask(load_half(shown), _mm256_setzero_si256());
                let sum = _mm512_maskz_mov_ps(open, load(sum));
                total = _mm512_add_ps(total, sum);
                store_half(sum, to);
            }
            store(total, &mut totals[16 * column..]);
        }
        Then::Add { to } => {
            for (sum, to) in sums.chunks_exact(16).zip(to.chunks_exact_mut(64 * channels)) {
                store(_mm512_add_ps(load(sum), load(&to[plain..])), &mut to[plain..]);
            }
        }
    }
}

/// Thirty-two boards as a factor of gradients: for each sixteen channels and each square a right tile, or its transpose as a
/// left tile, with a sum over the boards. Board i and board 16 + i are neighbours.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn factor(from: [&[f32]; 2], channels: usize, transposed: bool, to: &mut [f32]) {
    assert!(from.iter().all(|from| from.len() == words(channels)) && to.len() == 2 * words(channels));
    let orders = [0, 16].map(|first| {
        // SAFETY: both are plain 64 bytes.
        unsafe {
            std::mem::transmute::<[u16; 32], __m512i>(std::array::from_fn(|i| {
                (first + i / 2 + i % 2 * 32) as u16
            }))
        }
    });
    for part in 0..channels / 32 {
        for square in 0..64 {
            let rows = from.map(|from| &from[tile(part, square)..][..WORDS]);
            for (half, order) in orders.into_iter().enumerate() {
                let mut made: Tile = [_mm512_setzero_si512(); 16];
                for (row, made) in made.iter_mut().enumerate() {
                    let [one, other] = rows.map(|rows| load_words(&rows[16 * row..]));
                    *made = _mm512_permutex2var_epi16(one, order, other);
                }
                if transposed {
                    transpose(&mut made);
                }
                let to = &mut to[tile(2 * part + half, square)..][..WORDS];
                for (row, to) in made.into_iter().zip(to.chunks_exact_mut(16)) {
                    store_words(row, to);
                }
            }
        }
    }
}

/// Adds the gradients of a convolution's weights, `[9 x channels, channels]`, given the factors of its inputs
/// (transposed) and of the gradients of its results.
pub(super) fn weight_gradients(
    level: Level,
    inputs: &[f32],
    gradients: &[f32],
    channels: usize,
    out: &mut [f32],
) {
    assert!(inputs.len() == 2 * words(channels) && gradients.len() == inputs.len());
    assert_eq!(out.len(), 9 * channels * channels);
    assert!(channels.is_multiple_of(32));
    if level == Level::BF16 {
        // SAFETY: the level says that the CPU has the instructions; lengths were checked above.
        return unsafe { dots::weight_gradients(inputs, gradients, channels, out) };
    }
    let tiles = Tiles::of_this_thread(level);
    for row in 0..channels / 16 {
        for column in 0..channels / 16 {
            for rank in 0..3 {
                let (from, ranks) = [(0, 7), (0, 8), (1, 7)][rank];
                let to = if rank == 0 { 1 } else { 0 };
                // SAFETY: the ranks are on the board, and the three squares of the result are within it.
                unsafe {
                    tiles.neighbour_gradients(
                        inputs.as_ptr().add(tile(row, 8 * from)),
                        gradients.as_ptr().add(tile(column, 8 * to)),
                        ranks,
                        out.as_mut_ptr().add((3 * rank * channels + 16 * row) * channels + 16 * column),
                        channels * channels,
                        channels,
                    );
                }
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn bf16(low: __m512, high: __m512) -> __m512i {
    // SAFETY: both are plain 64 bytes.
    unsafe { std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low)) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(from: &[f32]) -> __m512 {
    assert!(from.len() >= 16);
    // SAFETY: checked.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(v: __m512, to: &mut [f32]) {
    assert!(to.len() >= 16);
    // SAFETY: checked.
    unsafe { _mm512_storeu_ps(to.as_mut_ptr(), v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_words(from: &[f32]) -> __m512i {
    _mm512_castps_si512(load(from))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_words(v: __m512i, to: &mut [f32]) {
    store(_mm512_castsi512_ps(v), to);
}

/// Sixteen bf16.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_half(from: &[f32]) -> __m256i {
    assert!(from.len() >= 8);
    // SAFETY: checked.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Stores sixteen numbers as bf16.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn store_half(v: __m512, to: &mut [f32]) {
    assert!(to.len() >= 8);
    // SAFETY: checked, and both are plain 32 bytes.
    unsafe {
        let narrow = std::mem::transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(v));
        _mm256_storeu_si256(to.as_mut_ptr().cast(), narrow);
    }
}
