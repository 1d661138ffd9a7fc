//! A small seeded generator, written out so that games, samples and matches stay the same whatever becomes of a library.

use serde::{Deserialize, Serialize};

/// SplitMix64 (Steele, Lea, Flood 2014): every seed is a good one, the state is one number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A stream of its own for each pair of a seed and a key.
    pub fn keyed(seed: u64, key: u64) -> Random {
        let mut random = Random(seed ^ key.rotate_left(32));
        Random(random.bits() ^ key)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number in `0..bound`; `bound` must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// True with the given chance.
    pub fn chance(&mut self, rate: f64) -> bool {
        rate >= 1.0 || ((self.bits() >> 11) as f64) < rate * (1u64 << 53) as f64
    }

    /// A number in 0..1, evenly spread.
    pub fn part(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_never_changes() {
        // First outputs for seed 1234567 as published with the reference implementation.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn chances_come_out_as_asked() {
        let mut random = Random::new(7);
        let hits = (0..100_000).filter(|_| random.chance(0.125)).count();
        assert!((12_000..13_000).contains(&hits), "{hits}");
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<_> = (0..100).collect();
        Random::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
