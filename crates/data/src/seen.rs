//! The ids that a dataset already holds, in bounded memory: a hash table that moves to a file when it grows large.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_64;

const FIRST_SLOTS: u64 = 1 << 16;
/// 128 MiB in memory hold ten million ids; a file of the same form takes over beyond that.
const MOST_SLOTS_IN_MEMORY: u64 = 1 << 24;

/// Open addressing on 64-bit hashes; 0 marks a free slot. Among a hundred million ids the chance that two
/// different ones meet is 0.03 %.
#[derive(Debug)]
pub(crate) struct Seen {
    slots: Slots,
    taken: u64,
    folder: PathBuf,
    most_in_memory: u64,
}

#[derive(Debug)]
enum Slots {
    Memory(Vec<u64>),
    Disk { file: File, len: u64 },
}

impl Seen {
    /// An empty set. The file, if one is needed, has no name and vanishes with the process.
    pub(crate) fn new(folder: &Path) -> Seen {
        Seen {
            slots: Slots::Memory(vec![0; FIRST_SLOTS as usize]),
            taken: 0,
            folder: folder.to_owned(),
            most_in_memory: MOST_SLOTS_IN_MEMORY,
        }
    }

    pub(crate) fn hash(id: &str) -> u64 {
        xxh3_64(id.as_bytes()).max(1)
    }

    /// Adds an id by its hash; false when it was there before.
    pub(crate) fn insert(&mut self, hash: u64) -> io::Result<bool> {
        if 8 * self.taken >= 5 * self.slots.len() {
            self.grow()?;
        }
        let is_new = self.slots.insert(hash)?;
        self.taken += u64::from(is_new);
        Ok(is_new)
    }

    /// Doubles the slots. They are ordered by the hash's top bits, so that copying runs through both from front to back.
    fn grow(&mut self) -> io::Result<()> {
        let len = 2 * self.slots.len();
        let mut larger = if len <= self.most_in_memory {
            Slots::Memory(vec![0; len as usize])
        } else {
            let file = tempfile::tempfile_in(&self.folder)?;
            file.set_len(8 * len)?;
            Slots::Disk { file, len }
        };
        match &mut self.slots {
            Slots::Memory(slots) => {
                for &hash in slots.iter().filter(|&&hash| hash != 0) {
                    larger.insert(hash)?;
                }
            }
            Slots::Disk { file, len } => {
                file.rewind()?;
                let mut reader = BufReader::with_capacity(1 << 20, file);
                let mut bytes = [0; 8];
                for _ in 0..*len {
                    reader.read_exact(&mut bytes)?;
                    match u64::from_le_bytes(bytes) {
                        0 => {}
                        hash => drop(larger.insert(hash)?),
                    }
                }
            }
        }
        self.slots = larger;
        Ok(())
    }
}

impl Slots {
    fn len(&self) -> u64 {
        match self {
            Slots::Memory(slots) => slots.len() as u64,
            Slots::Disk { len, .. } => *len,
        }
    }

    fn insert(&mut self, hash: u64) -> io::Result<bool> {
        let len = self.len();
        let mut at = ((u128::from(hash) * u128::from(len)) >> 64) as u64;
        loop {
            match self.get(at)? {
                0 => return self.set(at, hash).map(|()| true),
                found if found == hash => return Ok(false),
                _ => at = (at + 1) % len,
            }
        }
    }

    fn get(&mut self, at: u64) -> io::Result<u64> {
        match self {
            Slots::Memory(slots) => Ok(slots[at as usize]),
            Slots::Disk { file, .. } => {
                let mut bytes = [0; 8];
                file.seek(SeekFrom::Start(8 * at))?;
                file.read_exact(&mut bytes)?;
                Ok(u64::from_le_bytes(bytes))
            }
        }
    }

    fn set(&mut self, at: u64, hash: u64) -> io::Result<()> {
        match self {
            Slots::Memory(slots) => slots[at as usize] = hash,
            Slots::Disk { file, .. } => {
                file.seek(SeekFrom::Start(8 * at))?;
                file.write_all(&hash.to_le_bytes())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::Random;

    #[test]
    fn agrees_with_a_plain_set_in_memory_and_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut seen = Seen { most_in_memory: FIRST_SLOTS, ..Seen::new(folder.path()) };
        let (mut plain, mut random) = (HashSet::new(), Random::new(1));
        for _ in 0..150_000 {
            let hash = Seen::hash(&random.below(100_000).to_string());
            assert_eq!(seen.insert(hash).unwrap(), plain.insert(hash));
        }
        assert!(matches!(seen.slots, Slots::Disk { .. }));
        assert_eq!(seen.taken, plain.len() as u64);
    }
}
