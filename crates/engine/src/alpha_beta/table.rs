//! The transposition table: what was found out about positions, shared by all threads without locks.
//!
//! An entry is two words. The first is the key xor the second, so that a torn write by two threads at once
//! looks like a miss, never like knowledge of another position.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use chess::PackedMove;

use super::{
    prefetch::prefetch,
    value::{UNKNOWN, from_table, to_table},
    zeroed::zeroed,
};
use crate::Bound;

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) best: PackedMove,
    pub(crate) value: i32,
    /// Static evaluation, or [`UNKNOWN`].
    pub(crate) evaluation: i32,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// Whether it was ever on a principal variation.
    pub(crate) on_line: bool,
}

/// Four entries in one cache line, of each its check and its data.
type Bucket = [AtomicU64; 8];

#[derive(Debug)]
pub(crate) struct Table {
    /// As the system gives them, all zero: a page takes memory and time when it is first written to, so that a table of any size is there
    /// at once.
    words: Box<[AtomicU64]>,
    /// Words before the first cache line.
    skipped: usize,
    buckets: usize,
    generation: AtomicU8,
}

/// Generations are counted in five bits.
const GENERATIONS: u8 = 32;
/// Depths are stored from this up, so that quiescence fits.
const DEPTH_OFFSET: i32 = 8;

/// From this size on a table has pages of its own, which the system takes back and gives anew faster than anybody clears them.
const LARGE_MB: usize = 33;

impl Table {
    pub(crate) fn new(megabytes: usize) -> Table {
        let buckets = (megabytes.max(1) << 20) / size_of::<Bucket>();
        let words = zeroed(size_of::<Bucket>() / 8 * (buckets + 1));
        let skipped = words.as_ptr().align_offset(size_of::<Bucket>());
        Table { words, skipped, buckets, generation: AtomicU8::new(0) }
    }

    /// Forgets everything: small tables in the same memory.
    pub(crate) fn clear(&mut self) {
        let megabytes = (self.buckets * size_of::<Bucket>()) >> 20;
        if megabytes >= LARGE_MB {
            // The old one goes first: both together may not fit into memory.
            self.words = Box::default();
            *self = Table::new(megabytes);
        } else {
            self.words.iter_mut().for_each(|word| *word.get_mut() = 0);
            *self.generation.get_mut() = 0;
        }
    }

    /// Marks what is in the table as old: a new search begins.
    pub(crate) fn age(&self) {
        self.generation.store((self.generation() + 1) % GENERATIONS, Ordering::Relaxed);
    }

    pub(crate) fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        self.slots(key).iter().find_map(|[check, data]| {
            let data = data.load(Ordering::Relaxed);
            let found = check.load(Ordering::Relaxed) ^ data == key && data != 0;
            found.then(|| unpack(data, ply))
        })
    }

    /// Stores an entry over the one of the same position, or over the least useful of four.
    pub(crate) fn put(&self, key: u64, ply: usize, mut entry: Entry) {
        let generation = self.generation();
        let slots = self.slots(key);
        let mut chosen = &slots[0];
        let mut least = i32::MAX;
        for slot in slots {
            let [check, data] = slot;
            let data = data.load(Ordering::Relaxed);
            if check.load(Ordering::Relaxed) ^ data == key && data != 0 {
                let old = unpack(data, ply);
                if entry.best.is_none() {
                    entry.best = old.best;
                }
                // A much deeper result of this search is worth more than a new shallow bound.
                if entry.bound != Bound::Exact
                    && generation_of(data) == generation
                    && old.depth > entry.depth + 4
                {
                    return;
                }
                chosen = slot;
                break;
            }
            let age = (generation + GENERATIONS - generation_of(data)) % GENERATIONS;
            let kept = if data == 0 { i32::MIN } else { depth_of(data) - 4 * i32::from(age) };
            if kept < least {
                (least, chosen) = (kept, slot);
            }
        }
        let data = pack(entry, ply, generation);
        chosen[1].store(data, Ordering::Relaxed);
        chosen[0].store(key ^ data, Ordering::Relaxed);
    }

    /// Thousandths of the table that hold results of this search, by a sample.
    pub(crate) fn fullness(&self) -> u32 {
        let sample = self.buckets.min(250);
        let used = self.lines()[..sample].iter().flat_map(pairs).filter(|[_, data]| {
            let data = data.load(Ordering::Relaxed);
            data != 0 && generation_of(data) == self.generation()
        });
        (used.count() * 1000 / (4 * sample)) as u32
    }

    /// Begins to fetch what [`Table::get`] will ask for.
    #[inline]
    pub(crate) fn expect(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.lines()[((u128::from(key) * self.buckets as u128) >> 64) as usize]
    }

    fn slots(&self, key: u64) -> &[[AtomicU64; 2]] {
        pairs(self.bucket(key))
    }

    /// The buckets, each in a cache line of its own.
    fn lines(&self) -> &[Bucket] {
        &self.words[self.skipped..].as_chunks().0[..self.buckets]
    }

    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }
}

/// Check and data of the entries in a bucket.
fn pairs(bucket: &Bucket) -> &[[AtomicU64; 2]] {
    bucket.as_chunks().0
}

// Bits from below: move 16, value 16, evaluation 16, depth 8, bound 2, on line 1, generation 5.

fn pack(entry: Entry, ply: usize, generation: u8) -> u64 {
    let word = |value: i32| u64::from(value as i16 as u16);
    let bound = match entry.bound {
        Bound::Upper => 1u64,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    u64::from(entry.best.0)
        | word(to_table(entry.value, ply)) << 16
        | word(entry.evaluation) << 32
        | ((entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64) << 48
        | bound << 56
        | u64::from(entry.on_line) << 58
        | u64::from(generation) << 59
}

fn unpack(data: u64, ply: usize) -> Entry {
    let word = |shift: u32| i32::from((data >> shift) as u16 as i16);
    Entry {
        best: PackedMove(data as u16),
        value: from_table(word(16), ply),
        evaluation: word(32),
        depth: depth_of(data),
        bound: match data >> 56 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        on_line: data >> 58 & 1 == 1,
    }
}

fn depth_of(data: u64) -> i32 {
    (data >> 48 & 0xff) as i32 - DEPTH_OFFSET
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

impl Entry {
    /// An entry that remembers nothing but the static evaluation.
    pub(crate) fn evaluation_only(evaluation: i32, on_line: bool) -> Entry {
        Entry { best: PackedMove::NONE, value: UNKNOWN, evaluation, depth: -6, bound: Bound::Upper, on_line }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(best: u16, value: i32, depth: i32, bound: Bound) -> Entry {
        Entry { best: PackedMove(best), value, evaluation: -17, depth, bound, on_line: true }
    }

    proptest! {
        #[test]
        fn an_entry_survives_the_table(
            key in 1u64.., best in 1u16.., value in -31_000i32..31_000, depth in -6i32..120, bound in 0..3usize,
        ) {
            let bound = [Bound::Exact, Bound::Lower, Bound::Upper][bound];
            let table = Table::new(1);
            table.put(key, 3, entry(best, value, depth, bound));
            prop_assert_eq!(table.get(key, 3), Some(entry(best, value, depth, bound)));
            prop_assert_eq!(table.get(!key, 3), None);
        }
    }

    #[test]
    fn old_and_shallow_entries_give_way_first() {
        let table = Table::new(1);
        let keys: Vec<u64> = (0..6).map(|low| 0xabcd_0000_0000_0000 | low).collect();
        for (&key, depth) in keys.iter().zip([9, 3, 8, 7]) {
            table.put(key, 0, entry(1, 5, depth, Bound::Lower));
        }
        table.put(keys[4], 0, entry(1, 5, 6, Bound::Lower));
        assert_eq!(table.get(keys[1], 0), None, "the shallowest went");
        for _ in 0..3 {
            table.age();
        }
        table.put(keys[0], 0, entry(2, 5, 9, Bound::Exact));
        table.put(keys[5], 0, entry(1, 5, 1, Bound::Lower));
        assert!(table.get(keys[0], 0).is_some() && table.get(keys[5], 0).is_some(), "new ones stay");
    }

    #[test]
    fn a_table_of_any_size_forgets_everything_and_lies_in_whole_cache_lines() {
        for megabytes in [1, LARGE_MB] {
            let mut table = Table::new(megabytes);
            assert_eq!(table.lines().as_ptr().align_offset(size_of::<Bucket>()), 0);
            let keys: Vec<u64> = (1..1000u64).map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            keys.iter().for_each(|&key| table.put(key, 0, entry(9, 5, 4, Bound::Lower)));
            assert!(keys.iter().all(|&key| table.get(key, 0).is_some()), "{megabytes}");
            table.clear();
            assert!(keys.iter().all(|&key| table.get(key, 0).is_none()), "{megabytes}");
            assert_eq!(table.lines().len(), megabytes << 20 >> 6);
        }
    }

    /// Megabytes that the process has in memory.
    #[cfg(target_os = "linux")]
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() >> 10
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_large_table_takes_memory_only_where_something_is_stored() {
        const MEGABYTES: usize = 4096;
        let before = resident();
        let mut table = Table::new(MEGABYTES);
        table.put(77, 0, entry(9, 5, 4, Bound::Lower));
        table.clear();
        assert_eq!(table.get(77, 0), None);
        // Other tests of this process take memory meanwhile, but not gigabytes.
        let grown = resident().saturating_sub(before);
        assert!(grown < MEGABYTES / 2, "{grown} MB of {MEGABYTES}");
    }

    #[test]
    fn a_store_without_a_move_keeps_the_known_one() {
        let table = Table::new(1);
        table.put(77, 0, entry(9, 5, 4, Bound::Lower));
        table.put(77, 0, entry(0, 1, 5, Bound::Upper));
        assert_eq!(table.get(77, 0).map(|entry| entry.best), Some(PackedMove(9)));
    }
}
