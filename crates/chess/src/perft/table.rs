//! Counts of positions that were met before, shared by threads without locks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use shakmaty::{Chess, EnPassantMode, Position, zobrist::Zobrist64};

/// A table of fixed size in which newer counts overwrite older ones.
#[derive(Debug)]
pub struct Table {
    slots: Vec<Slot>,
}

/// `check` is the key mixed with the count: halves that two threads wrote at once do not pass for an entry.
#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    count: AtomicU64,
}

impl Table {
    pub fn with_megabytes(megabytes: usize) -> Table {
        Table::with_entries((megabytes << 20) / size_of::<Slot>())
    }

    pub fn with_entries(entries: usize) -> Table {
        Table { slots: std::iter::repeat_with(Slot::default).take(entries.max(1)).collect() }
    }

    pub(super) fn get_or_count(&self, position: &Chess, depth: u32, count: impl FnOnce() -> u64) -> u64 {
        let key = key(position, depth);
        let slot = &self.slots[(key % self.slots.len() as u64) as usize];
        let known = slot.count.load(Relaxed);
        if slot.check.load(Relaxed) ^ known == key {
            return known;
        }
        let count = count();
        slot.check.store(key ^ count, Relaxed);
        slot.count.store(count, Relaxed);
        count
    }
}

/// Never 0, which is the key that an empty slot seems to have.
fn key(position: &Chess, depth: u32) -> u64 {
    let zobrist = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    (zobrist ^ u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)
}
