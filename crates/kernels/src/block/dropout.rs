//! Dropout of what each half adds: zeros that depend on nothing but the seed, the half, the position and the place, so that the
//! backward pass finds the same ones, on any number of threads.

/// A share of numbers that training sets to zero; the others grow so that their mean stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropout {
    /// From 0 to below 1, in steps of 1/256.
    pub rate: f32,
    /// Another one for each block and step.
    pub seed: u64,
}

/// Numbers that one random word decides, a byte each.
const PER_WORD: usize = 8;

impl Dropout {
    /// Drops from `columns` columns of a matrix that is `width` wide, from column `first` on; `values` has only those.
    /// `which` tells matrices apart.
    pub(super) fn apply(self, which: u64, values: &mut [f32], columns: usize, first: usize, width: usize) {
        debug_assert!(columns.is_multiple_of(PER_WORD) && first.is_multiple_of(PER_WORD));
        let dropped = (self.rate * 256.0).round().clamp(0.0, 255.0) as u8;
        let scale = 256.0 / (256.0 - f32::from(dropped));
        let start = mixed(self.seed ^ mixed(which));
        for (row, values) in values.chunks_exact_mut(columns).enumerate() {
            for (i, values) in values.chunks_exact_mut(PER_WORD).enumerate() {
                let word = mixed(start.wrapping_add(((row * width + first) / PER_WORD + i) as u64));
                for (value, byte) in values.iter_mut().zip(word.to_le_bytes()) {
                    *value = if byte < dropped { 0.0 } else { *value * scale };
                }
            }
        }
    }
}

/// The finisher of SplitMix64.
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_matrix_lose_what_the_whole_loses_and_the_mean_stays() {
        let (rows, width) = (64, 96);
        let dropout = Dropout { rate: 0.25, seed: 5 };
        let mut whole = vec![1.0; rows * width];
        dropout.apply(3, &mut whole, width, 0, width);
        for first in [0, 32, 64] {
            let mut part = vec![1.0; rows * 32];
            dropout.apply(3, &mut part, 32, first, width);
            for (part, whole) in part.chunks(32).zip(whole.chunks(width)) {
                assert_eq!(part, &whole[first..first + 32]);
            }
        }
        let zeros = whole.iter().filter(|&&x| x == 0.0).count() as f64 / whole.len() as f64;
        assert!((zeros - 0.25).abs() < 0.02, "{zeros}");
        let mean = whole.iter().sum::<f32>() / whole.len() as f32;
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
        let mut other = vec![1.0; rows * width];
        dropout.apply(4, &mut other, width, 0, width);
        assert_ne!(whole, other);
    }
}
