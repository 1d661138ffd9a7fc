//! The transposition table: bounds, best move and the mind's own value of positions. One thread walks the tree, so
//! nothing here is shared.

use chess::PackedMove;

use super::value::{from_table, to_table};

/// What is known of a position when searched to `depth`; quiescence has depths of 0 and less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    key: u64,
    pub(super) lower: f32,
    pub(super) upper: f32,
    /// The mind's word on the bare position, NaN if it was not asked.
    pub(super) value: f32,
    pub(super) best: PackedMove,
    depth: i8,
    generation: u8,
}

/// An entry as it is stored: its key, its bounds, and value, move, depth and generation. All zero is none: memory as the system gives it
/// takes no time before it is written to.
type Words = [u64; 3];
const EMPTY: Words = [0; 3];

/// Entries that a position may be in.
const WAYS: usize = 4;

#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Words>,
    generation: u8,
}

/// A node's part of what an entry holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finding {
    pub(super) depth: i16,
    pub(super) lower: f32,
    pub(super) upper: f32,
    pub(super) value: f32,
    pub(super) best: PackedMove,
}

impl Entry {
    pub(super) fn depth(&self) -> i16 {
        i16::from(self.depth)
    }

    fn pack(self) -> Words {
        let two = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let rest =
            u32::from(self.best.0) | u32::from(self.depth as u8) << 16 | u32::from(self.generation) << 24;
        [self.key, two(self.lower.to_bits(), self.upper.to_bits()), two(self.value.to_bits(), rest)]
    }

    /// `None` where nothing is stored.
    fn unpack([key, bounds, word]: Words) -> Option<Entry> {
        let (lower, upper) = (f32::from_bits(bounds as u32), f32::from_bits((bounds >> 32) as u32));
        let (value, rest) = (f32::from_bits(word as u32), (word >> 32) as u32);
        let best = PackedMove(rest as u16);
        let (depth, generation) = ((rest >> 16) as u8 as i8, (rest >> 24) as u8);
        (key != 0).then_some(Entry { key, lower, upper, value, best, depth, generation })
    }
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Table {
        let sets = (megabytes.max(1) << 20) / (WAYS * size_of::<Words>());
        Table { entries: vec![EMPTY; sets * WAYS], generation: 0 }
    }

    pub(super) fn clear(&mut self) {
        let count = self.entries.len();
        // The old memory goes first: both together may not fit.
        self.entries = Vec::new();
        self.entries = vec![EMPTY; count];
    }

    /// Marks what is in the table as old: a new search begins.
    pub(super) fn age(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    pub(super) fn get(&self, key: u64, ply: u16) -> Option<Entry> {
        let entry = Entry::unpack(*self.entries[self.set(key)].iter().find(|words| words[0] == key)?)?;
        let (lower, upper) = (from_table(entry.lower, ply), from_table(entry.upper, ply));
        Some(Entry { lower, upper, ..entry })
    }

    pub(super) fn put(&mut self, key: u64, ply: u16, found: Finding) {
        let generation = self.generation;
        let set = self.set(key);
        // The entry of the same position, else an empty one, else the least useful.
        let keep = |words: &Words| match Entry::unpack(*words) {
            Some(entry) if entry.key == key => i32::MIN,
            Some(entry) => {
                let age = generation.wrapping_sub(entry.generation);
                i32::from(entry.depth) - 4 * i32::from(age.min(30))
            }
            None => i32::MIN + 1,
        };
        let slot = self.entries[set].iter_mut().min_by_key(|words| keep(words)).expect("a set has entries");
        let depth = found.depth.clamp(-100, 127) as i8;
        let mut new = Entry {
            key,
            lower: to_table(found.lower, ply),
            upper: to_table(found.upper, ply),
            value: found.value,
            best: found.best,
            depth,
            generation,
        };
        if let Some(old) = Entry::unpack(*slot).filter(|old| old.key == key) {
            if new.value.is_nan() {
                new.value = old.value;
            }
            if new.best.is_none() {
                new.best = old.best;
            }
            if old.depth > depth {
                // What was found deeper stays; it is as fresh as this visit.
                *slot = Entry { generation, value: new.value, ..old }.pack();
                return;
            }
            if old.depth == depth && old.lower.max(new.lower) <= old.upper.min(new.upper) {
                new.lower = new.lower.max(old.lower);
                new.upper = new.upper.min(old.upper);
            }
        }
        *slot = new.pack();
    }

    /// Thousandths of the table in use by this search, by a sample.
    pub(super) fn fullness(&self) -> u32 {
        let sample = &self.entries[..self.entries.len().min(1000)];
        let present =
            |words: &&Words| Entry::unpack(**words).is_some_and(|entry| entry.generation == self.generation);
        let used = sample.iter().filter(present);
        (used.count() * 1000 / sample.len()) as u32
    }

    fn set(&self, key: u64) -> std::ops::Range<usize> {
        let sets = self.entries.len() / WAYS;
        let first = WAYS * ((u128::from(key) * sets as u128) >> 64) as usize;
        first..first + WAYS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(depth: i16, lower: f32, upper: f32) -> Finding {
        Finding { depth, lower, upper, value: f32::NAN, best: PackedMove::NONE }
    }

    fn bounds(table: &Table, key: u64) -> Option<(i16, f32, f32)> {
        table.get(key, 0).map(|entry| (entry.depth(), entry.lower, entry.upper))
    }

    #[test]
    fn bounds_of_one_depth_are_joined_and_deeper_ones_win() {
        let mut table = Table::new(1);
        table.put(7, 0, found(3, 10.0, f32::INFINITY));
        table.put(7, 0, found(3, f32::NEG_INFINITY, 20.0));
        assert_eq!(bounds(&table, 7), Some((3, 10.0, 20.0)));
        table.put(7, 0, found(2, 0.0, 5.0));
        assert_eq!(bounds(&table, 7), Some((3, 10.0, 20.0)));
        table.put(7, 0, found(4, 30.0, 40.0));
        assert_eq!(bounds(&table, 7), Some((4, 30.0, 40.0)));
        assert_eq!(bounds(&table, 8), None);
    }

    #[test]
    fn an_entry_is_packed_and_read_back_and_zero_is_none() {
        for entry in [
            Entry {
                key: u64::MAX,
                lower: f32::NEG_INFINITY,
                upper: f32::INFINITY,
                value: -0.25,
                best: PackedMove(u16::MAX),
                depth: -100,
                generation: 255,
            },
            Entry {
                key: 1,
                lower: -1.5,
                upper: 1e-9,
                value: 31_900.0,
                best: PackedMove::NONE,
                depth: 127,
                generation: 0,
            },
        ] {
            assert_eq!(Entry::unpack(entry.pack()), Some(entry));
        }
        assert_eq!(Entry::unpack(EMPTY), None);
        let mut table = Table::new(1);
        table.put(7, 0, found(3, 10.0, 20.0));
        table.clear();
        assert_eq!(bounds(&table, 7), None);
    }

    #[test]
    fn a_value_and_a_move_outlive_results_without_them() {
        let mut table = Table::new(1);
        table.put(7, 0, Finding { value: 1.5, best: PackedMove(9), ..found(0, 1.5, 1.5) });
        table.put(7, 0, found(1, 2.0, f32::INFINITY));
        let entry = table.get(7, 0).unwrap();
        assert_eq!((entry.value, entry.best), (1.5, PackedMove(9)));
    }
}
