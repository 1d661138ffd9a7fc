//! With AVX-512's products of four unsigned with four signed bytes, summed in 32 bits.

use std::arch::x86_64::*;

use super::{Board, COLUMNS, Convolution, LANES, Line, QUAD, Then, scales};

/// The squares of a rank by 32 output channels.
type Sums = [[__m512i; 2]; 8];

/// # Safety
/// The CPU has AVX-512 with VNNI; both boards have the same length, a multiple of sixteen.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn fill(board: &mut Board, plain: &[f32]) {
    let zero = _mm512_setzero_ps();
    // NaN has larger bits than every number, and passes through a maximum that has it second.
    let mut largest = _mm512_setzero_si512();
    for x in plain.chunks_exact(LANES) {
        // SAFETY: sixteen numbers.
        let x = _mm512_abs_ps(_mm512_max_ps(zero, unsafe { _mm512_loadu_ps(x.as_ptr()) }));
        largest = _mm512_max_epu32(largest, _mm512_castps_si512(x));
    }
    let (scale, inverse) = scales(f32::from_bits(_mm512_reduce_max_epu32(largest)));
    board.scale = scale;
    let inverse = _mm512_set1_ps(inverse);
    for (x, to) in plain.chunks_exact(LANES).zip(board.bytes.chunks_exact_mut(LANES)) {
        // SAFETY: sixteen numbers and as many bytes.
        unsafe {
            let x = _mm512_max_ps(zero, _mm512_loadu_ps(x.as_ptr()));
            let whole = _mm512_cvtps_epi32(_mm512_mul_ps(x, inverse));
            _mm_storeu_si128(to.as_mut_ptr().cast(), _mm512_cvtusepi32_epi8(whole));
        }
    }
}

/// # Safety
/// The CPU has AVX-512 with VNNI. Boards, shortcut and result are 64 squares x channels, a multiple of 32, and weights, scales
/// and biases are for so many.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn convolve(board: &Board, by: &Convolution, then: Then<'_>, to: &mut [f32]) {
    let channels = by.scales.len();
    let quads = channels / QUAD;
    for first in (0..channels).step_by(COLUMNS) {
        let lines = by.lines[first / COLUMNS * 9 * quads * 2..].as_ptr();
        for rank in 0..8 {
            let mut sums = [[_mm512_setzero_si512(); 2]; 8];
            for neighbour in 0..3 {
                // Ranks beyond the edge are left out.
                let from = rank + neighbour;
                if (1..=8).contains(&from) {
                    // SAFETY: a rank on the board, and the weights of this neighbour.
                    unsafe {
                        let squares = board.bytes.as_ptr().add(8 * (from - 1) * channels);
                        add_rank(&mut sums, squares, lines.add(neighbour * quads * 3 * 2), quads);
                    }
                }
            }
            // SAFETY: the caller vouches for the lengths.
            unsafe { finish(&sums, board.scale, by, then, 8 * rank, first, to) };
        }
    }
}

/// Adds what the squares of a rank give to those of the rank at hand.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn add_rank(sums: &mut Sums, squares: *const u8, lines: *const Line, quads: usize) {
    for quad in 0..quads {
        // SAFETY: the caller vouches for all squares and lines.
        unsafe {
            let lines = lines.add(quad * 3 * 2);
            let mut weights = [[_mm512_setzero_si512(); 2]; 3];
            for (at, weight) in weights.as_flattened_mut().iter_mut().enumerate() {
                *weight = _mm512_load_si512(lines.add(at).cast());
            }
            let squares = squares.add(quad * QUAD);
            for file in 0..8 {
                let word = squares.add(file * quads * QUAD).cast::<i32>().read_unaligned();
                let bytes = _mm512_set1_epi32(word);
                for (neighbour, weights) in weights.iter().enumerate() {
                    // This square is that neighbour of which?
                    let of = file + 1;
                    if of >= neighbour && of - neighbour < 8 {
                        let sums = &mut sums[of - neighbour];
                        sums[0] = _mm512_dpbusd_epi32(sums[0], bytes, weights[0]);
                        sums[1] = _mm512_dpbusd_epi32(sums[1], bytes, weights[1]);
                    }
                }
            }
        }
    }
}

/// Sums of a rank to results.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn finish(
    sums: &Sums,
    scale: f32,
    by: &Convolution,
    then: Then<'_>,
    square: usize,
    first: usize,
    to: &mut [f32],
) {
    let channels = by.scales.len();
    let zero = _mm512_setzero_ps();
    for half in 0..2 {
        let channel = first + LANES * half;
        // SAFETY: sixteen channels of the caller's slices.
        unsafe {
            let scale =
                _mm512_mul_ps(_mm512_set1_ps(scale), _mm512_loadu_ps(by.scales.as_ptr().add(channel)));
            let bias = _mm512_loadu_ps(by.biases.as_ptr().add(channel));
            for (file, sums) in sums.iter().enumerate() {
                let at = (square + file) * channels + channel;
                let sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[half]), scale, bias);
                let result = match then {
                    Then::Rectify => _mm512_max_ps(zero, sum),
                    Then::Plain => sum,
                    Then::Join { shortcut } => {
                        let shortcut = _mm512_loadu_ps(shortcut.as_ptr().add(at));
                        _mm512_max_ps(zero, _mm512_add_ps(sum, shortcut))
                    }
                };
                _mm512_storeu_ps(to.as_mut_ptr().add(at), result);
            }
        }
    }
}

/// Multiplies for `rounds` of sixteen vectors; gives the number of operations.
///
/// # Safety
/// The CPU has AVX-512 with VNNI.
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) unsafe fn spin(rounds: usize) -> usize {
    let factor = _mm512_set1_epi32(std::hint::black_box(0));
    let mut sums = [_mm512_setzero_si512(); 16];
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = _mm512_dpbusd_epi32(*sum, factor, factor);
        }
    }
    std::hint::black_box(sums);
    rounds * sums.len() * 2 * LANES * QUAD
}
