//! Random numbers that stay the same for ever, so that a match can be resumed by a later version.

/// The SplitMix64 generator (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Seeded(u64);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Seeded {
        Seeded(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but not including `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The high half of the product is even enough: books have far fewer than 2^32 entries.
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
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
        let mut seeded = Seeded::new(1_234_567);
        assert_eq!(seeded.next(), 6_457_827_717_110_365_317);
        assert_eq!(seeded.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn shuffling_loses_nothing() {
        let mut items: Vec<usize> = (0..1000).collect();
        Seeded::new(3).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..1000));
    }
}
